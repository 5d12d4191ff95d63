"""What goes wrong, as one sentence and an exit code: 1 if the work failed, 2 for bad input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from .output import complain
from .reading import as_options


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn what the API raises into its sentence and an exit code."""
    try:
        yield
    except (BrokenPipeError, typer.Exit):  # the output's reader has seen enough; ended already
        raise
    except (ValueError, TypeError, OSError, ImportError) as error:
        raise _ended(as_options(str(error)), 2) from None
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


def _ended(sentence: str, code: int) -> typer.Exit:
    complain(sentence)
    return typer.Exit(code)
