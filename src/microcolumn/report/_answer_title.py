"""The result of a study in one sentence, which claims no more than its tests do."""

from __future__ import annotations

from collections.abc import Sequence

from ._findings import OPEN, PAIRS_SUFFICE, Finding, of_kind

_BETTER = "Groups of units describe unseen activity better than pairs do"


def title(found: Sequence[Finding], recordings: str) -> str:
    """The result in one sentence.

    Parameters
    ----------
    found : sequence of Finding
        One for each recording.
    recordings : str
        What they are called: ``"B4 (simulated)"``, ``"3 recordings"``.
    """
    untested, unsure = of_kind(found, "untested"), of_kind(found, *OPEN)
    if len(untested) == len(found):
        return _without_pairs(found, recordings)
    if len(untested) + len(unsure) == len(found):
        clauses = [f"Undecided whether g{_BETTER[1:]} in {recordings}"]
    else:
        clauses = _decided(found, recordings)
        clauses += [f"undecided in {len(unsure)}"] if unsure else []
    clauses += [f"not tested in {len(untested)}"] if untested else []
    return "; ".join([*clauses, *_rivals(found)])


def _decided(found: Sequence[Finding], recordings: str) -> list[str]:
    """Kinds of answers, the first as a whole clause, others in short."""
    told = {
        ("groups",): (_BETTER, "groups do better than pairs"),
        ("pairs",): (
            "Pairs of units describe unseen activity better than groups do",
            "pairs do better than groups",
        ),
        PAIRS_SUFFICE: ("Pairs of units suffice to describe unseen activity", "pairs suffice"),
    }
    clauses: list[str] = []
    for kinds, (whole, short) in told.items():
        some = of_kind(found, *kinds)
        if some and clauses:
            clauses.append(f"{short} in {len(some)}")
        elif some:
            counts = f"{len(some)} of " if len(found) > 1 else ""
            clauses.append(f"{whole} in {counts}{recordings}")
    return clauses


def _rivals(found: Sequence[Finding]) -> list[str]:
    """Models of other kinds that are better than all of the paper's family."""
    won = [each for each in found if each.rival_wins]
    names = list(dict.fromkeys(each.best.name for each in won if each.best))
    if not won:
        return []
    who = names[0] if len(names) == 1 else "a model of another kind"
    better = "better still" if of_kind(won, "groups") else "better than both"
    return [f"{who} does {better}" + (f" in {len(won)}" if len(found) > 1 else "")]


def _without_pairs(found: Sequence[Finding], recordings: str) -> str:
    """Where groups cannot be held against pairs: the best model against independent units."""
    if not any(each.best for each in found):
        return f"No model can be ranked in {recordings}: all have a false mode"
    names = list(dict.fromkeys(each.best.name for each in found if each.best))
    name = names[0] if len(names) == 1 else "the best model"
    over = [pair for each in found if (pair := each.over_independent) is not None]
    sure = [pair for pair in over if pair.differs and pair.bits_per_second > 0.0]
    what = f"{name} describes unseen activity better than independent units do"
    if not sure:
        return f"Undecided whether {what} in {recordings}"
    counts = f"{len(sure)} of " if len(found) > 1 else ""
    return f"{what[0].upper()}{what[1:]} in {counts}{recordings}"
