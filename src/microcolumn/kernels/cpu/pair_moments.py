"""First and second moments of all states of a chunk of units without hidden units.

Three small matrices hold every factor of the weight w(a) H(a, h) L(a, l) F(h, l) of a state whose
inner units are split once more, into high ones h and four low ones l. Three products

    sum_h H F,    sum_l L F',    sum_a (w H)' L

give the weights of all (a, l), of all (a, h) and of all (h, l), hence every pair moment, for
three multiply-adds per state; no pair of units is in none of them, so two would not do.
"""

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from ..simd.groups import GROUP, row_sums, tile, unpack_rows
from ..simd.lanes import fma, splat
from ..simd.memory import broadcast_group, broadcast_rows, load, load_group, load_rows, store
from .fold import LANES, exponentiate, tilt
from .moments import scale_rows, sums_of_bits, sums_of_pairs

#: Low inner units: sixteen states, one row of lanes.
LOW_UNITS = 4
#: Rows of a product that are in registers together, and outer states that stay in near memory.
_ROWS, _BLOCK = 2 * GROUP, 32


@subroutine(forceinline=True)
def _accumulate(left, right, column, out):
    """Add eight rows from ``column`` on of left' @ right."""
    y = load_group(out, (column, 0), LANES)
    z = load_group(out, (column + GROUP, 0), LANES)
    for a in range(right.shape[0]):
        row = tile(load(right, (a, 0), LANES))
        y = fma(broadcast_group(left, (a, column), LANES), row, y)
        z = fma(broadcast_group(left, (a, column + GROUP), LANES), row, z)
    store(out, (column, 0), y)
    store(out, (column + GROUP, 0), z)


@subroutine(forceinline=True)
def _add_row(table, i, column, row):
    store(table, (i, column), load(table, (i, column), LANES) + row)


@subroutine(forceinline=True)
def _sum_eight(left, right, scaled, column, first, block, by_unit):
    """Weights (left @ right) * scaled of eight outer states, summed with each outer unit on.

    Returns the sums over the lanes of the first four outer states, and of the others.
    """
    y = tile(splat(0.0, LANES))
    z = tile(splat(0.0, LANES))
    for k in range(right.shape[0]):
        row = tile(load(right, (k, 0), LANES))
        y = fma(broadcast_rows(left, first, k, LANES), row, y)
        z = fma(broadcast_rows(left, first + GROUP, k, LANES), row, z)
    y = y * load_rows(scaled, first, column, LANES)
    z = z * load_rows(scaled, first + GROUP, column, LANES)
    y0, y1, y2, y3 = unpack_rows(y)
    y4, y5, y6, y7 = unpack_rows(z)
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
    return row_sums(y), row_sums(z)


@subroutine
def _walk(F, lows, highs, weights, outer, outer_pairs, inner_pairs):
    """All moments of one chunk, from its scaled tables."""
    n_high = F.shape[0]
    F_transposed = np.empty((n_high // LANES, F.shape[1], LANES))
    for h in range(n_high):
        for k in range(F.shape[1]):
            F_transposed[h // LANES, k, h % LANES] = F[h, k]
    scaled_lows, scaled_highs = np.empty((_BLOCK, LANES)), np.empty((_BLOCK, n_high))
    by_low, by_high = np.zeros((outer.shape[0], LANES)), np.zeros((outer.shape[0], n_high))
    margin = np.zeros(F.shape)
    totals = np.empty(weights.size)
    for block in range(0, weights.size, _BLOCK):
        low, high = lows[block : block + _BLOCK], highs[block : block + _BLOCK]
        scale_rows(low, weights, block, scaled_lows)
        scale_rows(high, weights, block, scaled_highs)
        for first in range(0, low.shape[0], _ROWS):
            sums = _sum_eight(high, F, scaled_lows, 0, first, block, by_low)
            store(totals, block + first, sums[0])
            store(totals, block + first + GROUP, sums[1])
            for part in range(F_transposed.shape[0]):
                column = part * LANES
                _sum_eight(low, F_transposed[part], scaled_highs, column, first, block, by_high)
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
@kernel(parallel=True)
def pair_moment_chunks(
    log_outer, log_inner, outer_fields, inner_fields, low_boosts, high_boosts, outer, outer_pairs,
    inner_pairs, logs,
):  # fmt: skip
    """Unnormalised moments within each chunk; other arguments are as for ``moment_chunks``.

    Parameters
    ----------
    log_outer, log_inner : (n_outer,), (n_high * LANES,)
        Log weights of a alone and of b alone; ``n_outer`` and ``n_high`` are powers of two from
        ``LANES`` up.
    low_boosts, high_boosts : (n_outer, LANES), (n_outer, n_high)
        prod_j g_j(a)**b_j over the low and over the high units of B.
    outer : (n_chunks, 1 + n_units_a, 1 + n_units_b)
        Written: sums of (1, a) times (1, b).
    """
    no_centres = np.zeros(max(log_inner.size, log_outer.size))
    for chunk in prange(logs.size):
        f = tilt(log_inner, inner_fields[chunk])
        weights = tilt(log_outer, outer_fields[chunk])
        logs[chunk] = exponentiate(f, no_centres) + exponentiate(weights, no_centres)
        F = f.reshape(f.size // LANES, LANES)
        sums = outer[chunk], outer_pairs[chunk], inner_pairs[chunk]
        _walk(F, low_boosts, high_boosts, weights, *sums)
