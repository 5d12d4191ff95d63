"""Paragraphs of the answer: the best model, whether it is good enough, and what this holds for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..evaluate import Adequacy, ModelScore
from ..evaluate._comparison import HOLDS_FOR
from ..models._spec import CLASSES, RIVALS
from ._answer_sentences import answer
from ._findings import OPEN, UNTESTED, Finding

#: What a model is said to miss.
_FAMILIES = {"words": "probabilities of words"}
#: What an adequacy may count as.
_KINDS = ("misses", "little", "enough", "doubtful")


def best_model(found: Sequence[Finding]) -> str:
    """The best model of all, and of the paper's family."""
    ranked = [each for each in found if each.best]
    rivals = [each for each in ranked if each.best and each.best.spec.is_rival]
    models = {each.best.name: each.best for each in ranked if each.best}
    counts = Counter(each.best.name for each in ranked if each.best).most_common()
    ours = Counter(each.best_of_family.name for each in ranked if each.best_of_family)
    over = [pair for each in ranked if (pair := each.over_independent)]
    classes = {m.spec.model for each in ranked for m in each.compared.models if not m.spec.is_rival}
    return answer(
        "best_model",
        found,
        ranked=ranked,
        rivals=rivals,
        family=[name for name in CLASSES if name in classes],
        described=_described,
        other=_next_best(found[0]) if len(found) == 1 and ranked else "",
        counts=[(models[name], n) for name, n in counts],
        ours=ours.most_common(),
        n_won=sum(each.rival_wins for each in rivals),
        over_rivals=[
            each.compared.pair(each.best.name, each.compared.best_rival.name)
            for each in ranked
            if each not in rivals and each.best and each.compared.best_rival
        ],
        over=over,
        n_sure=sum(pair.differs and pair.bits_per_second > 0.0 for pair in over),
    )


def _next_best(found: Finding) -> str:
    """The model that the best is held against: of a rival, the best of the paper's family.

    Else the next one, unless their difference is stated already.
    """
    best, ours, pair = found.best, found.best_of_family, found.pair
    ranked = sorted(found.compared.models, key=lambda model: -model.bits_per_second)
    if best is None or len(ranked) < 2:
        return ""
    if best.spec.is_rival and ours is not None:
        return ours.name
    is_stated = pair is not None and {best.name, ranked[1].name} == {pair.first, pair.second}
    return "" if is_stated else ranked[1].name


def _described(model: ModelScore) -> str:
    """A rival's name with what it is, without a reference; those of the family are known by now."""
    what = RIVALS.get(model.spec.model, "").split(" (")[0]
    return f"{model.name} ({what}; not of the paper's family)" if what else model.name


def good_enough(found: Sequence[Finding]) -> str:
    """Whether the best model describes the test words; empty where that is not computed."""
    known = [each for each in found if each.adequacy is not None]
    if not known:
        return ""
    by_kind: dict[str, list[Finding]] = {kind: [] for kind in _KINDS}
    for each in known:
        for kind in _kinds_of(each.adequacy):
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


def _kinds_of(adequacy: Adequacy | None) -> list[str]:
    """What an adequacy counts as: what a model misses may be in doubt besides."""
    if adequacy is None:
        return []
    kinds = ["misses"] if adequacy.missed else []
    if adequacy.pairs_in_doubt:
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
