"""The store of a study: one SQLite file that keeps every finished job, whatever happens next.

One transaction per finished job, flushed to the disk before :meth:`Store.finish` returns: a process
killed or a power cut at any instant loses the jobs that were running and nothing else. Between
transactions the store is a single file that may be copied; an empty ``<store>.lock`` is beside it
while a run is at work.
"""

from __future__ import annotations

import json
import math
import os
import socket
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from filelock import BaseFileLock, FileLock, Timeout

from ..errors import BadInput
from ._connection import (
    DAMAGED,
    StoreError,
    as_store_error,
    check_format,
    check_place,
    closed_on_error,
    connect,
    is_empty,
    lay_out,
)
from ._schema import FORMAT_VERSION, JSON_COLUMNS, RESULTS, Table, tables
from .codec import json_text

__all__ = ["Store", "StoreError"]

Row = dict[str, Any]
#: What SQLite takes and gives back unchanged; no NaN.
Value = int | float | str | bytes | None

# SQLite's ordinary journal, not a write-ahead log, whose index is memory that machines do not share
# (sqlite.org/wal.html): stores lie on network file systems, too. EXTRA also flushes the folder that
# the journal is removed from; fullfsync is for macOS, whose fsync leaves data in the drive's cache.
_SETTINGS = ("PRAGMA synchronous = EXTRA", "PRAGMA fullfsync = ON", "PRAGMA foreign_keys = ON")

#: Seconds that a run waits for the lock: :meth:`Store.is_running` has it for an instant.
_PATIENCE = 2.0


