"""First and second moments of all states of a chunk of units, from one pass.

The units are split into fixed, outer and inner ones as in ``fold.py`` (docs/method.md, section 5),
but the lanes run over inner states and ``GROUP`` outer states share each row of the inner tables.
For each state the weight is built up hidden unit by hidden unit; its prefixes are kept, and on
the way back the product of the later factors completes each of them to weight / factor_i, so that

    weight * sigmoid(z_i) = s_i(a) * e_i(b) * (weight / factor_i)

takes no division. Sums of it over b for each a, and over a for each b, give all moments.
"""

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from ..simd.elementary import gate
from ..simd.groups import GROUP, group_dot, tile, unpack_rows
from ..simd.lanes import WIDTH, fma, reduce_add, splat
from ..simd.memory import broadcast_rows, load, load_group, store, store_rows
from .fold import exponentiate, tilt

#: log2 of WIDTH: inner units that vary along the lanes.
LANE_UNITS = 3


@subroutine(forceinline=True)
def _weigh(f, gains, on, off, starts, steps, first, prefixes, weights, by_outer, by_inner, margin):
    """Weights of GROUP outer states from ``first`` on with all inner states, summed both ways."""
    start = load_group(starts, (first, 0))
    for r in range(gains.shape[0]):
        p = tile(load(f, r * WIDTH)) * (start * broadcast_rows(steps, first, r))
        for i in range(gains.shape[1]):
            store(prefixes, (i, 0), p)
            e = tile(load(gains, (r, i, 0)))
            p = p * fma(broadcast_rows(on, first, i), e, broadcast_rows(off, first, i))
        store_rows(weights, 0, r * WIDTH, p)
        p0, p1, p2, p3 = unpack_rows(p)
        store(margin, r * WIDTH, load(margin, r * WIDTH) + ((p0 + p1) + (p2 + p3)))
        _complete(gains, on, off, first, r, prefixes, by_outer, by_inner)


@subroutine(forceinline=True)
def _complete(gains, on, off, first, r, prefixes, by_outer, by_inner):
    """Sum weight / factor_i over outer and inner states, hidden units in reverse order."""
    later = tile(splat(1.0, WIDTH))
    for i in range(gains.shape[1] - 1, -1, -1):
        e = tile(load(gains, (r, i, 0)))
        s = broadcast_rows(on, first, i)
        t = load_group(prefixes, (i, 0)) * later
        store(by_outer, (i, 0), fma(e, t, load_group(by_outer, (i, 0))))
        store(by_inner, (r, i, 0), load(by_inner, (r, i, 0)) + group_dot(s, t))
        later = later * fma(s, e, broadcast_rows(off, first, i))


@subroutine
def _fold_sums(table, out):
    """Write the sum of all states of a table and of those with each unit on; overwrites it."""
    half = table.size
    for unit in range(out.size - 1, LANE_UNITS, -1):
        half //= 2
        high_sum = splat(0.0, WIDTH)
        for s in range(0, half, WIDTH):
            high = load(table, half + s)
            high_sum = high_sum + high
            store(table, s, load(table, s) + high)
        out[unit] = reduce_add(high_sum)
    sums_of_bits(table[:WIDTH], out[: LANE_UNITS + 1])


@subroutine
def sums_of_bits(table, out):
    """Write the sum of a table over states, then of its states with each unit on; overwrites it."""
    half = table.size
    for unit in range(out.size - 2, -1, -1):
        half //= 2
        high_sum = 0.0
        for s in range(half):
            high = table[half + s]
            high_sum += high
            table[s] += high
        out[1 + unit] = high_sum
    out[0] = table[0]


@subroutine
def sums_of_pairs(table, out):
    """Write the sum of a table over its states with units n and m on; overwrites it."""
    half = table.size
    for n in range(out.shape[0] - 1, -1, -1):
        half //= 2
        sums = np.empty(n + 1)
        sums_of_bits(table[half : 2 * half].copy(), sums)
        out[n, n] = sums[0]
        for m in range(n):
            out[n, m] = out[m, n] = sums[1 + m]
        for s in range(half):
            table[s] += table[half + s]


@subroutine
def _open_gates(inputs, shifts, log_weights, on, off):
    """Sigmoids of every hidden unit for every outer state; adds softplus to the log weights."""
    for a in range(inputs.shape[0]):
        sums = splat(0.0, WIDTH)
        for i in range(0, inputs.shape[1], WIDTH):
            s, sbar, softplus = gate(load(inputs, (a, i)) + load(shifts, i))
            store(on, (a, i), s)
            store(off, (a, i), sbar)
            sums = sums + softplus
        log_weights[a] += reduce_add(sums)


@subroutine
def _summarise(a, sums, by_outer, on, n_inner_hidden, features, inner_hidden):
    """Sums over b of the weight, of b_j and of sigmoid(z_i) times it, for one outer state."""
    n_inner_units, n_hidden = inner_hidden.shape
    for j in range(1 + n_inner_units):
        features[j] = sums[j]
    for i in range(n_inner_hidden):
        total = reduce_add(load(by_outer, (i, a % GROUP * WIDTH)))
        features[1 + n_inner_units + i] = on[a, i] * total
    for i in range(n_inner_hidden, n_hidden):  # without weights into B: the same for all b
        features[1 + n_inner_units + i] = on[a, i] * sums[0]
        for j in range(n_inner_units):
            inner_hidden[j, i] += on[a, i] * sums[1 + j]


