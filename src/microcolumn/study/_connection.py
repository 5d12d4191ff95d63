"""Opening a store's file: for writing, for reading, what is refused, and SQLite's errors in words.

Nothing but SQLite may open the file: closing it elsewhere in the process would drop SQLite's locks
on POSIX systems (sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import BadInput
from ._schema import APPLICATION_ID, FORMAT_VERSION, SCHEMA, definitions

#: Seconds to wait for another process, which may check the whole of a large store meanwhile.
_PATIENCE = 120.0
_KEPT = "the jobs that had finished are kept"
_UNWRITABLE = (
    "{path} cannot be written, because it or its folder is read-only; nothing was changed: allow "
    "writing there, or use a store in another folder"
)
DAMAGED = (
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
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    0: DAMAGED,  # Python's own: text that is not UTF-8
    sqlite3.SQLITE_NOTADB: (
        "{path} is not a study's store, or its beginning is damaged ({reason}); nothing was "
        "changed: give a store that a study wrote, or a file that does not exist yet"
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
def as_store_error(path: Path) -> Iterator[None]:
    """Make SQLite's errors about a file StoreErrors, and those about rows ValueErrors."""
    try:
        yield
    except (
        sqlite3.IntegrityError,
        sqlite3.ProgrammingError,
        sqlite3.InterfaceError,
        OverflowError,
    ) as error:
        raise BadInput(f"the store {path} refused what it was given: {error}") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without SQLite's extension
        sentence = _SENTENCES.get(code, _OTHERWISE)
        # SQLite quotes damaged definitions, which may hold anything and have many lines.
        shown = "".join(c if c.isprintable() else " " for c in str(error))
        reason = " ".join(shown.split())
        raise StoreError(sentence.format(path=path, reason=f"{reason:.150}")) from error
    except UnicodeDecodeError as error:
        raise StoreError(DAMAGED.format(path=path, reason="text that is not UTF-8")) from error


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


def lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty store, in the transaction that is open."""
    # One statement at a time: executescript would commit the transaction.
    for statement in SCHEMA.split(";\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Connect to a file as SQLite's parameter ``mode`` says."""
    if sqlite3.sqlite_version_info < (3, 37, 0):  # the first with STRICT tables
        raise StoreError(
            f"a study's store needs SQLite 3.37 or newer and this Python brings "
            f"{sqlite3.sqlite_version}; use a newer Python"
        )
    uri = f"{path.resolve().as_uri()}?{mode}"
    return sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)


@contextmanager
def closed_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A connection that is closed if the block that checks it refuses it."""
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether there is no database yet, of whatever program."""
    (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    return bool(n_tables == 0 and owner == 0)


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse the database of another program or version, or one whose definitions changed."""
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    if owner != APPLICATION_ID:
        raise StoreError(
            f"{path} is the SQLite database of another program; nothing was changed: give the "
            "path of a study's store, or of a file that does not exist yet"
        )
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != FORMAT_VERSION:
        age, remedy = ("a newer", "update") if version > FORMAT_VERSION else ("an older", "install")
        raise StoreError(
            f"{path} was written by {age} microcolumn (store format {version}, this one uses "
            f"{FORMAT_VERSION}); nothing was changed: {remedy} that version, or use another store"
        )
    present = dict(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall())
    if present != definitions():
        names = {**definitions(), **present}
        [name, *_] = [name for name in names if present.get(name) != definitions().get(name)]
        raise StoreError(
            DAMAGED.format(path=path, reason=f"the definition of {name!r:.80} changed")
        )
