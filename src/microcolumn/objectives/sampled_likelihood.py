"""Minus the mean log likelihood, with Z estimated from samples (docs/method.md, section 5).

Words from several sources add up, so that a mode which only a search finds counts as well: the
likelihood itself then forbids it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..packing import unique_packed, unpacked
from ..parameters import Parameters
from ..partition.modes import assign_modes
from ..validation import Floats, chunks
from ._objective import Objective
from .data_moments import MeanLogWeight, difference
from .sparse_words import SparseWords

#: Words are left to those that a search found where chains draw them this much less often.
_HARDLY = 1e-3
#: Groups of numbers of active units that are looked at together.
_REGION = 16
#: Log share of the mass of groups below which they are rare.
_RARE = -7.0
#: Nats by which the share of a group of numbers of active units may rise in a step, and the log
#: share that it may rise to in any case.
_MOST_RISE, _LITTLE = 4.0, -20.0


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Distinct words drawn from a model, or from one of its modes, and how often."""

    theta: Parameters
    words: SparseWords
    keys: NDArray[np.uint64]  # the words packed, (n_integers, n_words)
    counts: Floats  # how often each was drawn, (n_words,)
    log_mass: float  # that they were drawn from, nats: log Z, or that of the mode
    # Of all modes, if the words are from the one that comes first, (n_modes, n_units).
    rates: Floats | None = None

    @classmethod
    def of(
        cls,
        theta: Parameters,
        keys: NDArray[np.uint64],
        log_mass: float,
        rates: Floats | None = None,
    ) -> Draws:
        """Of packed draws, repeated ones included, shape (n_integers, n_draws)."""
        places, index = unique_packed(keys)
        distinct = np.ascontiguousarray(keys[:, places])
        counts = np.bincount(index, minlength=len(places)).astype(np.float64)
        words = SparseWords(distinct, theta.n_visible)
        return cls(theta, words, distinct, counts, log_mass, rates)

    @property
    def n_draws(self) -> float:
        """Number of draws."""
        return float(self.counts.sum())

    def share(self, theta: Parameters) -> float:
        """Share of the draws that counts for ``theta``."""
        ratios = self.words.log_weights(theta) - self.words.log_weights(self.theta)
        return effective_share(self.counts * np.exp(ratios - ratios.max()), self.counts)

    def log_expected(self, words: SparseWords, keys: NDArray[np.uint64]) -> Floats:
        """How often each of these words is drawn on average, as a logarithm, shape (n_words,)."""
        expected: Floats = words.log_weights(self.theta) - self.log_mass + math.log(self.n_draws)
        if self.rates is not None:
            for part in chunks(words.n_words, words.n_units):
                bits = unpacked(keys[:, part], words.n_units).astype(np.float64)
                expected[part][assign_modes(bits, self.rates) != 0] = -np.inf
        return expected


class Spread(NamedTuple):
    """How draws are spread over the numbers of active units."""

    bias: Floats  # potential that chains had besides the model's own, (n_units + 1,)
    group: NDArray[np.intp]  # of each number; all have enough draws, (n_units + 1,)
    # Of the mass of each group for the model that the last words were drawn from, (n_groups,).
    log_shares: Floats


