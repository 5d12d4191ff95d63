"""Coincidences of spikes: how many pairs of spikes lie how far apart.

All trains are merged into one list in time order, so that the partners of a spike are the spikes
that follow it, up to the longest lag. Lags are binned by |lag| around bin centres 0, w, 2w, ...;
a pair whose lag lies within half a nanosecond of an edge counts half on either side. Tables
therefore hold twice the number of pairs, in integers, and no sum can depend on the order of work.
"""

import numpy as np
from numba import prange

from ...epochs import HALF_NANOSECOND
from ..compile import kernel, subroutine


@subroutine(forceinline=True)
def _count(table, row, lag, per_width, edge):
    """Add a pair to its bin, or half a pair to both sides of the edge that its lag lies on."""
    place = (lag + HALF_NANOSECOND) * per_width + 0.5
    k = np.uint32(place)  # Unsigned places are not checked for counting from the end.
    if place - k > edge or k == 0:
        table[row, k] += 2
    else:
        table[row, k] += 1
        table[row, k - np.uint32(1)] += 1


# Pairs of spikes by units and lag: out[i, j, k] = 2 x spikes of j in bin k after a spike of i.
# One step of the merged list and one increment in a row of n_units x n_lags per pair of spikes.
# Pinned by test_tables_equal_all_pairs_of_spikes_counted_one_by_one in test_coincidences.py.
@kernel(parallel=True)
def coincidences(times, units, stops, members, offsets, width, out):
    """Count the pairs of spikes of every ordered pair of units in bins of ``width`` seconds.

    ``times`` holds all spikes in order, ``units`` (uint32) their units and ``stops`` one past the
    last spike of the epoch that each lies in, all (n_spikes,). ``members`` (n_spikes,) lists the
    places in ``times`` of the spikes of unit 0, of unit 1, and so on, which begin at ``offsets``
    (n_units + 1,). ``out``, int64 of shape (n_units, n_units, n_bins + 1), is overwritten; its last
    bin holds halves of pairs on the outermost edge only.
    """
    per_width = 1.0 / width
    edge = 2.0 * HALF_NANOSECOND * per_width
    longest = (out.shape[2] - 1.5) * width + HALF_NANOSECOND
    # A unit's spikes are taken together, so that its part of the table stays in near memory.
    for i in prange(out.shape[0]):
        table = out[i]
        table[:] = 0
        for place in range(offsets[i], offsets[i + 1]):
            a = members[place]
            for b in range(a + 1, stops[a]):
                lag = times[b] - times[a]
                if lag > longest:
                    break
                _count(table, units[b], lag, per_width, edge)


# Pairs of spikes of different units by lag, in blocks: out[g, k] = 2 x pairs begun in block g.
# One step of the merged list and one increment in a row of n_lags per pair of spikes.
# Pinned by test_blocks_add_up_to_the_pairs_of_different_units in test_coincidences.py.
@kernel(parallel=True)
def pooled_coincidences(times, units, stops, blocks, every, width, out):
    """Count the pairs of spikes of all pairs of different units together.

    Arguments are as for `coincidences`. ``blocks`` (n_blocks + 1,) says where each block of spikes
    begins in ``times``; a pair belongs to its first spike's row of ``out`` (n_blocks, n_bins + 1).
    Of each block every ``every``-th spike is taken as the first of its pairs.
    """
    per_width = 1.0 / width
    edge = 2.0 * HALF_NANOSECOND * per_width
    longest = (out.shape[1] - 1.5) * width + HALF_NANOSECOND
    for g in prange(out.shape[0]):
        table = np.zeros((1, out.shape[1]), dtype=np.int64)
        for a in range(blocks[g], blocks[g + 1], every):
            for b in range(a + 1, stops[a]):
                lag = times[b] - times[a]
                if lag > longest:
                    break
                if units[b] != units[a]:
                    _count(table, np.uint32(0), lag, per_width, edge)
        out[g] = table[0]
