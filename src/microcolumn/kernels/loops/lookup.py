"""Which of some sorted words a word is."""

from numba import prange

from ..compile import kernel


# Row of each query among sorted keys, by halving.
# Cost: about log2(n_words) comparisons per query.
# Pinned by tests/models/test_universal.py by the chances of words that were seen.
@kernel(parallel=True)
def find_words(keys, queries, out):
    """Fill ``out`` (n_queries,) with rows of ``keys``, -1 where there is none.

    ``keys`` (n_words, n_integers) and ``queries`` (n_queries, n_integers) hold 64 bits in each
    integer, the first the most significant; keys are distinct and increase.
    """
    n_words, n_integers = keys.shape
    for q in prange(out.size):
        low, high, found = 0, n_words, -1
        while low < high:
            middle = (low + high) // 2
            order = 0
            for part in range(n_integers):
                if keys[middle, part] != queries[q, part]:
                    order = 1 if keys[middle, part] > queries[q, part] else -1
                    break
            if order == 0:
                found = middle
                break
            if order > 0:
                high = middle
            else:
                low = middle + 1
        out[q] = found
