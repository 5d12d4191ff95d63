"""Whether rates, pairs, groups and entropy differ between two conditions of one population.

docs/contrast.md says what is exchanged for the p-values, and what a slow drift may do to them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import clone

from ..errors import BadArgument
from ..models import Independent, PopulationModel, WordModel
from ..validation import Floats, chunks, expect, random_generator, texts
from ..words import Words, as_words, check_single_bins, check_unweighted
from ._contrast_results import Contrast, Differences
from ._differences import Values, differences, layers_of_pairs, layers_of_units
from ._rounds import Rounds, chance, in_rounds
from .inputs import words_for
from .significance import Estimate

#: Nats: how much parameters are expected to differ where conditions do. Held-out likelihood is that
#: of models whose parameters are drawn to each other by a normal density this wide.
_EXPECTED = 0.1
#: Parameters of a model at most, whose information is inverted.
_MOST_PARAMETERS = 4_000


def contrast(
    words_a: Words | ArrayLike,
    words_b: Words | ArrayLike,
    model: WordModel,
    *,
    names: Sequence[str] = ("a", "b"),
    random_state: int | np.random.Generator = 0,
) -> Contrast:
    """Whether two conditions of the same units differ, and in what.

    All p-values come from rounds: parts of time with some of either condition. Where the conditions
    alternate often enough, a round is a visit to one and the halves of visits to the other before
    and after it, so that activity that drifts slowly does not look like a difference. That takes
    six visits with visits to the other condition on both sides. Else the words of each are cut into
    ten blocks of time, and the answer says that a drift would look the same (docs/contrast.md).

    Parameters
    ----------
    words_a, words_b : Words or array_like, shape (n_bins, n_units)
        Words of single bins of the same units. Of one recording, such as
        ``recording.restrict("flashes").bin()``, they know when each bin was; arrays follow each
        other.
    model : WordModel
        Its settings; it is fitted anew to the words of each condition.
    names : sequence of str
        What the conditions are called.
    random_state : int or numpy.random.Generator
        Seed of the random exchanges, of which 4,999 are made for more than 12 rounds.

    Examples
    --------
    >>> from microcolumn import Ising
    >>> rng = np.random.default_rng(0)
    >>> X = (rng.random((8000, 3)) < 0.2).astype(int)
    >>> Y = (rng.random((8000, 3)) < [0.2, 0.2, 0.3]).astype(int)
    >>> found = contrast(X, Y, Ising(l1=1e-3), names=["dark", "light"])
    >>> found.rates.sure()
    array([False, False,  True])
    """
    kind: Any = WordModel  # abstract, which mypy does not allow as a type to pass
    expect("model", model, kind, "a model with probabilities, such as Ising()")
    labels = texts("names", names, "pass two names")
    if isinstance(names, str) or len(set(labels)) != 2 or len(labels) != 2:
        raise BadArgument("names", f"is {names!r}", "pass two different names")
    rng = random_generator(random_state)
    data = _Conditions.of(words_a, words_b, model)
    pooled, rounds = data.pooled, data.rounds
    bits_per_second = 1.0 / (math.log(2.0) * pooled.bin_width)
    costs = [-bits_per_second * each._score_distinct(pooled) for each in data.fitted]
    means = np.moveaxis(data.means(np.column_stack(costs)), -1, 0)
    of_parts = np.abs(rounds.weights) * rounds.own * means
    entropies = of_parts.sum(axis=2)[:, :, None]  # by condition and round
    by_round = entropies[0] - entropies[1]
    weighted = rounds.shares[:, None] * by_round
    return Contrast(
        model=type(model).__name__,
        names=(labels[0], labels[1]),
        p_value=data.p_value(rng),
        gain=_estimate(rounds, bits_per_second * data.held_out_gains(model)),
        rates=data.rates(rng),
        couplings=data.couplings(rng),
        groups=data.groups(rng),
        entropy=(_estimate(rounds, entropies[0]), _estimate(rounds, entropies[1])),
        entropy_difference=_estimate(rounds, by_round),
        entropy_p_value=chance(weighted @ weighted.T, rng),
        units=pooled.units,
        n_rounds=rounds.n_rounds,
        n_visits=rounds.n_visits,
        alternate=rounds.alternate,
    )


def _estimate(rounds: Rounds, by_round: Floats) -> Estimate:
    """Mean over rounds of one column, bits/s, with its error."""
    mean, variance = rounds.mean(by_round)
    return Estimate(float(mean[0]), math.sqrt(float(variance[0])), n=rounds.n_rounds, method="time")


@dataclass(frozen=True, slots=True, eq=False)
class _Conditions:
    """Words of both conditions, together and apart, and the model as fitted to each."""

    words: tuple[Words, Words]
    rounds: Rounds
    pooled: Words
    shares: sparse.csr_array  # of distinct words in each part of each round
    fitted: tuple[WordModel, WordModel]
    of_both: WordModel

    @classmethod
    def of(
        cls, words_a: Words | ArrayLike, words_b: Words | ArrayLike, model: WordModel
    ) -> _Conditions:
        """Units, bin widths and windows must be alike."""
        first = as_words(words_a)
        second = words_for(Independent().fit(first), words_b, None)
        for each in (first, second):
            check_single_bins(each)
            check_unweighted(each)
        both, rounds = in_rounds((first, second))
        pooled = Words.concatenate(both)
        cell = np.concatenate(rounds.cells)
        shares = 1.0 / rounds.n_bins.ravel()[cell]
        size = (rounds.n_bins.size, len(pooled))
        table = sparse.csr_array((shares, (cell, pooled.index)), shape=size)
        own = clone(model).fit(both[0]), clone(model).fit(both[1])
        return cls(both, rounds, pooled, table, own, clone(model).fit(pooled))

    def means(self, features: Floats) -> Floats:
        """Means of the features of distinct words (n_distinct, p), shape (n_rounds, n_parts, p)."""
        return np.asarray(self.shares @ features).reshape(*self.rounds.n_bins.shape, -1)

    def p_value(self, rng: np.random.Generator) -> float:
        """Of the words of both being alike, by the slopes of the model of both together."""
        X, share = self.pooled.X, self.pooled.counts / self.pooled.counts.sum()
        n_slopes = self.of_both._slopes(X[:1]).shape[1]
        if not 0 < n_slopes <= _MOST_PARAMETERS:
            problem = f"has {n_slopes:,} parameters that words inform"
            remedy = f"take one with 1 to {_MOST_PARAMETERS:,}: an Ising model of fewer units"
            raise BadArgument("model", problem, remedy)
        means = np.zeros((self.rounds.n_bins.size, n_slopes))
        overall, information = np.zeros(n_slopes), np.zeros((n_slopes, n_slopes))
        for part in chunks(len(X), n_slopes):
            slopes = self.of_both._slopes(X[part])
            means += self.shares[:, part] @ slopes
            overall += share[part] @ slopes
            information += (slopes.T * share[part]) @ slopes
        information -= np.outer(overall, overall)
        # A difference of slopes has the variance of a word's over a quarter of the words.
        information[np.diag_indices(n_slopes)] += 4.0 / (self.pooled.n_bins * _EXPECTED**2)
        apart = self.rounds.differences(means.reshape(*self.rounds.n_bins.shape, -1))
        apart *= self.rounds.shares[:, None]
        return chance(apart @ cho_solve(cho_factor(information), apart.T), rng)

    def held_out_gains(self, model: WordModel) -> Floats:
        """Nats per word that the own model is better than the other's, (n_rounds, 1).

        Odd rounds are scored by models of even ones, and the other way round.
        """
        n_rounds, n_parts = self.rounds.n_bins.shape
        gains = np.empty((n_rounds, 1))
        for fold in (0, 1):
            places = [np.flatnonzero(cells // n_parts % 2 != fold) for cells in self.rounds.cells]
            parts = [each._take(at) for each, at in zip(self.words, places, strict=True)]
            first, second = (clone(model).fit(part)._score_distinct(self.pooled) for part in parts)
            ratio = self.means((first - second)[:, None])
            gains[fold::2] = 0.5 * self.rounds.differences(ratio)[fold::2]
        return gains

    def rates(self, rng: np.random.Generator) -> Differences:
        """Differences of units, in logarithms of their rates."""
        means = self.means(self.pooled.X.astype(np.float64))
        values, units = Values.of_logs(means, means, self.rounds), self.pooled.units
        labels, scale = [(name,) for name in units.ids], 1.0 / self.pooled.bin_width
        given = labels, values, self.rounds, rng
        return differences("rates", *given, scale=scale, layers=layers_of_units(units))

    def couplings(self, rng: np.random.Generator) -> Differences:
        """Differences of pairs, whichever the model."""
        values, units = Values.of_couplings(self.words, self.rounds), self.pooled.units
        given = list(combinations(units.ids, 2)), values, self.rounds, rng
        return differences("couplings", *given, layers=layers_of_pairs(units))

    def groups(self, rng: np.random.Generator) -> Differences | None:
        """Differences of live hidden units, in logarithms of their probability; None without."""
        model = self.of_both
        if not isinstance(model, PopulationModel) or model.parameters_.is_gaussian:
            return None  # a Gaussian unit stands for no group
        live = np.flatnonzero(model.parameters_.live)
        if not live.size:
            return None
        on = model.hidden(self.pooled.X)[:, live]
        values = Values.of_logs(self.means(on), self.means(on**2), self.rounds)
        return differences("groups", [(f"h{k}",) for k in live], values, self.rounds, rng)
