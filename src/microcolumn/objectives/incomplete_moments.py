"""What the likelihood needs of data that are not all there: missing cells, or moments alone."""

from __future__ import annotations

import numpy as np

from ..incomplete import Completions, IncompleteWords
from ..parameters import Parameters
from ..validation import Floats
from ..words import Words
from ._objective import check_same_units
from .data_moments import DataMoments
from .sparse_words import SparseWords


class IncompleteMoments:
    """Mean over incomplete words of the log of p~ summed over missing cells, and its gradient.

    The gradient is that of complete words in which each completion has its probability given what
    was seen: d log sum_k p~_k = sum_k p~_k d log p~_k / sum_k p~_k. ``words`` are completions as of
    independent units, from which chains start.
    """

    def __init__(self, given: IncompleteWords, completions: Completions) -> None:
        self.words, self._completions = completions.words, completions
        self._shares = given.counts / given.counts.sum()
        self._share_of_rows = np.repeat(self._shares, completions.sizes)
        self._sparse = SparseWords.of(completions.words.X)

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Mean log weight of what was seen (nats per word) and its gradient at ``theta``."""
        check_same_units(theta.n_visible, self.words.n_dims)
        log_sums, given_seen = self._completions.log_sums(self._sparse.log_weights(theta))
        rows, n_rows = self._completions.rows, self._sparse.n_words
        weights = np.bincount(rows, given_seen * self._share_of_rows, n_rows)
        _, moments = self._sparse.sums(theta, weights.astype(np.float64))
        return float(self._shares @ log_sums), moments


class PairMoments(DataMoments):
    """The same of an Ising model from rates and pair rates alone, with words about like these."""

    def __init__(self, words: Words, rates: Floats, pairs: Floats) -> None:
        super().__init__(words)
        self._rates, self._pairs = rates, pairs * ~np.eye(rates.size, dtype=bool)
