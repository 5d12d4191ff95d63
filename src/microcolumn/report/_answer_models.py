"""Paragraphs of the answer: the best model, whether it is good enough, and what this holds for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..evaluate import Adequacy, ModelScore
from ..evaluate._comparison import HOLDS_FOR
from ..evaluate._significance import FEWEST_SPLITS, p_text, with_error
from ..formatting import counted, enumeration
from ..models._spec import CLASSES
from ._answer_sentences import named, spread
from ._findings import OPEN, UNTESTED, Finding
from ._methods import RIVALS

#: What a model is said to miss.
_FAMILIES = {"words": "probabilities of words"}


def best_model(found: Sequence[Finding]) -> str:
    """The best model of all, and of the paper's family."""
    ranked = [each for each in found if each.best]
    if not ranked:
        return "None can be ranked: all have a false mode."
    return _one_best(ranked[0]) if len(found) == 1 else _all_best(ranked)


def _one_best(found: Finding) -> str:
    best, ours, compared = found.best, found.best_of_family, found.compared
    over = found.over_independent
    if best is None or over is None:
        return ""
    gain = f"{with_error(over.bits_per_second, over.stderr)} bits/s above independent units"
    if not over.differs and over.n_splits >= FEWEST_SPLITS:
        gain += f" ({p_text(over.p_holm)}, which may be chance)"
    if len(compared.models) == 1:
        return f"{best.name}, the only one: it scores {gain}."
    ranked = sorted(compared.models, key=lambda model: -model.bits_per_second)
    told = f"{_described(best)} has the highest score of {len(ranked)} models, {gain}."
    if not best.spec.is_rival or ours is None:
        pair = found.pair  # whose difference is told above
        is_told = pair is not None and {best.name, ranked[1].name} == {pair.first, pair.second}
        return told if is_told else f"{told} {_sentence(found, ranked[1].name)}"
    told += f" Of the paper's family ({_family([found])}) it is {ours.name}."
    return f"{told} {_sentence(found, ours.name)}"


def _family(found: Sequence[Finding]) -> str:
    """Classes of the paper's family that are compared: ``"Ising, RBM, SemiRBM"``."""
    specs = [model.spec for each in found for model in each.compared.models]
    classes = {spec.model for spec in specs if not spec.is_rival}
    return ", ".join(name for name in CLASSES if name in classes)


def _sentence(found: Finding, other: str) -> str:
    """The best model against another one, as their paired difference has it."""
    text = found.compared.pair(found.compared.best.name, other).sentence()
    return f"{text[0].upper()}{text[1:]}."


def _described(model: ModelScore) -> str:
    """A rival's name with what it is, without a reference; those of the family are known by now."""
    what = RIVALS.get(model.spec.model, "").split(" (")[0]
    return f"{model.name} ({what}; not of the paper's family)" if what else model.name


def _all_best(found: Sequence[Finding]) -> str:
    models = {each.best.name: each.best for each in found if each.best}
    counts = Counter(each.best.name for each in found if each.best).most_common()
    others = [f"{_described(models[name])} in {n}" for name, n in counts[1:]]
    first = _described(models[counts[0][0]])
    most = f"{first} scores highest in {counts[0][1]} of {len(found)} recordings"
    text = ", ".join([most, *others])
    ours = Counter(each.best_of_family.name for each in found if each.best_of_family).most_common()
    rivals = [each for each in found if each.best and each.best.spec.is_rival]
    if rivals:
        won = sum(each.rival_wins for each in rivals)
        family = ", ".join(f"{name} in {n}" for name, n in ours)
        text += f". Of the paper's family ({_family(found)}) the best is {family}; "
        clearly = f"a model of another kind is clearly better in {won}"
        text += clearly if won else "no model of another kind is clearly better than that"
    text += _over_rivals([each for each in found if each not in rivals])
    over = [pair for each in found if (pair := each.over_independent)]
    sure = sum(pair.differs and pair.bits_per_second > 0.0 for pair in over)
    clear = "" if sure == len(over) else f", beyond chance in {sure or 'none'} of {len(over)}"
    gains = spread([pair.bits_per_second for pair in over])
    return f"{text}. The best is {gains} bits/s above independent units{clear}."


def _over_rivals(found: Sequence[Finding]) -> str:
    """In how many recordings a best model of the paper's family is clearly above other kinds."""
    pairs = [
        each.compared.pair(each.best.name, each.compared.best_rival.name)
        for each in found
        if each.best and each.compared.best_rival
    ]
    if not pairs:
        return ""
    others = enumeration(list(dict.fromkeys(pair.second for pair in pairs)))
    sure = sum(pair.differs for pair in pairs)
    return (
        f". Where a model of the paper's family is best, it is clearly better than the best of "
        f"another kind ({others}) in {sure or 'none'} of {counted(len(pairs), 'recording')}"
    )


