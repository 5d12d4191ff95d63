"""How often each two units are active together, from lists of the active bits of words.

The active bits of word u are ``active`` from ``offsets[u]`` to ``offsets[u + 1]``, and the words
in which unit n is active are ``members`` from ``starts[n]`` to ``starts[n + 1]``.
"""

from numba import prange

from ..simd.compile import kernel


# Lists the active bits of every word in increasing order.
# Cost: one look at every bit.
# Pinned by tests/kernels/cpu/test_pair_counts.py to numpy.nonzero.
@kernel(parallel=True)
def list_active(bits, offsets, active):
    """Fill ``active`` from ``bits`` (n_words, n_units); ``offsets`` (n_words + 1,) are known."""
    for u in prange(bits.shape[0]):
        k = offsets[u]
        for n in range(bits.shape[1]):
            if bits[u, n]:
                active[k] = n
                k += 1


# Lists the words of every unit in increasing order: the transpose of a sparse matrix.
# Cost: one move per active bit.
# Pinned by tests/kernels/cpu/test_pair_counts.py to numpy.nonzero.
@kernel
def list_members(offsets, active, starts, members):
    """Fill ``members``; ``starts`` (n_units + 1,) are known."""
    filled = starts[:-1].copy()
    for u in range(offsets.size - 1):
        for k in range(offsets[u], offsets[u + 1]):
            n = active[k]
            members[filled[n]] = u
            filled[n] += 1


# Sum over words of count times x_i x_j for every i and j; rates stand on the diagonal.
# Cost: an addition per two active bits of a word. Packed columns and their population counts take
# longer unless a fifth of all bits are active, and need whole counts (benchmarks/rivals_trees.py).
# Pinned by tests/kernels/cpu/test_pair_counts.py to a dense product.
@kernel(parallel=True)
def pair_counts(offsets, active, starts, members, counts, out):
    """Overwrite ``out`` (n_units, n_units)."""
    for i in prange(out.shape[0]):
        row = out[i]
        row[:] = 0.0
        for place in range(starts[i], starts[i + 1]):
            u = members[place]
            count = counts[u]
            for k in range(offsets[u], offsets[u + 1]):
                row[active[k]] += count