class Store:
    """The finished jobs of a study in an SQLite file; made by :meth:`create` and :meth:`open`.

    Numbers come back bit for bit, nan included; only -0.0 comes back as 0.0.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def create(cls, path: str | os.PathLike[str]) -> Self:
        """Open a store for writing, and make it where there is none; a StoreError says why not."""
        place = Path(path)
        check_place(place, new=True)
        with as_store_error(place), closed_on_error(connect(place, "mode=rwc")) as connection:
            for setting in _SETTINGS:
                connection.execute(setting)
            # The lock of a writer, so that two processes do not both lay out the tables.
            connection.execute("BEGIN IMMEDIATE")
            if is_empty(connection):
                lay_out(connection)
            else:
                check_format(connection, place)
                # A store that cannot be written is refused before anything is computed.
                connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
            connection.execute("COMMIT")
            store = cls(place, connection)
            store.check()
            return store

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open an existing store for reading, also while another process writes to it."""
        place = Path(path)
        check_place(place, new=False)
        # A reader that may write can tidy up after a run that was killed in a transaction. SQLite
        # is content with less where the file or its folder is read-only.
        with as_store_error(place), closed_on_error(connect(place, "mode=rw")) as connection:
            if is_empty(connection):
                raise StoreError(f"{place} is empty; run the study first")
            check_format(connection, place)
            connection.execute("PRAGMA query_only = ON")
            return cls(place, connection)

    @classmethod
    def in_memory(cls, content: bytes = b"") -> Self:
        """A store without a file, empty or with the :meth:`content` of another one."""
        place = Path(":memory:")
        memory = sqlite3.connect(place, isolation_level=None)
        with as_store_error(place), closed_on_error(memory) as connection:
            if content:
                connection.deserialize(content)
                check_format(connection, place)
            else:
                connection.execute("PRAGMA page_size = 512")  # the smallest: tables are small
                lay_out(connection)
            return cls(place, connection)

    @staticmethod
    def is_running(path: str | os.PathLike[str]) -> bool:
        """Whether a process holds :meth:`lock` on this store now; it is not disturbed."""
        file = lock_path(path)
        if not file.exists():
            return False
        lock = FileLock(file, timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return True
        except OSError:  # another user's lock, which may only be read: a run leaves its name
            with Store.open(path) as store:
                return "runner" in store.read_study()
        with _held(lock):
            return False

    def close(self) -> None:
        """Close the store."""
        self._connection.close()

    def check(self) -> None:
        """Refuse a store whose structure is damaged, as SQLite finds it."""
        with as_store_error(self.path):
            # Unlike quick_check, it finds a row that its index does not have, in the same time.
            (verdict,) = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                reason = " ".join(verdict.split())
                raise StoreError(DAMAGED.format(path=self.path, reason=reason))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Be the only run on this store while the block runs; a StoreError names another one."""
        lock = FileLock(lock_path(self.path), timeout=_PATIENCE, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            runner = self.read_study().get("runner", "a process that has just started")
            problem = f"another run ({runner}) is working on {self.path}"
            raise StoreError(f"{problem}; wait for it or use another store") from None
        except OSError as error:
            raise StoreError(
                f"{lock.lock_file} cannot be locked ({error.strerror}); give a file of that name "
                "another one, or use a store in a folder that can be written"
            ) from error
        with _held(lock):
            runner = f"process {os.getpid()} on {socket.gethostname()} since {_now()}"
            self.write_study(runner=runner)
            try:
                yield
            finally:
                # For status alone, since the lock says whether a run is at work. What ended the run
                # (a full disk, say) is the error to report, not that this could not be written.
                with suppress(StoreError), self._transaction() as connection:
                    connection.execute("DELETE FROM study WHERE key = 'runner'")

    def read_study(self) -> dict[str, str]:
        """All facts about the study; ``runner`` among them while (or since) a run is at work."""
        return {row["key"]: row["value"] for row in self.rows("study")}

    def write_recording(self, row: Mapping[str, Any]) -> None:
        """Describe a recording, in place of an earlier one of this name."""
        with self._transaction() as connection:
            _insert(connection, "recordings", row, replace=True)

    def write_study(self, jobs: Iterable[Mapping[str, Any]] | None = None, **entries: str) -> None:
        """Set facts about the study; ``jobs`` in their order take the place of the last plan's."""
        with self._transaction() as connection:
            for key, value in entries.items():
                _insert(connection, "study", {"key": key, "value": value}, replace=True)
            if jobs is not None:
                connection.execute("DELETE FROM planned")
            for position, row in enumerate(jobs or ()):
                _insert(connection, "planned", {"position": position} | dict(row))

    def finished(self) -> set[str]:
        """Digests of the finished jobs."""
        return {row["digest"] for row in self.rows("jobs", columns=("digest",))}

    def finish(
        self, digest: str, job: Mapping[str, Any], rows: Mapping[str, Iterable[Mapping[str, Any]]]
    ) -> None:
        """Keep a finished job and its results, all or nothing; it is on the disk on return.

        ``job`` has columns of ``jobs``, of which ``environment`` is a mapping of names to versions
        and ``finished`` is now by default; ``rows`` are by table, without their column ``job``.
        """
        with self._transaction() as connection:
            if connection.execute("SELECT 1 FROM jobs WHERE digest = ?", (digest,)).fetchone():
                raise ValueError(f"job {digest} is in {self.path} already; ask finished() first")
            own = {"digest": digest, "environment": _environment(connection, job["environment"])}
            _insert(connection, "jobs", {"finished": _now()} | dict(job) | own)
            for table, of_table in rows.items():
                for row in of_table:
                    _insert(connection, table, dict(row) | {"job": digest})
            connection.execute("DELETE FROM failures WHERE digest = ?", (digest,))

    def job(self, digest: str) -> tuple[Row, dict[str, list[Row]]]:
        """A finished job and its results, as :meth:`finish` takes them."""
        [row] = self.rows("jobs", digest=digest)
        [environment] = self.rows("environments", id=row["environment"])
        rows = {table: self.rows(table, job=digest) for table in RESULTS}
        return row | {"environment": environment["versions"]}, rows

    def content(self) -> bytes:
        """All of the store, as its file would have it."""
        return self._connection.serialize()

    def fail(self, digest: str, job: str, error: str, traceback: str) -> None:
        """Note that a job raised an error, in place of an earlier failure of the same job."""
        row = {"digest": digest, "job": job, "error": error, "traceback": traceback}
        with self._transaction() as connection:
            _insert(connection, "failures", row | {"happened": _now()}, replace=True)

    def rows(self, table: str, *, columns: Sequence[str] | None = None, **equal: Any) -> list[Row]:
        """Rows of a table or view in the order of its key, whenever they were written.

        ``equal`` are columns and the values they must have, None or NaN for NULL. In rows NULL is
        NaN in REAL columns and None in others, and JSON is decoded.
        """
        known = _table(table, [*(columns or ()), *equal])
        wanted = list(columns or known.types)
        query = f"SELECT {', '.join(wanted)} FROM {table}"
        if equal:
            query += " WHERE " + " AND ".join(f"{column} IS ?" for column in equal)
        query += f" ORDER BY {', '.join(known.key)}"
        with as_store_error(self.path):
            values = [_stored(column, known.types[column], each) for column, each in equal.items()]
            rows = self._connection.execute(query, values).fetchall()
        kinds = [(column, known.types[column]) for column in wanted]
        return [
            {name: _read(name, kind, value) for (name, kind), value in zip(kinds, row, strict=True)}
            for row in rows
        ]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of what the block writes, on the disk, or nothing of it."""
        with as_store_error(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:  # an interrupt, too, must not leave a transaction open
                # SQLite may have rolled back by itself, as it does when the disk is full.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _insert(
    connection: sqlite3.Connection, table: str, row: Mapping[str, Any], *, replace: bool = False
) -> None:
    types = _table(table, row).types
    values = [_stored(column, kind, row.get(column)) for column, kind in types.items()]
    verb, marks = "REPLACE" if replace else "INSERT", ", ".join("?" * len(values))
    connection.execute(f"{verb} INTO {table} VALUES ({marks})", values)


def _environment(connection: sqlite3.Connection, versions: Mapping[str, str]) -> int:
    """Number of the row with these software versions, written where there is none yet."""
    text = (json.dumps(versions, sort_keys=True),)
    connection.execute("INSERT OR IGNORE INTO environments (versions) VALUES (?)", text)
    found = connection.execute("SELECT id FROM environments WHERE versions = ?", text)
    return int(found.fetchone()[0])


def _stored(column: str, kind: str, value: Any) -> Value:
    """What SQLite keeps: a number, text, JSON as text, bytes, or None for NaN."""
    single = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    if single is None or isinstance(single, str | bytes):
        return single
    if isinstance(single, float) and math.isnan(single):
        return None
    if isinstance(single, int | float) and kind != "TEXT":
        return single
    if column not in JSON_COLUMNS:
        raise ValueError(f"{column} cannot hold a {type(value).__name__}; give a number or text")
    return json_text(single)


def _read(column: str, kind: str, value: Any) -> Any:
    if value is None:
        return math.nan if kind == "REAL" else None
    return json.loads(value) if column in JSON_COLUMNS and isinstance(value, str) else value


def _table(name: str, columns: Iterable[str]) -> Table:
    """The table of this name; it and ``columns`` must exist."""
    if name not in tables():
        raise BadInput(f"a store has no table {name!r}", f"it has {', '.join(tables())}")
    table = tables()[name]
    for column in columns:
        if column not in table.types:
            raise BadInput(f"table {name} has no column {column!r}", f"it has {list(table.types)}")
    return table


def lock_path(store: str | os.PathLike[str]) -> Path:
    """The lock file of a store; the same by whatever name or link the store is called."""
    real = Path(store).resolve()
    return real.with_name(f"{real.name}.lock")


@contextmanager
def _held(lock: BaseFileLock) -> Iterator[None]:
    """Release a lock after the block, and remove its file before.

    Whoever has opened that file in the meantime gets a lock on a file without a name, which
    FileLock notices, so that it makes a new one.
    """
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes it when the lock is released
            os.unlink(lock.lock_file)
        lock.release()


def _now() -> str:
    return datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
