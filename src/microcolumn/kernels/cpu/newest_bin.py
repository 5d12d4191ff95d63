"""Log odds of each unit of a window's newest bin given its past (docs/method.md, section 6).

For one past the weight of a state s of the newest bin is, up to a constant,

    prod_k g_k**s_k * prod_{j<k} exp(2 J_jk s_j s_k) * prod_i (r_i + E_i(s)),

g_k = exp(field_k), r_i = exp(-z_i), E_i(s) = exp(sum_k W_ki s_k): the hidden unit's 1 + exp(input)
divided by exp(z_i), which the past fixes. So an element costs one addition and one
multiplication, all terms are positive, and E does not depend on the past.

The states are built up unit by unit: the table of the first k units is doubled by unit k, and a
hidden unit is multiplied in as soon as all units it has weights onto are there, so that a sparse
hidden unit meets few states. The lanes run over the states of the first three units; the others
number the rows, and E of a row is low_i(lane) * high_i(row). ``BLOCK`` pasts share it; they are
weighed ``GROUP`` at a time, side by side.

Where the products could leave the range of a double, their powers of two are taken out and counted
separately for each state after each of the stretches that the caller cuts the hidden units into.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from ..simd.elementary import frexp, log
from ..simd.groups import GROUP, row_maxima, row_sums, tile
from ..simd.lanes import WIDTH, convert, reinterpret, select, splat, vmax, vmin
from ..simd.memory import broadcast_rows, load, load_group, store
from ..simd.views import views

#: Units that vary along the lanes: log2 of WIDTH.
LANE_UNITS = 3
#: Pasts that share the rows of E.
BLOCK = 4 * GROUP
#: Blocks that one thread takes with the same scratch, whose pages are then there.
_TASK_BLOCKS = 16
#: A share of the weight below this may have lost states that left the range of a double.
_SMALLEST_SHARE = 1e-250
#: Powers of two below this are taken for it: the smallest normal number is 2**-1022.
_LOWEST_POWER = -1022.0


class Newest(NamedTuple):
    """What the kernel reads. Pasts are a multiple of ``BLOCK``, units at least ``LANE_UNITS``.

    A row (k, start, stop) of ``stretches`` says that hidden units start to stop - 1 have weights
    onto the first k units only; k grows by at most one from row to row and ends with all units.
    """

    boosts: np.ndarray  # (n_pasts, n_units) g_k
    r: np.ndarray  # (n_pasts, n_hidden) exp(-z_i)
    low: np.ndarray  # (n_hidden, WIDTH) E of the states of the first LANE_UNITS units
    high: np.ndarray  # (n_rows, n_hidden) E of the states of the others
    pair_low: np.ndarray  # (n_units, WIDTH) exp(sum_{j<k} 2 J_jk s_j) for each unit k, likewise
    pair_high: np.ndarray  # (n_rows, n_units)
    stretches: np.ndarray  # (n_stretches, 3), int64


class _Scratch(NamedTuple):
    weights: np.ndarray  # (n_groups, n_rows, GROUP, WIDTH) of all states of a block
    powers: np.ndarray  # the powers of two taken out of them
    gains: np.ndarray  # (n_hidden, WIDTH) rows of E
    active: np.ndarray  # (LANE_UNITS, WIDTH) states of the units along the lanes
    tops: np.ndarray  # (GROUP, 1) the largest powers


@subroutine
def _begin(newest, scratch, first):
    """States of the units along the lanes, each with the boosts and couplings of its units."""
    weights, powers = scratch.weights, scratch.powers
    boosts, pair_low = newest.boosts, newest.pair_low
    for past in range(BLOCK):
        group, member = past // GROUP, past % GROUP
        weights[group, 0, member, 0] = 1.0
        for k in range(LANE_UNITS):
            for s in range(1 << k):
                boost = boosts[first + past, k] * pair_low[k, s]
                weights[group, 0, member, (1 << k) + s] = weights[group, 0, member, s] * boost
        for s in range(WIDTH):
            powers[group, 0, member, s] = 0.0


@subroutine
def _extend(newest, scratch, first, j, wide):
    """Double the states if stretch ``j`` of the hidden units needs to, and multiply it in.

    The new states come from those before them, so the last row is made first.
    """
    weights, powers, gains = scratch.weights, scratch.powers, scratch.gains
    boosts, r, low, high = newest.boosts, newest.r, newest.low, newest.high
    stretches = newest.stretches
    n_units, start, stop = stretches[j, 0], stretches[j, 1], stretches[j, 2]
    n_before = stretches[j - 1, 0] if j else LANE_UNITS
    n_rows, n_old, k = 1 << (n_units - LANE_UNITS), 1 << (n_before - LANE_UNITS), n_units - 1
    coupled = load(newest.pair_low, (k, 0))
    for place in range(n_rows - 1, -1, -1):
        source = place & (n_old - 1)
        for i in range(start, stop):
            store(gains, (i, 0), load(low, (i, 0)) * high[place, i])
        pairs = tile(coupled * newest.pair_high[source, k])
        for group in range(BLOCK // GROUP):
            past = first + group * GROUP
            p = load_group(weights, (group, source, 0, 0))
            if place != source:
                p = p * (pairs * broadcast_rows(boosts, past, k))
            for i in range(start, stop):
                p = p * (tile(load(gains, (i, 0))) + broadcast_rows(r, past, i))
            if wide:
                p, power = frexp(p)
                power = power + load_group(powers, (group, source, 0, 0))
                store(powers, (group, place, 0, 0), power)
            store(weights, (group, place, 0, 0), p)


@subroutine
def _restore_powers(scratch, group):
    """Multiply the powers of two back in, the largest of each past's being one."""
    weights, powers, tops = scratch.weights, scratch.powers, scratch.tops
    n_rows = weights.shape[1]
    highest = load_group(powers, (group, 0, 0, 0))
    for place in range(1, n_rows):
        highest = vmax(highest, load_group(powers, (group, place, 0, 0)))
    store(tops, (0, 0), row_maxima(highest))
    top = broadcast_rows(tops, 0, 0)
    for place in range(n_rows):
        power = load_group(powers, (group, place, 0, 0)) - top
        power = convert(vmax(power, _LOWEST_POWER), np.int64)
        scale = reinterpret((power + 1023) << 52, np.float64)
        store(weights, (group, place, 0, 0), load_group(weights, (group, place, 0, 0)) * scale)


