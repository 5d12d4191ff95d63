"""Which couplings and weights differ from zero, as tables of text."""

from __future__ import annotations

from ..evaluate import Intervals
from ..evaluate._estimates import interval_text, q_text
from ..study import Condition, Results
from ._tables import Table, of_models

#: Strongest parameters that are listed of each model.
_LISTED = 3
#: Share of the discoveries that may be false.
_RATE = 0.05


def interval_tables(results: Results, condition: Condition) -> list[Table]:
    """How many parameters differ from zero, and the strongest with their intervals."""
    found = [
        (spec.name, each)
        for spec, each in of_models(results.intervals, results, condition)
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
        note=f"estimated without penalty on the training words of the first split, errors from "
        f"{n_blocks} blocks of time, of hidden weights also from fits to two halves; no interval: "
        "silent units, copies, what too few coincidences leave open, weights that the penalty set "
        "to 0, and hidden units that a half does not have again",
    )
    listed = [(name, *_cells(row)) for name, each in found for row in each.strongest(_LISTED)]
    strongest = Table(
        "strongest of them",
        ("model", "between", "and", "nats", "95 % interval", "q"),
        listed,
        left=("model", "between", "and", "95 % interval"),
        note="q: the false discovery rate at which it would just be counted",
    )
    return [differing, strongest] if listed else [differing]


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
