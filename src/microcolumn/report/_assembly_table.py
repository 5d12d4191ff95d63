"""Assemblies of a study as tables and sentences, for the report and the page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from statistics import fmean, median

from ..evaluate import Assemblies, LayersResult
from ..evaluate._assemblies import HEADER, LEFT, MEANING as MEANING, columns_of
from ..evaluate._significance import LEVEL, p_text
from ..formatting import counted, enumeration
from ..models import ModelSpec
from ..study import Condition, Results
from ._tables import Table, of_models

_NOTE = (
    "hidden units of split 0, h and their column of W, assemblies first, then by bits/s lost over "
    "its error; units: with at least a quarter of the largest positive weight, strongest first; "
    "silenced: negative weights as strong; share: of the weight, by size, in its main layer, by "
    "chance with shuffled labels, p of that test, corrected over hidden units (Holm); "
    "on: words per second in which it is on; recurs in: other splits with a hidden unit of cosine "
    "0.71 or more, beyond 95 % of permuted ones; bits/s lost: by test words without it, biases "
    "fitted anew so that rates stay; splits share half of their training words, so what recurs "
    "need not do so in another recording"
)


def tables(results: Results, condition: Condition) -> Iterator[Table]:
    """Hidden units of each model that has some, the clearest first."""
    for spec, found in _computed(results, condition):
        if len(found):
            rows = [columns_of(row) for row in found.clearest]
            title = f"assemblies, {spec.name}"
            yield Table(title, HEADER, rows, left=LEFT, note=_NOTE, sortable=True)


def sentences(results: Results, condition: Condition) -> list[str]:
    """Whether hidden units keep to layers, how many are assemblies, and signs of couplings."""
    found = _computed(results, condition)
    by_layer = of_models(results.layers, results, condition)
    lines = [_in_layers(each) for _, each in by_layer if each is not None and each.model.n_hidden]
    lines += [f"{spec.name}: {_counts(each)}" for spec, each in found]
    lines += [f"{spec.name}: {_signs(each)}" for spec, each in found if each.n_couplings]
    return lines


def _computed(results: Results, condition: Condition) -> list[tuple[ModelSpec, Assemblies]]:
    found = of_models(results.assemblies, results, condition)
    return [(spec, each) for spec, each in found if spec.n_hidden]


def _in_layers(found: LayersResult) -> str:
    """Whether hidden units keep to layers; counts are means over splits, which share hidden units.

    The answer is that of the test of all hidden units together, which needs no correction.
    """
    name, n_splits = found.model.name, counted(len(found.splits), "split")
    known = [p for p in found.overall_p_values if not math.isnan(p)]
    if not known:
        return f"{name}: no live hidden unit, so none keeps to a layer"
    p = median(known)
    answer = "Yes" if p < LEVEL else "That is not shown"
    inside, live = fmean(found.n_significant), fmean(found.n_live_hidden)
    return (
        f"Do the hidden units of {name} keep to layers? {answer}: {inside:.1f} of {live:.1f} live "
        f"ones (mean over {n_splits}) are concentrated in one layer (false discovery rate 5 %); "
        f"{percent(found.overall_share)} of all weight lies in the main layer of its hidden unit, "
        f"{percent(found.overall_expected)} by chance ({p_text(p)}"
        + (", median over splits)" if len(known) > 1 else ")")
    )


def _counts(found: Assemblies) -> str:
    """Every live hidden unit of split 0 counts once, by what it may be called."""
    if not len(found):
        return "no live hidden unit"
    live = counted(len(found), "live hidden unit")
    if found.n_fits < 2:
        return f"{live}; with one split it is not known which of them recur"
    stable = found.stable
    kinds = Counter(row.verdict for row in found)
    others = enumeration([f"{n} {name}" for name, n in kinds.items() if name != "assembly"])
    text = f"{len(stable)} of {live} are assemblies" + (f" ({others})" if others else "")
    known = [row.layer_p_value for row in stable if not math.isnan(row.layer_p_value)]
    if not known:
        return text
    inside = sum(p < 0.05 for p in known)
    return f"{text}; {inside} of the {len(stable)} lie within one layer (p < 0.05, corrected)"


def _signs(found: Assemblies) -> str:
    """Balance of the couplings beside the hidden units."""
    return (
        f"{percent(found.negative_share)} of the {found.n_couplings:.0f} couplings beside the "
        f"hidden units are negative (mean over {counted(found.n_fits, 'split')})"
    )


def percent(share: float) -> str:
    """``"20 %"``."""
    return f"{100.0 * share:.0f} %"
