"""Functions of a few sums over units: potentials of projections, and of a pairwise energy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import kernels
from ..kernels import PotentialArrays, SiteChains
from ..validation import Bits, Floats
from ._free_term import FreeTerm

#: Below this the closed forms of segments lose digits to cancellation, and series take their place.
_SMALL = 1e-3
#: Largest logarithm of a slope, from which a search steps back.
_STEEPEST = 50.0


@dataclass(frozen=True, slots=True, eq=False)
class Ramps(FreeTerm):
    """sum_k V_k(a_k'x) with V_k a sum of ramps, which is linear between knots.

    A ramp is max(s - t, 0) from its knot t up, or max(t - s, 0) from there down. A constant and a
    line are left out: log Z and the biases have them. Strengths come on top of bends, which are
    given: beyond the words that were seen they keep V from rising for ever.
    """

    is_linear: ClassVar[bool] = True

    axes: Floats  # a_k, (n_axes, n_units)
    axis: NDArray[np.int32]  # of each ramp, ascending, (n_ramps,)
    knots: Floats  # t, (n_ramps,)
    signs: Floats  # 1 for a ramp upwards, -1 for one downwards, (n_ramps,)
    bends: Floats  # change of the slope of V_k at the knot, (n_ramps,), without
    strengths: Floats  # what is free of it, (n_ramps,)

    @property
    def total(self) -> Floats:
        return self.bends + self.strengths

    def with_strengths(self, strengths: Floats) -> Self:
        return replace(self, strengths=strengths)

    @property
    def fixed(self) -> Floats:
        return self.axes

    @property
    def operations_per_word(self) -> float:
        return 2.0 * self.axes.size + 10.0 * self.knots.size

    def slopes(self, words: Bits) -> Floats:
        """Heights of the ramps."""
        scores = (words @ self.axes.T)[:, self.axis]
        return np.maximum(self.signs * (scores - self.knots), 0.0)

    def log_weight(self, x: Floats) -> Floats:
        return self.slopes(x.astype(np.uint8)) @ self.total

    def slopes_along(self, direction: Self, x: Floats) -> Floats:
        return self.slopes(x.astype(np.uint8)) @ direction.strengths

    def values(self, axis: int, scores: Floats) -> Floats:
        """V of one axis at some scores, nats."""
        own = self.axis == axis
        ramps = np.maximum(self.signs[own] * (scores[:, None] - self.knots[own]), 0.0)
        return np.asarray(ramps @ self.total[own])

    def chains(
        self, b: Floats, words: NDArray[np.generic], base_logits: Floats, seed: int
    ) -> SiteChains:
        columns, first = list[tuple[Floats, Floats, Floats]](), [0]
        for k in range(len(self.axes)):
            own = self.axis == k
            at = np.unique(self.knots[own]) if own.any() else np.zeros(1)
            # The slope is that of the ramps downwards below, and changes by each strength.
            signs, strengths = self.signs[own], self.total[own]
            begin = -strengths[signs < 0].sum()
            after = [begin + strengths[self.knots[own] <= t].sum() for t in at]
            knots, slopes = np.concatenate([at[:1], at]), np.array([begin, *after])
            columns.append((knots, self.values(k, knots), slopes))
            first.append(first[-1] + knots.size)
        knots, values, slopes = (np.concatenate(each) for each in zip(*columns, strict=True))
        places, none = np.array(first, dtype=np.intp), np.zeros((0, 0))
        arrays = PotentialArrays(
            self.axes, none, places, knots, values, slopes, np.zeros(knots.size)
        )
        return kernels.potential_chains(b, arrays, words, base_logits, seed)


@dataclass(frozen=True, slots=True, eq=False)
class PairwiseResponse(FreeTerm):
    """V(s) of the pairwise score s = b'x + sum over pairs of theta_nm x_n x_m; V rises with s.

    The logarithm u of the slope of V is linear between knots and constant beyond them; where all u
    are 0, V(s) = s. ``strengths`` are theta (n_pairs,) and then t (n_knots,), from which the
    weighted mean is taken off: u = t - weights't. Otherwise penalties would make theta small and V
    steep.
    """

    holds_fields: ClassVar[bool] = True

    pairs: NDArray[np.intp]  # rows and columns of theta, (2, n_pairs)
    knots: Floats  # ascending, (n_knots,)
    weights: Floats  # that add up to 1, (n_knots,)
    strengths: Floats
    b: Floats | None = None

    def with_strengths(self, strengths: Floats) -> Self:
        return replace(self, strengths=strengths)

    def over(self, b: Floats) -> Self:
        return replace(self, b=b)

    @property
    def biases(self) -> Floats:
        """b, (n_units,)."""
        assert self.b is not None
        return self.b

    @property
    def parts(self) -> tuple[Floats, Floats]:
        """Theta (n_pairs,) and u (n_knots,)."""
        n_pairs = self.pairs.shape[1]
        t = self.strengths[n_pairs:]
        return self.strengths[:n_pairs], t - self.weights @ t

    @property
    def couplings(self) -> Floats:
        """J, (n_units, n_units)."""
        J = np.zeros((self.biases.size,) * 2)
        rows, columns = self.pairs
        J[rows, columns] = J[columns, rows] = 0.5 * self.parts[0]
        return J

    @property
    def operations_per_word(self) -> float:
        return 8.0 * self.biases.size**2 + 20.0 * self.knots.size

    def scores(self, x: Floats) -> Floats:
        """The score s of each word, (n_words,)."""
        pairs: Floats = np.einsum("un,un->u", x @ self.couplings, x)
        return pairs + x @ self.biases

    def log_weight(self, x: Floats) -> Floats:
        return self.response(self.scores(x))

    def response(self, scores: Floats) -> Floats:
        """V at some scores, nats."""
        segments, m = self._segments(), self._segment_of(scores)
        d = scores - segments.knots[m]
        rise: Floats = segments.slopes[m] * d * _mean_exp(segments.bends[m] * d)
        return segments.values[m] + rise

    def _steepness(self, scores: Floats) -> Floats:
        """Slope of V."""
        return np.exp(np.interp(scores, self.knots, self.parts[1]))

    def _segment_of(self, scores: Floats) -> NDArray[np.intp]:
        return np.searchsorted(self.knots, scores, side="right")

    def _segments(self) -> PotentialArrays:
        """Segments below the first knot, between knots and beyond the last."""
        u, widths = self.parts[1], np.diff(self.knots)
        if not np.abs(u).max() < _STEEPEST:
            raise OverflowError("the slope of V leaves the range of numbers")
        bends = np.diff(u) / widths
        rises = np.exp(u[:-1]) * widths * _mean_exp(bends * widths)
        knots = np.concatenate([self.knots[:1], self.knots])
        values = np.concatenate([knots[:2], knots[0] + np.cumsum(rises)])
        slopes = np.exp(np.concatenate([u[:1], u]))
        bends = np.concatenate([[0.0], bends, [0.0]])
        places = np.array([0, knots.size], dtype=np.intp)
        given = self.biases[None], self.couplings
        return PotentialArrays(*given, places, knots, values, slopes, bends)

    def _response_slopes(self, scores: Floats) -> Floats:
        """Slopes of V at scores by t, (n_words, n_knots)."""
        segments, widths = self._segments(), np.diff(self.knots)
        n, m = self.knots.size, self._segment_of(scores)

        def share(segment: NDArray[np.intp], d: Floats) -> tuple[Floats, Floats]:
            """Of an integral over the first d of a segment: by u at its knot, and at the next."""
            z = segments.bends[segment] * d
            is_inner = (segment > 0) & (segment < n)
            width = np.where(is_inner, np.append(widths, 1.0)[segment - 1], np.inf)
            of_next = segments.slopes[segment] * d**2 * _mean_rising_exp(z) / width
            return segments.slopes[segment] * d * _mean_exp(z) - of_next, of_next

        whole = np.zeros((n + 1, n + 1))  # the sum of all segments before each
        here, there = share(np.arange(1, n), widths)
        for k in range(1, n):
            whole[k + 1] = whole[k]
            whole[k + 1, k - 1] += here[k - 1]
            whole[k + 1, k] += there[k - 1]
        out, rows = whole[m], np.arange(scores.size)
        here, there = share(m, scores - segments.knots[m])
        out[rows, np.maximum(m - 1, 0)] += here
        out[rows, m] += there  # nothing below the first knot and beyond the last
        by_u = out[:, :n]
        return by_u - np.outer(by_u.sum(axis=1), self.weights)

    def gains(self, words: Bits) -> Floats:
        return self._steepness(self.scores(words.astype(np.float64)))[:, None]

    def slopes(self, words: Bits) -> Floats:
        x = words.astype(np.float64)
        scores, (rows, columns) = self.scores(x), self.pairs
        of_pairs = x[:, rows] * x[:, columns] * self._steepness(scores)[:, None]
        return np.hstack([of_pairs, self._response_slopes(scores)])

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        scores = self.scores(x)
        slopes, gains = self._response_slopes(scores), self._steepness(scores)
        if squared:
            slopes, gains = slopes**2, gains**2
        weighted = (weights * gains)[:, None] * x
        together = (x.T @ weighted)[tuple(self.pairs)]
        return {
            "b": weighted.sum(axis=0),
            "strengths": np.concatenate([together, weights @ slopes]),
        }

    def slopes_along(self, direction: Self, x: Floats) -> Floats:
        scores = self.scores(x)
        of_response = self._response_slopes(scores) @ direction.strengths[self.pairs.shape[1] :]
        return of_response + self._steepness(scores) * direction.scores(x)

    def chains(
        self, b: Floats, words: NDArray[np.generic], base_logits: Floats, seed: int
    ) -> SiteChains:
        segments = self.over(b)._segments()
        return kernels.potential_chains(np.zeros(b.size), segments, words, base_logits, seed)


def _mean_exp(z: Floats) -> Floats:
    """Mean of exp(z y) over y from 0 to 1."""
    safe = np.where(np.abs(z) < _SMALL, 1.0, z)
    return np.where(np.abs(z) < _SMALL, 1.0 + z / 2 + z**2 / 6 + z**3 / 24, np.expm1(safe) / safe)


def _mean_rising_exp(z: Floats) -> Floats:
    """Mean of y exp(z y) over y from 0 to 1."""
    safe = np.where(np.abs(z) < _SMALL, 1.0, z)
    exact = (np.exp(safe) - np.expm1(safe) / safe) / safe
    return np.where(np.abs(z) < _SMALL, 0.5 + z / 3 + z**2 / 8 + z**3 / 30, exact)


def tail_knots(scores: Floats, counts: Floats, fewest: float, factor: float) -> Floats:
    """Knots at scores, so that each leaves a further ``factor`` of the words beyond it.

    From the median outwards, on both sides, as long as ``fewest`` words are beyond. ``counts``
    (n_words,) are those of the words with ``scores`` (n_words,).
    """
    order = np.argsort(scores, kind="stable")
    below, total = np.cumsum(counts[order]), counts.sum()
    n_levels = max(int(np.log(total / (2.0 * max(fewest, 1e-9))) / np.log(factor)) + 1, 1)
    tails = 0.5 * total / factor ** np.arange(n_levels)
    sides = np.concatenate([tails, total - tails])
    places = np.minimum(np.searchsorted(below, sides), scores.size - 1)
    return np.unique(scores[order][places])
