"""How often each two units are active together, from columns of packed words."""

import numpy as np
from numba import prange, types
from numba.extending import intrinsic

from ..compile import kernel, subroutine


@intrinsic
def _n_ones(typing_context, number):
    """How many bits of a 64-bit number are 1."""

    def code(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


@subroutine
def _add_row(columns, weight, i, out):
    row = columns[i]
    for j in range(i + 1):
        other, total = columns[j], np.uint64(0)
        for k in range(row.size):
            total += _n_ones(row[k] & other[k])
        out[i, j] += weight * total


# Adds to out[i, j], j <= i, weight times the words in which units i and j are both active.
# Cost: an AND, a count of ones and an addition per 64 words and pair; vectors of eight of them
# where the machine counts the ones of vectors.
# Pinned by tests/kernels/loops/test_pair_counts.py to a dense product.
@kernel(parallel=True)
def add_pairs(columns, weight, out):
    """``columns`` (n_units, n_integers) hold 64 words of a unit in each integer, in any order."""
    n_units = out.shape[0]
    # A long and a short row together, so that all threads have the same to do.
    for short in prange((n_units + 1) // 2):
        long = n_units - 1 - short
        _add_row(columns, weight, short, out)
        if long != short:
            _add_row(columns, weight, long, out)


# Copies what stands below the diagonal to above it.
# Cost: one move per pair, in tiles that fit near memory.
# Pinned by tests/kernels/loops/test_pair_counts.py to a dense product.
@kernel
def mirror(square):
    """Make ``square`` (n_units, n_units) symmetric, in place."""
    n_units, tile = square.shape[0], 64
    for top in range(0, n_units, tile):
        for left in range(0, top + tile, tile):
            for i in range(top, min(top + tile, n_units)):
                for j in range(left, min(left + tile, i)):
                    square[j, i] = square[i, j]
