"""Each recorded unit in one line, and how many are in an assembly and predicted, for the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..evaluate._significance import FEWEST_SPLITS, LEVEL, with_error
from ..formatting import counted, number
from ..study import Condition, NotComputedError, Results
from ..study._index import Row
from ..study._unit_table import N_PARTNERS, unit_rows
from ..units import DEPTH_REFERENCES
from ._tables import Table


def known_units(results: Results, condition: Condition) -> list[Row]:
    """Rows of :meth:`~microcolumn.study.Results.unit_table`; none where they are not computed."""
    try:
        return unit_rows(results, condition)
    except NotComputedError:
        return []


def unit_sentences(rows: Sequence[Row], n_splits: int) -> list[str]:
    """How many units are in an assembly, and how many are predicted better than by their rate.

    ``rows`` are those of :meth:`~microcolumn.study.Results.unit_table`, ``n_splits`` the splits
    planned: with one, no hidden unit is known to be an assembly.
    """
    if not rows:
        return []
    first, of_units = rows[0], f"of {counted(len(rows), 'unit')}"
    sentences = []
    if first["assemblies_model"] and n_splits > 1:
        n = sum(bool(row["assemblies"]) for row in rows)
        sentences.append(f"{_are(n, of_units)} in an assembly of {first['assemblies_model']}")
    if first["gain_model"]:
        ahead = [row for row in rows if row["gain_bits_per_second"] > 0.0]
        others = "all other units" if first["window"] == 1 else "all other bits, their own too"
        by = f"predicted better by {first['gain_model']}, from {others}, than by their rate"
        if math.isnan(first["gain_q_value"]):
            sure = f"too few splits to test which are; {FEWEST_SPLITS} are needed"
        else:
            ahead = [row for row in ahead if row["gain_q_value"] <= LEVEL]
            sure = f"at a false discovery rate of {100.0 * LEVEL:g} %"
        sentences.append(f"{_are(len(ahead), of_units)} {by} ({sure})")
    return sentences


def unit_table(rows: Sequence[Row]) -> Table | None:
    """One row per unit, if there are any; columns that are known of none are left out."""
    if not rows:
        return None
    columns = {
        "unit": [row["unit"] for row in rows],
        "layer": [row["layer"] or "-" for row in rows],
        "depth, µm": [number(row["depth_um"], 0) for row in rows],
        "rate, Hz": [number(row["rate_hz"]) for row in rows],
        "assemblies": [" ".join(row["assemblies"]) or "-" for row in rows],
        "strongest partners, nats": [_partners(row) or "-" for row in rows],
        "predicted, bits/s": [_gain(row) for row in rows],
    }
    shown = {name: cells for name, cells in columns.items() if set(cells) != {"-"}}
    return Table(
        "units",
        tuple(shown),
        list(zip(*shown.values(), strict=True)),
        left=("unit", "layer", "assemblies", "strongest partners, nats"),
        note="; ".join(text for name, text in _notes(rows).items() if name in shown),
        sortable=True,
    )


def _are(n: int, of_units: str) -> str:
    return f"{n:,} {of_units} {'is' if n == 1 else 'are'}"


def _partners(row: Row) -> str:
    """Partners with their couplings and errors: ``7 (0.90 ± 0.13), 4 (0.71 ± 0.12)``."""
    named = zip(row["partners"], row["partners_nats"], row["partners_stderr"], strict=True)
    return ", ".join(f"{unit} ({_value(nats, stderr)})" for unit, nats, stderr in named)


def _gain(row: Row) -> str:
    return _value(row["gain_bits_per_second"], row["gain_stderr"])


def _value(value: float, stderr: float) -> str:
    """A number with its error where that is known."""
    return number(value) if math.isnan(stderr) else with_error(value, stderr)


def _notes(rows: Sequence[Row]) -> dict[str, str]:
    """What each column shows, and of which model."""
    row, errors = rows[0], [error for row in rows for error in row["partners_stderr"]]
    coupled = (
        "differ from 0 at a false discovery rate of 5 %, estimated without penalty, ± standard "
        "error"
    )
    if errors and math.isnan(errors[0]):
        coupled = "the penalty left; no errors are known"
    return {
        "depth, µm": f"depth: {DEPTH_REFERENCES.get(row['depth_reference'], '')}",
        "rate, Hz": "rate: spikes per second",
        "assemblies": f"assemblies: hidden units of {row['assemblies_model']} in split 0 (h0: "
        "column 0 of W) that recur in other splits and are needed by test words, those in which "
        "the unit has its largest weight first",
        "strongest partners, nats": f"partners: the {N_PARTNERS} strongest couplings J of "
        f"{row['partners_model']} that {coupled}",
        "predicted, bits/s": f"predicted: gain over the unit's rate by {row['gain_model']}, from "
        "all other bits of the word, mean over splits ± standard error, which allows for what "
        "splits share",
    }
