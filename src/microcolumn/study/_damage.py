"""Rows of a store that changed on the disk, and a copy of the store without them.

SQLite checks the structure of its file but not the values in it: a byte that changed must not
become another result. A job counts as damaged if its row or any row of its results is. Its results
are then as if they had not been computed: reports leave them out and say so, and a run computes
them again.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ._connection import as_store_error, check_structure, connect_for_reading
from ._schema import RESULTS, tables

Row = dict[str, Any]
#: What SQLite takes and gives back unchanged; no NaN, no negative zero.
Value = int | float | str | bytes | None

#: Damaged jobs and rows that a sentence names.
_MOST_NAMED = 3
#: Columns of ``planned`` that name a job.
_NAMES = ("kind", "recording", "experiment", "window", "model", "split")


def checksum(table: str, values: Sequence[Value], results: Iterable[int] = ()) -> int:
    """CRC-32 of a row: all its columns in their order, but for ``checksum`` itself.

    ``results`` are the checksums of the rows that belong to it, in any order.
    """
    content = json.dumps([table, *values, sorted(results)], default=_of_bytes)
    return zlib.crc32(content.encode())


def _of_bytes(value: bytes) -> list[int]:
    return [len(value), zlib.crc32(value)]


@dataclass(frozen=True, slots=True)
class Damage:
    """What of a store is damaged."""

    jobs: dict[str, str]  # names of damaged jobs by digest
    rows: dict[tuple[str, int], str]  # names of other damaged rows by table and rowid

    def __bool__(self) -> bool:
        return bool(self.jobs or self.rows)

    def sentence(self, path: Path, remedy: str) -> str:
        """What is damaged, and what to do."""
        lost = [*self.rows.values(), *self.jobs.values()]
        named = "; ".join(f"{name:.100}" for name in lost[:_MOST_NAMED])
        if len(lost) > _MOST_NAMED:
            named += f"; and {len(lost) - _MOST_NAMED:,} more"
        # A damaged name may hold anything.
        named = "".join(c if c.isprintable() else "?" for c in named)
        return f"{path} is damaged ({named}); {remedy}"


def sound(path: Path) -> tuple[Path, str]:
    """A file to read in place of a store, and a sentence about damage, empty where there is none.

    It is the store itself, or a temporary copy without the damaged rows. A store whose structure is
    damaged is refused.
    """
    ahead = path.with_name(f"{path.name}-wal")
    files = [file.stat() for file in (path, ahead) if file.exists()]
    return _sound(path, tuple((file.st_mtime_ns, file.st_size) for file in files))


@lru_cache(maxsize=8)
def _sound(path: Path, _: tuple[tuple[int, int], ...]) -> tuple[Path, str]:
    """The same; the times and sizes of the files say when to check again."""
    with as_store_error(path), closing(connect_for_reading(path)) as connection:
        check_structure(connection, path)
        damage = find(connection)
        if not damage:
            return path, ""
        copy = Path(tempfile.mkdtemp(dir=_scratch().name)) / path.name
        with closing(sqlite3.connect(copy)) as written:
            connection.backup(written)
            remove(written, damage)
            written.commit()
    remedy = "the rest is shown here: run the study again to compute what is lost anew"
    return copy, damage.sentence(path, remedy)


@lru_cache(maxsize=1)
def _scratch() -> tempfile.TemporaryDirectory[str]:
    """The folder of copies, which goes when the process ends."""
    return tempfile.TemporaryDirectory(prefix="microcolumn-")


def find(connection: sqlite3.Connection) -> Damage:
    """Check the checksums of all rows of a store, at one moment."""
    connection.execute("BEGIN")
    factory, connection.text_factory = connection.text_factory, _text
    try:
        return _find(connection)
    finally:
        connection.text_factory = factory
        connection.execute("ROLLBACK")


def _find(connection: sqlite3.Connection) -> Damage:
    named = {row["digest"]: _name(row) for _, row in _rows(connection, "planned")}
    results: dict[Any, list[int]] = defaultdict(list)
    for table in RESULTS:
        for _, row in _rows(connection, table):
            results[row["job"]].append(checksum(table, list(row.values())))
    jobs, rows = {}, {}
    for table in (name for name in tables() if "checksum" in tables()[name].types):
        for rowid, row in _rows(connection, table):
            stated = row.pop("checksum")
            own = results.pop(row["digest"], []) if table == "jobs" else []
            if checksum(table, list(row.values()), own) == stated:
                continue
            key = str(row[tables()[table].key[0]])
            if table == "jobs":
                jobs[row["digest"]] = named.get(key, f"job {key}")
            else:
                rows[table, rowid] = f"{key} in table {table}"
    # Results without their job, whose own row is lost or has another digest now.
    jobs |= {digest: named.get(digest, f"job {digest}") for digest in results}
    return Damage(jobs, rows)


def remove(connection: sqlite3.Connection, damage: Damage) -> None:
    """Delete what is damaged, in the transaction that is open."""
    for digest in damage.jobs:
        name = (digest.encode(errors="surrogateescape"),)  # which may be no text any more
        for table in RESULTS:
            connection.execute(f"DELETE FROM {table} WHERE job = CAST(? AS TEXT)", name)
        connection.execute("DELETE FROM jobs WHERE digest = CAST(? AS TEXT)", name)
    for table, rowid in damage.rows:
        if table == "environments":  # jobs refer to it
            versions = json.dumps({"environment": f"{rowid}, damaged"})
            values = [rowid, versions, checksum(table, [rowid, versions])]
            connection.execute("REPLACE INTO environments VALUES (?, ?, ?)", values)
        else:
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))


def _name(planned: Row) -> str:
    """A job as its row in ``planned`` has it: ``"fit, B4, instantaneous, window 1, ..."``."""
    parts = [(name, planned[name]) for name in _NAMES if planned[name] is not None]
    return ", ".join(f"{name} {v}" if name in ("window", "split") else str(v) for name, v in parts)


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[tuple[int, Row]]:
    """Number and columns of all rows of a table."""
    columns = list(tables()[table].types)
    found = connection.execute(f"SELECT rowid, {', '.join(columns)} FROM {table}")
    for rowid, *values in found:
        yield rowid, dict(zip(columns, values, strict=True))


def _text(content: bytes) -> str:
    """Text that may be damaged; its checksum tells."""
    return content.decode(errors="surrogateescape")
