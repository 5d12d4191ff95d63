"""A goodness-of-fit test of words in time by a parametric bootstrap (docs/method.md, section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..validation import Floats
from ._word_features import FAMILIES, WordFeatures

#: Sets of words drawn from the model, and from the data for the variance of independent words.
N_REPLICATES, _N_RESAMPLES = 199, 200
#: Numbers of drawn words held at once.
_BATCH = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class WordSample:
    """Distinct words with their features, their shares, and the block that each word lies in.

    Parameters
    ----------
    table : csr_array, shape (n_distinct, n_columns)
        Features of the distinct words.
    share : ndarray, shape (n_distinct,)
        Frequency or probability of each.
    n_words : float
        Words that the shares were counted in; infinite for exact probabilities.
    by_block : csr_array, shape (n_blocks, n_distinct), optional
        How often each word occurs in each block; None where words are independent.
    """

    table: sparse.csr_array
    share: Floats
    n_words: float
    by_block: sparse.csr_array | None = None

    @property
    def means(self) -> Floats:
        """Mean of each column."""
        return np.asarray(self.share @ self.table)

    def block_deviations(self) -> Floats:
        """Means of blocks minus the mean, times the root of their words: (n_blocks, n_columns)."""
        assert self.by_block is not None
        sizes = self.by_block.sum(axis=1)[:, None]
        return np.asarray(
            ((self.by_block @ self.table).toarray() / sizes - self.means) * sizes**0.5
        )


def block_table(
    index: NDArray[np.integer[Any]], block: NDArray[np.integer[Any]], n_distinct: int
) -> sparse.csr_array:
    """How often each distinct word ``index`` (n_words,) occurs in each block (n_words,)."""
    shape = (int(block[-1]) + 1, n_distinct)
    return sparse.csr_array((np.ones(index.size), (block, index)), shape=shape)


@dataclass(frozen=True, slots=True)
class Goodness:
    """P-values by family and of all together, and how many independent words there were."""

    p_value: float
    p_values: Mapping[str, float]
    n_effective: Mapping[str, float]


def goodness(
    features: WordFeatures, data: WordSample, model: WordSample, rng: np.random.Generator
) -> Goodness:
    """Whether data deviate from a model by more than words of the model would.

    The statistic of a family is the sum of squares of its deviations over the same sum of their
    variances from blocks. Replicates are words of the model in time, each held for a random number
    of bins that makes them depend on their neighbours as much as the data's words do, and pass
    through the same blocks.
    """
    means, n_words = model.means, round(data.n_words)
    alone = features.linearised(_replicates(model, n_words, _N_RESAMPLES, rng), means)
    # Variance of a word's features; those that the model has next to never count for little.
    unit = (n_words * np.mean(alone**2, axis=0) + 1.0 / n_words) ** -0.5
    dependence = _dependence(features, data, unit, rng)
    drawn = dict.fromkeys(FAMILIES, 1.0)
    if model.by_block is not None:
        drawn = _dependence(features, model, unit, rng)
    mean_hold = 0.5 * (1.0 + float(np.median(list(dependence.values()))))
    assert data.by_block is not None
    sizes = np.asarray(data.by_block.sum(axis=1), dtype=np.int64)
    statistics = np.empty((N_REPLICATES + 1, len(FAMILIES)))
    statistics[0] = _statistics(features, data, means, unit)
    # Deviations from drawn words vary more than those from the model itself.
    for k, name in enumerate(FAMILIES):
        more = n_words / dependence[name] * drawn[name] / model.n_words
        statistics[0, k] /= 1.0 + more
    for replicate in range(N_REPLICATES):
        held = _held(model, sizes, mean_hold, rng)
        statistics[replicate + 1] = _statistics(features, held, means, unit)
    by_family = _upper_ranks(statistics)
    # The smallest p decides; among equal ones, of which few replicates make many, the next.
    ordered = [tuple(row) for row in np.sort(by_family, axis=1).tolist()]
    n_as_small = sum(row <= ordered[0] for row in ordered)
    return Goodness(
        p_value=n_as_small / len(ordered),
        p_values=dict(zip(FAMILIES, by_family[0].tolist(), strict=True)),
        n_effective={name: n_words / factor for name, factor in dependence.items()},
    )


def _statistics(
    features: WordFeatures, sample: WordSample, means: Floats, unit: Floats
) -> list[float]:
    """By family: squared deviations from ``means`` over their variance from blocks."""
    rows = np.vstack([sample.means - means, sample.block_deviations()])
    deviation, *blocks = features.linearised(rows, means) * unit
    variance = np.sum(np.square(blocks), axis=0) / (len(blocks) - 1) / sample.n_words
    found = []
    for column in features.columns.values():
        noise = float(variance[column].sum())
        found.append(float(np.sum(deviation[column] ** 2)) / noise if noise else 0.0)
    return found


def _held(
    model: WordSample, sizes: NDArray[np.int64], mean_hold: float, rng: np.random.Generator
) -> WordSample:
    """Words of a model in time, each held for a geometric number of bins, in blocks."""
    n_words = int(np.sum(sizes))
    index = rng.choice(model.share.size, n_words, p=model.share / model.share.sum())
    if mean_hold > 1.0:
        starts = rng.random(n_words) < 1.0 / mean_hold
        starts[0] = True
        index = index[np.maximum.accumulate(np.where(starts, np.arange(n_words), 0))]
    n_distinct = model.share.size
    share = np.bincount(index, minlength=n_distinct) / n_words
    by_block = block_table(index, np.repeat(np.arange(len(sizes)), sizes), n_distinct)
    return WordSample(model.table, share, n_words, by_block)


def _upper_ranks(statistics: Floats) -> Floats:
    """Share of rows at least as large, of each entry within its column."""
    ordered = np.sort(statistics, axis=0)
    below = [np.searchsorted(ordered[:, k], statistics[:, k]) for k in range(statistics.shape[1])]
    return np.asarray((len(statistics) - np.stack(below, axis=1)) / len(statistics))


def _replicates(
    sample: WordSample, n_words: int, n_replicates: int, rng: np.random.Generator
) -> Floats:
    """Means of the columns over independent words minus those of the sample, one row a set."""
    share = sample.share / sample.share.sum()
    found = np.empty((n_replicates, sample.table.shape[1]))
    step = max(1, _BATCH // share.size)
    for first in range(0, n_replicates, step):
        counts = rng.multinomial(n_words, share, size=min(step, n_replicates - first))
        drawn = sparse.csr_array(counts) @ sample.table
        found[first : first + step] = drawn.toarray() / n_words
    return np.asarray(found - sample.means)


def _dependence(
    features: WordFeatures, sample: WordSample, unit: Floats, rng: np.random.Generator
) -> dict[str, float]:
    """By family: variance of means, from blocks, over that of independent words; 1 or more.

    Both are sums over columns in the same ``unit``: ratios of single columns would be too small
    for rare ones. Twice the variance from pairs of blocks minus that from single ones has no bias
    from the edges of blocks.
    """
    n_words, means = round(sample.n_words), sample.means
    blocks = features.linearised(sample.block_deviations(), means) * unit
    alone = features.linearised(_replicates(sample, n_words, _N_RESAMPLES, rng), means) * unit
    whole = len(blocks) // 2 * 2
    joined = (blocks[0:whole:2] + blocks[1:whole:2]) * 0.5**0.5
    found = {}
    for name, column in features.columns.items():
        expected = float(np.sum(alone[:, column] ** 2)) * n_words / len(alone)
        single, double = (
            float(np.sum(rows[:, column] ** 2)) / (len(rows) - 1) for rows in (blocks, joined)
        )
        factor = max(single, 2.0 * double - single) / expected if expected > 0.0 else 1.0
        found[name] = max(1.0, factor)
    return found
