"""Sums over all subsets, or all supersets, of every set of a few units (Yates 1937).

A set of n units is a number below 2**n, unit k its bit k; a word is the set of its active units.
A function of words that is a sum of products of bits has one coefficient per set, and its values at
all words are the sums over subsets. The probability that all units of a set are active is the sum
over supersets. Either takes n / 2 additions per word.
"""

from numba import prange

from ..compile import kernel, subroutine

#: Sets of a block that stays in the cache, and columns of a strip of blocks that does.
_BLOCK, _STRIP = 1 << 12, 1 << 6


@subroutine(forceinline=True)
def _add_run(values, first, length, step, supersets):
    """Add sets without a unit to those with it, or the other way round; its bit is ``step``."""
    for s in range(first, first + length):
        if supersets:
            values[s] += values[s + step]
        else:
            values[s + step] += values[s]


# values[s] becomes the sum over the subsets t of s of values[t], or over the supersets.
# Cost: n / 2 additions per set, two passes through memory.
# Pinned by tests/kernels/cpu/test_subset_sums.py to sums over pairs of sets.
@kernel(parallel=True)
def sum_over_sets(values, supersets):
    """Replace ``values`` (2**n,) by sums over subsets, or over supersets if so asked."""
    size = values.size
    block = min(_BLOCK, size)
    for k in prange(size // block):
        step = 1
        while step < block:
            for low in range(k * block, (k + 1) * block, 2 * step):
                _add_run(values, low, step, step, supersets)
            step *= 2
    if size == block:
        return
    for strip in prange(block // _STRIP):
        step = block
        while step < size:
            for low in range(strip * _STRIP, size, 2 * step):
                for row in range(low, low + step, block):
                    _add_run(values, row, _STRIP, step, supersets)
            step *= 2
