"""Sums over all states of a chunk of units under a potential of the number of active ones.

The units are split into fixed, outer and inner ones as in ``fold.py`` (docs/method.md, section 5),
and the inner ones into high ones h and four low ones l as in ``pair_moments.py``. With k active
outer units the weight of a state is w(a) H(a, h) L(a, l) F_k(h, l): the potential is in F, of which
there is one table for each k, so that a state takes as many multiply-adds as without a potential.
Every table is scaled to a maximum of one, hence what ``_enumeration.py`` says of the range holds.
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from ..simd.lanes import fma, reduce_add, splat
from ..simd.memory import load, store
from .fold import tilt
from .moments import sums_of_bits, sums_of_pairs

#: Low inner units, and their states.
LOW_UNITS = 4
_LOW = 1 << LOW_UNITS


@subroutine
def _scale(table):
    """Replace logs by exp(log - largest); return the largest, in nats."""
    largest = table.max()
    for s in range(table.size):
        table[s] = math.exp(table[s] - largest)
    return largest


@subroutine
def _prepare(log_outer, log_inner, outer_fields, inner_fields, counts, v):
    """F (n_counts, n_inner) and w (n_outer,) of one chunk, and the log of what they lack."""
    outer_counts, inner_counts = counts
    inner, weights = tilt(log_inner, inner_fields), tilt(log_outer, outer_fields)
    F = np.empty((outer_counts.max() + 1, inner.size))
    scales = np.empty(F.shape[0])
    for k in range(F.shape[0]):
        for s in range(inner.size):
            F[k, s] = inner[s] + v[k + inner_counts[s]]
        scales[k] = _scale(F[k])
    for a in range(weights.size):
        weights[a] += scales[outer_counts[a]]
    return F, weights, _scale(weights)


@subroutine(forceinline=True)
def _fold(F, low, high, k, a):
    """Sum of H(h) L(l) F_k(h, l) over all inner states with the outer state a."""
    row = splat(0.0, _LOW)
    for h in range(high.shape[1]):
        row = fma(load(F, (k, h * _LOW), _LOW), high[a, h], row)
    return reduce_add(row * load(low, (a, 0), _LOW))


# Sums over the inner states of every outer state, for a run of chunks.
# Costs one multiply-add per state.
# Pinned by tests/kernels/cpu/test_counted.py against enumeration.
@kernel(parallel=True)
def counted_fold_chunks(
    log_outer, log_inner, outer_fields, inner_fields, low_boosts, high_boosts, counts,
    fixed_counts, v, totals, logs,
):  # fmt: skip
    """Weights of the outer states, summed over the inner ones; see ``fold_chunks``.

    Parameters
    ----------
    low_boosts, high_boosts : (n_outer, 16), (n_outer, n_inner / 16)
        prod_j g_j(a)**b_j over the low and over the high units of B.
    counts : (n_outer,), (n_inner,)
        Active units of each outer and of each inner state.
    fixed_counts : (n_chunks,)
        Active fixed units of each chunk.
    v : (n_units + 1,)
        The potential, nats.
    """
    for chunk in prange(logs.size):
        fields = outer_fields[chunk], inner_fields[chunk]
        F, weights, logs[chunk] = _prepare(
            log_outer, log_inner, *fields, counts, v[fixed_counts[chunk] :]
        )
        for a in range(weights.size):
            folded = _fold(F, low_boosts, high_boosts, counts[0][a], a)
            totals[chunk, a] = weights[a] * folded


@subroutine(forceinline=True)
def _weigh(tables, k, a, weight, by_low, by_high, margin):
    """Weights of one outer state, summed over h, over l, and (without F) into ``margin``."""
    F, F_transposed, low, high = tables
    lows = load(low, (a, 0), _LOW) * weight
    row = splat(0.0, _LOW)
    for h in range(high.shape[1]):
        row = fma(load(F, (k, h * _LOW), _LOW), high[a, h], row)
        place = (k, h * _LOW)
        store(margin, place, fma(lows, high[a, h], load(margin, place, _LOW)))
    store(by_low, 0, row * lows)
    for first in range(0, high.shape[1], _LOW):
        row = splat(0.0, _LOW)
        for s in range(_LOW):
            row = fma(load(F_transposed, (k, s, first), _LOW), low[a, s], row)
        store(by_high, first, row * (load(high, (a, first), _LOW) * weight))


@subroutine
def _transposed(F):
    """F with the high states last, (n_counts, 16, n_high)."""
    out = np.empty((F.shape[0], _LOW, F.shape[1] // _LOW))
    for k in range(F.shape[0]):
        for s in range(F.shape[1]):
            out[k, s % _LOW, s // _LOW] = F[k, s]
    return out


@subroutine
def _add_counts(by_count, margin, inner_counts, k):
    for s in range(margin.size):
        by_count[k + inner_counts[s]] += margin[s]


@subroutine
def _walk(F, low_boosts, high_boosts, weights, counts, sums):
    """All moments of one chunk, from its scaled tables."""
    outer, outer_pairs, inner_pairs, by_count = sums
    outer_counts, inner_counts = counts
    margin, tables = np.zeros(F.shape), (F, _transposed(F), low_boosts, high_boosts)
    by_low, by_high = np.empty(_LOW), np.empty(high_boosts.shape[1])
    row, totals = np.empty(outer.shape[1]), np.empty(weights.size)
    outer[:] = 0.0
    for a in range(weights.size):
        _weigh(tables, outer_counts[a], a, weights[a], by_low, by_high, margin)
        sums_of_bits(by_high, row[LOW_UNITS:])  # its total is overwritten by a low unit
        sums_of_bits(by_low, row[: 1 + LOW_UNITS])
        totals[a] = row[0]
        outer[0] += row
        for n in range(outer_pairs.shape[0]):
            if (a >> n) & 1:
                outer[1 + n] += row
    margin *= F
    by_count[:] = 0.0
    for k in range(F.shape[0]):
        _add_counts(by_count, margin[k], inner_counts, k)
        if k:
            margin[0] += margin[k]
    sums_of_pairs(margin[0], inner_pairs)
    sums_of_pairs(totals, outer_pairs)


# Sums of 1, x_n, x_n x_m and of all states with K active units over a run of chunks.
# Costs three multiply-adds per state and about n_units**2 operations per outer state.
# Pinned by tests/kernels/cpu/test_counted.py against enumeration.
@kernel(parallel=True)
def counted_moment_chunks(
    log_outer, log_inner, outer_fields, inner_fields, low_boosts, high_boosts, counts,
    fixed_counts, v, outer, outer_pairs, inner_pairs, by_count, logs,
):  # fmt: skip
    """Unnormalised moments within each chunk; arguments as above and in ``pair_moment_chunks``.

    There are 2**8 inner states or more. ``by_count`` (n_chunks, n_units + 1) is written: sums over
    states by their active units, those of the fixed units included.
    """
    for chunk in prange(logs.size):
        fields, first = (outer_fields[chunk], inner_fields[chunk]), fixed_counts[chunk]
        F, weights, logs[chunk] = _prepare(log_outer, log_inner, *fields, counts, v[first:])
        by_count[chunk, :first] = 0.0
        sums = outer[chunk], outer_pairs[chunk], inner_pairs[chunk], by_count[chunk, first:]
        _walk(F, low_boosts, high_boosts, weights, counts, sums)
