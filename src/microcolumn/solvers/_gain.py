"""Likelihood that a sampled fit may still gain, by two sets of chains (docs/method.md, section 5).

One set finds the step and the other judges it: what noise seems to gain by the first is lost by the
second, and the mean of both is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..layout import Layout
from ..packing import unique_rows
from ..parameters import Parameters
from ..penalties import Penalty
from ..validation import Bits, Floats
from ._quasi_newton import Search

#: Elements of the words of one source whose covariance counts, at most.
_MOST_ELEMENTS = 1 << 21
#: Steps of the search for the best one, those between two looks at what it gains, and the share of
#: that at which it ends. The last steps follow noise.
_MOST_STEPS, _LOOK, _FINISHED = 60, 10, 0.01
#: Curvature below which a coordinate has none but for rounding, as biases of dead hidden units.
_FLAT = 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class Fisher:
    """Covariance over words of the slopes of log p~, without a matrix of all coordinates."""

    theta: Parameters  # the model
    layout: Layout  # its coordinates; a potential has no basis
    words: Floats  # words, as floats, (n_words, n_visible)
    weights: Floats  # their shares, which add up to 1, (n_words,)

    @classmethod
    def of(
        cls, theta: Parameters, layout: Layout, sources: Iterable[tuple[Bits, Floats]]
    ) -> Fisher:
        """Of words (n_words, n_visible) and weights (n_words,) of sources that count alike."""
        most = _MOST_ELEMENTS // max(theta.n_visible, theta.n_hidden)
        parts = [_at_most(most, words, weights) for words, weights in sources]
        words, shares = (np.concatenate(part) for part in zip(*parts, strict=True))
        distinct, place = unique_rows(words)
        summed = np.bincount(place, shares / len(parts)).astype(np.float64)
        return cls(theta, layout, distinct.astype(np.float64), summed)

    def __matmul__(self, vector: Floats, /) -> Floats:
        """Of the slope along the vector with each slope, shape (layout.size,)."""
        direction = self.layout.unpack(vector, change=True)
        slopes = self.theta.slopes_along(direction, self.words)
        slopes -= self.weights @ slopes
        return self.layout.pack_gradient(self.theta.moments(self.words, self.weights * slopes))

    def diagonal(self) -> Floats:
        """Variances of the slopes, shape (layout.size,)."""
        first, second = (
            self.layout.pack_gradient(self.theta.moments(self.words, self.weights, squared))
            for squared in (False, True)
        )
        # The slope along a pair is that of both its entries.
        return self.layout.multiplicity * second - first**2


def _at_most(most: int, words: Bits, weights: Floats) -> tuple[Bits, Floats]:
    """All words and their shares; some as often as their shares ask for where there are more."""
    shares = weights / weights.sum()
    if len(words) <= most:
        return words, shares
    places = np.searchsorted(np.cumsum(shares), (np.arange(most) + 0.5) / most)
    return words[np.minimum(places, len(words) - 1)], np.full(most, 1.0 / most)


@dataclass(frozen=True, slots=True, eq=False)
class _Parabola:
    """The likelihood near a fit at ``origin``, but for its value there."""

    origin: Floats
    slopes: Floats
    curvature: Fisher

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        step = x - self.origin
        bend = self.curvature @ step
        np.add(self.slopes, bend, out=gradient)
        return float(step @ (self.slopes + 0.5 * bend))


def gain_of(
    x: Floats,
    layout: Layout,
    penalty: Penalty,
    slopes: Sequence[Floats],
    curvatures: Sequence[Fisher],
) -> tuple[float, float]:
    """Penalised likelihood still to be gained, and its standard error, nats per word.

    It is zero on average where noise is all there is, and may then be negative. ``slopes`` of minus
    the mean log likelihood by groups of chains, (n_groups, layout.size), and ``curvatures``, the
    covariance of the moments, are of two independent sets.
    """
    gains, variance = [], 0.0
    for own, other, curvature in zip(slopes, slopes[::-1], curvatures, strict=True):
        scale = curvature.diagonal()
        mean = np.where(scale > _FLAT, own.mean(axis=0), 0.0)
        parabola = _Parabola(x, mean, curvature)
        search = Search(parabola, penalty, layout, x, np.maximum(scale, _FLAT))
        first = search.value
        for n_steps in range(_LOOK, _MOST_STEPS + 1, _LOOK):
            before = search.value
            search.run(0.0, n_steps)
            if before - search.value <= _FINISHED * (first - search.value):
                break
        by_group = 0.5 * (mean - other) @ (search.x - x)
        gains.append(first - search.value + by_group.mean())
        # The noise of each set counts where the other one has found the step.
        variance += by_group.var(ddof=1) / len(by_group)
    return float(0.5 * sum(gains)), float(np.sqrt(variance))
