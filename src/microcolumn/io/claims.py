"""Sizes that a header claims, checked before anyone allocates them."""

from __future__ import annotations

from pathlib import Path

from .failures import BadFileError

#: Bytes that any file may claim.
_ALWAYS_FINE = 1 << 26
#: How many times its own size a compressed file may claim, however large. Counts in bins of a
#: millisecond compress better, up to what Deflate can do at most: that far a file may go up to a
#: number of bytes that a computer has.
_COMPRESSION, _DEFLATE, _MOST = 100, 1032, 1 << 32


def size_on_disk(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def check_claim(path: Path, n_bytes: int, what: str, *, compressed: bool = True) -> None:
    """Refuse ``what`` of ``n_bytes`` if a file of this size cannot hold it.

    Parameters
    ----------
    path : Path
        The file or folder.
    n_bytes : int
        Size that its header claims.
    what : str
        What would take this size, for the sentence.
    compressed : bool
        Whether the file may be smaller than what it holds.
    """
    if compressed and n_bytes <= _ALWAYS_FINE:  # before a folder of many files is walked through
        return
    size = size_on_disk(path)
    most = max(_COMPRESSION * size, min(_DEFLATE * size, _MOST)) if compressed else size
    if n_bytes > most:
        raise BadFileError(
            f"{what} claims {n_bytes:,} bytes in a file of {size:,}; "
            "it is damaged: export or copy it again"
        )
