"""Which couplings and weights differ from zero, as tables of text."""

from __future__ import annotations

from typing import Any

from ..evaluate import Intervals
from ..evaluate.estimates import interval_text, q_text
from ..study import Condition, Results
from ..wording import worded
from ._tables import Table

#: Strongest parameters that are listed of each model.
_LISTED = 3
#: Share of the discoveries that may be false.
_RATE = 0.05


def interval_tables(results: Results, condition: Condition) -> list[Table]:
    """How many parameters differ from zero, and the strongest with their intervals."""
    found = [
        (spec.name, each)
        for spec, each in results.of_models(results.intervals, condition)
        if each is not None
    ]
    counted = [row for name, each in found for row in _count_rows(name, each)]
    if not counted:
        return []
    n_blocks = found[0][1].n_blocks
    differing = Table(
        "parameters that differ from 0 at a false discovery rate of 5 %",
        ("model", "parameters", "differ from 0", "positive", "negative", "no interval"),
        counted,
        left=("model", "parameters"),
        note=worded("report", "notes/intervals", n_blocks=n_blocks),
    )
    largest = [(name, row) for name, each in found for row in each.strongest(_LISTED)]
    listed = [(name, *_cells(row)) for name, row in largest]
    strongest = Table(
        "strongest of them",
        ("model", "between", "and", "nats", "95 % interval", "q"),
        listed,
        left=("model", "between", "and", "95 % interval"),
        note=_note([row for _, row in largest], several_bins=condition.window > 1),
    )
    return [differing, strongest] if listed else [differing]


def _note(rows: list[dict[str, Any]], *, several_bins: bool) -> str:
    """What q is, and what the names of hidden units and of bits of windows mean."""
    named = {
        "q: the false discovery rate at which it would just be counted": True,
        "h0: the hidden unit of column 0 of W": any(row["parameter"] == "weight" for row in rows),
        "@-1: in the bin before the newest; @0: in the newest": several_bins,
    }
    return "; ".join(text for text, is_needed in named.items() if is_needed)


def _count_rows(name: str, found: Intervals) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for kind, each in (("couplings", found.couplings), ("weights", found.weights)):
        if not each.estimate.size:
            continue
        sure = each.significant(_RATE)
        n, positive = int(sure.sum()), int((each.estimate[sure] > 0.0).sum())
        unknown = int((each.p_value != each.p_value).sum())  # NaN differs from itself
        signs = (f"{positive:,}", f"{n - positive:,}", f"{unknown:,}")
        rows.append((name, kind, f"{n:,} of {each.estimate.size:,}", *signs))
    return rows


def _cells(row: dict[str, str | float]) -> tuple[str, ...]:
    estimate = f"{row['estimate']:.2f}"
    return str(row["first"]), str(row["second"]), estimate, interval_text(row), q_text(row)
