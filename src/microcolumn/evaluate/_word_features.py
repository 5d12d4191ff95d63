"""Rates, pairs, triplets, synchrony and log probability of words, as one sparse table.

Means of the table's columns over words, blocks of words or drawn words are products of sparse
matrices, so that thousands of triplets cost little where few units are active at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..validation import Bits, Floats

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
