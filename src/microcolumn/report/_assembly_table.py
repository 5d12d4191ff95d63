"""Assemblies of a study as tables and sentences, for the report and the page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import compress

from ..evaluate import Assemblies, LayersResult
from ..evaluate.assembly import HEADER, LEFT, MEANING as MEANING, STABLE, columns_of
from ..evaluate.significance import LEVEL
from ..models import ModelSpec
from ..study import Condition, Results
from ._findings import Layering
from ._tables import Table
from ._wording import text

#: What the column of verdicts, and every sentence that counts them, calls an assembly.
ASSEMBLY = (
    "An assembly is a hidden unit of a group of units that recurs in at least "
    f"{100 * STABLE:g} % of the other splits and without which test words become less probable."
)
#: Columns about layers.
_OF_LAYERS = ("layer", "share (chance)", "p")


def tables(results: Results, condition: Condition) -> Iterator[Table]:
    """Hidden units of each model that has some, the clearest first; layers where they are known."""
    for spec, found in _computed(results, condition):
        if len(found):
            layered = any(row.layer for row in found)
            shown = [layered or name not in _OF_LAYERS for name in HEADER]
            rows = [tuple(compress(columns_of(row), shown)) for row in found.clearest]
            header = tuple(compress(HEADER, shown))
            left = tuple(name for name in LEFT if name in header)
            note = text("notes/assemblies", layered=layered)
            yield Table(f"assemblies, {spec.name}", header, rows, left, note, sortable=True)


def sentences(results: Results, condition: Condition) -> list[str]:
    """Whether hidden units keep to layers, how many are assemblies, and signs of couplings."""
    found = _computed(results, condition)
    by_layer = results.of_models(results.layers, condition)
    lines = [_in_layers(each) for _, each in by_layer if each is not None and each.model.has_groups]
    scores = results.comparison(**condition.names).scores
    for spec, each in found:
        splits = scores[spec.name].splits if spec.name in scores else ()
        empty = sum(not score.n_live_hidden for score in splits if score.split)
        lines.append(f"{spec.name}: {_counts(each, empty)}")
    lines += [f"{spec.name}: {_signs(each)}" for spec, each in found if each.n_couplings]
    return lines


def _computed(results: Results, condition: Condition) -> list[tuple[ModelSpec, Assemblies]]:
    found = results.of_models(results.assemblies, condition)
    return [(spec, each) for spec, each in found if spec.has_groups]


def are_assemblies(n: int, live: str) -> str:
    """``"1 of 4 live hidden units is an assembly"``."""
    return f"{n} of {live} {'is an assembly' if n == 1 else 'are assemblies'}"


def _in_layers(found: LayersResult) -> str:
    """Whether hidden units keep to layers; counts are means over splits, which share hidden units.

    The answer is that of the test of all hidden units together, which needs no correction, and by
    the rule of the page's first answer.
    """
    p_values = [p for p in found.overall_p_values if not math.isnan(p)]
    return text("hidden_units", what="layers", found=found, of=Layering.of(found), p=p_values)


def _counts(found: Assemblies, n_empty: int = 0) -> str:
    """Every live hidden unit of split 0 counts once, by what it may be called.

    ``n_empty`` other splits have no live hidden unit, so that nothing recurs there.
    """
    kinds = Counter(row.verdict for row in found)
    p_values = [row.layer_p_value for row in found.stable if not math.isnan(row.layer_p_value)]
    return text(
        "hidden_units",
        what="counts",
        found=found,
        n_empty=n_empty,
        others=[f"{n} {name}" for name, n in kinds.items() if name != "assembly"],
        are_assemblies=are_assemblies,
        tested=bool(p_values),
        inside=sum(p < LEVEL for p in p_values),
    )


def _signs(found: Assemblies) -> str:
    """Balance of the couplings beside the hidden units."""
    return text("hidden_units", what="signs", found=found)
