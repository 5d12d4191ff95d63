"""Words by their number of active units: independent units, given how many of them are active.

Words with K active units have log probability ``offsets[K]`` plus the sum of the log odds
``tables[rows[K]]`` of their active units.
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel


# Words, and spikes of each unit, by the number of active units.
# Cost: one look at every bit.
# Pinned by tests/models/test_population_tracking.py to sums of NumPy.
@kernel
def count_by_active(bits, counts, n_active, rows, words, spikes):
    """Add to ``words`` (n_rows,) and ``spikes`` (n_rows, n_units); rows of -1 are left out."""
    for u in range(bits.shape[0]):
        row = rows[n_active[u]]
        if row < 0:
            continue
        words[row] += counts[u]
        for n in range(bits.shape[1]):
            if bits[u, n]:
                spikes[row, n] += counts[u]


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


# Log probability of each word.
# Cost: one look at every bit and an addition for each active one.
# Pinned by tests/models/test_population_tracking.py to the formula of the paper.
@kernel(parallel=True)
def log_probabilities(bits, tables, rows, offsets, out):
    """Fill ``out`` (n_words,)."""
    for u in prange(bits.shape[0]):
        n_active = 0
        for n in range(bits.shape[1]):
            n_active += bits[u, n]
        table, total = tables[rows[n_active]], 0.0
        for n in range(bits.shape[1]):
            if bits[u, n]:
                total += table[n]
        out[u] = offsets[n_active] + total


# Log odds of some units given all others, which leave the number of active units open.
# Cost: three sums over the active bits of a word, and a few additions per unit.
# Pinned by tests/models/test_every_model.py to flips of single bits.
@kernel(parallel=True)
def log_odds_given_rest(bits, tables, rows, offsets, units, out):
    """Fill ``out`` (n_words, n_chosen)."""
    n_units = bits.shape[1]
    for u in prange(bits.shape[0]):
        n_active = 0
        for n in range(n_units):
            n_active += bits[u, n]
        log_p = np.zeros(3)  # at one active unit less, as it is, at one more
        for side in range(3):
            k = n_active + side - 1
            if 0 <= k <= n_units:
                log_p[side] = offsets[k]
                for n in range(n_units):
                    if bits[u, n]:
                        log_p[side] += tables[rows[k], n]
        for column in range(units.size):
            n = units[column]
            if bits[u, n]:
                out[u, column] = log_p[1] - (log_p[0] - tables[rows[n_active - 1], n])
            else:
                out[u, column] = log_p[2] + tables[rows[n_active + 1], n] - log_p[1]
