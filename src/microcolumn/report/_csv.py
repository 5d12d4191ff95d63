"""The tables of a study as CSV files: one header line, one row per result, numbers in full."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..atomic import atomic_write
from ..study import NotComputedError, Results
from ..study._codec import row_of

Row = Mapping[str, Any]


def write_tables(results: Results, folder: str | Path) -> list[Path]:
    """Write every table that has rows, and return the files.

    All tables are made before the first file is written, and each file appears when it is whole.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    folder : path
        Where ``scores.csv`` and the others go; it must exist.
    """
    texts = {name: csv_text(make(results)) for name, make in TABLES.items()}
    written = []
    for name, text in texts.items():
        if text:
            path = Path(folder) / f"{name}.csv"
            with atomic_write(path) as file:
                file.write(text.encode())
            written.append(path)
    return written


def csv_text(rows: Iterable[Row]) -> str:
    """Rows as CSV; what is not known is empty, and lists of units are joined by ``";"``."""
    found = list(rows)
    if not found:
        return ""
    file = io.StringIO()
    writer = csv.DictWriter(file, dict.fromkeys(name for row in found for name in row))
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in found)
    return file.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return ";".join(map(str, value))
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value


def _scores(results: Results) -> list[Row]:
    """Each model on the test part of each split."""
    found = results.scores()
    rows: list[Row] = found if isinstance(found, list) else found.to_dict("records")
    return rows


def _differences(results: Results) -> list[Row]:
    """Every two models at each condition, over all splits."""
    return [
        condition.names | row_of(pair)
        for condition in results.tested()
        for pair in results.comparison(**condition.names).pairs
    ]


def _assemblies(results: Results) -> list[Row]:
    """Each hidden unit of split 0, with the other splits in which it recurs."""
    rows: list[Row] = []
    for condition in results.tested():
        for spec in results.index.specs(condition):
            try:
                found = results.assemblies(model=spec, **condition.names)
            except NotComputedError:
                continue
            rows += [condition.names | {"model": spec.name} | row for row in found.to_rows()]
    return rows


#: What makes the rows of each file.
TABLES: Mapping[str, Callable[[Results], list[Row]]] = MappingProxyType(
    {"scores": _scores, "differences": _differences, "assemblies": _assemblies}
)
