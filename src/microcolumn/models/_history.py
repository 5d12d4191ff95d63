"""The past of each bin: basis functions over lags, and distinct histories as sparse rows."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.sparse import csr_array, hstack

from ..kernels.loops.sparse_logistic import SparseRows
from ..objectives.sparse_words import listed_words
from ..timeline import Places, window_codes
from ..validation import Floats
from ..words import Words


def lag_basis(n_functions: int, n_lags: int) -> Floats:
    """Raised-cosine bumps over the lags 1 to ``n_lags``, shape (n_functions, n_lags).

    The raised cosines are those of Pillow et al. (2008, Nature 454), with half their overlap
    (docs/method.md, section 11). As many functions as lags are the lags themselves; a single
    function is the number of spikes.
    """
    if n_functions == n_lags:
        return np.eye(n_lags)
    if n_functions == 1:
        return np.ones((1, n_lags))
    lags = np.arange(1.0, n_lags + 1.0)
    stretched = np.log(lags + _offset(n_functions, n_lags))
    place = (stretched - stretched[0]) / (stretched[-1] - stretched[0]) * (n_functions - 1)
    apart = np.clip(np.abs(place - np.arange(n_functions)[:, None]), 0.0, 1.0)
    basis: Floats = np.cos(0.5 * np.pi * apart) ** 2
    basis[apart == 1.0] = 0.0  # where rounding leaves 1e-33
    return basis


def _offset(n_functions: int, n_lags: int) -> float:
    """The c of :func:`lag_basis`."""

    def first_distance(c: float) -> float:
        return float((1.0 + c) * np.expm1(np.log1p((n_lags - 1.0) / (1.0 + c)) / (n_functions - 1)))

    if first_distance(0.0) >= 1.0:
        return 0.0
    high = float(n_lags)
    while first_distance(high) < 1.0:  # grows towards (n_lags - 1) / (n_functions - 1) > 1
        high *= 2.0
    return float(brentq(lambda c: first_distance(c) - 1.0, 0.0, high))


def ages(words: Words) -> Places:
    """Number of adjacent bins before each bin, shape (n_bins,)."""
    starts = words.epoch_starts
    lengths = np.diff(np.append(starts, words.n_bins))
    return np.arange(words.n_bins) - np.repeat(starts, lengths)


class Histories(NamedTuple):
    """Distinct histories of the bins whose past is known in full, and who fired after them."""

    rows: SparseRows
    n_bins: int
    #: Units that fired after some of them but not after all, whose regressions have a solution.
    usable: NDArray[np.intp]

    @classmethod
    def of(cls, words: Words, basis: Floats) -> Self:
        """Histories of the bins that have as many adjacent bins before them as there are lags."""
        n_lags = basis.shape[1]
        newest = np.flatnonzero(ages(words) >= n_lags)
        codes = window_codes(words.index, newest - n_lags, n_lags, len(words))
        _, first, row = np.unique(codes, return_index=True, return_inverse=True)
        bins = listed_words(words.X)[words.index]
        features = _features(bins, newest[first], basis)
        spikes = bins[newest].T.tocsr()
        n_fired, n_bins = np.diff(spikes.indptr), max(newest.size, 1)
        rows = SparseRows(
            offsets=features.indptr,
            columns=features.indices,
            values=features.data,
            shares=np.bincount(row, minlength=first.size) / n_bins,
            fired_offsets=spikes.indptr.astype(np.int64),
            fired=row[spikes.indices].astype(np.int32),
            fired_shares=np.full(spikes.nnz, 1.0 / n_bins),
            limits=np.full(words.n_units, features.shape[1]),
            usable=np.ones(features.shape[1], dtype=bool),
            table=np.ones((1, 1)),
        )
        usable = np.flatnonzero((n_fired > 0) & (n_fired < newest.size))
        return cls(rows, newest.size, usable)

    def largest_l1(self) -> float:
        """Smallest penalty that leaves no weight other than zero; 1 where none is ever needed."""
        rows, n, n_rows = self.rows, self.rows.limits.size, self.rows.shares.size
        features = csr_array(
            (rows.values, rows.columns, rows.offsets), shape=(n_rows, rows.usable.size)
        )
        spikes = csr_array((rows.fired_shares, rows.fired, rows.fired_offsets), shape=(n, n_rows))
        together = (spikes @ features).toarray()
        slopes = together - np.outer(spikes.sum(axis=1), rows.shares @ features)
        return float(np.abs(slopes[self.usable]).max(initial=0.0)) or 1.0


def _features(bins: csr_array, newest: Places, basis: Floats) -> csr_array:
    """Basis functions of the spikes before some bins, shape (n_newest, n_units * n_functions)."""
    parts = []
    for function in basis:
        lags = np.flatnonzero(function)
        past = (newest[:, None] - 1 - lags).ravel()
        shares, ends = np.tile(function[lags], newest.size), lags.size * np.arange(newest.size + 1)
        parts.append(csr_array((shares, past, ends), shape=(newest.size, bins.shape[0])) @ bins)
    features = hstack(parts, format="csr")
    function, unit = np.divmod(features.indices, bins.shape[1])
    columns = unit * len(basis) + function
    features = csr_array((features.data, columns, features.indptr), shape=features.shape)
    features.sort_indices()
    return features
