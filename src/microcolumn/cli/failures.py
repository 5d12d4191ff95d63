"""What goes wrong, as one sentence and an exit code: 1 if the work failed, 2 for bad input."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from .output import complain
from .reading import as_options

#: Options of commands by the argument of the API that each stands for, where they differ.
_OPTIONS = {
    "bin_width": "--bin-width",
    "fraction": "--train",
    "given": "--given",
    "group_l1": "--group-l1",
    "l1": "--l1",
    "models": "--model",
    "most_active": "--most-active",
    "n_hidden": "--hidden",
    "n_init": "--starts",
    "n_samples": "--n",
    "n_splits": "--splits",
    "objective": "--objective",
    "objectives": "--objective",
    "split_by": "--split-by",
    "window": "--window",
}


@contextmanager
def one_sentence(*, of_options: bool = False) -> Iterator[None]:
    """Turn what the API raises into its sentence and an exit code.

    With ``of_options``, a sentence that begins with an argument, ``n_hidden is -3``, names the
    option instead; in a plan it is the name to look for.
    """
    try:
        yield
    except (BrokenPipeError, typer.Exit):  # the output's reader has seen enough; ended already
        raise
    except (ValueError, TypeError, OSError, ImportError) as error:
        sentence = as_options(str(error))
        raise _ended(_by_option(sentence) if of_options else sentence, 2) from None
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        remedy = "use fewer units, wider bins or a shorter part of the recording"
        raise _ended(f"the memory of this machine is too small{reason}; {remedy}", 1) from None
    except KeyboardInterrupt:
        raise _ended("interrupted; run the same command again to go on", 1) from None
    except RuntimeError as error:
        from ..study import StudyError

        if isinstance(error, StudyError):
            raise _ended(str(error), 1) from None
        raise


def _by_option(sentence: str) -> str:
    argument = re.match(r"(?:experiment \w+: )?(\w+)(?= is )", sentence)
    if argument is None or argument[1] not in _OPTIONS:
        return sentence
    return f"{_OPTIONS[argument[1]]}{sentence[argument.end() :]}"


def _ended(sentence: str, code: int) -> typer.Exit:
    complain(sentence)
    return typer.Exit(code)
