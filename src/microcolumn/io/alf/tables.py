"""Tables of an ALF folder: text, and Parquet (``.pqt``), which pyarrow reads in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from .._failures import as_bad_file, naming
from .._sandbox import load_sandboxed
from .._tables import check_fields, open_table
from ..parquet import entries, is_plain, opened

Columns = dict[str, Sequence[Any]]


def columns_of(path: Path) -> Columns:
    """Columns of a table by name; entries of a text table are text."""
    if path.suffix == ".pqt":
        # The sandbox hands back whatever the function returns.
        return cast("Columns", load_sandboxed(_parquet, path, ("pyarrow.parquet",)))
    with open_table(path, path.name) as (header, rows):
        lines = [row or [""] for row in rows]  # an empty line is an empty entry of one column
    while lines and not any(lines[-1]):
        lines.pop()
    with naming(path.name):
        check_fields(lines, len(header), first_line=2)
    return {name: [row[n].strip() for row in lines] for n, name in enumerate(header)}


def _parquet(path: Path) -> Any:
    """Columns of a Parquet file."""
    with as_bad_file(path.name, "alf"), opened(path) as (schema, batches):
        columns: dict[str, list[Any]] = {c.name: [] for c in schema if is_plain(c.type)}
        for batch in batches:
            for name, column in columns.items():
                column += entries(batch.column(name))
        return columns
