"""Sums over all states of a chunk of units by folding (METHOD section 5).

The units are split in three: C is fixed within a chunk, A is walked and B is folded. For one
outer state a the sum over the inner states b is

    sum_b f(b) * prod_j g_j(a)**b_j * prod_i (sbar_i(a) + s_i(a) * e_i(b))

and every factor of it comes from a small table. ``LANES`` outer states share each entry of the
inner tables, so a state costs one multiply-add (and two more operations per hidden unit that
has weights into B) and next to no memory traffic; nothing is accumulated along the walk, hence
there is no drift that a Gray code would bring. All terms are positive; the caller splits the
units so that no term of weight can leave the range of a double.
"""

import numpy as np
from numba import njit, prange

from .elementary import exp, log
from .lanes import fma, like, load, select, splat, store

#: Outer states folded together: two AVX-512 registers, so that each inner entry is used twice.
LANES = 16
#: B is folded this many units at a time, in registers; its size is a multiple of it.
RADIX_BITS = 4
_BLOCK = 1 << RADIX_BITS
#: Inner states whose products over hidden units are in registers together.
QUAD = 4


@njit(inline="always")
def _pair(rows, i, g):
    return fma(g, load(rows, (i + 1, 0), LANES), load(rows, (i, 0), LANES))


@njit(inline="always")
def _four(rows, i, g0, g1):
    return fma(g1, _pair(rows, i + 2, g0), _pair(rows, i, g0))


@njit(cache=True)
def _fold_rows(rows, boosts, row, unit):
    """Fold sixteen rows by the boosts of four units from ``unit`` on."""
    g0 = load(boosts, (row, unit, 0), LANES)
    g1 = load(boosts, (row, unit + 1, 0), LANES)
    g2 = load(boosts, (row, unit + 2, 0), LANES)
    g3 = load(boosts, (row, unit + 3, 0), LANES)
    low = fma(g2, _four(rows, 4, g0, g1), _four(rows, 0, g0, g1))
    high = fma(g2, _four(rows, 12, g0, g1), _four(rows, 8, g0, g1))
    return fma(g3, high, low)


@njit(inline="always")
def _leaf_pair(f, i, g):
    return fma(g, splat(f[i + 1], LANES), splat(f[i], LANES))


@njit(inline="always")
def _leaf_four(f, i, g0, g1):
    return fma(g1, _leaf_pair(f, i + 2, g0), _leaf_pair(f, i, g0))


@njit(inline="always")
def _fold_leaf(f, i, g0, g1, g2, g3):
    """Fold sixteen inner weights, the same for all lanes."""
    low = fma(g2, _leaf_four(f, i + 4, g0, g1), _leaf_four(f, i, g0, g1))
    high = fma(g2, _leaf_four(f, i + 12, g0, g1), _leaf_four(f, i + 8, g0, g1))
    return fma(g3, high, low)


