"""What flipping one bit does to the hidden units of a word (docs/method.md, sections 2 and 3).

For a word with hidden inputs z and a bit n with direction d = 1 - 2 x_n,

    sum_i softplus(z_i + d W_ni) - softplus(z_i) = log prod_i (sbar_i + s_i exp(d W_ni)),

s = sigmoid(z), sbar = sigmoid(-z). All terms are positive, the exponentials come from a table, and
a logarithm is taken once per so many factors as provably stay in the range of a double.
"""

from numba import prange

from ..simd.compile import kernel
from ..simd.elementary import log, sigmoids
from ..simd.lanes import WIDTH, fma, reduce_add, splat
from ..simd.memory import load, store


# Log of the product of the hidden units' factors, for every word and chosen bit.
# Costs a multiply-add and a multiplication per (word, bit, hidden unit).
# Pinned by tests/kernels/cpu/test_flips.py against softplus written out.
@kernel(parallel=True)
def log_factors_of_flips(z, bits, factors, rows_per_log, off, out):
    """Change of the log weight of each word through its hidden units, bit by bit.

    Parameters
    ----------
    z : ndarray, shape (n_words, n_hidden)
        Hidden inputs, padded to a multiple of WIDTH; overwritten.
    bits : ndarray of uint8, shape (n_words, n_bits)
        The chosen bits as they are.
    factors : ndarray, shape (2, n_bits, n_hidden)
        exp(W) for bits that are off, exp(-W) for bits that are on; 1 for padding.
    rows_per_log : int
        Factors, one per lane, whose product stays in range.
    off : ndarray, shape (n_words, n_hidden)
        Scratch.
    out : ndarray, shape (n_words, n_bits)
        Written, nats.
    """
    n_hidden = z.shape[1]
    step = rows_per_log * WIDTH
    for u in prange(z.shape[0]):
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
