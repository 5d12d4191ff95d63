"""First and second moments of all states of a chunk of units without hidden units.

Three small matrices hold every factor of the weight w(a) H(a, h) L(a, l) F(h, l) of a state whose
inner units are split once more, into high ones h and four low ones l. Three products

    sum_h H F,    sum_l L F',    sum_a (w H)' L

give the weights of all (a, l), of all (a, h) and of all (h, l), hence every pair moment, for
three multiply-adds per state; no pair of units is in none of them, so two would not do.
"""

import numpy as np
from numba import njit, prange

from .fold import LANES, exponentiate, tilt
from .lanes import fma, load, splat, store, total
from .moments import sums_of_bits, sums_of_pairs

#: Low inner units: sixteen states, one row of lanes.
LOW_UNITS = 4
#: Rows of a product that are in registers together, and outer states that stay in near memory.
_ROWS, _BLOCK = 8, 32


@njit(inline="always")
def _eight_rows(left, first, right):
    """Eight rows from ``first`` on of left @ right."""
    y0 = splat(0.0, LANES)
    y1 = splat(0.0, LANES)
    y2 = splat(0.0, LANES)
    y3 = splat(0.0, LANES)
    y4 = splat(0.0, LANES)
    y5 = splat(0.0, LANES)
    y6 = splat(0.0, LANES)
    y7 = splat(0.0, LANES)
    for k in range(right.shape[0]):
        row = load(right, (k, 0), LANES)
        y0 = fma(splat(left[first, k], LANES), row, y0)
        y1 = fma(splat(left[first + 1, k], LANES), row, y1)
        y2 = fma(splat(left[first + 2, k], LANES), row, y2)
        y3 = fma(splat(left[first + 3, k], LANES), row, y3)
        y4 = fma(splat(left[first + 4, k], LANES), row, y4)
        y5 = fma(splat(left[first + 5, k], LANES), row, y5)
        y6 = fma(splat(left[first + 6, k], LANES), row, y6)
        y7 = fma(splat(left[first + 7, k], LANES), row, y7)
    return y0, y1, y2, y3, y4, y5, y6, y7


@njit(inline="always")
def _accumulate(left, right, column, out):
    """Add eight rows from ``column`` on of left' @ right."""
    y0 = load(out, (column, 0), LANES)
    y1 = load(out, (column + 1, 0), LANES)
    y2 = load(out, (column + 2, 0), LANES)
    y3 = load(out, (column + 3, 0), LANES)
    y4 = load(out, (column + 4, 0), LANES)
    y5 = load(out, (column + 5, 0), LANES)
    y6 = load(out, (column + 6, 0), LANES)
    y7 = load(out, (column + 7, 0), LANES)
    for a in range(right.shape[0]):
        row = load(right, (a, 0), LANES)
        y0 = fma(splat(left[a, column], LANES), row, y0)
        y1 = fma(splat(left[a, column + 1], LANES), row, y1)
        y2 = fma(splat(left[a, column + 2], LANES), row, y2)
        y3 = fma(splat(left[a, column + 3], LANES), row, y3)
        y4 = fma(splat(left[a, column + 4], LANES), row, y4)
        y5 = fma(splat(left[a, column + 5], LANES), row, y5)
        y6 = fma(splat(left[a, column + 6], LANES), row, y6)
        y7 = fma(splat(left[a, column + 7], LANES), row, y7)
    store(out, (column, 0), y0)
    store(out, (column + 1, 0), y1)
    store(out, (column + 2, 0), y2)
    store(out, (column + 3, 0), y3)
    store(out, (column + 4, 0), y4)
    store(out, (column + 5, 0), y5)
    store(out, (column + 6, 0), y6)
    store(out, (column + 7, 0), y7)


@njit(inline="always")
def _add_row(table, i, column, row):
    store(table, (i, column), load(table, (i, column), LANES) + row)


@njit(inline="always")
def _sum_group(left, right, scaled, column, first, block, by_unit):
    """Weights (left @ right) * scaled of eight outer states, summed with each outer unit on.

    Returns them summed over the lanes, one outer state per lane.
    """
    y0, y1, y2, y3, y4, y5, y6, y7 = _eight_rows(left, first, right)
    y0 = y0 * load(scaled, (first, column), LANES)
    y1 = y1 * load(scaled, (first + 1, column), LANES)
    y2 = y2 * load(scaled, (first + 2, column), LANES)
    y3 = y3 * load(scaled, (first + 3, column), LANES)
    y4 = y4 * load(scaled, (first + 4, column), LANES)
    y5 = y5 * load(scaled, (first + 5, column), LANES)
    y6 = y6 * load(scaled, (first + 6, column), LANES)
    y7 = y7 * load(scaled, (first + 7, column), LANES)
    second, last = y2 + y3, y6 + y7
    high = (y4 + y5) + last
    everything = ((y0 + y1) + second) + high
    _add_row(by_unit, 0, column, everything)
    _add_row(by_unit, 1, column, (y1 + y3) + (y5 + y7))
    _add_row(by_unit, 2, column, second + last)
    _add_row(by_unit, 3, column, high)
    for n in range(3, by_unit.shape[0] - 1):
        if ((block + first) >> n) & 1:
            _add_row(by_unit, 1 + n, column, everything)
    return total(y0), total(y1), total(y2), total(y3), total(y4), total(y5), total(y6), total(y7)


