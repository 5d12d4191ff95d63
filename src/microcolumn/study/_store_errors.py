"""What SQLite's failures mean to someone who runs a study, one sentence each."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_KEPT = "the jobs that had finished are kept"
_UNWRITABLE = (
    "{path} cannot be written, because it or its folder is read-only; nothing was changed: allow "
    "writing there, or use a store in another folder"
)
_DAMAGED = (
    "{path} is damaged ({reason}); restore a copy of it, or save what can be read with "
    "`sqlite3 {path} .recover` and run the study into a new store"
)
#: By SQLite's primary result code.
_SENTENCES = {
    sqlite3.SQLITE_FULL: (
        "the disk that holds {path} is full ({reason}); " + _KEPT + ": free some space and run the "
        "study again"
    ),
    sqlite3.SQLITE_READONLY: _UNWRITABLE,
    sqlite3.SQLITE_PERM: _UNWRITABLE,
    sqlite3.SQLITE_CANTOPEN: (
        "{path} cannot be opened ({reason}); check that it and its folder may be read and written "
        "by you"
    ),
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    0: _DAMAGED,  # Python's own: text that is not UTF-8
    sqlite3.SQLITE_NOTADB: (
        "{path} is not a study's store, or its beginning is damaged ({reason}); nothing was "
        "changed: give the path of a store, or of a file that does not exist yet"
    ),
    sqlite3.SQLITE_BUSY: (
        "{path} is locked by another program ({reason}); " + _KEPT + ": close the program that "
        "has it open and run the study again"
    ),
    sqlite3.SQLITE_IOERR: (
        "the system could not read or write {path} ({reason}); " + _KEPT + ": check the disk, its "
        "free space and quota, and run the study again"
    ),
}
_OTHERWISE = "SQLite could not use {path} ({reason}); try again, or use a new store"


class StoreError(OSError):
    """A store cannot be used: one sentence with the file, what happened and what to do."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Make SQLite's errors about a file StoreErrors, and those about rows ValueErrors."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError) as error:
        raise ValueError(f"the store {path} refused what it was given: {error}") from error
    except sqlite3.Error as error:
        sentence = _SENTENCES.get(primary_code(error), _OTHERWISE)
        raise StoreError(sentence.format(path=path, reason=error)) from error
    except UnicodeDecodeError as error:
        raise damage(path, "text that is not UTF-8") from error


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's result code without its extension; 0 where Python raised the error itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def check_place(path: Path, *, new: bool) -> None:
    """Refuse a path that no store can be at; ``new`` where the file need not exist."""
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        if not new:
            raise StoreError(
                f"{path} does not exist; give the path of a study's store, or run the study first"
            ) from None
        if not path.parent.is_dir():
            raise StoreError(f"the folder {path.parent} does not exist; make it first") from None
        return
    except OSError as error:
        raise StoreError(
            f"{path} cannot be reached ({error.strerror}); check the path and its permissions"
        ) from error
    if not stat.S_ISREG(kind):
        what = "a folder" if stat.S_ISDIR(kind) else "no ordinary file"
        raise StoreError(f"{path} is {what}; add a file name, like study.db")


def damage(path: Path, reason: str) -> StoreError:
    """The error for a store that SQLite opens but whose check finds a fault."""
    return StoreError(_DAMAGED.format(path=path, reason=reason))
