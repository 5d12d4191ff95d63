"""Assemblies of a study as tables and sentences, for the report and the page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from ..evaluate import Assemblies
from ..evaluate._assemblies import HEADER, columns_of
from ..formatting import counted, enumeration
from ..models import ModelSpec
from ..study import Condition, Results
from ._tables import Table, of_models

#: What a hidden unit is, for readers who know cells and not models.
MEANING = (
    "A hidden unit is a binary stand-in for a common input to, or a mutually exciting group of, "
    "the units it has weights to. It is statistical, not a recorded neuron, and does not prove a "
    "synapse."
)

_NOTE = (
    "hidden units of split 0 by their column of W; units: with at least a quarter of the largest "
    "positive weight, strongest first; silenced: negative weights as strong; share: of the weight, "
    "by size, in its main layer, p of the permutation test, corrected over hidden units (Holm); "
    "on: bins per second in which it is on; recurs in: other splits with a hidden unit of cosine "
    "0.71 or more, beyond 95 % of permuted ones; bits/s lost: by test words without it, biases "
    "fitted anew so that rates stay; splits share half of their training words, so what recurs "
    "need not do so in another recording"
)


def tables(results: Results, condition: Condition) -> Iterator[Table]:
    """Hidden units of each model that has some, those that are worth most first."""
    for spec, found in _computed(results, condition):
        if len(found):
            rows = [columns_of(row) for row in found]
            left = ("hidden", "units", "silenced", "layer", "verdict")
            yield Table(f"assemblies, {spec.name}", HEADER, rows, left=left, note=_NOTE)


def sentences(results: Results, condition: Condition) -> list[str]:
    """How many hidden units of each model are assemblies, and the signs of its couplings."""
    found = _computed(results, condition)
    lines = [f"{spec.name}: {_counts(each)}" for spec, each in found]
    lines += [f"{spec.name}: {_signs(each)}" for spec, each in found if each.n_couplings]
    return lines


def _computed(results: Results, condition: Condition) -> list[tuple[ModelSpec, Assemblies]]:
    found = of_models(results.assemblies, results, condition)
    return [(spec, each) for spec, each in found if spec.n_hidden]


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
        f"{found.negative_share:.0%} of the {found.n_couplings:.0f} couplings beside the hidden "
        f"units are negative (mean over {counted(found.n_fits, 'split')})"
    )