@subroutine(forceinline=True)
def _log_odds(on, off):
    """log(on / off), or NaN where one of them is too small a share to be trusted."""
    both = on + off
    odds = log(on / both) - log(off / both)
    return select(vmin(on, off) > both * _SMALLEST_SHARE, odds, np.nan)


@subroutine
def _fold(scratch, group, log_odds, out):
    """Log odds of each unit from the weights of all states of a group; overwrites the weights."""
    weights = scratch.weights
    half = weights.shape[1]
    for k in range(log_odds.shape[1] - 1, LANE_UNITS - 1, -1):
        half //= 2
        on = tile(splat(0.0, WIDTH))
        off = tile(splat(0.0, WIDTH))
        for place in range(half):
            high = load_group(weights, (group, half + place, 0, 0))
            low = load_group(weights, (group, place, 0, 0))
            on = on + high
            off = off + low
            store(weights, (group, place, 0, 0), low + high)
        store(log_odds, (out, k, 0), _log_odds(row_sums(on), row_sums(off)))
    last = load_group(weights, (group, 0, 0, 0))
    for k in range(LANE_UNITS):
        active = tile(load(scratch.active, (k, 0)))
        on, off = row_sums(last * active), row_sums(last * (1.0 - active))
        store(log_odds, (out, k, 0), _log_odds(on, off))


@subroutine
def _weigh(arrays, scratch_arrays, log_odds, task, wide):
    """Log odds of the blocks of one task."""
    newest, scratch = views(arrays), views(scratch_arrays)
    n_blocks = arrays.boosts.shape[0] // BLOCK
    for block in range(task * _TASK_BLOCKS, min((task + 1) * _TASK_BLOCKS, n_blocks)):
        _begin(newest, scratch, block * BLOCK)
        for j in range(arrays.stretches.shape[0]):
            _extend(newest, scratch, block * BLOCK, j, wide)
        for group in range(BLOCK // GROUP):
            if wide:
                _restore_powers(scratch, group)
            _fold(scratch, group, log_odds, block * (BLOCK // GROUP) + group)


# Log odds of every unit of the newest bin for each past, the bin's other units summed out.
# Costs one addition and one multiplication per (past, state met, hidden unit), 6 more per state.
# Pinned by tests/kernels/cpu/test_newest_bin.py against enumeration.
@kernel(parallel=True)
def log_odds_of_newest(newest, wide, log_odds):
    """Write log odds in nats to ``log_odds``, shape (n_pasts / GROUP, n_units, GROUP).

    They are NaN where a value is too unlikely for the range of a double; ``wide`` takes powers of
    two out after each stretch.
    """
    n_tasks = -(-newest.boosts.shape[0] // (BLOCK * _TASK_BLOCKS))
    for task in prange(n_tasks):
        shape = (BLOCK // GROUP, newest.high.shape[0], GROUP, WIDTH)
        active = np.empty((LANE_UNITS, WIDTH))
        for k in range(LANE_UNITS):
            for s in range(WIDTH):
                active[k, s] = (s >> k) & 1
        gains = np.empty((newest.r.shape[1], WIDTH))
        scratch = _Scratch(np.empty(shape), np.empty(shape), gains, active, np.empty((GROUP, 1)))
        # The index of a parallel loop is unsigned, which would compile all below a second time.
        _weigh(newest, scratch, log_odds, np.int64(task), wide)
