"""Log weights and weighted moments of many sparse words, from their active bits alone.

Words come as in a sparse matrix: the active bits of word u are ``active`` from ``offsets[u]`` to
``offsets[u + 1]``. Hidden units run across the lanes, padded to whole rows with weights of zero
and biases so low that they are off for certain.
"""

from numba import prange

from ..compile import kernel
from ..simd.elementary import sigmoids, softplus
from ..simd.lanes import WIDTH, reduce_add, splat
from ..simd.memory import load, store


# log p~ of each word: sum of b, of 2 J over pairs, and of softplus(c + W'x).
# Cost: one addition per active bit and hidden unit, a softplus per hidden unit, a load per pair.
# Pinned to microcolumn.energy by tests/kernels/cpu/test_sparse_words.py.
@kernel(parallel=True)
def log_weights(offsets, active, biases, couplings, weights, hidden_biases, out):
    """Fill ``out`` (n_words,); ``couplings`` are (0, 0) for a model without."""
    coupled, n_hidden = couplings.shape[0] > 0, hidden_biases.size
    for u in prange(out.size):
        begin, end = offsets[u], offsets[u + 1]
        value = 0.0
        for k in range(begin, end):
            n = active[k]
            value += biases[n]
            if coupled:
                row = couplings[n]
                pairs = 0.0
                for j in range(begin, k):
                    pairs += row[active[j]]
                value += 2.0 * pairs
        total = splat(0.0, WIDTH)
        for i in range(0, n_hidden, WIDTH):
            z = load(hidden_biases, i)
            for k in range(begin, end):
                z = z + load(weights, (active[k], i))
            total = total + softplus(z)
        out[u] = value + reduce_add(total)


# Adds up weight * (x, x x', x sigmoid(z)', sigmoid(z)) of the words of each chunk.
# Cost: two additions per active bit and hidden unit, a sigmoid per hidden unit, one per pair.
# Pinned to dense products by tests/kernels/cpu/test_sparse_words.py.
@kernel(parallel=True)
def moments(offsets, active, word_weights, weights, hidden_biases, first, pairs, crossed, hidden):
    """Add to ``pairs`` (rates on the diagonal, pairs below it), ``crossed`` and ``hidden``.

    Each has one part per chunk; chunk k holds the words ``first[k]`` to ``first[k + 1]``.
    Without couplings ``pairs`` holds rates alone, (n_chunks, 1, n_units).
    """
    n_hidden, coupled = hidden_biases.size, pairs.shape[1] > 1
    for chunk in prange(first.size - 1):
        for u in range(first[chunk], first[chunk + 1]):
            begin, end, weight = offsets[u], offsets[u + 1], word_weights[u]
            if weight == 0.0:
                continue
            for k in range(begin, end):
                n = active[k]
                if coupled:
                    for j in range(begin, k + 1):
                        pairs[chunk, n, active[j]] += weight
                else:
                    pairs[chunk, 0, n] += weight
            for i in range(0, n_hidden, WIDTH):
                z = load(hidden_biases, i)
                for k in range(begin, end):
                    z = z + load(weights, (active[k], i))
                s, _ = sigmoids(z)
                s = s * weight
                store(hidden, (chunk, i), load(hidden, (chunk, i)) + s)
                for k in range(begin, end):
                    n = active[k]
                    store(crossed, (chunk, n, i), load(crossed, (chunk, n, i)) + s)
