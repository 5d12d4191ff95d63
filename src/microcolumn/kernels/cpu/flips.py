"""What flipping one bit does to the hidden units of a word (docs/method.md, sections 2 and 3).

For a word with hidden inputs z and a bit n with direction d = 1 - 2 x_n,

    sum_i softplus(z_i + d W_ni) - softplus(z_i) = log prod_i (sbar_i + s_i exp(d W_ni)),

s = sigmoid(z), sbar = sigmoid(-z). All terms are positive, the exponentials come from a table, and
one logarithm is taken of as many factors as provably stay in the range of a double.
"""

from ..compile import kernel
from ..loops.threads import in_threads
from ..simd.elementary import log, sigmoids
from ..simd.lanes import WIDTH, fma, reduce_add, splat
from ..simd.memory import load, store


# Log of the product of the hidden units' factors, for every word and chosen bit.
# Costs a multiply-add and a multiplication per (word, bit, hidden unit).
# Pinned by tests/kernels/cpu/test_flips.py against softplus written out.
def log_factors_of_flips(z, bits, factors, rows_per_log, off, out):
    """Write the change in nats for each of the ``bits`` to ``out``, both (n_words, n_bits).

    The hidden inputs ``z`` (n_words, n_hidden), padded to a multiple of WIDTH, are overwritten, and
    ``off`` is scratch of the same shape. ``factors`` (2, n_bits, n_hidden) holds exp(W) for bits
    that are off and exp(-W) for bits that are on, 1 for padding; a product of ``rows_per_log`` of
    them stays in range.
    """
    in_threads(_log_factors, z.shape[0], z, bits, factors, rows_per_log, off, out)


@kernel(nogil=True)
def _log_factors(first, last, z, bits, factors, rows_per_log, off, out):
    n_hidden = z.shape[1]
    step = rows_per_log * WIDTH
    for u in range(first, last):
        for i in range(0, n_hidden, WIDTH):
            s, sbar = sigmoids(load(z, (u, i)))
            store(z, (u, i), s)
            store(off, (u, i), sbar)
        for k in range(bits.shape[1]):
            bit = bits[u, k]
            logs = splat(0.0, WIDTH)
            for start in range(0, n_hidden, step):
                p = splat(1.0, WIDTH)
                for i in range(start, min(start + step, n_hidden), WIDTH):
                    e = load(factors, (bit, k, i))
                    p = p * fma(load(z, (u, i)), e, load(off, (u, i)))
                logs = logs + log(p)
            out[u, k] = reduce_add(logs)


# Adds up the rows of the active bits of each word: out[u] = start + words[u] @ rows.
# Costs one addition per active bit and column, and a test per bit.
# Pinned by tests/kernels/cpu/test_flips.py against a matrix product.
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
