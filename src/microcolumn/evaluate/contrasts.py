"""The planned questions of a comparison: groups, other kinds of models, and what gains come from.

A claim must hold against each model of the other side, and is paid for by the number of models that
it was chosen from (docs/method.md, section 6). Everything else is an estimate with its interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from ..models.spec import INDEPENDENT
from ._model_score import ModelScore
from .paired import PairedDifference

#: What activity may be explained by, in the order in which models add it, and the other way round.
ORDERS = (("drive", "pairs", "groups"), ("pairs", "drive", "groups"))


class Compared(Protocol):
    """What is needed of a comparison: models with their scores, and their differences."""

    @property
    def models(self) -> tuple[ModelScore, ...]:
        """The models that may be ranked."""

    def find(self, first: str, second: str) -> PairedDifference | None:
        """The first model minus the second."""


class GainStep(NamedTuple):
    """What one part adds to the gain over independent units."""

    part: str  # "drive", "pairs" or "groups"
    model: str  # the best model with the parts so far
    # That minus the best without this part; None where it is the same model.
    difference: PairedDifference | None

    @property
    def bits_per_second(self) -> float:
        """By how much the gain grows."""
        return 0.0 if self.difference is None else self.difference.bits_per_second


class Explanation(NamedTuple):
    """The fewest parts that suffice: no model is clearly better than one that is made of them."""

    parts: tuple[str, ...]
    model: str
    behind: PairedDifference | None  # the best model minus that one; None where it is the best


def contrast(
    compared: Compared, first: Sequence[ModelScore], second: Sequence[ModelScore]
) -> PairedDifference | None:
    """The best of the first models minus the best of the second; None where a side has no model.

    Where that is clearly above zero, but not above another of the second, minus that one.
    """
    best = _best(first) if first else None
    ranked = sorted(second, key=lambda model: -model.bits_per_second)
    pairs = [pair for each in ranked if best and (pair := compared.find(best.name, each.name))]
    if not pairs:
        return None
    n_tests = len(CONTRASTS) * len(first)
    pairs = [replace(pair, n_tests=n_tests) for pair in pairs]
    closest, hardest = pairs[0], min(pairs, key=_least)
    if _least(closest) > 0.0 >= _least(hardest):
        closest = hardest
    # To be worse than one of the second models is a claim about the one that was chosen.
    chosen_from = 1 if closest.bits_per_second > 0.0 else len(second)
    return replace(closest, n_tests=n_tests * chosen_from)


def groups(compared: Compared) -> PairedDifference | None:
    """The best model with groups against those of pairs and a common drive, alone or together."""
    with_groups = [model for model in compared.models if model.spec.has_groups]
    return contrast(compared, with_groups, _within(compared, ORDERS[0][:-1]))


def other_kinds(compared: Compared) -> PairedDifference | None:
    """The best model outside the paper's family against those of the family."""
    family = [m for m in compared.models if not m.spec.is_alternative and m.name != INDEPENDENT]
    return contrast(compared, [m for m in compared.models if m.spec.is_alternative], family)


#: The planned contrasts by name.
CONTRASTS: Mapping[str, Callable[[Compared], PairedDifference | None]] = {
    "groups": groups,
    "other kinds": other_kinds,
}


def gain_steps(compared: Compared, order: Sequence[str] = ORDERS[0]) -> list[GainStep]:
    """What each part adds in this order, without parts that no model has."""
    steps: list[GainStep] = []
    before = INDEPENDENT
    for k, part in enumerate(order):
        known = [*_within(compared, order[: k + 1])]
        if not any(part in model.spec.parts for model in known):
            continue
        candidates = {model.name: model.bits_per_second for model in known} | {INDEPENDENT: 0.0}
        best = max(candidates, key=lambda name: (candidates[name], name == before))
        steps.append(GainStep(part, best, None if best == before else compared.find(best, before)))
        before = best
    return steps


def simplest_explanation(compared: Compared) -> Explanation | None:
    """The fewest parts of which no other model is clearly better; groups only if they are needed.

    Groups are needed where :func:`groups` claims so, or where no model lacks them. Models that are
    made of something else do not count. None where none is left.
    """
    claim, known = groups(compared), _within(compared, ORDERS[0])
    if claim and not (claim.differs and claim.bits_per_second > 0.0):
        known = _within(compared, ORDERS[0][:-1])
    if not known:
        return None
    best = _best(known)
    # The best is chosen among all, so that each is behind by the choice alone.
    pairs = {model.name: compared.find(best.name, model.name) for model in known}
    behind = {name: pair and replace(pair, n_tests=len(known)) for name, pair in pairs.items()}
    suffice = [m for m in known if not ((pair := behind[m.name]) and pair.differs)]
    model = min(suffice, key=_simplicity)
    return Explanation(model.spec.parts, model.name, behind[model.name])


def _simplicity(model: ModelScore) -> tuple[int, int, float]:
    """Fewer parts first, a drive before pairs and pairs before groups, then the better model."""
    parts = [ORDERS[0].index(part) for part in model.spec.parts]
    return len(parts), max(parts), -model.bits_per_second


def _within(compared: Compared, parts: Iterable[str]) -> list[ModelScore]:
    """Models that are made of nothing but these parts."""
    allowed = set(parts)
    return [m for m in compared.models if m.spec.parts and allowed.issuperset(m.spec.parts)]


def _best(models: Sequence[ModelScore]) -> ModelScore:
    return max(models, key=lambda model: model.bits_per_second)


def _least(pair: PairedDifference) -> float:
    """The lower end of the interval, bits/s; the difference where its error is not known."""
    low, _ = pair.interval
    return pair.bits_per_second if math.isnan(low) else low