@subroutine
def _add_outer(a, features, outer):
    """Add one outer state's sums to the rows of the constant and of each unit that is on."""
    for start in range(0, features.size, WIDTH):
        added = load(features, start)
        store(outer, (0, start), load(outer, (0, start)) + added)
        for n in range(outer.shape[0] - 1):
            if (a >> n) & 1:
                store(outer, (1 + n, start), load(outer, (1 + n, start)) + added)


@subroutine
def _add_inner(gains, by_inner, inner_hidden):
    """Sums of sigmoid(z_i) times the weight over the states with each inner unit on."""
    table = np.empty(gains.shape[0] * WIDTH)
    sums = np.empty(1 + inner_hidden.shape[0])
    for i in range(gains.shape[1]):
        for r in range(gains.shape[0]):
            store(table, r * WIDTH, load(gains, (r, i, 0)) * load(by_inner, (r, i, 0)))
        _fold_sums(table, sums)
        for j in range(inner_hidden.shape[0]):
            inner_hidden[j, i] = sums[1 + j]


@subroutine
def _walk(f, gains, on, off, starts, steps, outer, outer_pairs, inner_pairs, inner_hidden):
    """All moments of one chunk, from its scaled tables."""
    n_inner_hidden = gains.shape[1]
    prefixes = np.empty((n_inner_hidden, GROUP * WIDTH))
    by_outer = np.empty((n_inner_hidden, GROUP * WIDTH))
    by_inner = np.zeros(gains.shape)
    weights, margin = np.empty((GROUP, f.size)), np.zeros(f.size)
    totals, sums = np.empty(starts.shape[0]), np.empty(1 + inner_hidden.shape[0])
    features = np.zeros(outer.shape[1])
    outer.fill(0.0)
    inner_hidden.fill(0.0)
    for first in range(0, totals.size, GROUP):
        by_outer.fill(0.0)
        _weigh(
            f, gains, on, off, starts, steps, first, prefixes, weights, by_outer, by_inner, margin
        )
        for k in range(GROUP):
            _fold_sums(weights[k], sums)
            totals[first + k] = sums[0]
            _summarise(first + k, sums, by_outer, on, n_inner_hidden, features, inner_hidden)
            _add_outer(first + k, features, outer)
    _add_inner(gains, by_inner, inner_hidden)
    sums_of_pairs(margin, inner_pairs)
    sums_of_pairs(totals, outer_pairs)


# Sums of 1, x_n, x_n x_m, sigmoid(z_i) and x_n sigmoid(z_i) over all states of a run of chunks.
# Costs seven operations per state and inner hidden unit, about eight more per state.
# Pinned by tests/kernels/cpu/test_exact.py against enumeration.
@kernel(parallel=True)
def moment_chunks(
    log_outer, log_inner, log_midpoints, outer_fields, inner_fields, low_exp_fields,
    high_exp_fields, outer_z, chunk_z, gains, outer, outer_pairs, inner_pairs, inner_hidden, logs,
):  # fmt: skip
    """Unnormalised moments within each chunk.

    Parameters
    ----------
    log_outer, log_inner, log_midpoints, outer_fields, inner_fields
        As for ``fold_chunks``.
    low_exp_fields, high_exp_fields : (n_outer, WIDTH), (n_outer, n_inner / WIDTH)
        prod_j g_j(a)**b_j over the lane units of B, and over the others.
    outer_z, chunk_z : (n_outer, n_padded_hidden), (n_chunks, n_padded_hidden)
        Hidden inputs from a, and from the chunk's units with the hidden biases; padded to a
        multiple of WIDTH with hidden units that are off.
    gains : (n_inner / WIDTH, n_inner_hidden, WIDTH)
        e_i(b) of the hidden units with weights into B, which come first among all.
    outer : (n_chunks, 1 + n_units_a, n_features)
        Written: sums of (1, a) times (1, b, sigmoid(z)), padded to a multiple of WIDTH.
    outer_pairs, inner_pairs : (n_chunks, n_units_a, n_units_a), (n_chunks, n_units_b, n_units_b)
        Written: sums of a_n a_m and of b_n b_m.
    inner_hidden, logs : (n_chunks, n_units_b, n_hidden), (n_chunks,)
        Written: sums of b_n sigmoid(z_i), and the log scale of each chunk's sums, nats.
    """
    no_midpoints = np.zeros(log_outer.size)
    for chunk in prange(logs.size):
        f = tilt(log_inner, inner_fields[chunk])
        scale = exponentiate(f, log_midpoints)
        weights = tilt(log_outer, outer_fields[chunk])
        on, off = np.empty(outer_z.shape), np.empty(outer_z.shape)
        _open_gates(outer_z, chunk_z[chunk], weights, on, off)
        logs[chunk] = scale + exponentiate(weights, no_midpoints)
        starts = np.empty(low_exp_fields.shape)
        for a in range(starts.shape[0]):
            store(starts, (a, 0), load(low_exp_fields, (a, 0)) * weights[a])
        _walk(
            f, gains, on, off, starts, high_exp_fields,
            outer[chunk], outer_pairs[chunk], inner_pairs[chunk], inner_hidden[chunk],
        )  # fmt: skip
