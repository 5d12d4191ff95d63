"""Minimum probability flow to the complement: the word with all bits flipped.

For each word log p~ changes by sum_n turn_n - 2 * sum over active n of turn_n, with turn the
biases plus the row sums of J, and by softplus(z_i') - softplus(z_i) for each hidden unit, where z
and z' of the complement add up to 2 * c_i + sum_n W_ni (docs/method.md, section 3).
"""

import numpy as np

from ..simd.compile import subroutine
from ..simd.elementary import exp, log
from ..simd.lanes import WIDTH, full_like, reduce_add, select, vmax
from ..simd.memory import load, store


# Adds the flow to the complement of each word of a group, and its gradient, to the sums.
# Cost: two exponentials and three divisions per (word, hidden unit).
# Pinned to brute force by tests/objectives/test_mpf.py.
@subroutine(error_model="numpy")
def complement_of_group(words, model, scratch, sums, first, n_words):
    """Flow to the word with all bits flipped, and its gradient; lanes are hidden units."""
    active, offsets, turn, weights = words.active, words.offsets, model.turn, sums.weights
    hidden_biases, complement_hidden = sums.hidden_biases, sums.complement_hidden
    for u in range(first, first + n_words):
        start, stop = offsets[u], offsets[u + 1]
        change = turn[turn.shape[0] - 1] + _hidden_change(words, model, scratch, start, stop)
        for j in range(start, stop):
            change -= 2.0 * turn[active[j]]
        g = np.exp(words.log_half_weights[u] + 0.5 * change)
        sums.value[0] += g
        sums.complement[0] += g
        for j in range(start, stop):
            sums.complement_on[active[j]] += g
        for i in range(0, hidden_biases.shape[0], WIDTH):
            here, there = load(scratch.r, (0, i)), load(scratch.r, (1, i))
            here, there = here * g, there * g
            store(complement_hidden, i, load(complement_hidden, i) + there)
            store(hidden_biases, i, load(hidden_biases, i) + (there - here))
            for j in range(start, stop):
                n = active[j]
                store(weights, (n, i), load(weights, (n, i)) - (there + here))


@subroutine(error_model="numpy")
def _hidden_change(words, model, scratch, start, stop):
    """Change of sum_i softplus(z_i) on the way to the complement; keeps both sigmoids in r."""
    change, ratio = 0.0, full_like(load(model.biases, 0), 1.0)
    for i in range(0, model.on.shape[0], WIDTH):
        z = load(model.hidden_biases, i)
        for j in range(start, stop):
            z = z + load(model.weights, (words.active[j], i))
        linear, factor, sigmoid = _softplus_parts(z)
        store(scratch.r, (0, i), sigmoid)
        opposite_linear, opposite_factor, sigmoid = _softplus_parts(load(model.opposite, i) - z)
        store(scratch.r, (1, i), sigmoid)
        change += reduce_add(opposite_linear - linear)
        ratio = ratio * (opposite_factor / factor)
    return change + reduce_add(log(ratio))


@subroutine(inline="always")
def _softplus_parts(z):
    """softplus(z) as max(z, 0) and the factor, between 1 and 2, whose log is the rest; sigmoid."""
    positive = vmax(z, 0.0)
    e = exp(z - positive - positive)
    factor = 1.0 + e
    return positive, factor, select(z > 0.0, 1.0, e) / factor
