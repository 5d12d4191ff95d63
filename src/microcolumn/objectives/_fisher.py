"""The Fisher information that words show of a model: how the likelihood is curved at a good fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..layout import Layout
from ..validation import Floats, chunks
from ..words import Words

#: Distinct words from which on draws of this many stand for them.
_MOST_WORDS = 1 << 14


class FisherInformation:
    """Covariance over the words of the slopes of log p~, for many models of the same words.

    Where a model describes the words it is the second derivative of minus the mean log likelihood;
    elsewhere it is a positive matrix of the same scale.
    """

    def __init__(self, words: Words) -> None:
        shares, X = words.counts / words.counts.sum(), words.X
        if len(words) > _MOST_WORDS:
            drawn = np.random.default_rng(0).choice(len(words), size=_MOST_WORDS, p=shares)
            places, counts = np.unique(drawn, return_counts=True)
            X, shares = X[places], counts / _MOST_WORDS
        self._words, self._shares = X, shares

    def __call__(self, x: Floats, layout: Layout, coordinates: NDArray[np.intp]) -> Floats:
        """Covariance (n, n) of the slopes of the model ``x`` (layout.size,) along coordinates.

        These are ``coordinates`` (n,), increasing places in ``x``.
        """
        theta = layout.unpack(x)
        products, means = np.zeros((coordinates.size, coordinates.size)), np.zeros(coordinates.size)
        for part in chunks(self._shares.size, coordinates.size + layout.n_hidden):
            slopes = layout.design(theta, self._words[part], coordinates).T
            roots = np.sqrt(self._shares[part])
            slopes *= roots
            products += slopes @ slopes.T  # symmetric to NumPy, at half the cost
            means += slopes @ roots
        return products - np.outer(means, means)
