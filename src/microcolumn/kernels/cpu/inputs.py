"""Inputs and fields of words from their few active bits."""

from ..compile import kernel
from ..loops.threads import in_threads


# Adds up the rows of the active bits of each word: out[u] = start + words[u] @ rows.
# Costs one addition per active bit and column, and a test per bit.
# Pinned by tests/kernels/cpu/test_inputs.py against a matrix product.
def sums_of_active(words, rows, start, out):
    """Write the inputs from the active bits of words to ``out``, shape (n_words, n_columns)."""
    in_threads(_sums_of_active, words.shape[0], words, rows, start, out)


@kernel(nogil=True)
def _sums_of_active(first, last, words, rows, start, out):
    for u in range(first, last):
        for i in range(start.size):
            out[u, i] = start[i]
        for n in range(words.shape[1]):
            if words[u, n]:
                for i in range(start.size):
                    out[u, i] += rows[n, i]
