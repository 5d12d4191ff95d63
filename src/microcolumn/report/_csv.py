"""The tables of a study as CSV files: one header line, one row per result, numbers in full."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..atomic import atomic_write
from ..safe_text import csv_cell
from ..study import Condition, Results
from ..study.codec import row_of
from ._tables import pooled
from ._units import known_units

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

    Examples
    --------
    >>> [path.suffix for path in write_tables(mc.study.open("study.db"), ".")][:1]
    ['.csv']
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
        return csv_cell(";".join(map(str, value)))
    is_unknown = value is None or (isinstance(value, float) and math.isnan(value))
    return "" if is_unknown else csv_cell(value)


def _scores(results: Results) -> list[Row]:
    found = results.scores()
    rows: list[Row] = found if isinstance(found, list) else found.to_dict("records")
    return rows


def _differences(results: Results, condition: Condition) -> Iterator[Row]:
    for pair in results.comparison(**condition.names).pairs:
        low, high = pair.interval
        yield row_of(pair) | {"low": low, "high": high}


def _pooled(results: Results) -> list[Row]:
    """Each contrast in every recording, then its mean, whose row names no recording."""
    rows: list[Row] = []
    for name, each in pooled(results).items():
        mean = row_of(each.mean) | row_of(each, "mean", "recordings")
        rows += [{"contrast": name} | row for row in (*each.to_rows(), mean)]
    return rows


def _of_models(results: Results, condition: Condition, what: str) -> Iterator[Row]:
    """Rows of what a method of results finds of every model."""
    for spec, found in results.of_models(getattr(results, what), condition):
        yield from ({"model": spec.name} | row for row in (found.to_rows() if found else ()))


def _adequacy(results: Results, condition: Condition) -> Iterator[Row]:
    """What each model says of the test words of split 0."""
    described = results.if_computed(results.adequacy, {}, **condition.names)
    for name, each in described.items():
        about = {"model": name, "p_value": each.p_value, "sentence": str(each)}
        yield about | {f"p_{family}": p for family, p in each.p_values.items()}


def _at_conditions(
    find: Callable[[Results, Condition], Iterable[Row]],
) -> Callable[[Results], list[Row]]:
    """Rows of what is found at each condition, which they name."""
    return lambda results: [
        {**condition.names, **row}
        for condition in results.tested()
        for row in find(results, condition)
    ]


#: What makes the rows of each file: models on each test part, every two models, planned contrasts
#: over recordings as shares (0.1 is 10 %), hidden units of split 0, recorded units, parameters of
#: split 0 with their intervals, what models say of words.
TABLES: Mapping[str, Callable[[Results], list[Row]]] = {
    "scores": _scores,
    "differences": _at_conditions(_differences),
    "pooled": _pooled,
    "assemblies": _at_conditions(partial(_of_models, what="assemblies")),
    "units": _at_conditions(known_units),
    "parameters": _at_conditions(partial(_of_models, what="intervals")),
    "adequacy": _at_conditions(_adequacy),
}
