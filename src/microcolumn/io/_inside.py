"""Files that a reader finds by itself, in a folder or beside the file that was named."""

from __future__ import annotations

from pathlib import Path

from ._failures import BadFileError


def file_inside(path: Path, home: Path) -> Path:
    """A file, once it is certain that it is one and lies in ``home`` after links are followed.

    A folder from an unknown source may hold links to files of the reader's own machine, and pipes
    that keep whoever opens them waiting.
    """
    if not path.resolve().is_relative_to(home.resolve()):
        raise BadFileError(f"{path.name} is a link that leads out of the folder; copy the file in")
    if not path.is_file():
        raise BadFileError(f"{path.name} is no file; export or copy it again")
    return path