def good_enough(found: Sequence[Finding]) -> str:
    """Whether the best model describes the test words; empty where that is not computed."""
    known = [(each, each.adequacy) for each in found if each.adequacy is not None]
    if not known:
        return ""
    return _one_adequacy(*known[0]) if len(found) == 1 else _all_adequacies(known)


def _one_adequacy(found: Finding, adequacy: Adequacy) -> str:
    lead = "No"
    if not adequacy.missed:
        lead = "Yes, as far as these words can tell" if adequacy.describes else "Nearly"
    if adequacy.pairs_in_doubt:
        lead = "Not known, since these words are too few to refute it"
    untested = ""
    if found.best is not None and found.best.name != found.adequate:
        untested = f" {found.best.name} was not tested for this."
    ours = found.best_of_family
    who = f"{found.adequate}, the best of the paper's family," if untested else found.adequate
    who = who if ours is not None and ours.name == found.adequate else found.adequate
    explained = f" {found.explained[0].upper()}{found.explained[1:]}." if found.explained else ""
    return f"{lead}: {who} {adequacy}.{explained}{untested}"


def _all_adequacies(known: Sequence[tuple[Finding, Adequacy]]) -> str:
    n = f"{len(known)} recordings"
    misses = [each for each, adequacy in known if adequacy.missed]
    doubtful = [each for each, adequacy in known if adequacy.pairs_in_doubt]
    little = [e for e, a in known if not (a.missed or a.describes or a.pairs_in_doubt)]
    enough = [each for each, a in known if a.describes and not a.pairs_in_doubt]
    missed = Counter(name for _, adequacy in known for name in adequacy.missed)
    listed = enumeration([f"{_FAMILIES.get(name, name)} (in {k})" for name, k in missed.items()])
    untested = {each.best.name for each, _ in known if each.best} - {
        each.adequate for each, _ in known
    }
    tested = list(dict.fromkeys(each.adequate for each, _ in known))
    who = tested[0] if len(tested) == 1 else "the best model tested for it"
    clauses = []
    if misses:
        clauses.append(f"No, in {len(misses)} of {n}: {who} misses {listed}.")
    if little:
        clauses.append(f"Nearly, in {len(little)} of {n}: {who} differs, but by little.")
    if enough:
        told = f"Yes, in {len(enough)} of {n}, as far as their words can tell"
        clauses.append(f"{told}: {named(enough)}.")
    if doubtful:
        few = "whose words are too few to refute it"
        clauses.append(f"Not known in {len(doubtful)} of {n}, {few}: {named(doubtful)}.")
    if untested:
        verb = "was" if len(untested) == 1 else "were"
        clauses.append(f"{enumeration(sorted(untested))} {verb} not tested for this.")
    return " ".join(clauses)


def others_agree(found: Sequence[Finding], first: Sequence[Finding]) -> str:
    """Whether other experiments say the same as the first one of their recordings."""
    verdicts = {each.recording: each.verdict for each in first}
    both = [(each.verdict, verdicts[each.recording]) for each in found]
    lead = _agreement(both)
    if len(found) <= 4:
        return " ".join([lead, *map(_other, found)])
    told = [lead]
    for name in dict.fromkeys(each.experiment for each in found):
        kinds = Counter(each.verdict for each in found if each.experiment == name).most_common()
        told.append(f"{name}: " + ", ".join(f"{kind} in {n}" for kind, n in kinds) + ".")
    return " ".join(told)


def _agreement(verdicts: Sequence[tuple[str, str]]) -> str:
    """Whether verdicts of other experiments are those of the first; open ones contradict none."""
    agree = sum(one == other for one, other in verdicts)
    contradict = sum(
        one != other and not {one, other} & {*OPEN, UNTESTED} for one, other in verdicts
    )
    if contradict:
        return "Only in part." if agree else "No."
    if agree == len(verdicts):
        return "Yes."
    return "None contradicts, but some are undecided." if agree else "They do not decide."


def _other(found: Finding) -> str:
    pair = found.pair
    if pair is None:
        return f"{found.about}: not tested."
    by = f"{with_error(pair.bits_per_second, pair.stderr)} bits/s"
    return f"{found.about}: {found.verdict} ({pair.first} minus {pair.second}: {by})."


def holds_for(found: Sequence[Finding]) -> str:
    """What the answer holds for."""
    kinds = list(dict.fromkeys(each.compared.split_by for each in found))
    told = [HOLDS_FOR[kind] for kind in kinds if kind in HOLDS_FOR]
    alone = ["each recording was tested by itself"] if len(found) > 1 else []
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in [*told, *alone])
