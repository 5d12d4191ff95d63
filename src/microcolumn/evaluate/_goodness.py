"""A goodness-of-fit test of words in time by a parametric bootstrap (docs/method.md, section 6).

Rates, pairs, triplets, synchrony and log probability of words are one sparse table. Means of its
columns over words, cells of time or drawn words are products of sparse matrices, so that
thousands of triplets cost little where few units are active at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..validation import Bits, Floats, chunks
from .significance import LEVEL
from .time_errors import cell_table, flat_waves, slow_waves

#: Sets of words drawn from the model, and from the data for the variance of independent words.
N_REPLICATES, _N_RESAMPLES = 199, 200
#: Numbers of drawn words held at once.
_BATCH = 1 << 22
#: Families of statistics, in the order of the table's columns.
FAMILIES = ("rates", "pairs", "triplets", "synchrony", "words")
#: Bits whose pairs and triplets are looked at, the most active ones: at most 1,770 and 2,024.
MOST_BITS_OF_PAIRS, MOST_BITS_OF_TRIPLETS = 60, 24


@dataclass(frozen=True, slots=True, eq=False)
class WordFeatures:
    """Columns of the table: which pairs and triplets of bits it has, and where families lie."""

    n_dims: int  # bits of a word
    pairs: NDArray[np.int64]  # bits of each pair, increasing, (n_pairs, 2)
    triplets: NDArray[np.int64]  # (n_triplets, 3)

    @classmethod
    def of(cls, rates: Floats) -> WordFeatures:
        """All pairs and triplets, or those of the bits with the highest ``rates`` (n_dims,)."""
        ranked = np.argsort(-rates, kind="stable")
        return cls(
            rates.size,
            _subsets(np.sort(ranked[:MOST_BITS_OF_PAIRS]), 2),
            _subsets(np.sort(ranked[:MOST_BITS_OF_TRIPLETS]), 3),
        )

    @property
    def columns(self) -> dict[str, slice]:
        """Columns of each family: P(k or more active), k = 1, 2, ..., stands for synchrony."""
        sizes = (self.n_dims, len(self.pairs), len(self.triplets), self.n_dims, 1)
        edges = np.cumsum((0, *sizes)).tolist()
        return {name: slice(*edges[k : k + 2]) for k, name in enumerate(FAMILIES)}

    def table(self, X: Bits, log_weight: Floats) -> sparse.csr_array:
        """The features of each word, shape (n_words, n_columns).

        ``log_weight`` (n_words,) is the log probability of each word up to a constant.
        """
        at_least = np.arange(1, self.n_dims + 1) <= X.sum(axis=1, dtype=np.int64)[:, None]
        parts: list[Any] = [
            sparse.csr_array(X, dtype=np.float64),
            *(
                _products(sparse.csc_array(X[:, np.unique(subsets)], dtype=np.float64), order)
                for order, subsets in ((2, self.pairs), (3, self.triplets))
            ),
            sparse.csr_array(at_least, dtype=np.float64),
            sparse.csr_array(log_weight[:, None]),
        ]
        return sparse.csr_array(sparse.hstack(parts))

    def central(self, means: Floats) -> tuple[Floats, Floats]:
        """Covariances of pairs and third central moments of triplets, from means of the columns."""
        m, joint, triple = (means[self.columns[name]] for name in FAMILIES[:3])
        i, j = self.pairs.T
        covariance = joint - m[i] * m[j]
        a, b, c = self.triplets.T
        ab, ac, bc = self._pairs_of_triplets()
        third = triple - m[a] * joint[bc] - m[b] * joint[ac] - m[c] * joint[ab]
        return covariance, third + 2.0 * m[a] * m[b] * m[c]

    def linearised(self, deviations: Floats, means: Floats) -> Floats:
        """Deviations (n_rows, n_columns) of means, with pairs and triplets as central moments.

        To first order around ``means``: a covariance does not follow a change of the rates, nor a
        third moment a change of the rates, so that a family speaks of its own order.
        """
        return np.asarray(deviations @ self._slopes(means))

    def _slopes(self, means: Floats) -> sparse.csr_array:
        """Slopes of rates, central moments, tail and log p (columns) with the means (rows)."""
        rates, pairs, triplets = (self.columns[name] for name in FAMILIES[:3])
        m, (covariance, _) = means[rates], self.central(means)
        same = np.arange(means.size)
        entries = [(same, same, np.ones(means.size))]
        i, j = self.pairs.T
        of_pairs, of_triplets = same[pairs], same[triplets]
        entries += [(i, of_pairs, -m[j]), (j, of_pairs, -m[i])]
        a, b, c = self.triplets.T
        for one, left, right, joint in zip(
            (c, b, a), (a, a, b), (b, c, c), self._pairs_of_triplets(), strict=True
        ):
            entries.append((of_pairs[joint], of_triplets, -m[one]))
            entries.append((one, of_triplets, m[left] * m[right] - covariance[joint]))
        row, column, value = (np.concatenate(part) for part in zip(*entries, strict=True))
        return sparse.csr_array((value, (row, column)), shape=(means.size, means.size))

    def _pairs_of_triplets(self) -> tuple[NDArray[np.int64], ...]:
        """Positions among pairs of the pairs (a, b), (a, c) and (b, c) of each triplet."""
        position = np.zeros((self.n_dims, self.n_dims), dtype=np.int64)
        position[tuple(self.pairs.T)] = np.arange(len(self.pairs))
        a, b, c = self.triplets.T
        return position[a, b], position[a, c], position[b, c]


@dataclass(frozen=True, slots=True, eq=False)
class WordSample:
    """Distinct words with their features, their shares, and the cells of time they lie in."""

    table: sparse.csr_array  # features of the distinct words, (n_distinct, n_columns)
    share: Floats  # frequency or probability of each, (n_distinct,)
    n_words: float  # that the shares were counted in; infinite for exact probabilities
    # How often each word occurs in each cell; None where words are independent.
    by_cell: sparse.csr_array | None = None  # (n_cells, n_distinct)

    @property
    def means(self) -> Floats:
        """Mean of each column."""
        return np.asarray(self.share @ self.table)

    def waves(self, n_waves: int) -> Floats:
        """What the slowest waves add to the means, whose squared errors are its mean squares.

        Shape (n_waves, n_columns).
        """
        assert self.by_cell is not None
        waves = slow_waves(self.by_cell.shape[0], n_waves)
        share = waves @ self.by_cell / self.n_words
        return np.asarray(share @ self.table - share.sum(axis=1, keepdims=True) * self.means)


@dataclass(frozen=True, slots=True, eq=False)
class Goodness:
    """P-values by family and of all together, and what chance does."""

    p_value: float
    p_values: dict[str, float]
    n_effective: dict[str, float]  # independent words that the data are worth, by family
    n_waves: int  # slowest waves over time that the errors come from
    # Differences of P(k or more active) of which chance passes any in one of 20 sets only.
    tail_limits: Floats  # (n_dims,)


def goodness(
    features: WordFeatures,
    data: WordSample,
    model: WordSample,
    rng: np.random.Generator,
    *,
    training_error: Floats | None = None,
) -> Goodness:
    """Whether data deviate from a model by more than words of the model would.

    The statistic of a family is the sum of squares of its deviations over the same sum of their
    variances from slow waves. Replicates are words of the model in time, each held for a random
    number of bins that makes their means vary as much as those of the data's words. They deviate
    from a model that was fitted to other such words: ``training_error`` (n_directions, n_columns)
    times standard normal numbers is the error of its means for independent training words, which
    are taken to depend on each other like the data's.
    None for a model that is given.
    """
    means, n_words = model.means, round(data.n_words)
    alone = features.linearised(_replicates(model, n_words, rng), means)
    # Variance of a word's features; those that the model has next to never count for little.
    unit = (n_words * np.mean(alone**2, axis=0) + 1.0 / n_words) ** -0.5
    assert data.by_cell is not None
    sizes = np.asarray(data.by_cell.sum(axis=1), dtype=np.int64)
    every = features.linearised(data.waves(len(sizes)), data.means) * unit
    n_waves = flat_waves(np.sum(every**2, axis=1))
    dependence = _dependence(features, data, unit, rng, n_waves)
    drawn = dict.fromkeys(FAMILIES, 1.0)
    if model.by_cell is not None:
        # Chains are independent: each has as much to say as the slowest wave over them.
        drawn = _dependence(features, model, unit, rng, model.by_cell.shape[0])
    # Variance of deviations from drawn words over that of deviations from the model itself.
    more = {
        name: 1.0 + n_words / dependence[name] * drawn[name] / model.n_words for name in FAMILIES
    }
    typical = float(np.median(list(dependence.values())))
    least = np.mean((alone * unit) ** 2, axis=0)
    statistics = partial(_statistics, features, means, unit, least, sizes, n_waves)
    observed, _, noise = statistics((data.by_cell @ data.table).toarray()[None])
    # Words of the model, a few sets at a time, and how far fits deviate from their truth.
    error = np.zeros((0, means.size)) if training_error is None else training_error
    error = error * typical**0.5
    parts = []
    for part in chunks(N_REPLICATES, max(len(sizes) * means.size, n_words), _BATCH):
        n_sets = part.stop - part.start
        sums = _held(model, sizes, 0.5 * (1.0 + typical), n_sets, rng)
        parts.append(statistics(sums, rng.standard_normal((n_sets, len(error))) @ error))
    replicates, tails, _ = map(np.concatenate, zip(*parts, strict=True))
    first = observed / np.array([more[name] for name in FAMILIES])
    by_family = _upper_ranks(np.vstack([first, replicates]))
    # The smallest p decides; among equal ones, of which few replicates make many, the next.
    ordered = [tuple(row) for row in np.sort(by_family, axis=1).tolist()]
    n_as_small = sum(row <= ordered[0] for row in ordered)
    # The same rank among all sets as a p of LEVEL: the largest difference at any k.
    limit = np.sort(tails.max(axis=1))[-round(LEVEL * len(ordered))]
    return Goodness(
        p_value=n_as_small / len(ordered),
        p_values=dict(zip(FAMILIES, by_family[0].tolist(), strict=True)),
        n_waves=n_waves,
        n_effective={name: n_words / factor for name, factor in dependence.items()},
        tail_limits=limit
        * (more["synchrony"] * noise[0]) ** 0.5
        / unit[features.columns["synchrony"]],
    )


def _statistics(
    features: WordFeatures,
    means: Floats,
    unit: Floats,
    least: Floats,
    sizes: NDArray[np.int64],
    n_waves: int,
    sums: Floats,
    error: Floats | float = 0.0,
) -> tuple[Floats, Floats, Floats]:
    """Deviations of several sets of words from ``means``, over their noise from slow waves.

    ``sums`` (n_sets, n_cells, n_columns) are of the columns over cells of ``sizes`` words. They
    are overwritten: new memory for so many numbers takes longer than what is done with them.
    ``least`` (n_columns,) is the variance of the deviations for independent words: rare features
    that are in no cell, or in one, would have next to no noise. ``error`` (n_sets, n_columns) is
    added to the means.

    Returns sums of squared deviations over their noise (n_sets, n_families), absolute deviations of
    P(k or more active) over the root of the noise of that family (n_sets, n_dims), and that noise
    (n_sets,).
    """
    n_sets, n_cells, n_columns = sums.shape
    n_words = int(sizes.sum())
    of_sets = sums.sum(axis=1) / n_words
    sums -= sizes[:, None] * of_sets[:, None]
    if n_waves < n_cells - 1:
        sums = slow_waves(n_cells, n_waves) @ sums
    else:  # all waves have together what the cells have, and each as much as the others
        sums *= (n_cells * n_cells / max(n_cells - 1, 1)) ** 0.5
    squared = features.linearised(sums.reshape(-1, n_columns), means)
    squared *= unit
    squared *= squared
    variance = squared.reshape(sums.shape).mean(axis=1) / n_words**2
    deviation = features.linearised(of_sets - means - error, means) * unit
    by_family, noise = np.empty((2, n_sets, len(FAMILIES)))
    for k, column in enumerate(features.columns.values()):
        noise[:, k] = np.maximum(variance[:, column].sum(axis=1), least[column].sum())
        by_family[:, k] = np.sum(deviation[:, column] ** 2, axis=1)
    # Where a model and all words agree on something that never changes there is no noise.
    noise[noise == 0.0] = 1.0
    tail_noise = noise[:, FAMILIES.index("synchrony")]
    tails = np.abs(deviation[:, features.columns["synchrony"]])
    return by_family / noise, tails / tail_noise[:, None] ** 0.5, tail_noise


def _held(
    model: WordSample,
    sizes: NDArray[np.int64],
    mean_hold: float,
    n_sets: int,
    rng: np.random.Generator,
) -> Floats:
    """Words of a model in time, each held for a geometric number of bins, in cells.

    Returns sums of the columns over cells, shape (n_sets, n_cells, n_columns).
    """
    n_words = int(np.sum(sizes))
    n_distinct = model.share.size
    index = rng.choice(n_distinct, (n_sets, n_words), p=model.share / model.share.sum())
    if mean_hold > 1.0:
        starts = rng.random((n_sets, n_words)) < 1.0 / mean_hold
        starts[:, 0] = True
        latest = np.maximum.accumulate(np.where(starts, np.arange(n_words), 0), axis=1)
        index = np.take_along_axis(index, latest, axis=1)
    cell = np.repeat(np.arange(n_sets * len(sizes)), np.tile(sizes, n_sets))
    sums = cell_table(index.ravel(), cell, n_distinct) @ model.table
    return np.reshape(sums.toarray(), (n_sets, len(sizes), -1))


def _upper_ranks(statistics: Floats) -> Floats:
    """Share of rows at least as large, of each entry within its column."""
    ordered = np.sort(statistics, axis=0)
    below = [np.searchsorted(ordered[:, k], statistics[:, k]) for k in range(statistics.shape[1])]
    return np.asarray((len(statistics) - np.stack(below, axis=1)) / len(statistics))


def _replicates(sample: WordSample, n_words: int, rng: np.random.Generator) -> Floats:
    """Means of the columns over independent words minus those of the sample, one row a set."""
    share = sample.share / sample.share.sum()
    found = np.empty((_N_RESAMPLES, sample.table.shape[1]))
    for part in chunks(_N_RESAMPLES, share.size, _BATCH):
        counts = rng.multinomial(n_words, share, size=part.stop - part.start)
        found[part] = (sparse.csr_array(counts) @ sample.table).toarray() / n_words
    return np.asarray(found - sample.means)


def _dependence(
    features: WordFeatures,
    sample: WordSample,
    unit: Floats,
    rng: np.random.Generator,
    n_waves: int,
) -> dict[str, float]:
    """By family: variance of means, from slow waves, over that of independent words; 1 or more.

    Both are sums over columns in the same ``unit``: ratios of single columns would be too small
    for rare ones.
    """
    n_words, means = round(sample.n_words), sample.means
    slow, alone = (
        np.mean((features.linearised(each, means) * unit) ** 2, axis=0)
        for each in (sample.waves(n_waves), _replicates(sample, n_words, rng))
    )
    found = {}
    for name, column in features.columns.items():
        expected = float(alone[column].sum())
        found[name] = max(1.0, float(slow[column].sum()) / expected if expected > 0.0 else 1.0)
    return found


def _subsets(bits: NDArray[np.int64], order: int) -> NDArray[np.int64]:
    flat = [bit for subset in combinations(bits.tolist(), order) for bit in subset]
    return np.array(flat, dtype=np.int64).reshape(-1, order)


def _products(X: sparse.csc_array, order: int) -> sparse.csc_array:
    """Whether all bits of each subset are active, subsets in the order of ``combinations``."""
    if order == 1:
        return X
    smaller, n_bits = _products(X, order - 1), X.shape[1]
    # The last subsets of the smaller order are those of the bits behind bit n.
    parts: list[Any] = [X[:, :0]]
    for n in range(n_bits):
        behind = smaller[:, smaller.shape[1] - comb(n_bits - n - 1, order - 1) :]
        parts.append(behind.multiply(X[:, [n]]))
    return sparse.csc_array(sparse.hstack(parts))
