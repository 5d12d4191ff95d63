"""Any exception that reading a file raises becomes one sentence."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate

#: Extras of modules that some files of a format need.
_EXTRAS = {"hdmf_zarr": "zarr"}
#: Characters of a list of names in a sentence, and of one name.
_LIST, _NAME = 160, 60


class BadFileError(ValueError):
    """A file that cannot be read, in one sentence: what is wrong with it, and what to do."""


def damaged(problem: str) -> BadFileError:
    """The error about a file that no program can have written like this."""
    return BadFileError(f"{problem}; it is damaged: export or copy it again")


def name_list(names: Iterable[object]) -> str:
    """As many names as a sentence has room for, and how many more there are."""
    shown = [f"{name!s:.{_NAME}}" for name in names]
    ends = accumulate(len(name) + 2 for name in shown)
    n_shown = max(1, sum(end <= _LIST for end in ends))
    more = f" and {len(shown) - n_shown} more" if len(shown) > n_shown else ""
    return ", ".join(shown[:n_shown]) + more or "none"


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Say in which place of a file a value is wrong."""
    try:
        yield
    except ValueError as error:
        raise BadFileError(f"{place}: {error}") from None


@contextmanager
def as_bad_file(title: str, extra: str | None) -> Iterator[None]:
    """Turn exceptions of a reading library into a :class:`BadFileError` or an ``ImportError``.

    Libraries raise exceptions of any type for a damaged file, so all are caught. Their warnings
    about versions and schemas are not passed on. Sentences call the format ``title``; ``extra``
    installs what it needs.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except BadFileError:
        raise
    except ImportError as error:
        if extra is None:
            raise
        needed = _EXTRAS.get(str(error.name).partition(".")[0], extra)
        raise ImportError(
            f"reading {title} needs {error.name or error}; "
            f"install it with: pip install 'microcolumn[{needed}]'"
        ) from None
    except MemoryError:
        raise damaged(
            f"reading it as {title} takes more memory than a file of this size should need"
        ) from None
    except Exception as error:
        reason = " ".join(str(error).split()) or "no reason given"
        raise BadFileError(
            f"it cannot be read as {title} ({type(error).__name__}: {reason:.200}); it may be "
            "damaged or of another format, which reader= names"
        ) from None
