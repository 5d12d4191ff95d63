"""Independent units by how many of them are active: chances of every number, and words of one."""

import math

import numpy as np
from numba import prange

from ..compile import kernel


# log P(K of the units are active) where unit n is active with probability p_n, for one K per row.
# Cost: a multiply-add per unit and number up to K. All terms are positive, so nothing cancels.
# Pinned by tests/kernels/loops/test_poisson_binomial.py to sums over all words.
@kernel(parallel=True)
def log_chances(probabilities, totals, out):
    """Fill ``out`` (n_rows,) from ``probabilities`` (n_rows, n_units), which add up to about K."""
    for row in prange(totals.size):
        total = totals[row]
        chances = np.zeros(total + 1)
        chances[0] = 1.0
        for n in range(probabilities.shape[1]):
            p = probabilities[row, n]
            for k in range(min(n + 1, total), 0, -1):
                chances[k] = chances[k] * (1.0 - p) + chances[k - 1] * p
            chances[0] *= 1.0 - p
        out[row] = math.log(chances[total])


# log of the elementary symmetric polynomials of exp(log odds): the sum over words of K active
# units of the product of their odds, for every K.
# Cost: a logarithm and an exponential per unit and number up to n_units.
# Pinned by tests/kernels/loops/test_poisson_binomial.py to sums over all words.
@kernel
def log_symmetric(log_odds, out):
    """Fill ``out`` (n_units + 1,)."""
    out[:] = -math.inf
    out[0] = 0.0
    for n in range(log_odds.size):
        for k in range(n + 1, 0, -1):
            more = out[k - 1] + log_odds[n]
            high, low = max(out[k], more), min(out[k], more)
            out[k] = high + math.log1p(math.exp(low - high))


# P(m of all units but unit i are active) for every i and m, from the chances of single units.
# Cost: a multiply-add per three units and row, all positive; dividing units out would cancel.
# Pinned by tests/kernels/loops/test_poisson_binomial.py to sums over all words.
@kernel(parallel=True)
def chances_without(probabilities, out):
    """Fill ``out`` (n_rows, n_units, n_units) from ``probabilities`` (n_rows, n_units)."""
    n_units = probabilities.shape[1]
    for row in prange(probabilities.shape[0]):
        for i in range(n_units):
            chances, n_others = out[row, i], 0
            chances[:] = 0.0
            chances[0] = 1.0
            for n in range(n_units):
                if n == i:
                    continue
                p = probabilities[row, n]
                n_others += 1
                for m in range(n_others, 0, -1):
                    chances[m] = chances[m] * (1.0 - p) + chances[m - 1] * p
                chances[0] *= 1.0 - p


# Words of independent units that have exactly K active ones, drawn from the last unit on.
# Cost: a table of n_units times K, and a comparison per unit and word.
# Pinned by tests/kernels/loops/test_poisson_binomial.py to the chances of all words.
@kernel
def draw_given_total(probabilities, total, uniforms, out):
    """Overwrite ``out`` (n_words, n_units) using ``uniforms`` of the same shape."""
    n_units = probabilities.size
    # chances[n, k]: k of the first n units are active.
    chances = np.zeros((n_units + 1, total + 1))
    chances[0, 0] = 1.0
    for n in range(n_units):
        p = probabilities[n]
        chances[n + 1, 0] = chances[n, 0] * (1.0 - p)
        for k in range(1, min(n + 1, total) + 1):
            chances[n + 1, k] = chances[n, k] * (1.0 - p) + chances[n, k - 1] * p
    for u in range(out.shape[0]):
        left = total
        for n in range(n_units - 1, -1, -1):
            out[u, n] = 0
            if left == 0:
                continue
            if left == n + 1:
                active = True
            else:
                share = chances[n, left - 1] * probabilities[n]
                active = uniforms[u, n] * chances[n + 1, left] < share
            if active:
                out[u, n] = 1
                left -= 1
