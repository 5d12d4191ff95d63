"""Limits on what a file may claim to hold, checked before anything is allocated."""

from pathlib import Path

from ._failures import BadFileError, damaged
from ._remote import Remote

#: Bytes that any file may claim.
_ALWAYS_FINE = 1 << 26
#: A compressed file may claim 100 times its size. Counts in bins of a millisecond compress better,
#: up to the 1032 times of Deflate, which is allowed up to 4 GiB; spike times do not.
_COMPRESSION, _DEFLATE = 100, 1032
COUNTS, ARRAYS = 1 << 32, 0


def size_on_disk(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def largest_content(path: Path, most: int = COUNTS) -> int:
    """Bytes that a compressed file or folder may hold; ``most`` as Deflate packs zeros."""
    size = size_on_disk(path)
    content = max(_COMPRESSION * size, min(_DEFLATE * size, most))
    return min(content, COUNTS) if isinstance(path, Remote) else content


def check_claim(
    path: Path, n_bytes: int, what: str, *, compressed: bool = True, most: int = COUNTS
) -> None:
    """Refuse ``what``, of ``n_bytes`` by its header, if a file or folder of this size is too small.

    The content of a ``compressed`` file may be larger than the file.
    """
    if compressed and n_bytes <= _ALWAYS_FINE:  # saves walking through a folder of many files
        return
    size = size_on_disk(path)
    if n_bytes <= (largest_content(path, most) if compressed else size):
        return
    if isinstance(path, Remote):
        raise BadFileError(
            f"{what} has {n_bytes:,} bytes, more than is read from a URL; download the file"
        )
    raise damaged(f"{what} claims {n_bytes:,} bytes in a file of {size:,}")
