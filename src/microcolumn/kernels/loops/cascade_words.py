"""What a cascade of logistic units says of words: log probabilities, single flips, samples.

Units are numbered in the order of the cascade. The log odds of unit i given the units before it are

    by_count[K, i] + sum_{j<i} x_j weights[j, i],    K = sum_{j<i} x_j,

where the biases are part of ``by_count`` (n_units + 1, n_units).
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from .l1_descent import gate


@subroutine
def _inputs(word, weights, by_count, log_odds):
    """Log odds of each unit given those before it."""
    n, count = word.size, 0
    for i in range(n):
        log_odds[i] = by_count[count, i]
        count += word[i]
    for j in range(n):
        if word[j]:
            row = weights[j]
            for i in range(j + 1, n):
                log_odds[i] += row[i]


@subroutine
def _loss(bit, log_odds):
    """Minus the log probability of a bit."""
    return gate(-log_odds if bit else log_odds)[2]


# log p of each word: minus the sum of softplus(+-log odds).
# Cost: one addition per active unit and later unit, and a softplus per unit.
# Pinned by tests/models/test_cascade.py against the formula.
@kernel(parallel=True)
def cascade_log_probability(words, weights, by_count, out):
    """Fill ``out`` (n_words,), nats."""
    n = words.shape[1]
    for u in prange(words.shape[0]):
        log_odds, total = np.empty(n), 0.0
        _inputs(words[u], weights, by_count, log_odds)
        for i in range(n):
            total += _loss(words[u, i], log_odds[i])
        out[u] = -total


# Log odds of some units given all others: the unit's own, and what the later units say to it.
# Cost: a softplus per chosen unit and later unit.
# Pinned by tests/models/test_every_model.py against ratios of probabilities.
@kernel(parallel=True)
def cascade_log_odds(words, units, weights, by_count, out):
    """Fill ``out`` (n_words, n_chosen), nats."""
    n = words.shape[1]
    for u in prange(words.shape[0]):
        word, log_odds, losses = words[u], np.empty(n), np.empty(n)
        _inputs(word, weights, by_count, log_odds)
        for i in range(n):
            losses[i] = _loss(word[i], log_odds[i])
        for k in range(units.size):
            unit = units[k]
            change = -1 if word[unit] else 1
            count, gain = 0, 0.0
            for i in range(unit + 1):
                count += word[i]
            for i in range(unit + 1, n):
                by_number = by_count[count + change, i] - by_count[count, i]
                flipped = log_odds[i] + change * weights[unit, i] + by_number
                gain += losses[i] - _loss(word[i], flipped)
                count += word[i]
            out[u, k] = log_odds[unit] + change * gain


# Draws words unit by unit: a unit is active where its uniform number is below its probability.
# Cost: one addition per active unit and later unit, and an exponential per unit.
# Pinned by tests/models/test_every_model.py against the probabilities of all words.
@kernel(parallel=True)
def cascade_draw(uniform, weights, by_count, out):
    """Fill ``out`` (n_words, n_units) from uniform numbers of the same shape."""
    n = out.shape[1]
    for u in prange(out.shape[0]):
        from_units, count = np.zeros(n), 0
        for i in range(n):
            log_odds = by_count[count, i] + from_units[i]
            out[u, i] = 0
            if uniform[u, i] * (1.0 + math.exp(-log_odds)) < 1.0:
                out[u, i] = 1
                count += 1
                row = weights[i]
                for later in range(i + 1, n):
                    from_units[later] += row[later]
