"""Hidden units, couplings and weights of models as tables and sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import compress
from typing import Any

from ..evaluate import Assemblies, Intervals
from ..evaluate.assembly import HEADER, LEFT, STABLE, columns_of
from ..evaluate.estimates import interval_text, q_text
from ..evaluate.significance import LEVEL
from ..models import ModelSpec
from ..study import Condition, Results
from ._tables import Table
from ._wording import text

#: What the column of verdicts, and every sentence that counts them, calls an assembly.
ASSEMBLY = (
    "An assembly is a hidden unit of a group of units that recurs in at least "
    f"{100 * STABLE:g} % of the other splits and without which test words become less probable."
)
#: Columns about layers.
_OF_LAYERS = ("layer", "share (chance)", "p")
#: Strongest parameters that are listed of each model.
_LISTED = 3
#: Share of the discoveries that may be false.
_RATE = 0.05


def assembly_tables(results: Results, condition: Condition) -> Iterator[Table]:
    """Hidden units of each model that has some, the clearest first; layers where they are known."""
    for spec, found in _assemblies(results, condition):
        if len(found):
            layered = any(row.layer for row in found)
            shown = [layered or name not in _OF_LAYERS for name in HEADER]
            rows = [tuple(compress(columns_of(row), shown)) for row in found.clearest]
            header = tuple(compress(HEADER, shown))
            left = tuple(name for name in LEFT if name in header)
            note = text("notes/assemblies", layered=layered)
            yield Table(f"assemblies, {spec.name}", header, rows, left, note, sortable=True)


def assembly_sentences(results: Results, condition: Condition) -> Iterator[str]:
    """How many hidden units of split 0 are assemblies, and the signs of couplings beside them."""
    scores = results.comparison(**condition.names).scores
    for spec, found in _assemblies(results, condition):
        splits = scores[spec.name].splits if spec.name in scores else ()
        kinds = Counter(row.verdict for row in found if row.verdict != "assembly")
        p_values = [row.layer_p_value for row in found.stable if not math.isnan(row.layer_p_value)]
        yield text(
            "hidden_units",
            model=spec.name,
            found=found,
            n_empty=sum(not score.n_live_hidden for score in splits if score.split),
            others=[f"{n} {name}" for name, n in kinds.items()],
            are_assemblies=are_assemblies,
            tested=bool(p_values),
            inside=sum(p < LEVEL for p in p_values),
        )


def _assemblies(results: Results, condition: Condition) -> list[tuple[ModelSpec, Assemblies]]:
    found = results.of_models(results.assemblies, condition)
    return [(spec, each) for spec, each in found if spec.has_groups]


def are_assemblies(n: int, live: str) -> str:
    """``"1 of 4 live hidden units is an assembly"``."""
    return f"{n} of {live} {'is an assembly' if n == 1 else 'are assemblies'}"


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
        note=text("notes/intervals", n_blocks=n_blocks),
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
