"""What of a store changed on the disk, and a copy of all that did not.

A job counts as damaged if its row or any row of its results is. Its results are then as if they had
not been computed: reports leave them out and say so, and a run computes them again.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ._checksums import checksum
from ._connection import as_store_error, connect_for_reading, lay_out
from ._schema import RESULTS, tables

Row = dict[str, Any]

#: Damaged jobs and rows that a sentence names.
_MOST_NAMED = 3
#: Columns of ``planned`` that name a job.
_NAMES = ("kind", "recording", "experiment", "window", "model", "split")


@dataclass(frozen=True, slots=True)
class Damage:
    """What of a store is damaged."""

    structure: str  # SQLite's verdict, empty where the file's structure is sound
    jobs: dict[str, str]  # names of damaged jobs by digest
    rows: dict[tuple[str, int], str]  # names of other damaged rows by table and rowid

    def __bool__(self) -> bool:
        return bool(self.structure or self.jobs or self.rows)

    def sentence(self, path: Path, remedy: str) -> str:
        """What is damaged, and what to do."""
        lost = [*self.rows.values(), *self.jobs.values()]
        named = "; ".join(f"{name:.100}" for name in lost[:_MOST_NAMED])
        if len(lost) > _MOST_NAMED:
            named += f"; and {len(lost) - _MOST_NAMED:,} more"
        found = [f"SQLite says: {self.structure:.120}"] if self.structure else []
        # A damaged name may hold anything.
        named = "".join(c if c.isprintable() else "?" for c in named)
        return f"{path} is damaged ({'; '.join([*found, named or 'no result is lost'])}); {remedy}"


def find(connection: sqlite3.Connection) -> Damage:
    """Check the structure of a store and the checksums of all its rows, at one moment."""
    connection.execute("BEGIN")
    factory, connection.text_factory = connection.text_factory, _text
    try:
        return _find(connection)
    finally:
        connection.text_factory = factory
        connection.execute("ROLLBACK")


def sound(path: Path) -> tuple[Path, str]:
    """A file to read in place of a store, and a sentence about damage, empty where there is none.

    It is the store itself, or a temporary copy of all rows that are not damaged.
    """
    ahead = path.with_name(f"{path.name}-wal")
    files = [file.stat() for file in (path, ahead) if file.exists()]
    return _sound(path, tuple((file.st_mtime_ns, file.st_size) for file in files))


@lru_cache(maxsize=8)
def _sound(path: Path, _: tuple[tuple[int, int], ...]) -> tuple[Path, str]:
    """The same; the times and sizes of the files say when to check again."""
    with as_store_error(path), closing(connect_for_reading(path)) as connection:
        damage = find(connection)
        if not damage:
            return path, ""
        copy = Path(tempfile.mkdtemp(dir=_scratch().name)) / path.name
        with closing(sqlite3.connect(copy, isolation_level=None)) as written:
            written.execute("BEGIN")
            lay_out(written)
            connection.text_factory = _text
            _copy(connection, written, damage)
            written.execute("COMMIT")
    remedy = "the rest is shown here: run the study again to compute what is lost anew"
    if damage.structure:
        remedy = (
            "the rest is shown here: restore a copy of the store, or run the study into a new one"
        )
    return copy, damage.sentence(path, remedy)


@lru_cache(maxsize=1)
def _scratch() -> tempfile.TemporaryDirectory[str]:
    """The folder of copies, which goes when the process ends."""
    return tempfile.TemporaryDirectory(prefix="microcolumn-")


def _find(connection: sqlite3.Connection) -> Damage:
    structure = ""
    try:
        (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        structure = "" if verdict == "ok" else " ".join(verdict.split())
    except sqlite3.DatabaseError as error:
        structure = str(error)
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
    return Damage(structure, jobs, rows)


def _name(planned: Row) -> str:
    """A job as its row in ``planned`` has it: ``"fit, B4, instantaneous, window 1, ..."``."""
    parts = [(name, planned[name]) for name in _NAMES if planned[name] is not None]
    return ", ".join(f"{name} {v}" if name in ("window", "split") else str(v) for name, v in parts)


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[tuple[int, Row]]:
    """Number and columns of all rows that SQLite can reach, from both ends of the table."""
    columns = list(tables()[table].types)
    seen = set()
    for order in ("ASC", "DESC"):
        try:
            found = connection.execute(
                f"SELECT rowid, {', '.join(columns)} FROM {table} ORDER BY rowid {order}"
            )
            for rowid, *values in found:
                if rowid not in seen:
                    seen.add(rowid)
                    yield rowid, dict(zip(columns, values, strict=True))
            return
        except sqlite3.DatabaseError:
            continue  # a damaged page, behind which there may be others


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, damage: Damage) -> None:
    """Copy the rows that are not damaged."""
    for table in (name for name in tables() if not name.startswith("current_")):
        marks = ", ".join("?" * len(tables()[table].types))
        for rowid, row in _rows(source, table):
            job = row.get("job") if table in RESULTS else row.get("digest")
            lost = table in (*RESULTS, "jobs") and job in damage.jobs
            if not lost and (table, rowid) not in damage.rows:
                target.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", [*row.values()])


def _text(content: bytes) -> str:
    """Text that may be damaged; its checksum tells."""
    return content.decode(errors="surrogateescape")
