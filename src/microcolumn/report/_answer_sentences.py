"""Paragraphs of the answer, one for each question: templates, filled in with what was found.

All are about findings of one experiment, one for each recording. Of one recording, the models and
their numbers are stated; several are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..evaluate import ModelScore, pool_contrasts
from ..evaluate.comparison import HOLDS_FOR
from ..evaluate.contrasts import ORDERS
from ..evaluate.paired import EQUAL_MARGIN
from ..formatting import enumeration
from ..models.spec import PAPER_MODELS
from ._findings import OPEN, PAIRS_SUFFICE, Finding, label_of, of_kind
from ._methods import fitting
from ._wording import span, text

#: More recordings are counted, not named.
_MOST_NAMED = 4
#: Templates by what is asked of the experiment that answers for each recording, in this order.
QUESTIONS = {
    "Do groups matter beyond pairs?": "beyond_pairs",
    "What does the gain come from?": "parts_of_gain",
    "How large is the gain?": "size_of_gain",
    "Do recordings and animals agree?": "over_recordings",
    "Do the groups stay in layers?": "in_layers",
    "Which model is best?": "best_model",
    "Is the best model good enough?": "good_enough",
}

Values = dict[str, Any]


def answer(question: str, found: Sequence[Finding], **values: Any) -> str:
    """The paragraph of a template; empty where nothing is known about it."""
    own = _VALUES[question](found) if question in _VALUES else {}
    models = [model for each in found for model in each.compared.models]
    return text(
        f"answer/{question}",
        found=found,
        one=found[0] if len(found) == 1 else None,
        has_drive=any("drive" in model.spec.parts for model in models),
        of_kind=of_kind,
        label=label_of(found),
        open_kinds=OPEN,
        pairs_suffice=PAIRS_SUFFICE,
        named=named,
        gains=_gains,
        **own | values,
    )


def named(found: Sequence[Finding], most: int = _MOST_NAMED) -> str:
    """Recordings by name or, where they are more than ``most``, by their number."""
    names = [each.recording for each in found]
    short = [name if len(name) <= 40 else f"{name[:39]}…" for name in names]
    return enumeration(short) if len(short) <= most else f"{len(short)} recordings"


def _gains(found: Sequence[Finding]) -> str:
    """Differences and per cent of several recordings, from the smallest to the largest.

    Where it is sure who is better, they are sizes without a sign.
    """
    pairs = [each.pair.bits_per_second for each in found if each.pair]
    per_cent = [100.0 * (each.relative.value - 1.0) for each in found if each.relative]
    if not of_kind(found, *OPEN):
        pairs, per_cent = [abs(value) for value in pairs], [abs(value) for value in per_cent]
    if not pairs:
        return ""
    return f"{span(pairs)} bits/s" + (f" ({span(per_cent, 'z.0f')} %)" if per_cent else "")


def _beyond_pairs(found: Sequence[Finding]) -> Values:
    """Models that were compared, and the objective of the two that count, if it is one."""
    tested = [(each.compared.scores, each.pair) for each in found if each.pair]
    both = [scores[name].spec for scores, pair in tested for name in (pair.first, pair.second)]
    objectives = {spec.objective for spec in both}
    return {
        "specs": [model.spec for scores, _ in tested for model in scores.values()],
        "fitted": fitting(*objectives) if len(objectives) == 1 else "",
        "margin": 100 * EQUAL_MARGIN,
    }


def _parts_of_gain(found: Sequence[Finding]) -> Values:
    """What each part adds in either order, and which parts can explain the gain."""
    orders = []
    for order in ORDERS:
        steps = [step for each in found for step in each.compared.gain_steps(order)]
        by_part = {part: [step for step in steps if step.part == part] for part in order}
        orders.append({part: some for part, some in by_part.items() if some})
    explanations = [each.compared.explanation for each in found]
    counts = Counter(each.parts for each in explanations if each)
    return {"orders": orders, "simplest": explanations[0], "explanations": counts.most_common()}


def _best_model(found: Sequence[Finding]) -> Values:
    """The best models of all and of the paper's family, with how often they are."""
    ranked = {model.spec.model for each in found for model in each.compared.models}
    return {
        "family": [name for name in PAPER_MODELS if name in ranked],
        "other": _next_best(found[0]),
        "counts": _counted([each.best for each in found]),
        "ours": _counted([each.compared.best_of_family for each in found if each.best]),
    }


def _counted(models: Sequence[ModelScore | None]) -> list[tuple[ModelScore, int]]:
    """Models, each once, with how often they come, the most frequent first."""
    known = {model.name: model for model in models if model}
    counts = Counter(model.name for model in models if model)
    return [(known[name], n) for name, n in counts.most_common()]


def _next_best(found: Finding) -> str:
    """The model that the best is held against: of an alternative, the best of the paper's family.

    Else the next one, unless their difference is stated already.
    """
    best, ours, pair = found.best, found.compared.best_of_family, found.pair
    ranked = found.compared.ranked
    if best is None or len(ranked) < 2:
        return ""
    if best.spec.is_alternative and ours is not None:
        return ours.name
    is_stated = pair is not None and {best.name, ranked[1].name} == {pair.first, pair.second}
    return "" if is_stated else ranked[1].name


def _missed(found: Sequence[Finding]) -> Values:
    """What the best models miss of the words, with the number of recordings."""
    missed = Counter(name for each in found if each.adequacy for name in each.adequacy.missed)
    return {"missed": missed, "families": {"words": "probabilities of patterns"}}


def _pooled(found: Sequence[Finding]) -> Values:
    """Planned contrasts over several recordings, and that of groups; none of one."""
    contrasts = pool_contrasts(each.compared for each in found)
    animals = Counter(each.compared.animal for each in found)
    return {"contrasts": contrasts, "pooled": contrasts.get("groups"), "animals": animals}


#: What templates are given of findings, beside the findings themselves.
_VALUES: dict[str, Callable[[Sequence[Finding]], Values]] = {
    "beyond_pairs": _beyond_pairs,
    "parts_of_gain": _parts_of_gain,
    "over_recordings": _pooled,
    "title": _pooled,
    "best_model": _best_model,
    "good_enough": _missed,
    "summary": _missed,
    "holds_for": lambda found: {"reaches": HOLDS_FOR} | _pooled(found),
}
