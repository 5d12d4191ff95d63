"""Assemblies of a study as tables and sentences, for the report and the page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import compress

from ..evaluate import Assemblies, LayersResult
from ..evaluate._assemblies import HEADER, LEFT, MEANING as MEANING, STABLE, columns_of
from ..evaluate._significance import LEVEL, p_text
from ..formatting import counted, enumeration
from ..models import ModelSpec
from ..study import Condition, Results
from ..wording import worded
from ._findings import Layering
from ._tables import Table, of_models

#: What the column of verdicts, and every sentence that counts them, calls an assembly.
ASSEMBLY = (
    "An assembly is a hidden unit of a group of units that recurs in at least "
    f"{100 * STABLE:g} % of the other splits and without which test words become less probable."
)
#: Columns about layers.
_OF_LAYERS = ("layer", "share (chance)", "p")
#: What the test of all hidden units together says of each kind of :class:`Layering`.
_ANSWERS = {
    "inside": "More than by chance",
    "undecided": "Undecided",
    "by chance": "No more than by chance, as far as can be seen",
}


def tables(results: Results, condition: Condition) -> Iterator[Table]:
    """Hidden units of each model that has some, the clearest first; layers where they are known."""
    for spec, found in _computed(results, condition):
        if len(found):
            layered = any(row.layer for row in found)
            shown = [layered or name not in _OF_LAYERS for name in HEADER]
            rows = [tuple(compress(columns_of(row), shown)) for row in found.clearest]
            header = tuple(compress(HEADER, shown))
            left = tuple(name for name in LEFT if name in header)
            note = worded("report", "notes/assemblies", layered=layered)
            yield Table(f"assemblies, {spec.name}", header, rows, left, note, sortable=True)


def sentences(results: Results, condition: Condition) -> list[str]:
    """Whether hidden units keep to layers, how many are assemblies, and signs of couplings."""
    found = _computed(results, condition)
    by_layer = of_models(results.layers, results, condition)
    lines = [_in_layers(each) for _, each in by_layer if each is not None and each.model.has_groups]
    scores = results.comparison(**condition.names).scores
    for spec, each in found:
        splits = scores[spec.name].splits if spec.name in scores else ()
        empty = sum(not score.n_live_hidden for score in splits if score.split)
        lines.append(f"{spec.name}: {_counts(each, empty)}")
    lines += [f"{spec.name}: {_signs(each)}" for spec, each in found if each.n_couplings]
    return lines


def _computed(results: Results, condition: Condition) -> list[tuple[ModelSpec, Assemblies]]:
    found = of_models(results.assemblies, results, condition)
    return [(spec, each) for spec, each in found if spec.has_groups]


def _in_layers(found: LayersResult) -> str:
    """Whether hidden units keep to layers; counts are means over splits, which share hidden units.

    The answer is that of the test of all hidden units together, which needs no correction, and by
    the rule of the page's first answer.
    """
    name, n_splits = found.model.name, counted(len(found.splits), "split")
    layering = Layering.of(found)
    if layering is None:
        return f"{name}: no live hidden unit, so none keeps to a layer"
    sure = f"p < {LEVEL:g} in {layering.n_inside} of {layering.n_splits} splits"
    if layering.n_splits == 1:
        sure = p_text(min(p for p in found.overall_p_values if not math.isnan(p)))
    return (
        f"Do the hidden units of {name} keep to layers? {_ANSWERS[layering.kind]}: "
        f"{percent(layering.share)} of all weight lies in the main layer of its hidden unit, "
        f"{percent(layering.expected)} by chance ({sure}); {layering.n_in_layer:.1f} of "
        f"{layering.n_live:.1f} live ones (mean over {n_splits}) are concentrated in one layer "
        "(false discovery rate 5 %)"
    )


def _counts(found: Assemblies, n_empty: int = 0) -> str:
    """Every live hidden unit of split 0 counts once, by what it may be called.

    ``n_empty`` other splits have no live hidden unit, so that nothing recurs there.
    """
    if not len(found):
        return "no live hidden unit"
    live = counted(len(found), "live hidden unit")
    if found.n_fits < 2:
        return f"{live}; with one split it is not known which of them recur"
    stable = found.stable
    kinds = Counter(row.verdict for row in found)
    others = enumeration([f"{n} {name}" for name, n in kinds.items() if name != "assembly"])
    text = are_assemblies(len(stable), live) + (f" ({others})" if others else "")
    if n_empty:
        has = "has" if n_empty == 1 else "have"
        text += f"; {n_empty} of {found.n_fits - 1} other splits {has} no live hidden unit, so that"
        text += " none can recur there"
    known = [row.layer_p_value for row in stable if not math.isnan(row.layer_p_value)]
    if not known:
        return text
    inside = sum(p < LEVEL for p in known)
    some = f"{inside or 'none'} of them {'is' if inside <= 1 else 'are'}"
    return f"{text}; {some} concentrated in one layer (p < {LEVEL:g}, corrected)"


def are_assemblies(n: int, live: str) -> str:
    """``"1 of 4 live hidden units is an assembly"``."""
    return f"{n} of {live} {'is an assembly' if n == 1 else 'are assemblies'}"


def _signs(found: Assemblies) -> str:
    """Balance of the couplings beside the hidden units."""
    beside = " beside the hidden units" if len(found) else ""
    return (
        f"{percent(found.negative_share)} of the {found.n_couplings:.0f} couplings{beside} are "
        f"negative (mean over {counted(found.n_fits, 'split')})"
    )


def percent(share: float) -> str:
    """``"20 %"``."""
    return f"{100.0 * share:.0f} %"
