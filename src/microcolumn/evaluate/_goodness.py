"""A goodness-of-fit test of words in time by a parametric bootstrap (docs/method.md, section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..validation import Floats
from ._word_features import FAMILIES, WordFeatures

#: Sets of words drawn from the model, and from the data for the variance of independent words.
N_REPLICATES, _N_RESAMPLES = 499, 200
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


def block_table(index: NDArray[np.integer], block: NDArray[np.integer]) -> sparse.csr_array:
    """How often each distinct word ``index`` (n_words,) occurs in each block (n_words,)."""
    ones = np.ones(index.size)
    return sparse.csr_array((ones, (block, index)))


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

    The statistic of a family is the mean square of its deviations, each in its own standard error.
    Replicates hold as many words of the model as the data have independent ones.
    """
    means = model.means
    alone = features.linearised(_replicates(model, round(data.n_words), _N_RESAMPLES, rng), means)
    # Variance of a word's features; those that the model has next to never count for little.
    variance = data.n_words * np.mean(alone**2, axis=0) + 1.0 / data.n_words
    independent = 1.0 / model.n_words if model.by_block is None else 0.0
    n_star, wider = dict.fromkeys(FAMILIES, independent), dict.fromkeys(FAMILIES, 1.0)
    for sample in (data,) if model.by_block is None else (data, model):
        for name, (factor, spread) in _dependence(features, sample, variance, rng).items():
            n_star[name] += factor / sample.n_words
            wider[name] = max(wider[name], spread)
    n_star = {name: 1.0 / value for name, value in n_star.items()}
    n_drawn = max(2, round(float(np.median(list(n_star.values())))))
    drawn = features.linearised(_replicates(model, n_drawn, N_REPLICATES, rng), means)
    scale = np.mean(drawn**2, axis=0) + 1.0 / n_drawn**2  # half a count is no surprise
    observed = features.linearised((data.means - means)[None, :], means)[0]
    statistics = np.empty((N_REPLICATES + 1, len(FAMILIES)))
    for k, name in enumerate(FAMILIES):
        column = features.columns[name]
        if column.stop == column.start:
            statistics[:, k] = 0.0
            continue
        null = np.mean(drawn[:, column] ** 2 / scale[column], axis=1)
        statistics[1:, k] = null.mean() + (null - null.mean()) * np.sqrt(wider[name])
        found = np.mean(observed[column] ** 2 / scale[column])
        statistics[0, k] = found * n_star[name] / n_drawn
    by_family = _upper_ranks(statistics)
    smallest = by_family.min(axis=1)
    return Goodness(
        p_value=float(np.mean(smallest <= smallest[0])),
        p_values=dict(zip(FAMILIES, by_family[0].tolist(), strict=True)),
        n_effective=n_star,
    )


def _upper_ranks(statistics: Floats) -> Floats:
    """Share of rows at least as large, of each entry within its column."""
    ordered = np.sort(statistics, axis=0)
    below = [np.searchsorted(ordered[:, k], statistics[:, k]) for k in range(statistics.shape[1])]
    return 1.0 - np.stack(below, axis=1) / len(statistics)


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
    features: WordFeatures, sample: WordSample, variance: Floats, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """By family: variance over that of independent words, and how much fewer directions it has.

    Both are from blocks, and sums over columns in units of ``variance``: ratios of single columns
    would be too small for rare ones. The variance of a sum of squares grows as it is shared by
    fewer directions, as where all units follow one slow drift.
    """
    n_words, means = round(sample.n_words), sample.means
    unit = variance**-0.5
    blocks = features.linearised(sample.block_deviations(), means) * unit
    alone = features.linearised(_replicates(sample, n_words, _N_RESAMPLES, rng), means)
    alone *= unit * n_words**0.5
    found = {}
    for name, column in features.columns.items():
        in_blocks, by_words = blocks[:, column], alone[:, column]
        expected = float(np.sum(by_words**2)) / len(alone)
        if not expected > 0.0:  # none of these ever occurs
            found[name] = 1.0, 1.0
            continue
        factor = float(np.sum(in_blocks**2)) / (len(blocks) - 1) / expected
        directions = _concentration(in_blocks) / _concentration(by_words)
        found[name] = max(1.0, factor), max(1.0, directions)
    return found


def _concentration(rows: Floats) -> float:
    """tr(C²) / tr(C)² of the rows' covariance C; one over the number of directions.

    Products of different rows are unbiased for tr(C²), which the square of a sample covariance is
    not.
    """
    n = len(rows)
    gram = rows @ rows.T
    apart = gram[np.triu_indices(n, 1)]
    total = np.trace(gram) / n
    return float(max(np.var(apart), 1e-12 * total**2) / total**2)
