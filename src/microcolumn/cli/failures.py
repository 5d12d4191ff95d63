"""What goes wrong, as one sentence and an exit code.

1 if the work failed, 2 for bad input, 130 if it was interrupted (128 and the signal's number).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from linecache import getline
from signal import SIGINT
from traceback import format_exception, walk_tb
from types import MappingProxyType

import typer

from .output import complain, say
from .reading import as_options


@contextmanager
def one_sentence(options: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Turn what is raised into a sentence and an exit code; MICROCOLUMN_DEBUG=1 shows where.

    A sentence that begins with an argument of the API, ``n_hidden is -3``, names the option instead
    if ``options`` has one for it; in a plan it is the name to look for.
    """
    try:
        yield
    except (BrokenPipeError, typer.Exit):  # the output's reader has seen enough; ended already
        raise
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("MICROCOLUMN_DEBUG", "0") not in ("", "0"):
            say("".join(format_exception(error)), err=True)
        sentence, code = _outcome(error)
        argument = re.match(r"(?:experiment \w+: )?(\w+)(?= is )", sentence)
        if argument is not None and argument[1] in options:
            sentence = options[argument[1]] + sentence[argument.end() :]
        complain(sentence)
        raise typer.Exit(code) from None


def _outcome(error: BaseException) -> tuple[str, int]:
    """What to say of an error, and the exit code."""
    if isinstance(error, KeyboardInterrupt):
        number, *_ = error.args or [SIGINT]
        return "interrupted; run the same command again to go on", 128 + number
    if isinstance(error, MemoryError):
        reason = f" ({error})" if str(error) else ""
        remedy = "use fewer units, wider bins or a shorter part of the recording"
        return f"the memory of this machine is too small{reason}; {remedy}", 1
    if isinstance(error, OSError | ImportError) or _is_bad_input(error):
        return as_options(str(error)), 2
    if isinstance(error, RuntimeError):
        from ..study import StudyError

        if isinstance(error, StudyError):
            return str(error), 1
    remedy = "set MICROCOLUMN_DEBUG=1 to see the traceback, and please report it"
    return f"internal error: {type(error).__name__}: {error}; {remedy}", 1


def _is_bad_input(error: BaseException) -> bool:
    """Whether a check refused what it was given: any other ValueError or TypeError is a bug.

    Checks are statements ``raise`` of this package; libraries and the interpreter raise bugs.
    """
    if not isinstance(error, ValueError | TypeError):
        return False
    *_, (frame, line) = walk_tb(error.__traceback__)
    is_own = frame.f_globals.get("__name__", "").startswith(__name__.partition(".")[0])
    return is_own and getline(frame.f_code.co_filename, line).lstrip().startswith("raise ")
