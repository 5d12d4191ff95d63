"""Correlations of units over bins."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, diags_array

from ..validation import Floats, chunks
from ..words import Words, as_words


def pairwise_correlations(words: Words | ArrayLike) -> Floats:
    """Pearson correlation of the bits of all pairs of units over the words.

    Parameters
    ----------
    words : Words or array_like, shape (n_bins, n_units)
        Binary words, each counted with its weight.

    Returns
    -------
    ndarray of float64, shape (n_dims, n_dims)
        Symmetric with ones on the diagonal; NaN in row and column of a bit that is never or always
        1. Words of several bins have a row for each unit and bin.

    Examples
    --------
    >>> pairwise_correlations([[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 0]]).round(3)
    array([[1.   , 0.577,   nan],
           [0.577, 1.   ,   nan],
           [  nan,   nan,   nan]])
    """
    words = as_words(words)
    # Sums of counts are exact as long as they are whole numbers.
    together = np.zeros((words.n_dims, words.n_dims))
    for part in chunks(len(words), words.n_dims):
        # Sparse: few units spike in a bin.
        x = csr_array(words.X[part], dtype=np.float64)
        together += csr_array(x.T @ diags_array(words.counts[part]) @ x).toarray()
    together /= words.counts.sum()
    rates = together.diagonal()
    varies = words.X.any(axis=0) & ~words.X.all(axis=0)
    scale = np.sqrt(np.where(varies, rates * (1.0 - rates), np.nan))
    found: Floats = (together - np.outer(rates, rates)) / np.outer(scale, scale)
    found = np.clip(0.5 * (found + found.T), -1.0, 1.0)
    np.fill_diagonal(found, np.where(varies, 1.0, np.nan))
    return found


def lagged_correlations(words: Words, first: int, second: int, n_lags: int) -> Floats:
    """Correlation of one unit with another some bins later, shape (2 * n_lags + 1,).

    Lags go from -n_lags, where the second unit leads, to n_lags; in the middle is the correlation
    of the pair. NaN at lags longer than all epochs, and everywhere if a unit never or always
    spikes. Words are of single bins; two bins of different epochs are no pair, and weights are not
    used.
    """
    a, b = (words.X[:, unit][words.index].astype(np.float64) for unit in (first, second))
    epoch = np.searchsorted(words.epoch_starts, np.arange(words.n_bins), side="right")
    found = np.full(2 * n_lags + 1, np.nan)
    if not (a.std() and b.std()):
        return found
    for lag in range(min(n_lags, words.n_bins - 1) + 1):
        early, late = slice(0, words.n_bins - lag), slice(lag, words.n_bins)
        inside = epoch[early] == epoch[late]
        for sign, x, y in ((1, a, b), (-1, b, a)):
            if inside.any():
                together = (x[early] * y[late])[inside].mean()
                found[n_lags + sign * lag] = (together - a.mean() * b.mean()) / (a.std() * b.std())
    return found
