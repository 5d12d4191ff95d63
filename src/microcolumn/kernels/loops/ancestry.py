"""Words in which each unit depends on at most two that come before it.

Unit i is active with log odds b_i + w_i0 x_j + w_i1 x_k, where j and k are its ``parents``
(n_units, 2), -1 for none. Where it has two, one of them is a parent of the other, so that the
table of two units is known for every pair that later units depend on (a 2-tree).
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from .two_trees import _together

#: Steps of Newton or of halving.
_STEPS = 200


@subroutine
def _log_odds(active, silent):
    return math.log(active) - math.log(silent)


# Coefficients of the regressions of each unit on its first parent and on both, from counts of
# pairs to which half a word is added in each of the four cells.
# Cost: a table of three per unit.
# Pinned by tests/models/test_two_tree.py to scikit-learn's logistic regression.
@kernel
def regressions(pairs, n_words, parents, alone, both):
    """Fill ``alone`` (n_units,) and ``both`` (n_units, 2), zero where a parent is missing."""
    alone[:], both[:] = 0.0, 0.0
    n = n_words + 2.0
    for unit in range(alone.size):
        first, second = parents[unit]
        if first < 0:
            continue
        i, j, ij = pairs[unit, unit] + 1.0, pairs[first, first] + 1.0, pairs[unit, first] + 0.5
        alone[unit] = _log_odds(ij, j - ij) - _log_odds(i - ij, n - i - j + ij)
        both[unit, 0] = alone[unit]
        if second < 0:
            continue
        k, ik, jk = (
            pairs[second, second] + 1.0,
            pairs[unit, second] + 0.5,
            pairs[first, second] + 0.5,
        )
        t = _together(i, j, k, ij, ik, jk, n)
        silent = _log_odds(i - ij - ik + t, n - i - j - k + ij + ik + jk - t)
        both[unit, 0] = _log_odds(ij - t, j - ij - jk + t) - silent
        both[unit, 1] = _log_odds(ik - t, k - ik - jk + t) - silent


@subroutine
def _sigmoid(z):
    return 1.0 / (1.0 + math.exp(-z)) if z > -700.0 else 0.0


@subroutine
def _entropy(z):
    """Entropy of a unit with log odds z, nats."""
    z = abs(z)
    return math.log1p(math.exp(-z)) + z * _sigmoid(-z)


@subroutine
def _bias(table, first, second, rate):
    """The bias at which a unit with these two coefficients has its rate."""
    target = math.log(rate) - math.log1p(-rate)
    low = target - max(0.0, first, second, first + second)
    high = target - min(0.0, first, second, first + second)
    bias = 0.5 * (low + high)
    for _ in range(_STEPS):
        found, slope = 0.0, 0.0
        for a in range(2):
            for c in range(2):
                p = _sigmoid(bias + a * first + c * second)
                found += table[a, c] * p
                slope += table[a, c] * p * (1.0 - p)
        if found > rate:
            high = bias
        else:
            low = bias
        # Newton on the logarithm of the rate, which is straighter where units are rarely active.
        step = found * math.log(found / rate) / slope if slope > 0.0 and found > 0.0 else math.inf
        previous, bias = bias, bias - step
        if not low < bias < high:
            bias = 0.5 * (low + high)
        if abs(bias - previous) <= 1e-15 * (1.0 + abs(bias)):
            break
    return bias


@subroutine
def _table(tables, parents, one, other):
    """P(x_one, x_other) of a unit and its parent, in either order, as (2, 2)."""
    out = np.empty((2, 2))
    if parents[one, 0] == other or parents[one, 1] == other:
        slot = 0 if parents[one, 0] == other else 1
        out[:] = tables[one, slot]
    else:
        slot = 0 if parents[other, 0] == one else 1
        for a in range(2):
            for c in range(2):
                out[a, c] = tables[other, slot, c, a]
    return out


# Biases that give every unit its rate, the entropy of each unit given its parents in nats, and
# the table of each unit with each parent.
# Cost: a few hundred operations per unit.
# Pinned by tests/models/test_two_tree.py to sums over all words.
@kernel
def settle(order, parents, slopes, rates, biases, entropies, tables):
    """Fill ``biases``, ``entropies`` (n_units,) and ``tables`` (n_units, 2, 2, 2).

    ``tables[i, s, a, c]`` is P(x_i = a, parent s of i = c).
    """
    given = np.empty((2, 2))
    for place in range(order.size):
        unit = order[place]
        first, second = parents[unit]
        given[:] = 0.0
        if first < 0:
            given[0, 0] = 1.0
        elif second < 0:
            given[0, 0], given[1, 0] = 1.0 - rates[first], rates[first]
        else:
            given[:] = _table(tables, parents, first, second)
        bias = _bias(given, slopes[unit, 0], slopes[unit, 1], rates[unit])
        biases[unit], entropies[unit] = bias, 0.0
        tables[unit] = 0.0
        for a in range(2):
            for c in range(2):
                z = bias + a * slopes[unit, 0] + c * slopes[unit, 1]
                entropies[unit] += given[a, c] * _entropy(z)
                for x in range(2):
                    p = given[a, c] * (_sigmoid(z) if x else _sigmoid(-z))
                    tables[unit, 0, x, a] += p
                    tables[unit, 1, x, c] += p


@subroutine
def _softplus(z):
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


# The same distribution as an Ising model: log p(x) = constant + sum of fields over active units
# + sum of couplings over active pairs of a unit and its parent.
# Cost: four logarithms per unit.
# Pinned by tests/models/test_two_tree.py to the product of the conditionals.
@kernel
def as_pairs(parents, slopes, biases, fields, couplings):
    """Fill ``fields`` (n_units,) and ``couplings`` (n_units, 2); the log probability of silence."""
    fields[:], couplings[:] = biases, slopes
    constant = 0.0
    for unit in range(biases.size):
        first, second = parents[unit]
        bias, slope, other = biases[unit], slopes[unit, 0], slopes[unit, 1]
        silent = _softplus(bias)
        constant -= silent
        if first < 0:
            continue
        with_first = _softplus(bias + slope)
        fields[first] -= with_first - silent
        if second < 0:
            continue
        with_second = _softplus(bias + other)
        fields[second] -= with_second - silent
        change = (_softplus(bias + slope + other) - with_second) - (with_first - silent)
        if parents[first, 0] == second:
            couplings[first, 0] -= change
        elif parents[first, 1] == second:
            couplings[first, 1] -= change
        elif parents[second, 0] == first:
            couplings[second, 0] -= change
        else:
            couplings[second, 1] -= change
    return constant


# Log probability of each word from fields and couplings, without the constant.
# Cost: one look at every bit, and two more for every active one.
# Pinned by tests/models/test_two_tree.py to the product of the conditionals.
@kernel(parallel=True)
def log_weights(bits, parents, fields, couplings, out):
    """Fill ``out`` (n_words,)."""
    for u in prange(bits.shape[0]):
        word, total = bits[u], 0.0
        for unit in range(word.size):
            if word[unit]:
                total += fields[unit]
                for slot in range(2):
                    parent = parents[unit, slot]
                    if parent >= 0 and word[parent]:
                        total += couplings[unit, slot]
        out[u] = total
