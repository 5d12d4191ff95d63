"""What goes wrong, as one sentence and an exit code.

1 if the work failed, 2 for bad input, 130 if it was interrupted (128 and the signal's number).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from signal import SIGINT
from traceback import format_exception
from types import MappingProxyType

import typer

from ..errors import BadInput
from .output import complain, say
from .reading import as_option


@contextmanager
def one_sentence(options: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Turn what is raised into a sentence and an exit code; MICROCOLUMN_DEBUG=1 shows where.

    A refused argument goes by its name in ``options``, if it has one there.
    """
    try:
        yield
    except (BrokenPipeError, typer.Exit):  # the output's reader has seen enough; ended already
        raise
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("MICROCOLUMN_DEBUG", "0") not in ("", "0"):
            say("".join(format_exception(error)), err=True)
        sentence, code = _outcome(error, options)
        complain(sentence)
        raise typer.Exit(code) from None


def _outcome(error: BaseException, options: Mapping[str, str]) -> tuple[str, int]:
    """What to say of an error, and the exit code."""
    if isinstance(error, KeyboardInterrupt):
        number, *_ = error.args or [SIGINT]
        return "interrupted; run the same command again to go on", 128 + number
    if isinstance(error, MemoryError):
        reason = f" ({error})" if str(error) else ""
        remedy = "use fewer units, wider bins or a shorter part of the recording"
        return f"the memory of this machine is too small{reason}; {remedy}", 1
    if isinstance(error, BadInput):
        return error.sentence(options, as_option), 2
    if isinstance(error, OSError | ImportError):
        return str(error), 2
    if isinstance(error, RuntimeError):
        from ..study import StudyError

        if isinstance(error, StudyError):
            return str(error), 1
    remedy = "set MICROCOLUMN_DEBUG=1 to see the traceback, and please report it"
    return f"internal error: {type(error).__name__}: {error}; {remedy}", 1
