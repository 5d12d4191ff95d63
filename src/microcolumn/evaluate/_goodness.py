"""A goodness-of-fit test of words in time by rotations (docs/method.md, section 6).

Rates, pairs, triplets, synchrony and log probability of words are one sparse table. Means of its
columns over words, cells of time or drawn words are products of sparse matrices, so that
thousands of triplets cost little where few units are active at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from ..validation import Bits, Floats, chunks
from .significance import LEVEL
from .time_errors import flat_waves, slow_waves

#: Rotations of the test, and sets of words drawn for the variance of independent words.
N_ROTATIONS, _N_RESAMPLES = 999, 200
#: Sum of squares, in units of a word's standard deviation, that is nothing but rounding.
_ROUNDING = 1e-18
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
        """What waves add to the means, (n_waves, n_columns): mean squares are squared errors."""
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
    """Whether data deviate from a model by more than their own slow waves do from nothing.

    A rotation test (docs/method.md, section 6). ``training_error`` (n_directions, n_columns) times
    standard normal numbers is the error of the model's means for independent training words; None
    for a model that is given.
    """
    means, n_words = model.means, round(data.n_words)
    alone = features.linearised(_replicates(model, n_words, rng), means)
    # Variance of a word's features; those that the model has next to never count for little.
    unit = (n_words * np.mean(alone**2, axis=0) + 1.0 / n_words) ** -0.5
    alone *= unit
    assert data.by_cell is not None
    every = features.linearised(data.waves(data.by_cell.shape[0]), data.means) * unit
    n_waves = flat_waves(np.sum(every**2, axis=1))
    waves = every[:n_waves]
    independent = features.linearised(_replicates(data, n_words, rng), data.means) * unit
    dependence = _dependence(features, waves, independent)
    typical = float(np.median(list(dependence.values())))
    errors = [_missing_noise(features, waves, alone)]
    if training_error is not None:
        errors.append(features.linearised(training_error * typical**0.5, means) * unit)
    if model.by_cell is not None:  # chains, which are independent of each other
        drawn = features.linearised(model.waves(model.by_cell.shape[0]), means) * unit
        errors.append(drawn / len(drawn) ** 0.5)
    elif math.isfinite(model.n_words):
        errors.append(alone * (n_words / model.n_words / len(alone)) ** 0.5)
    for error in errors:
        waves = waves + rng.standard_normal((n_waves, len(error))) @ error
    vectors = np.vstack([features.linearised(data.means[None] - means, means) * unit, waves])
    rotations = np.vstack([np.eye(1, n_waves + 1), rng.standard_normal((N_ROTATIONS, n_waves + 1))])
    columns = features.columns
    rotated = [_rotated(vectors[:, at], rotations) for at in columns.values()]
    statistics = np.column_stack([along / noise for along, noise in rotated])
    # Share of rows at least as large, of each entry within its column.
    by_family = stats.rankdata(-statistics, method="max", axis=0) / len(statistics)
    # The smallest p decides; among equal ones, of which few rotations make many, the next.
    ordered = [tuple(row) for row in np.sort(by_family, axis=1).tolist()]
    n_as_small = sum(row <= ordered[0] for row in ordered)
    # The same rank among rotations of the waves as a p of LEVEL: the largest difference at any k.
    tail = waves[:, columns["synchrony"]]
    _, noise = _rotated(tail, rotations[1:, 1:])
    largest = np.abs(_unit_rows(rotations[1:, 1:]) @ tail).max(axis=1) / noise**0.5
    limit = np.sort(largest)[-round(LEVEL * len(ordered))]
    own_noise = rotated[FAMILIES.index("synchrony")][1][0]
    return Goodness(
        p_value=n_as_small / len(ordered),
        p_values=dict(zip(FAMILIES, by_family[0].tolist(), strict=True)),
        n_effective={name: n_words / factor for name, factor in dependence.items()},
        n_waves=n_waves,
        tail_limits=limit * own_noise**0.5 / unit[columns["synchrony"]],
    )


def _missing_noise(features: WordFeatures, waves: Floats, alone: Floats) -> Floats:
    """What families of ``waves`` lack of the noise of independent words, like ``alone``.

    Rare features that are in no cell, or in one, would have next to none.
    """
    squares, least = (np.mean(each**2, axis=0) for each in (waves, alone))
    lacking = np.empty_like(alone)
    for column in features.columns.values():
        share = 1.0 - squares[column].sum() / max(least[column].sum(), 1e-300)
        lacking[:, column] = alone[:, column] * (max(share, 0.0) / len(alone)) ** 0.5
    return lacking


def _rotated(vectors: Floats, rotations: Floats) -> tuple[Floats, Floats]:
    """Squared length of the first of rotated vectors, and the mean of the others.

    ``vectors`` (n, n_columns) are rotated so that the first is along each row of ``rotations``
    (n_rotations, n).
    """
    products, rows = vectors @ vectors.T, _unit_rows(rotations)
    along = np.einsum("rk,rk->r", rows @ products, rows)
    noise = (np.trace(products) - along) / max(len(vectors) - 1, 1)
    # Where a model and all words agree on something that never changes there is rounding alone.
    is_constant = noise < _ROUNDING
    return np.where(is_constant, 0.0, along), np.where(is_constant, 1.0, noise)


def _unit_rows(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _replicates(sample: WordSample, n_words: int, rng: np.random.Generator) -> Floats:
    """Means of the columns over independent words minus those of the sample, one row a set."""
    share = sample.share / sample.share.sum()
    means = np.empty((_N_RESAMPLES, sample.table.shape[1]))
    for part in chunks(_N_RESAMPLES, share.size, _BATCH):
        counts = rng.multinomial(n_words, share, size=part.stop - part.start)
        means[part] = (sparse.csr_array(counts) @ sample.table).toarray() / n_words
    return np.asarray(means - sample.means)


def _dependence(features: WordFeatures, waves: Floats, alone: Floats) -> dict[str, float]:
    """By family: variance of means, from slow waves, over that of independent words; 1 or more.

    Both are sums over columns: ratios of single columns would be too small for rare ones.
    """
    slow, expected = (np.mean(each**2, axis=0) for each in (waves, alone))
    return {
        name: max(1.0, float(slow[column].sum() / max(expected[column].sum(), 1e-300)))
        for name, column in features.columns.items()
    }


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
