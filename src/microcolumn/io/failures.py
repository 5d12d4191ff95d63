"""What is wrong with a file in one sentence, and limits on what it may claim to hold."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import BadFile, BadInput, advice, damaged

#: Extras of modules that some files of a format need.
_EXTRAS = {"hdmf_zarr": "zarr"}
#: Bytes that any file may claim.
_ALWAYS_FINE = 1 << 26
#: A compressed file may claim 100 times its size. Counts in bins of a millisecond compress better,
#: up to the 1032 times of Deflate, which is allowed up to 4 GiB; spike times do not.
_COMPRESSION, _DEFLATE = 100, 1032
COUNTS, ARRAYS = 1 << 32, 0


@contextmanager
def as_bad_file(title: str, extra: str | None) -> Iterator[None]:
    """Turn exceptions of a reading library into a :class:`BadFile` or an ``ImportError``.

    Libraries raise exceptions of any type for a damaged file, so all are caught. Their warnings
    about versions and schemas are not passed on. Sentences call the format ``title``; ``extra``
    installs what it needs.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except BadInput:
        raise
    except ImportError as error:
        if extra is None:
            raise
        needed = _EXTRAS.get(str(error.name).partition(".")[0], extra)
        remedy = f"install it with: pip install 'microcolumn[{needed}]'"
        raise ImportError(f"reading {title} needs {error.name or error}; {remedy}") from None
    except MemoryError:
        problem = f"reading it as {title} takes more memory than a file of this size should need"
        raise damaged(problem) from None
    except Exception as error:
        reason = " ".join(str(error).split()) or "no reason given"
        problem = f"it cannot be read as {title} ({type(error).__name__}: {reason:.200})"
        remedy = "it may be damaged or of another format, which {reader} names"
        raise BadFile(problem, advice(remedy)) from None


def size_on_disk(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def largest_content(path: Path, most: int = COUNTS) -> int:
    """Bytes that a compressed file or folder may hold; ``most`` as Deflate packs zeros."""
    size = size_on_disk(path)
    content = max(_COMPRESSION * size, min(_DEFLATE * size, most))
    return content if isinstance(path, Path) else min(content, COUNTS)


def check_claim(
    path: Path, n_bytes: int, what: str, *, compressed: bool = True, most: int = COUNTS
) -> None:
    """Refuse ``what``, of ``n_bytes`` by its header, if a file of this size cannot hold it."""
    if compressed and n_bytes <= _ALWAYS_FINE:  # saves walking through a folder of many files
        return
    size = size_on_disk(path)
    if n_bytes <= (largest_content(path, most) if compressed else size):
        return
    if not isinstance(path, Path):
        raise BadFile(f"{what} has {n_bytes:,} bytes, too many for a URL", "download it")
    raise damaged(f"{what} claims {n_bytes:,} bytes in a file of {size:,}")
