"""The Fisher information that words show of a model: how the likelihood is curved at a good fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..kernels import table_values
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
        self._bits = np.ascontiguousarray(X.T, dtype=np.float64)  # units in rows
        self._shares = shares

    def __call__(self, x: Floats, layout: Layout, coordinates: NDArray[np.intp]) -> Floats:
        """Covariance (n, n) of the slopes of the model ``x`` (layout.size,) along coordinates.

        These are ``coordinates`` (n,), increasing places in ``x``.
        """
        theta = layout.unpack(x)
        products, means = np.zeros((coordinates.size, coordinates.size)), np.zeros(coordinates.size)
        for part in chunks(self._shares.size, coordinates.size + layout.n_hidden):
            bits, shares = self._bits[:, part], self._shares[part]
            hidden = bits[:0]
            if theta.W is not None and theta.c is not None:
                hidden = theta.hidden.mean(theta.c[:, None] + theta.W.T @ bits)
            if layout.tables is not None:
                words = np.ascontiguousarray(bits.T, dtype=np.uint8)
                hidden = table_values(layout.tables.functions, words).T
            slopes = np.concatenate(list(_slopes(layout, coordinates, bits, hidden)))
            roots = np.sqrt(shares)
            slopes *= roots
            products += slopes @ slopes.T  # symmetric to NumPy, at half the cost
            means += slopes @ roots
        return products - np.outer(means, means)


def _slopes(
    layout: Layout, coordinates: NDArray[np.intp], bits: Floats, hidden: Floats
) -> Iterator[Floats]:
    """Derivatives of log p~ of each word along coordinates of couplings, b, W and c, in rows.

    Functions of a few units, which stand in the place of W, are given as ``hidden``.
    """
    groups = np.split(coordinates, np.searchsorted(coordinates, layout.offsets[:-1]))
    starts = (0, *layout.offsets[:-1])
    pairs, units, weights, biases = (
        group - start for group, start in zip(groups, starts, strict=True)
    )
    rows, columns = layout.pairs
    yield 2.0 * bits[rows[pairs]] * bits[columns[pairs]]
    yield bits[layout.free[units]]
    if layout.n_hidden:
        yield bits[layout.free[weights // layout.n_hidden]] * hidden[weights % layout.n_hidden]
        yield hidden[biases]
    elif layout.tables is not None:
        yield hidden[weights]
