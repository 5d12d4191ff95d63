"""One run at a time: a lock that the operating system takes back however its process ends.

Beside the store lies an empty file, ``<store>.lock``, which a run keeps locked through SQLite
(``BEGIN EXCLUSIVE``). SQLite knows how to lock files on Linux, macOS and Windows and between
threads of one process; forked children do not inherit its locks; and the store itself stays free
for readers. The file is never removed: another run may have opened it already, and would then hold
a lock on a file that no longer has a name.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ._store_errors import StoreError, explained, primary_code

#: Seconds that a run waits for the lock: :func:`is_held` in other processes has it for an instant.
_PATIENCE = 2.0


class HeldError(Exception):
    """Another run has the lock."""


@contextmanager
def held(store: Path) -> Iterator[None]:
    """Hold the lock of a store while the block runs.

    Raises
    ------
    HeldError
        If another run has it.
    StoreError
        If the lock file cannot be made.
    """
    path = lock_path(store)
    with explained(path):
        connection = sqlite3.connect(f"{path.as_uri()}?mode=rwc", uri=True, timeout=_PATIENCE)
    with closing(connection):
        with explained(path):
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.DatabaseError as error:
                if _is_busy(error, path):
                    raise HeldError(path) from None
                raise
        yield


def is_held(store: Path) -> bool:
    """Whether a run has the lock of a store at this moment."""
    path = lock_path(store)
    if not path.exists():
        return False
    # Reading takes a shared lock, which an exclusive one refuses; two readers do not mind each
    # other, and a run that starts meanwhile waits.
    with explained(path):
        uri = f"{path.as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=0.0)) as connection:
            try:
                connection.execute("PRAGMA schema_version").fetchone()
            except sqlite3.DatabaseError as error:
                if _is_busy(error, path):
                    return True
                raise
    return False


def _is_busy(error: sqlite3.DatabaseError, path: Path) -> bool:
    if primary_code(error) == sqlite3.SQLITE_NOTADB:
        raise StoreError(
            f"{path} is not the lock of a study, whose place it takes; give that file another name"
        ) from error
    return primary_code(error) == sqlite3.SQLITE_BUSY


def lock_path(store: Path) -> Path:
    """The lock file of a store; the same by whatever name or link the store is called."""
    real = store.resolve()
    return real.with_name(f"{real.name}.lock")
