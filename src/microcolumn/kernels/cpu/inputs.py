"""Inputs and fields of words from their few active bits."""

from numba import prange

from ..compile import kernel


# Adds up the rows of the active bits of each word: out[u] = start + words[u] @ rows.
# Costs one addition per active bit and column, and a test per bit.
# Pinned by tests/kernels/cpu/test_inputs.py against a matrix product.
@kernel(parallel=True)
def sums_of_active(words, rows, start, out):
    """Write the inputs from the active bits of words to ``out``, shape (n_words, n_columns)."""
    for u in prange(words.shape[0]):
        for i in range(start.size):
            out[u, i] = start[i]
        for n in range(words.shape[1]):
            if words[u, n]:
                for i in range(start.size):
                    out[u, i] += rows[n, i]
