"""Sums over all states of a chunk of units by folding (docs/method.md, section 5).

The units are split in three: C is fixed within a chunk, A is walked and B is folded. ``LANES``
outer states share each entry of the inner tables, so that there is next to no memory traffic;
nothing is accumulated along the walk, hence there is no drift that a Gray code would bring. The
caller splits the units so that no term of weight can leave the range of a double.
"""

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from ..simd.elementary import exp, gate
from ..simd.groups import GROUP, tile, unpack_rows
from ..simd.lanes import fma, reduce_max, vmax
from ..simd.memory import broadcast_group, load, load_group, store

#: Outer states folded together: two AVX-512 registers, so that each inner entry is used twice.
LANES = 16
#: B is folded this many units at a time, in registers; its size is a multiple of it.
RADIX_BITS = 4
_BLOCK = 1 << RADIX_BITS


@subroutine(forceinline=True)
def _fold_four(states, g0, g1):
    x0, x1, x2, x3 = unpack_rows(states)
    return fma(g1, fma(g0, x3, x2), fma(g0, x1, x0))


@subroutine(forceinline=True)
def _fold_sixteen(a, b, c, d, exp_fields):
    """Fold sixteen states, four to a group, by exp(fields) of four units."""
    g0, g1, g2, g3 = unpack_rows(exp_fields)
    low = fma(g2, _fold_four(b, g0, g1), _fold_four(a, g0, g1))
    high = fma(g2, _fold_four(d, g0, g1), _fold_four(c, g0, g1))
    return fma(g3, high, low)


@subroutine
def _fold_rows(rows, exp_fields, row, unit):
    """Fold sixteen rows by exp(fields) of four units from ``unit`` on."""
    return _fold_sixteen(
        load_group(rows, (0, 0), LANES),
        load_group(rows, (4, 0), LANES),
        load_group(rows, (8, 0), LANES),
        load_group(rows, (12, 0), LANES),
        load_group(exp_fields, (row, unit, 0), LANES),
    )


@subroutine
def _multiply_hidden(f, gains, block, on, off, rows):
    """Weights of sixteen inner states times their hidden units' factors, one row per state."""
    for first in range(0, _BLOCK, GROUP):
        p = broadcast_group(f, block * _BLOCK + first, LANES)
        group = (block * _BLOCK + first) // GROUP
        for i in range(gains.shape[1]):
            e = broadcast_group(gains, (group, i, 0), LANES)
            p = p * fma(tile(load(on, (i, 0), LANES)), e, tile(load(off, (i, 0), LANES)))
        store(rows, (first, 0), p)


@subroutine
def _fold_inner(f, gains, exp_fields, row, on, off, scratch):
    """Sum over all inner states for one row of outer states."""
    n_blocks = f.size // _BLOCK
    per_group = min(n_blocks, _BLOCK)
    lowest_exp_fields = load_group(exp_fields, (row, 0, 0), LANES)
    for group in range(n_blocks // per_group):
        for member in range(per_group):
            block = group * per_group + member
            if gains.shape[1] > 0:
                _multiply_hidden(f, gains, block, on, off, scratch[0])
                folded = _fold_rows(scratch[0], exp_fields, row, 0)
            else:
                i = block * _BLOCK
                folded = _fold_sixteen(
                    broadcast_group(f, i, LANES),
                    broadcast_group(f, i + 4, LANES),
                    broadcast_group(f, i + 8, LANES),
                    broadcast_group(f, i + 12, LANES),
                    lowest_exp_fields,
                )
            store(scratch, (1, member, 0), folded)
        if per_group > 1:
            folded = _fold_rows(scratch[1], exp_fields, row, RADIX_BITS)
        store(scratch, (2, group, 0), folded)
    if n_blocks > per_group:
        folded = _fold_rows(scratch[2], exp_fields, row, 2 * RADIX_BITS)
    return folded


@subroutine
def tilt(log_weights, fields):
    """Table over states with a linear term added: log_weights[s] + sum_k s_k fields[k]."""
    out = np.zeros(log_weights.size)
    for k in range(fields.size):
        half = 1 << k
        for s in range(half):
            out[half + s] = out[s] + fields[k]
    for s in range(out.size):
        out[s] += log_weights[s]
    return out


@subroutine
def exponentiate(table, log_midpoints):
    """Replace a table of logs by exp(log - largest - centre); return the largest, in nats."""
    highest = load(table, 0, LANES)
    for s in range(LANES, table.size, LANES):
        highest = vmax(load(table, s, LANES), highest)
    largest = reduce_max(highest)
    for s in range(0, table.size, LANES):
        store(table, s, exp(load(table, s, LANES) - largest - load(log_midpoints, s, LANES)))
    return largest


# Sums over the inner states of every outer state, for a run of chunks.
# Costs one multiply-add per state and two operations more per state and inner hidden unit.
# Pinned by tests/kernels/cpu/test_fold.py against enumeration.
@kernel(parallel=True)
def fold_chunks(
    log_outer, log_inner, log_midpoints, outer_fields, inner_fields, exp_fields, outer_z, chunk_z,
    gains, totals, logs,
):  # fmt: skip
    """Weights of the outer states, summed over the inner ones.

    Parameters
    ----------
    log_outer, log_inner : (n_outer,), (n_inner,)
        Log weights of a alone and of b alone; powers of two from ``LANES`` up, ``n_inner``
        one of 2**4, 2**8, 2**12.
    log_midpoints : (n_inner,)
        The part of ``log_inner`` that stands for the middle of the hidden units' factors, which
        sets the scale and is then taken out again.
    outer_fields, inner_fields : (n_chunks, n_units_a), (n_chunks, n_units_b)
        What the fixed units of each chunk add to the biases.
    exp_fields : (n_outer / LANES, n_units_b, LANES)
        g_j(a) for each row of outer states.
    outer_z, chunk_z : (n_outer / LANES, n_hidden, LANES), (n_chunks, n_hidden)
        Hidden inputs from a, and from the chunk's units with the hidden biases.
    gains : (n_inner / GROUP, n_inner_hidden, GROUP)
        e_i(b) of the hidden units with weights into B, which come first among all.
    totals, logs : (n_chunks, n_outer), (n_chunks,)
        Written: sum over b for each a, divided by exp(logs[chunk]), and this scale in nats.
    """
    n_hidden = outer_z.shape[1]
    no_midpoints = np.zeros(log_outer.size)
    for chunk in prange(totals.shape[0]):
        f = tilt(log_inner, inner_fields[chunk])
        scale = exponentiate(f, log_midpoints)
        weights = tilt(log_outer, outer_fields[chunk])
        on = np.empty((n_hidden, LANES))
        off = np.empty((n_hidden, LANES))
        scratch = np.empty((3, _BLOCK, LANES))
        for row in range(exp_fields.shape[0]):
            log_weight = load(weights, row * LANES, LANES)
            for i in range(n_hidden):
                z = load(outer_z, (row, i, 0), LANES)
                s, sbar, softplus = gate(z + chunk_z[chunk, i])
                store(on, (i, 0), s)
                store(off, (i, 0), sbar)
                log_weight = log_weight + softplus
            store(weights, row * LANES, log_weight)
            folded = _fold_inner(f, gains, exp_fields, row, on, off, scratch)
            store(totals, (chunk, row * LANES), folded)
        logs[chunk] = scale + exponentiate(weights, no_midpoints)
        for s in range(0, weights.size, LANES):
            row_total = load(totals, (chunk, s), LANES)
            store(totals, (chunk, s), row_total * load(weights, s, LANES))
