"""Expectation maximisation with extrapolation.

A pass over the data gives the objective of some parameters and the next parameters. Passes
converge slowly where components overlap, so that every third one starts from an extrapolation of
the two before (Varadhan & Roland 2008, SQUAREM), which is kept only if it raises the objective.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from ..validation import Floats

#: A tuple of arrays of unbounded numbers: logits and log probabilities.
Theta = TypeVar("Theta", bound=tuple[Floats, ...])
#: Longest step of an extrapolation, in passes.
_LONGEST = 1e6


class Pass(NamedTuple, Generic[Theta]):
    """What one pass says of parameters, and the parameters that follow from it."""

    objective: float  # penalised log-likelihood per word, nats
    violation: float  # largest slope of it by any parameter
    following: Theta


class Expectation(ABC, Generic[Theta]):
    """Passes over the data of one fit."""

    @abstractmethod
    def __call__(self, theta: Theta) -> Pass[Theta]:
        """One pass."""

    @abstractmethod
    def allowed(self, arrays: tuple[Floats, ...]) -> Theta:
        """The nearest parameters within their bounds, with probabilities that add up to 1."""


@dataclass(frozen=True, slots=True)
class Summit(Generic[Theta]):
    """Parameters at the end of the passes."""

    theta: Theta
    objective: float  # penalised log-likelihood per word, nats
    gain: float  # what the last pass added to it
    violation: float  # its largest slope by a parameter that is not at its bound
    n_passes: int  # over the data


def climb(
    expectation: Expectation[Theta], theta: Theta, tol: float, max_iter: int
) -> Summit[Theta]:
    """Go on until a pass adds no more than ``tol`` nats per word, or after ``max_iter`` of them."""
    first, n_passes = expectation(theta), 1
    while True:
        second, n_passes = expectation(first.following), n_passes + 1
        gain = second.objective - first.objective
        if gain <= tol or n_passes >= max_iter:
            end = first.following
            return Summit(end, second.objective, float(gain), second.violation, n_passes)
        further = expectation.allowed(_extrapolated(theta, first.following, second.following))
        third, n_passes = expectation(further), n_passes + 1
        if third.objective > second.objective:
            theta, first = further, third
        else:
            theta = second.following
            first, n_passes = expectation(theta), n_passes + 1


def _extrapolated(
    first: tuple[Floats, ...], second: tuple[Floats, ...], third: tuple[Floats, ...]
) -> tuple[Floats, ...]:
    """Where three sets of parameters in a row point to."""
    steps = [b - a for a, b in zip(first, second, strict=True)]
    bends = [c - b - step for b, c, step in zip(second, third, steps, strict=True)]
    ratio = _norm(steps) / max(_norm(bends), 1e-300)
    length = min(max(1.0, ratio), _LONGEST)
    parts = zip(first, steps, bends, strict=True)
    return tuple(a + 2.0 * length * step + length**2 * bend for a, step, bend in parts)


def _norm(arrays: list[Floats]) -> float:
    return float(np.sqrt(sum((array**2).sum() for array in arrays)))
