"""Files that a reader finds by itself, in a folder or beside the file that was named.

A folder from an unknown source may hold links to files of the reader's own machine, and pipes that
keep whoever opens them waiting.
"""

from __future__ import annotations

import os
from pathlib import Path

from ._failures import BadFileError


def is_inside(path: Path, home: Path) -> bool:
    """Whether a file or folder lies in ``home`` after links are followed."""
    return path.resolve().is_relative_to(home.resolve())


def check_inside(path: Path, home: Path) -> None:
    """Refuse a file or folder that lies outside of ``home`` after links are followed."""
    if not is_inside(path, home):
        name = os.path.relpath(path, home)
        raise BadFileError(f"{name} is a link that leads out of the folder; copy the file in")


def file_inside(path: Path, home: Path) -> Path:
    """A file, once it is certain that it is one and lies in ``home``."""
    check_inside(path, home)
    if not path.is_file():
        raise BadFileError(f"{path.name} is no file; export or copy it again")
    return path


def files_inside(home: Path, *patterns: str) -> list[Path]:
    """Files of a folder whose names match the patterns, each checked as by `file_inside`."""
    return [file_inside(path, home) for name in patterns for path in sorted(home.glob(name))]
