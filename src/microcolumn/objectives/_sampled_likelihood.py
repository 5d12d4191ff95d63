"""Minus the mean log likelihood, with a partition function that sampled words stand for.

Of words x_s drawn from a model theta_0 with log Z known, each stands for Z(theta_0) / (n p~_0(x_s))
words of its kind: Z(theta) = Z(theta_0) / n * sum_s p~(x_s) / p~_0(x_s) (Geyer and Thompson 1992).
So near theta_0 the likelihood is a smooth function of the parameters, which the same solver
minimises as any other objective, to exact zeros; where the words no longer stand for the model,
new ones are drawn. Words from several sources add up, so that a mode which only a search finds
counts as well: the likelihood itself then forbids it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..packing import unique_packed, unpacked
from ..parameters import Parameters
from ..partition._modes import nearest
from ..validation import Floats, chunks
from ..words import Words
from ._data_moments import DataMoments, difference
from ._objective import Objective
from ._sparse_words import SparseWords

#: Words are left to those that a search found where chains draw them this much less often.
_HARDLY = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Words drawn from a model, or from one of its modes.

    Parameters
    ----------
    theta : Parameters
        The model.
    keys : ndarray of uint64, shape (n_integers, n_draws)
        Draws, repeated ones included, as :func:`microcolumn.packing.packed` gives them.
    log_mass : float
        Log mass that they were drawn from, nats: log Z, or that of the mode.
    rates : ndarray, shape (n_modes, n_units), optional
        Rates of all modes, if the words are from the one that comes first.
    """

    theta: Parameters
    keys: NDArray[np.uint64]
    log_mass: float
    rates: Floats | None = None

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return int(self.keys.shape[1])

    def log_expected(self, words: SparseWords, keys: NDArray[np.uint64]) -> Floats:
        """How often each of these words is drawn on average, as a logarithm, shape (n_words,)."""
        expected: Floats = words.log_weights(self.theta) - self.log_mass + math.log(self.n_draws)
        if self.rates is not None:
            for part in chunks(words.n_words, words.n_units):
                bits = unpacked(keys[:, part], words.n_units).astype(np.float64)
                expected[part][nearest(bits, self.rates) != 0] = -np.inf
        return expected


@dataclass(frozen=True, slots=True, eq=False)
class WordPool:
    """Distinct words and what each stands for: Z(theta) = sum_u exp(log_measure_u) p~_theta(x_u).

    Parameters
    ----------
    words : SparseWords
        Distinct words.
    keys : ndarray of uint64, shape (n_integers, n_words)
        The same, packed.
    log_measure : ndarray, shape (n_words,)
        How many words of its kind each stands for, as a logarithm.
    n_drawn : ndarray, shape (n_words,)
        How often chains of the model drew each; 0 for words that were searched for.
    """

    words: SparseWords
    keys: NDArray[np.uint64]
    log_measure: Floats
    n_drawn: Floats

    @classmethod
    def of(cls, drawn: Sequence[Draws], searched: Sequence[Draws] = ()) -> WordPool:
        """Words of several sources: how often each was drawn over how often all would draw it.

        So no word counts twice that two sources could have drawn (Shirts and Chodera 2008). Words
        that were searched for are few and their masses rough: they count only where chains would
        hardly ever be, and there they alone do.
        """
        every = np.concatenate([source.keys for source in (*drawn, *searched)], axis=1)
        places, index = unique_packed(every)
        keys = np.ascontiguousarray(every[:, places])
        words, n_words = SparseWords(keys, drawn[0].theta.n_visible), len(places)
        n_first = sum(draws.n_draws for draws in drawn)
        n_drawn = np.bincount(index[:n_first], minlength=n_words)
        n_all, expected = n_drawn, _log_expected(drawn, words, keys)
        if searched:
            found = _log_expected(searched, words, keys)
            is_theirs = expected < found + math.log(_HARDLY)
            n_drawn = np.where(is_theirs, 0, n_drawn)
            n_all = np.where(is_theirs, np.bincount(index[n_first:], minlength=n_words), n_drawn)
            expected = np.where(is_theirs, found, expected)
            counts = n_all > 0
            keys = np.ascontiguousarray(keys[:, counts])
            words = SparseWords(keys, words.n_units)
            n_all, n_drawn, expected = n_all[counts], n_drawn[counts], expected[counts]
        return cls(words, keys, np.log(n_all) - expected, n_drawn.astype(np.float64))


class SampledLikelihood(Objective):
    """The objective for words and a pool of sampled words, near the model they were drawn from.

    ``evaluate`` raises OverflowError, from which the solver backs off, where fewer than
    ``least_share`` of the draws still count.

    Parameters
    ----------
    words : Words
        Binary words of the data.
    """

    def __init__(self, words: Words) -> None:
        self._data = DataMoments(words)
        self.least_share = 0.0
        #: Share of the draws that counts at the last evaluation.
        self.share = 1.0
        #: log Z by the pool at the last evaluation, nats.
        self.log_z = math.nan

    def take(self, pool: WordPool) -> None:
        """Let these words stand for the partition function."""
        self._sampled = pool.words
        self._log_measure, self._drawn = pool.log_measure, pool.n_drawn > 0.0
        self._n_drawn = pool.n_drawn[self._drawn]

    def log_masses(self, theta: Parameters) -> Floats:
        """Log mass that each word of the pool stands for (nats), shape (n_words,)."""
        masses: Floats = self._log_measure + self._sampled.log_weights(theta)
        return masses

    def share_at(self, theta: Parameters) -> float:
        """Share of the draws that counts for ``theta``: their effective sample size."""
        return effective_share(self.log_masses(theta)[self._drawn], self._n_drawn)

    def mean_log_weight(self, theta: Parameters) -> float:
        """Mean of log p~ over the data, nats per word."""
        return self._data(theta)[0]

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value (nats per word) and gradient at ``theta``."""
        masses = self.log_masses(theta)
        highest = float(masses.max())
        shares = np.exp(masses - highest)
        total = float(shares.sum())
        shares /= total
        self.share = effective_share(masses[self._drawn], self._n_drawn)
        if self.share < self.least_share:
            raise OverflowError("the sampled words do not stand for this model")
        self.log_z = highest + math.log(total)
        model = self._sampled.moments(theta, shares)
        mean_log_weight, data = self._data(theta)
        return self.log_z - mean_log_weight, difference(model, data)


def _log_expected(sources: Sequence[Draws], words: SparseWords, keys: NDArray[np.uint64]) -> Floats:
    """How often some sources together draw each word on average, as a logarithm."""
    expected = np.full(words.n_words, -np.inf)
    for source in sources:
        np.logaddexp(expected, source.log_expected(words, keys), out=expected)
    return expected


def effective_share(log_masses: Floats, n_drawn: Floats) -> float:
    """Effective sample size over the number of draws."""
    shares = np.exp(log_masses - log_masses.max())
    return float(shares.sum()) ** 2 / float((shares**2 / n_drawn).sum()) / float(n_drawn.sum())
