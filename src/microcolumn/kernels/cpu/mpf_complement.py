"""Minimum probability flow to the complement: the word with all bits flipped (METHOD section 3).

For each word log p~ changes by sum_n turn_n - 2 * sum over active n of turn_n, with turn the
biases plus the row sums of J, and by softplus(z_i') - softplus(z_i) for each hidden unit, where z
and z' of the complement add up to 2 * c_i + sum_n W_ni.
"""

import numpy as np
from numba import njit

from .elementary import exp, log
from .grouped import bits_of, larger, put, row
from .lanes import like, select, total


# Adds the flow to the complement of each word of a group, and its gradient, to the sums.
# Cost: two exponentials and three divisions per (word, hidden unit).
# Pinned to brute force by tests/objectives/test_mpf.py.
@njit(error_model="numpy")
def complement_of_group(words, model, scratch, sums, first, n_words):
    """Flow to the word with all bits flipped, and its gradient; lanes are hidden units."""
    active, offsets, turn, weights = words.active, words.offsets, model.turn, sums.weights
    hidden_biases, complement_hidden = sums.hidden_biases, sums.complement_hidden
    width = bits_of(scratch.fields)
    for u in range(first, first + n_words):
        start, stop = offsets[u], offsets[u + 1]
        change = turn[turn.shape[0] - 1] + _hidden_change(words, model, scratch, start, stop)
        for j in range(start, stop):
            change -= 2.0 * turn[active[j]]
        g = np.exp(words.log_half_weights[u] + 0.5 * change)
        sums.flow[0] += g
        sums.complement[0] += g
        for j in range(start, stop):
            sums.complement_on[active[j]] += g
        for i in range(0, hidden_biases.shape[0], width):
            here, there = row(scratch.r, (0, i)), row(scratch.r, (1, i))
            here, there = here * like(here, g), there * like(there, g)
            put(complement_hidden, i, row(complement_hidden, i) + there)
            put(hidden_biases, i, row(hidden_biases, i) + (there - here))
            for j in range(start, stop):
                n = active[j]
                put(weights, (n, i), row(weights, (n, i)) - (there + here))


@njit(error_model="numpy")
def _hidden_change(words, model, scratch, start, stop):
    """Change of sum_i softplus(z_i) on the way to the complement; keeps both sigmoids in r."""
    width = bits_of(scratch.fields)
    change, ratio = 0.0, like(row(model.biases, 0), 1.0)
    for i in range(0, model.on.shape[0], width):
        z = row(model.hidden_biases, i)
        for j in range(start, stop):
            z = z + row(model.weights, (words.active[j], i))
        linear, factor, sigmoid = _softplus_parts(z)
        put(scratch.r, (0, i), sigmoid)
        opposite_linear, opposite_factor, sigmoid = _softplus_parts(row(model.opposite, i) - z)
        put(scratch.r, (1, i), sigmoid)
        change += total(opposite_linear - linear)
        ratio = ratio * (opposite_factor / factor)
    return change + total(log(ratio))


@njit(inline="always")
def _softplus_parts(z):
    """softplus(z) as max(z, 0) and the factor, between 1 and 2, whose log is the rest; sigmoid."""
    zero = like(z, 0.0)
    positive = larger(z, zero)
    e = exp(z - positive - positive)
    factor = like(z, 1.0) + e
    return positive, factor, select(z > zero, like(z, 1.0), e) / factor