@dataclass(frozen=True, slots=True, eq=False)
class WordPool:
    """Distinct words and what each stands for: Z(theta) = sum_u exp(log_measure_u) p~_theta(x_u).

    Where they are spread over the numbers of active units, the share of the draws that counts is
    found in each group by itself.
    """

    words: SparseWords
    keys: NDArray[np.uint64]  # the same packed, (n_integers, n_words)
    log_measure: Floats  # log of how many words of its kind each stands for, (n_words,)
    n_drawn: Floats  # by chains of the model; 0 of words that were searched for, (n_words,)
    spread: Spread | None = None

    @classmethod
    def of(cls, sources: Sequence[Draws], searched: Sequence[Draws] = ()) -> WordPool:
        """Words of several sources: how often each was drawn over how often all would draw it.

        So no word counts twice that two sources could have drawn (Shirts and Chodera 2008). Words
        that were searched for are few and their masses rough: they count only where chains would
        hardly ever be, and there they alone do.
        """
        if len(sources) == 1 and not searched:
            [only] = sources
            expected = only.log_expected(only.words, only.keys)
            return cls(only.words, only.keys, np.log(only.counts) - expected, only.counts)
        every = np.concatenate([source.keys for source in (*sources, *searched)], axis=1)
        counts = np.concatenate([source.counts for source in (*sources, *searched)])
        places, index = unique_packed(every)
        keys = np.ascontiguousarray(every[:, places])
        words, n_words = SparseWords(keys, sources[0].theta.n_visible), len(places)
        first = slice(0, sum(source.counts.size for source in sources))
        n_drawn: Floats = np.bincount(index[first], counts[first], n_words).astype(np.float64)
        n_all, expected = n_drawn, _log_expected(sources, words, keys)
        if searched:
            rest = slice(first.stop, None)
            by_search = _log_expected(searched, words, keys)
            is_theirs = expected < by_search + math.log(_HARDLY)
            n_drawn = np.where(is_theirs, 0.0, n_drawn)
            n_all = np.where(is_theirs, np.bincount(index[rest], counts[rest], n_words), n_drawn)
            expected = np.where(is_theirs, by_search, expected)
            counts_there = n_all > 0.0
            keys = np.ascontiguousarray(keys[:, counts_there])
            words = SparseWords(keys, words.n_units)
            n_all, n_drawn = n_all[counts_there], n_drawn[counts_there]
            expected = expected[counts_there]
        return cls(words, keys, np.log(n_all) - expected, n_drawn)

    def log_masses(self, theta: Parameters) -> Floats:
        """Log mass that each word stands for under ``theta`` (nats), shape (n_words,)."""
        return self.log_measure + self.words.log_weights(theta)

    def mass_moments(self, theta: Parameters) -> tuple[Floats, float, Parameters]:
        """The same, log Z (nats), and the model's mean slopes of log p~, by one pass."""
        return self.words.mass_moments(theta, self.log_measure, int(self.n_drawn.argmax()))

    def share(self, theta: Parameters) -> float:
        """Share of the draws that counts for ``theta``."""
        return self.share_of(self.log_masses(theta))

    def share_of(self, log_masses: Floats) -> float:
        """Share of the draws that counts where words stand for these masses (nats)."""
        if self.spread is None:
            return effective_share(np.exp(log_masses - log_masses.max()), self.n_drawn)
        group = self.spread.group[self.words.n_active]
        _, masses = scaled(log_masses + self.spread.bias[self.words.n_active], group)
        squares, sums = np.bincount(group, masses**2 / self.n_drawn), np.bincount(group, masses)
        first = np.arange(0, sums.size, _REGION)
        effective = np.add.reduceat(sums**2 / np.maximum(squares, 1e-300), first)
        regions = effective / np.add.reduceat(np.bincount(group, self.n_drawn), first)
        # What holds little mass need not be known as well.
        is_rare = np.maximum.reduceat(self.spread.log_shares, first) < _RARE
        regions = np.where(is_rare, np.sqrt(regions), regions)
        return float(regions.min()) * math.exp(-self.excess_of(log_masses))

    def excess_of(self, log_masses: Floats) -> float:
        """Nats by which the share of a group rises more than it may, of words that are spread.

        Where mass grows fast, it grows faster still beyond what the words show.
        """
        if self.spread is None:
            return 0.0
        before = self.spread.log_shares
        after = self.log_shares_of(log_masses, self.spread.group[self.words.n_active])
        return max(float((after - np.maximum(before + _MOST_RISE, _LITTLE)).max()), 0.0)

    def log_shares_of(self, log_masses: Floats, group: NDArray[np.intp]) -> Floats:
        """Share of the mass of each group of words, as a logarithm."""
        tops, masses = scaled(log_masses, group)
        totals = tops + np.log(np.bincount(group, masses))
        return np.asarray(totals - np.logaddexp.reduce(totals))


def scaled(log_masses: Floats, group: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Largest log mass of each group, and masses in units of it."""
    tops = np.full(int(group.max()) + 1, -np.inf)
    np.maximum.at(tops, group, log_masses)
    return tops, np.exp(log_masses - tops[group])


@dataclass(slots=True, eq=False)
class SampledLikelihood(Objective):
    """The objective for data and a pool of sampled words, near the model they were drawn from.

    It raises OverflowError, from which the solver backs off, where fewer than ``least_share`` of
    the draws still count; ``share`` is how many did at the last evaluation.
    """

    data: MeanLogWeight  # of the words that are fitted
    pool: WordPool  # words that stand for the partition function
    least_share: float = 0.0
    share: float = field(default=1.0, init=False)

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value (nats per word) and gradient at ``theta``."""
        masses, log_z, model = self.pool.mass_moments(theta)
        self.share = self.pool.share_of(masses)
        if self.share < self.least_share:
            raise OverflowError("the sampled words do not stand for this model")
        mean_log_weight, data = self.data(theta)
        return log_z - mean_log_weight, difference(model, data)


def _log_expected(sources: Sequence[Draws], words: SparseWords, keys: NDArray[np.uint64]) -> Floats:
    """How often some sources together draw each word on average, as a logarithm."""
    expected = np.full(words.n_words, -np.inf)
    for source in sources:
        np.logaddexp(expected, source.log_expected(words, keys), out=expected)
    return expected


def effective_share(masses: Floats, n_drawn: Floats) -> float:
    """Effective sample size over the number of draws, of masses to any scale, shape (n_words,).

    Words that chains did not draw have no part in it.
    """
    is_drawn = n_drawn > 0.0
    masses, n_drawn = masses[is_drawn], n_drawn[is_drawn]
    square = float((masses**2 / n_drawn).sum())
    return float(masses.sum()) ** 2 / square / float(n_drawn.sum()) if square > 0.0 else 0.0
