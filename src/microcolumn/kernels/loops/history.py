"""Spikes of the past as features of logistic regressions, and log odds that follow from them.

A recording is ``index`` (n_bins,), the distinct word of each bin in time order, with the active
units of word u listed in ``active`` from ``offsets[u]`` to ``offsets[u + 1]``.
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel, subroutine

#: Rows that one thread works on at a time.
_CHUNK = 4096


@subroutine
def _sum_up(offsets, active, index, oldest, basis, sums, touched):
    """Add the basis functions of all spikes of one history to ``sums``; list which are not zero."""
    n_lags, n_functions = basis.shape
    n_touched = 0
    for j in range(n_lags):
        lag = n_lags - 1 - j
        u = index[oldest + j]
        for i in range(offsets[u], offsets[u + 1]):
            first = active[i] * n_functions
            for k in range(n_functions):
                if basis[lag, k] != 0.0:
                    if sums[first + k] == 0.0:
                        touched[n_touched] = first + k
                        n_touched += 1
                    sums[first + k] += basis[lag, k]
    return n_touched


# Features of histories: sum over lags of basis function k at the spikes of unit m, as sparse rows.
# Cost: one addition per spike of a history and basis function that is not zero at its lag.
# Pinned to a dense convolution by tests/models/test_history_glm.py.
@kernel(parallel=True)
def history_features(offsets, active, index, oldest, basis, n_units, row_ends, columns, values):
    """Count or list the features of histories that begin at bins ``oldest`` (n_rows,).

    ``basis`` (n_lags, n_functions) is positive or zero. Empty ``columns``: ``row_ends`` (n_rows,)
    gets the number of features of each row that are not zero. Otherwise it says where rows end,
    and ``columns`` and ``values`` get the features, unit * n_functions + function.
    """
    n_rows, n_features = oldest.size, n_units * basis.shape[1]
    for chunk in prange((n_rows + _CHUNK - 1) // _CHUNK):
        sums, touched = np.zeros(n_features), np.empty(n_features, dtype=np.int32)
        for row in range(chunk * _CHUNK, min((chunk + 1) * _CHUNK, n_rows)):
            n_touched = _sum_up(offsets, active, index, oldest[row], basis, sums, touched)
            if columns.size == 0:
                row_ends[row] = n_touched
            for i in range(n_touched):
                if columns.size:
                    columns[row_ends[row] - n_touched + i] = touched[i]
                    values[row_ends[row] - n_touched + i] = sums[touched[i]]
                sums[touched[i]] = 0.0


@subroutine
def _add_past(offsets, active, index, t, n_known, filters, odds):
    """Add to ``odds`` (n_chosen,) what the spikes of the ``n_known`` bins before bin t do."""
    for lag in range(n_known):
        u = index[t - 1 - lag]
        for i in range(offsets[u], offsets[u + 1]):
            effects = filters[lag, active[i]]
            for n in range(odds.size):
                odds[n] += effects[n]


# Log odds of a spike of some units in each bin of a stretch, given the bins before it.
# Cost: one addition per chosen unit and spike within the lags.
# Pinned to a plain loop by tests/models/test_history_glm.py.
@kernel(parallel=True)
def log_odds_of_bins(offsets, active, index, ages, start, filters, unknown, out):
    """Fill ``out`` (n_bins, n_chosen) for the bins from ``start`` on.

    ``ages`` (n_all_bins,) is the number of adjacent bins before each; ``filters`` (n_lags, n_units,
    n_chosen) the effect of a spike, ``unknown`` (n_lags + 1, n_chosen) the log odds without spikes
    where so many of the lags are known.
    """
    n_lags = filters.shape[0]
    for chunk in prange((out.shape[0] + _CHUNK - 1) // _CHUNK):
        for row in range(chunk * _CHUNK, min((chunk + 1) * _CHUNK, out.shape[0])):
            n_known = min(ages[start + row], n_lags)
            out[row] = unknown[n_known]
            _add_past(offsets, active, index, start + row, n_known, filters, out[row])


# Spike trains drawn bin by bin.
# Cost: one exponential per bin and unit, one addition per unit and spike within the lags.
# Pinned to the log odds of what it draws by tests/models/test_history_glm.py.
@kernel
def draw_bins(filters, unknown, uniforms, out):
    """Fill ``out`` (n_bins, n_units) with spikes where ``uniforms`` lie below the probability."""
    n_lags, n_units = filters.shape[0], out.shape[1]
    odds = np.empty(n_units)
    for t in range(out.shape[0]):
        n_known = min(t, n_lags)
        odds[:] = unknown[n_known]
        for lag in range(n_known):
            for m in range(n_units):
                if out[t - 1 - lag, m]:
                    odds += filters[lag, m]
        for n in range(n_units):
            out[t, n] = uniforms[t, n] * (1.0 + math.exp(-odds[n])) < 1.0
