"""Sizes that a header claims, checked before anyone allocates them."""

from __future__ import annotations

from pathlib import Path

from .failures import BadFileError

#: Bytes that any file may claim, and how many times its own size a compressed one may.
_ALWAYS_FINE = 1 << 26
_COMPRESSION = 100


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
    size = size_on_disk(path)
    if n_bytes > (max(_ALWAYS_FINE, _COMPRESSION * size) if compressed else size):
        raise BadFileError(
            f"{what} claims {n_bytes:,} bytes in a file of {size:,}; "
            "it is damaged: export or copy it again"
        )
