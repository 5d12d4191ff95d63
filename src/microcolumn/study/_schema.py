"""The tables of a study's store, which are SQL in ``schema.sql``, and views of results.

Columns marked JSON hold text made by the codec, those marked NPZ compressed arrays. A number that
is not there (NaN) is NULL. ``planned`` says which results the present plan has; for each table of
results, ``current_<table>`` is a view of those, with the names they go by. Results of earlier plans
stay in the tables.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

#: ``PRAGMA application_id``, the bytes "MCst": tells a study from any other SQLite database.
APPLICATION_ID = 0x4D437374
#: ``PRAGMA user_version``: raised whenever a table changes.
FORMAT_VERSION = 12

#: Statements of the tables, and of the view of all jobs.
_TABLES = files(__package__).joinpath("schema.sql").read_text(encoding="utf-8")

#: Columns of JSON, whichever table has them.
JSON_COLUMNS = {
    *("units", "notes", "survey", "versions", "settings", "warnings", "environment"),
    *("trace", "activation", "predicted", "observed", "lower", "upper", "n_bins"),
    *("layers", "interactions", "modes", "found", "adequacy", "explainable", "tried"),
    *("gain_by_cell", "share_by_cell", "gain_by_active", "planted_groups"),
}
#: Columns of ``planned`` that results go by, unless they have such a column themselves.
_NAMES = ("recording", "experiment", "window", "split", "model")


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table or view: each one's SQL type, and those that give its order."""

    types: dict[str, str]
    key: tuple[str, ...]


def _tables(schema: str) -> dict[str, Table]:
    """Tables and views by name, as SQLite itself understands statements."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema)
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
        return {name: _table(connection, name) for (name,) in names.fetchall()}


def _table(connection: sqlite3.Connection, name: str) -> Table:
    columns = connection.execute(
        "SELECT name, type, pk FROM pragma_table_info(?)", (name,)
    ).fetchall()
    key = sorted((place, column) for column, _, place in columns if place)
    return Table({column: kind for column, kind, _ in columns}, tuple(column for _, column in key))


#: Tables of results: those whose rows are of a job.
RESULTS = {name: table for name, table in _tables(_TABLES).items() if "job" in table.key}


def _view(name: str) -> str:
    names = ", ".join(f"planned.{each}" for each in _NAMES if each not in RESULTS[name].types)
    return (
        f"CREATE VIEW current_{name} AS SELECT planned.position AS planned_position, {names}, "
        f"{name}.* FROM planned JOIN {name} ON {name}.job = planned.digest;\n"
    )


SCHEMA = _TABLES + "".join(map(_view, RESULTS))


@cache
def tables() -> dict[str, Table]:
    """All tables and views of :data:`SCHEMA` by name."""
    by_name = _tables(SCHEMA)
    for name, table in RESULTS.items():
        key = ("planned_position", *(column for column in table.key if column != "job"))
        by_name[f"current_{name}"] = Table(by_name[f"current_{name}"].types, key)
    by_name["current_jobs"] = Table(by_name["current_jobs"].types, ("position",))
    return by_name


@cache
def definitions() -> dict[str, str | None]:
    """What SQLite keeps of each table, view and index: its statement."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return dict(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall())
