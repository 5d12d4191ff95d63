"""Each recorded unit in one line, and how many are in an assembly and predicted, for the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..evaluate.significance import with_error
from ..formatting import number
from ..study import Condition, Results
from ..study.index import Row
from ..study.unit_table import N_PARTNERS, unit_rows
from ..units import DEPTH_REFERENCES, plain_label
from ._tables import Table, groups_of
from ._wording import text


def known_units(results: Results, condition: Condition) -> list[Row]:
    """Rows of :meth:`~microcolumn.study.Results.unit_table`; none where they are not computed."""
    return results.if_computed(unit_rows, [], results=results, condition=condition)


def unit_sentences(rows: Sequence[Row], n_splits: int) -> list[str]:
    """How many units are in an assembly, and how many are predicted better than by their rate.

    ``rows`` are those of :meth:`~microcolumn.study.Results.unit_table`, ``n_splits`` the splits
    planned: with one, no hidden unit is known to be an assembly.
    """
    if not rows:
        return []
    first = rows[0]
    known = {"assemblies": n_splits > 1 and first["assemblies_model"], "gain": first["gain_model"]}
    return [text("units", what=what, rows=rows, **first) for what in known if known[what]]


def unit_table(
    rows: Sequence[Row], condition: Condition, group_by: Sequence[str] = ()
) -> Table | None:
    """One row per unit, if there are any; columns that are known of none are left out.

    Columns ``group_by`` are labels of the units.
    """
    if not rows:
        return None
    columns = {name: [cell(row) or "-" for row in rows] for name, cell in _CELLS.items()}
    labels = {plain_label(name): [row[name] or "-" for row in rows] for name in group_by}
    columns = {"unit": columns["unit"]} | labels | columns
    errors = [not math.isnan(error) for row in rows for error in row["partners_stderr"]]
    about = rows[0] | {"n_partners": N_PARTNERS}
    reference = DEPTH_REFERENCES.get(rows[0]["depth_reference"], "")
    shown = {name: cells for name, cells in columns.items() if set(cells) != {"-"}}
    return Table(
        "units",
        tuple(shown),
        list(zip(*shown.values(), strict=True)),
        left=("unit", "layer", *labels, "assemblies", "strongest partners, nats"),
        note=text("notes/units", shown=shown, reference=reference, errors=errors, **about),
        sortable=True,
        groups=groups_of(condition, rows[0]["assemblies_model"]),
    )


def _partners(row: Row) -> str:
    """Partners with their couplings and errors: ``7 (0.90 ± 0.13), 4 (0.71 ± 0.12)``."""
    named = zip(row["partners"], row["partners_nats"], row["partners_stderr"], strict=True)
    return ", ".join(f"{unit} ({_value(nats, stderr)})" for unit, nats, stderr in named)


def _value(value: float, stderr: float) -> str:
    return number(value) if math.isnan(stderr) else with_error(value, stderr)


#: What each column says of a unit.
_CELLS: dict[str, Callable[[Row], str]] = {
    "unit": lambda row: row["unit"],
    "layer": lambda row: row["layer"],
    "depth, µm": lambda row: number(row["depth_um"], 0),
    "rate, Hz": lambda row: number(row["rate_hz"]),
    "assemblies": lambda row: " ".join(row["assemblies"]),
    "strongest partners, nats": _partners,
    "predicted, bits/s": lambda row: _value(row["gain_bits_per_second"], row["gain_stderr"]),
}
