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
    inflation = {name: [1.0, 1.0] for name in FAMILIES}
    parts = [(data, data.n_words)]
    if model.by_block is not None:
        parts.append((model, model.n_words))
    n_star = dict.fromkeys(FAMILIES, 1.0 / model.n_words if model.by_block is None else 0.0)
    for sample, n_words in parts:
        for name, (factor, spread) in _dependence(features, sample, rng).items():
            n_star[name] += factor / n_words
            inflation[name][1] = max(inflation[name][1], spread)
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
        widen = np.sqrt(inflation[name][1])
        statistics[1:, k] = null.mean() + (null - null.mean()) * widen
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
    features: WordFeatures, sample: WordSample, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """By family: variance over that of independent words, and how much fewer directions it has.

    Both are from blocks. The variance of a sum of squares grows as its variance is shared by fewer
    directions, as where all units follow one slow drift.
    """
    n_words = round(sample.n_words)
    means = sample.means
    blocks = features.linearised(sample.block_deviations(), means)
    alone = features.linearised(_replicates(sample, n_words, _N_RESAMPLES, rng), means)
    alone *= n_words**0.5
    scale = np.mean(alone**2, axis=0)
    known = scale > 0.0
    found = {}
    for name, column in features.columns.items():
        kept = np.flatnonzero(known[column]) + column.start
        if kept.size == 0:
            found[name] = 1.0, 1.0
            continue
        in_blocks, by_words = (part[:, kept] / scale[kept] ** 0.5 for part in (blocks, alone))
        factor = np.mean(in_blocks**2) * len(blocks) / (len(blocks) - 1)
        directions = _concentration(in_blocks) / _concentration(by_words)
        found[name] = max(1.0, float(factor)), max(1.0, float(directions))
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
