"""Paragraphs of the answer, one for each question.

Every function takes the findings of one experiment, one for each recording. Of one recording, the
models and their numbers are stated; several are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..evaluate import ModelScore, PairedDifference
from ..evaluate.comparison import HOLDS_FOR
from ..evaluate.contrasts import ORDERS
from ..evaluate.paired import EQUAL_MARGIN
from ..evaluate.significance import pooled
from ..formatting import enumeration
from ..models.spec import MODELS, PAPER_MODELS
from ._findings import OPEN, PAIRS_SUFFICE, UNTESTED, Finding, Layering, of_kind
from ._methods import fitting
from ._structure import ASSEMBLY, are_assemblies
from ._wording import span, text

#: More recordings are counted, not named.
_MOST_NAMED = 4
#: What a model is said to miss.
_FAMILIES = {"words": "probabilities of words"}
#: What an adequacy may count as.
_KINDS = ("misses", "little", "enough", "doubtful")


def answer(question: str, found: Sequence[Finding], **values: Any) -> str:
    """The paragraph about a question: its template, filled in with findings."""
    one = found[0] if len(found) == 1 else None
    return text(f"answer/{question}", found=found, one=one, named=named, **values)


def title(found: Sequence[Finding], recordings: str) -> str:
    """The result in one sentence about recordings that are called so: ``"3 recordings"``."""
    # A model of pairs or a common drive stands for its side already.
    won = [
        each for each in found if each.alternative_wins and each.best and not each.best.spec.parts
    ]
    over = [pair for each in found if (pair := each.over_independent) is not None]
    return answer(
        "title",
        found,
        recordings=recordings,
        has_drive=_has_drive(found),
        of_kind=of_kind,
        groups=of_kind(found, "groups"),
        pairs=of_kind(found, "pairs"),
        suffice=of_kind(found, *PAIRS_SUFFICE),
        unsure=of_kind(found, *OPEN),
        untested=of_kind(found, "untested"),
        names=[model.name for model, _ in _counted([each.best for each in found])],
        n_sure=_n_sure(over),
        won=won,
        winners=[model.name for model, _ in _counted([each.best for each in won])],
    )


def beyond_pairs(found: Sequence[Finding]) -> str:
    """Whether groups matter beyond pairs."""
    tested = [(each.compared.scores, each.pair) for each in found if each.pair]
    both = [scores[name].spec for scores, pair in tested for name in (pair.first, pair.second)]
    objectives = {spec.objective for spec in both}
    compared = [model.spec for scores, _ in tested for model in scores.values()]
    return answer(
        "beyond_pairs",
        found,
        tested=tested,
        groups=of_kind(found, "groups"),
        suffice=of_kind(found, "pairs", *PAIRS_SUFFICE),
        pairs_suffice=PAIRS_SUFFICE,
        of_kind=of_kind,
        gains=_gains,
        hidden=sorted({spec.model for spec in compared if spec.has_groups}),
        without=list(
            dict.fromkeys(spec.name for spec in compared if spec.parts and not spec.has_groups)
        ),
        has_drive=_has_drive(found),
        fitted=fitting(*objectives) if len(objectives) == 1 else "",
        described=_explained,
        margin=100 * EQUAL_MARGIN,
    )


def _explained(model: ModelScore) -> str:
    """A model's name with what it is made of."""
    facts = MODELS[model.spec.model]
    return f"{model.name} ({facts.meaning or facts.methods.split(' (')[0]})"


def _has_drive(found: Sequence[Finding]) -> bool:
    """Whether a model of a common drive is among those compared."""
    return any("drive" in model.spec.parts for each in found for model in each.compared.models)


def parts_of_gain(found: Sequence[Finding]) -> str:
    """What a common drive, pairs and groups add to the gain; empty without a common drive."""
    if not _has_drive(found):
        return ""
    orders = []
    for order in ORDERS:
        steps = [step for each in found for step in each.compared.gain_steps(order)]
        by_part = {part: [step for step in steps if step.part == part] for part in order}
        orders.append({part: some for part, some in by_part.items() if some})
    explanations = [each.compared.explanation for each in found]
    named = Counter(each.parts for each in explanations if each).most_common()
    return answer(
        "parts_of_gain", found, orders=orders, simplest=explanations[0], explanations=named
    )


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


def size_of_gain(found: Sequence[Finding]) -> str:
    """How large the gain is; empty where groups were not held against pairs."""
    tested = [each for each in found if each.pair]
    if not tested:
        return ""
    groups = of_kind(tested, "groups")
    first = tested[0].pair
    scores = tested[0].compared.scores
    return answer(
        "size_of_gain",
        found,
        groups=groups,
        unsure=of_kind(tested, *OPEN),
        shares=[100.0 * each.share.value for each in tested if each.share],
        pooled=pooled([each.relative for each in tested if each.relative]),
        gains=_gains,
        per_spike=first
        and scores[first.first].bits_per_spike - scores[first.second].bits_per_spike,
    )


