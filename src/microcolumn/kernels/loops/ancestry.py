"""Words in which each unit depends on at most two that come before it.

Unit i is active with log odds b_i + w_i0 x_j + w_i1 x_k, where j and k are its ``parents``. In
``regressions`` a missing one is -1. Everywhere else each unit has two, (n_units + 1, 2), of which
the second is a parent of the first, so that the table of both is one of the first's own (a 2-tree).
Those that are missing are unit ``n_units``, which never fires and is its own parent, or with a
coefficient of zero a parent of the other one.
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from .l1_descent import gate
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
                p, q, _ = gate(bias + a * first + c * second)
                found += table[a, c] * p
                slope += table[a, c] * p * q
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
def _keeper(parents, unit):
    """The first parent of a unit, and which of that one's parents is the unit's second."""
    first, second = parents[unit]
    return first, 0 if parents[first, 0] == second else 1


@subroutine
def _weigh(bias, slopes, explained, state, out):
    """Weight of each state x of a unit at each state a, c of its parents, out[x, a, c].

    ``explained`` (2, 2, 2) says how well its states with those of each parent explain the units
    that depend on them; ``state`` is what it did, -1 if that is open.
    """
    for a in range(2):
        for c in range(2):
            active, silent, _ = gate(bias + a * slopes[0] + c * slopes[1])
            for x in range(2):
                weight = (active if x else silent) * explained[0, x, a] * explained[1, x, c]
                out[x, a, c] = weight if state < 0 or state == x else 0.0


@subroutine
def _follow(given, weights, table):
    """Tables of a unit with each parent, from that of its parents and the weights of its states."""
    table[:] = 0.0
    for a in range(2):
        for c in range(2):
            total = weights[0, a, c] + weights[1, a, c]
            if total == 0.0 or given[a, c] == 0.0:
                continue
            for x in range(2):
                p = given[a, c] * weights[x, a, c] / total
                table[0, x, a] += p
                table[1, x, c] += p


# Biases that give every unit its rate, and the table of each unit with each parent.
# Cost: a few hundred operations per unit.
# Pinned by tests/models/test_two_tree.py to sums over all words.
@kernel
def fill_tables(order, parents, slopes, rates, biases, tables):
    """Fill ``biases`` (n_units,) and ``tables`` (n_units + 1, 2, 2, 2).

    ``tables[i, s, a, c]`` is P(x_i = a, parent s of i = c).
    """
    weights, nothing = np.empty((2, 2, 2)), np.ones((2, 2, 2))
    tables[-1] = 0.0
    tables[-1, :, 0, 0] = 1.0
    for place in range(order.size):
        unit = order[place]
        first, slot = _keeper(parents, unit)
        given = tables[first, slot]
        biases[unit] = _bias(given, slopes[unit, 0], slopes[unit, 1], rates[unit])
        _weigh(biases[unit], slopes[unit], nothing, -1, weights)
        _follow(given, weights, tables[unit])


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
                    if parent < word.size and word[parent]:
                        total += couplings[unit, slot]
        out[u] = total


# Log odds of the last units given the first ones, all others of the last summed out. Backwards in
# the order of the units each is summed out, which leaves a table of its parents' states; forwards
# the table of each unit and its parents follows from that of the parents.
# Cost: some 100 operations per unit and past.
# Pinned by tests/models/test_every_model.py to sums over all words.
@kernel(parallel=True)
def log_odds_given_first(pasts, order, parents, biases, slopes, out):
    """Fill ``out`` (n_pasts, n_last) from ``pasts`` (n_pasts, n_first), what the first did."""
    n_units, n_first = order.size, pasts.shape[1]
    for u in prange(pasts.shape[0]):
        explained, weights = np.ones((n_units + 1, 2, 2, 2)), np.empty((n_units, 2, 2, 2))
        tables = np.zeros((n_units + 1, 2, 2, 2))
        tables[-1, :, 0, 0] = 1.0
        for place in range(n_units - 1, -1, -1):
            unit = order[place]
            state = np.int64(pasts[u, unit]) if unit < n_first else -1
            _weigh(biases[unit], slopes[unit], explained[unit], state, weights[unit])
            totals = weights[unit, 0] + weights[unit, 1]
            first, slot = _keeper(parents, unit)
            explained[first, slot] *= totals / totals.max()
        for place in range(n_units):
            unit = order[place]
            first, slot = _keeper(parents, unit)
            _follow(tables[first, slot], weights[unit], tables[unit])
        for unit in range(n_first, n_units):
            out[u, unit - n_first] = _log_odds(tables[unit, 0, 1].sum(), tables[unit, 0, 0].sum())


@subroutine
def _product(one, n_one, other, n_other):
    """Product of two polynomials of these degrees."""
    out = np.zeros(n_one + n_other + 1)
    for k in range(n_one + 1):
        if one[k] == 0.0:
            continue
        for m in range(n_other + 1):
            out[k + m] += one[k] * other[m]
    return out


# Chance of every number of active units. Backwards in the order of the units, what is left of a
# unit and all that depend on it is, for each state of its parents, the chance of every number of
# active units: a polynomial. Polynomials are multiplied where branches meet.
# Cost: about 30 multiply-adds per two units.
# Pinned by tests/models/test_every_model.py to sums over all words.
@kernel
def numbers_active(order, parents, biases, slopes, out):
    """Fill ``out`` (n_units + 1,)."""
    n_units = order.size
    # Of what depends on unit i and its parent s, at their states, kept[i, s, x_i, x_s].
    kept = np.zeros((n_units, 2, 2, 2, n_units + 1))
    kept[:, :, :, :, 0], degrees = 1.0, np.zeros((n_units, 2), dtype=np.int64)
    sums, weights, nothing = np.empty((2, 2, n_units + 1)), np.empty((2, 2, 2)), np.ones((2, 2, 2))
    for place in range(n_units - 1, -1, -1):
        unit = order[place]
        one, two = degrees[unit]
        sums[:, :, : one + two + 2] = 0.0
        _weigh(biases[unit], slopes[unit], nothing, -1, weights)
        for a in range(2):
            for c in range(2):
                for x in range(2):
                    both = _product(kept[unit, 0, x, a], one, kept[unit, 1, x, c], two)
                    for k in range(both.size):
                        sums[a, c, k + x] += weights[x, a, c] * both[k]
        first, slot = _keeper(parents, unit)
        if first < n_units:
            before, degree = degrees[first, slot], one + two + 1
            for a in range(2):
                for c in range(2):
                    merged = _product(kept[first, slot, a, c], before, sums[a, c], degree)
                    kept[first, slot, a, c, : merged.size] = merged
            degrees[first, slot] = before + degree
    out[:] = sums[0, 0]