@njit(cache=True)
def _transpose(F):
    """F' with its columns in groups of a row of lanes: (n_high / LANES, n_low, LANES)."""
    out = np.empty((F.shape[0] // LANES, F.shape[1], LANES))
    for h in range(F.shape[0]):
        for k in range(F.shape[1]):
            out[h // LANES, k, h % LANES] = F[h, k]
    return out


@njit(cache=True)
def _scale_rows(rows, weights, first, out):
    """Each row times the weight of its outer state."""
    for a in range(rows.shape[0]):
        weight = splat(weights[first + a], LANES)
        for column in range(0, rows.shape[1], LANES):
            store(out, (a, column), load(rows, (a, column), LANES) * weight)


@njit(cache=True)
def _walk(F, lows, highs, weights, outer, outer_pairs, inner_pairs):
    """All moments of one chunk, from its scaled tables."""
    n_high = F.shape[0]
    F_transposed = _transpose(F)
    scaled_lows, scaled_highs = np.empty((_BLOCK, LANES)), np.empty((_BLOCK, n_high))
    by_low, by_high = np.zeros((outer.shape[0], LANES)), np.zeros((outer.shape[0], n_high))
    margin = np.zeros(F.shape)
    totals = np.empty(weights.size)
    for block in range(0, weights.size, _BLOCK):
        low, high = lows[block : block + _BLOCK], highs[block : block + _BLOCK]
        _scale_rows(low, weights, block, scaled_lows)
        _scale_rows(high, weights, block, scaled_highs)
        for first in range(0, low.shape[0], _ROWS):
            sums = _sum_group(high, F, scaled_lows, 0, first, block, by_low)
            for r in range(_ROWS):
                totals[block + first + r] = sums[r]
            for part in range(F_transposed.shape[0]):
                _sum_group(
                    low, F_transposed[part], scaled_highs, part * LANES, first, block, by_high
                )
        for column in range(0, n_high, _ROWS):
            _accumulate(scaled_highs, low, column, margin)
    for n in range(outer.shape[0]):
        sums_of_bits(by_high[n], outer[n, LOW_UNITS:])  # its total is overwritten by a low unit
        sums_of_bits(by_low[n], outer[n, : 1 + LOW_UNITS])
    for h in range(n_high):
        store(margin, (h, 0), load(margin, (h, 0), LANES) * load(F, (h, 0), LANES))
    sums_of_pairs(margin.ravel(), inner_pairs)
    sums_of_pairs(totals, outer_pairs)


# Sums of 1, x_n and x_n x_m over all states of a run of chunks, without hidden units.
# Costs three multiply-adds per state and about 40 vector operations per outer state.
# Pinned by tests/kernels/cpu/test_pair_moments.py against enumeration.
@njit(cache=True, parallel=True)
def pair_moment_chunks(
    log_outer,
    log_inner,
    outer_fields,
    inner_fields,
    low_boosts,
    high_boosts,
    outer,
    outer_pairs,
    inner_pairs,
    logs,
):
    """Unnormalised moments within each chunk.

    Parameters
    ----------
    log_outer, log_inner : (n_outer,), (n_high * LANES,)
        Log weights of a alone and of b alone; ``n_outer`` and ``n_high`` are powers of two from
        ``LANES`` up.
    outer_fields, inner_fields : (n_chunks, n_units_a), (n_chunks, n_units_b)
        What the fixed units of each chunk add to the biases.
    low_boosts, high_boosts : (n_outer, LANES), (n_outer, n_high)
        prod_j g_j(a)**b_j over the low and over the high units of B.
    outer : (n_chunks, 1 + n_units_a, 1 + n_units_b)
        Written: sums of (1, a) times (1, b).
    outer_pairs, inner_pairs : (n_chunks, n_units_a, n_units_a), (n_chunks, n_units_b, n_units_b)
        Written: sums of a_n a_m and of b_n b_m.
    logs : (n_chunks,)
        Written: log scale of each chunk's sums, nats.
    """
    no_centres = np.zeros(max(log_inner.size, log_outer.size))
    for chunk in prange(logs.size):
        f = np.empty(log_inner.size)
        tilt(log_inner, inner_fields[chunk], f)
        weights = np.empty(log_outer.size)
        tilt(log_outer, outer_fields[chunk], weights)
        logs[chunk] = exponentiate(f, no_centres) + exponentiate(weights, no_centres)
        _walk(
            f.reshape(f.size // LANES, LANES),
            low_boosts,
            high_boosts,
            weights,
            outer[chunk],
            outer_pairs[chunk],
            inner_pairs[chunk],
        )