def in_layers(found: Sequence[Finding]) -> str:
    """Whether the groups stay in layers."""
    known = [each for each in found if isinstance(each.layering, Layering)]
    beyond = [(n.layering.share - n.layering.expected, k) for k, n in enumerate(known)]  # type: ignore[union-attr]
    counts = [float(each.n_assemblies) for each in found if each.n_assemblies is not None]
    return answer(
        "in_layers",
        found,
        known=known,
        median=known[sorted(beyond)[len(beyond) // 2][1]] if known else None,
        most_named=_MOST_NAMED,
        n_assemblies=counts,
        live={name: each for name, each in found[0].assemblies.items() if len(each)},
        are_assemblies=are_assemblies,
        assembly=ASSEMBLY,
    )


def named(found: Sequence[Finding]) -> str:
    """Recordings by name, or counted where they are many."""
    labels = [each.label if len(each.label) <= 40 else f"{each.label[:39]}…" for each in found]
    return enumeration(labels) if len(labels) <= _MOST_NAMED else f"{len(labels)} recordings"


def best_model(found: Sequence[Finding]) -> str:
    """The best model of all, and of the paper's family."""
    ranked = [each for each in found if each.best]
    alternatives = [each for each in ranked if each.best is each.compared.best_alternative]
    over = [pair for each in ranked if (pair := each.over_independent)]
    return answer(
        "best_model",
        found,
        ranked=ranked,
        alternatives=alternatives,
        family=_family(ranked),
        described=_described,
        other=_next_best(found[0]),
        counts=_counted([each.best for each in ranked]),
        ours=_counted([each.compared.best_of_family for each in ranked]),
        n_won=sum(each.alternative_wins for each in alternatives),
        over_alternatives=[pair for each in ranked if (pair := each.over_alternative)],
        over=over,
        n_sure=_n_sure(over),
    )


def _family(found: Sequence[Finding]) -> list[str]:
    """Classes of the paper's family that were ranked."""
    ranked = {model.spec.model for each in found for model in each.compared.models}
    return [name for name in PAPER_MODELS if name in ranked]


def _counted(models: Sequence[ModelScore | None]) -> list[tuple[ModelScore, int]]:
    """Models, each once, with how often they come, the most frequent first."""
    known = {model.name: model for model in models if model}
    counts = Counter(model.name for model in models if model)
    return [(known[name], n) for name, n in counts.most_common()]


def _n_sure(over: Sequence[PairedDifference]) -> int:
    """How many differences are surely gains."""
    return sum(pair.differs and pair.bits_per_second > 0.0 for pair in over)


def _next_best(found: Finding) -> str:
    """The model that the best is held against: of an alternative, the best of the paper's family.

    Else the next one, unless their difference is stated already.
    """
    best, ours, pair = found.best, found.compared.best_of_family, found.pair
    ranked = sorted(found.compared.models, key=lambda model: -model.bits_per_second)
    if best is None or len(ranked) < 2:
        return ""
    if best.spec.is_alternative and ours is not None:
        return ours.name
    is_stated = pair is not None and {best.name, ranked[1].name} == {pair.first, pair.second}
    return "" if is_stated else ranked[1].name


def _described(model: ModelScore) -> str:
    """An alternative's name with what it is, without a reference; the family is known by now."""
    what = MODELS[model.spec.model].methods.split(" (")[0] if model.spec.is_alternative else ""
    return f"{model.name} ({what}; not of the paper's family)" if what else model.name


def good_enough(found: Sequence[Finding]) -> str:
    """Whether the best model describes the test words; empty where that is not computed."""
    known = [each for each in found if each.adequacy is not None]
    if not known:
        return ""
    by_kind: dict[str, list[Finding]] = {kind: [] for kind in _KINDS}
    for each in known:
        for kind in _kinds_of(each):
            by_kind[kind].append(each)
    missed = Counter(name for each in known if each.adequacy for name in each.adequacy.missed)
    best = {each.best.name for each in known if each.best}
    return answer(
        "good_enough",
        found,
        known=known,
        by_kind=by_kind,
        missed=[f"{_FAMILIES.get(name, name)} (in {k})" for name, k in missed.items()],
        untested=sorted(best - {each.adequate for each in known}),
    )


def _kinds_of(found: Finding) -> list[str]:
    """What an adequacy counts as: what a model misses may be in doubt besides."""
    adequacy = found.adequacy
    if adequacy is None:
        return []
    kinds = ["misses"] if adequacy.missed else []
    if adequacy.pairs_in_doubt or (adequacy.describes and found.also_adequate):
        return [*kinds, "doubtful"]
    if adequacy.describes:
        return [*kinds, "enough"]
    return kinds or ["little"]


def others_agree(found: Sequence[Finding], first: Sequence[Finding]) -> str:
    """Whether other experiments say the same as the first one of their recordings."""
    verdicts = {each.recording: each.verdict for each in first}
    both = [(each.verdict, verdicts[each.recording]) for each in found]
    return answer(
        "others_agree",
        found,
        agree=sum(one == other for one, other in both),
        contradict=sum(
            one != other and not {one, other} & {*OPEN, UNTESTED} for one, other in both
        ),
        experiments={
            name: Counter(each.verdict for each in found if each.experiment == name).most_common()
            for name in dict.fromkeys(each.experiment for each in found)
        },
    )


def holds_for(found: Sequence[Finding]) -> str:
    """What the answer holds for."""
    kinds = list(dict.fromkeys(each.compared.split_by for each in found))
    stated = [HOLDS_FOR[kind] for kind in kinds if kind in HOLDS_FOR]
    alone = ["each recording was tested by itself"] if len(found) > 1 else []
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in [*stated, *alone])


#: What is asked of the experiment that answers for each recording, in this order.
QUESTIONS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "Do groups matter beyond pairs?": beyond_pairs,
    "What does the gain come from?": parts_of_gain,
    "How large is the gain?": size_of_gain,
    "Do the groups stay in layers?": in_layers,
    "Which model is best?": best_model,
    "Is the best model good enough?": good_enough,
}