@njit(cache=True)
def _multiply_hidden(f, gains, block, on, off, rows):
    """Weights of sixteen inner states times their hidden units' factors, one row per state."""
    for quad in range(block * _BLOCK // QUAD, (block + 1) * _BLOCK // QUAD):
        p0 = splat(f[quad * QUAD], LANES)
        p1 = splat(f[quad * QUAD + 1], LANES)
        p2 = splat(f[quad * QUAD + 2], LANES)
        p3 = splat(f[quad * QUAD + 3], LANES)
        for i in range(gains.shape[1]):
            s = load(on, (i, 0), LANES)
            sbar = load(off, (i, 0), LANES)
            p0 = p0 * fma(s, splat(gains[quad, i, 0], LANES), sbar)
            p1 = p1 * fma(s, splat(gains[quad, i, 1], LANES), sbar)
            p2 = p2 * fma(s, splat(gains[quad, i, 2], LANES), sbar)
            p3 = p3 * fma(s, splat(gains[quad, i, 3], LANES), sbar)
        first = (quad * QUAD) % _BLOCK
        store(rows, (first, 0), p0)
        store(rows, (first + 1, 0), p1)
        store(rows, (first + 2, 0), p2)
        store(rows, (first + 3, 0), p3)


@njit(cache=True)
def _fold_inner(f, gains, boosts, row, on, off, scratch):
    """Sum over all inner states for one row of outer states."""
    n_blocks = f.size // _BLOCK
    per_group = min(n_blocks, _BLOCK)
    has_hidden = gains.shape[1] > 0
    g0 = load(boosts, (row, 0, 0), LANES)
    g1 = load(boosts, (row, 1, 0), LANES)
    g2 = load(boosts, (row, 2, 0), LANES)
    g3 = load(boosts, (row, 3, 0), LANES)
    for group in range(n_blocks // per_group):
        for member in range(per_group):
            block = group * per_group + member
            if has_hidden:
                _multiply_hidden(f, gains, block, on, off, scratch[0])
                folded = _fold_rows(scratch[0], boosts, row, 0)
            else:
                folded = _fold_leaf(f, block * _BLOCK, g0, g1, g2, g3)
            store(scratch, (1, member, 0), folded)
        if per_group > 1:
            folded = _fold_rows(scratch[1], boosts, row, RADIX_BITS)
        store(scratch, (2, group, 0), folded)
    if n_blocks > per_group:
        folded = _fold_rows(scratch[2], boosts, row, 2 * RADIX_BITS)
    return folded


@njit(cache=True)
def gate(z):
    """sigmoid(z), sigmoid(-z) and softplus(z) of each lane from one exponential."""
    zero = like(z, 0.0)
    e = exp(select(z < zero, z, zero - z))
    one_more = like(z, 1.0) + e
    large = like(z, 1.0) / one_more
    small = e * large
    positive = z > zero
    softplus = select(positive, z, zero) + log(one_more)
    return select(positive, large, small), select(positive, small, large), softplus


@njit(cache=True)
def tilt(log_weights, fields, out):
    """Add a linear term to a table over states: out[s] = log_weights[s] + sum_k s_k fields[k]."""
    out[0] = 0.0
    for k in range(fields.size):
        half = 1 << k
        for s in range(half):
            out[half + s] = out[s] + fields[k]
    for s in range(out.size):
        out[s] += log_weights[s]


@njit(cache=True)
def exponentiate(table, centres):
    """Replace a table of logs by exp(log - largest - centre); return the largest, in nats."""
    highest = load(table, 0, LANES)
    for s in range(LANES, table.size, LANES):
        row = load(table, s, LANES)
        highest = select(row > highest, row, highest)
    ends = np.empty(LANES)
    store(ends, 0, highest)
    largest = ends[0]
    for end in ends[1:]:
        largest = max(largest, end)
    for s in range(0, table.size, LANES):
        row = load(table, s, LANES)
        store(table, s, exp(row - like(row, largest) - load(centres, s, LANES)))
    return largest


# Sums over the inner states of every outer state, for a run of chunks.
# Costs one multiply-add per state and two operations more per state and inner hidden unit.
# Pinned by tests/kernels/cpu/test_fold.py against enumeration.
@njit(cache=True, parallel=True)
def fold_chunks(
    log_outer,
    log_inner,
    centres,
    outer_fields,
    inner_fields,
    boosts,
    outer_z,
    chunk_z,
    gains,
    totals,
    logs,
):
    """Weights of the outer states, summed over the inner ones.

    Parameters
    ----------
    log_outer, log_inner : (n_outer,), (n_inner,)
        Log weights of a alone and of b alone; powers of two from ``LANES`` up, ``n_inner``
        one of 2**4, 2**8, 2**12.
    centres : (n_inner,)
        The part of ``log_inner`` that stands for the middle of the hidden units' factors, which
        sets the scale and is then taken out again.
    outer_fields, inner_fields : (n_chunks, n_units_a), (n_chunks, n_units_b)
        What the fixed units of each chunk add to the biases.
    boosts : (n_outer / LANES, n_units_b, LANES)
        g_j(a) for each row of outer states.
    outer_z, chunk_z : (n_outer / LANES, n_hidden, LANES), (n_chunks, n_hidden)
        Hidden inputs from a, and from the chunk's units with the hidden biases.
    gains : (n_inner / QUAD, n_inner_hidden, QUAD)
        e_i(b) of the hidden units with weights into B, which come first among all.
    totals : (n_chunks, n_outer)
        Written: sum over b for each a, divided by exp(logs[chunk]).
    logs : (n_chunks,)
        Written: log scale of each chunk, nats.
    """
    n_hidden = outer_z.shape[1]
    no_centres = np.zeros(log_outer.size)
    for chunk in prange(totals.shape[0]):
        f = np.empty(log_inner.size)
        tilt(log_inner, inner_fields[chunk], f)
        scale = exponentiate(f, centres)
        weights = np.empty(log_outer.size)
        tilt(log_outer, outer_fields[chunk], weights)
        on = np.empty((n_hidden, LANES))
        off = np.empty((n_hidden, LANES))
        scratch = np.empty((3, _BLOCK, LANES))
        for row in range(boosts.shape[0]):
            log_weight = load(weights, row * LANES, LANES)
            for i in range(n_hidden):
                z = load(outer_z, (row, i, 0), LANES)
                s, sbar, softplus = gate(z + like(z, chunk_z[chunk, i]))
                store(on, (i, 0), s)
                store(off, (i, 0), sbar)
                log_weight = log_weight + softplus
            store(weights, row * LANES, log_weight)
            folded = _fold_inner(f, gains, boosts, row, on, off, scratch)
            store(totals, (chunk, row * LANES), folded)
        logs[chunk] = scale + exponentiate(weights, no_centres)
        for s in range(0, weights.size, LANES):
            row_total = load(totals, (chunk, s), LANES)
            store(totals, (chunk, s), row_total * load(weights, s, LANES))
