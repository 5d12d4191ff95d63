"""Chances of some units given others, where each depends on at most two that come before it.

Two passes over a 2-tree, described in ``ancestry.py``. Backwards in the order of the units, each is
summed out, which leaves a table of its parents' states; a table of two parents is kept by the
later one of them. Forwards, the table of each unit and its parents follows from that of the
parents.
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from .ancestry import _sigmoid, _table


@subroutine
def _weights(unit, biases, slopes, state, own, shared, out):
    """Weight of each state x of a unit at each state a, c of its parents, out[x, a, c].

    ``state`` is what it did, -1 if that is open; ``own`` and ``shared`` say how well its states
    alone and together with a parent's explain the units that depend on it.
    """
    for a in range(2):
        for c in range(2):
            z = biases[unit] + a * slopes[unit, 0] + c * slopes[unit, 1]
            for x in range(2):
                weight = _sigmoid(z) if x else _sigmoid(-z)
                weight *= own[unit, x] * shared[unit, 0, x, a] * shared[unit, 1, x, c]
                out[x, a, c] = weight if state < 0 or state == x else 0.0


@subroutine
def _explain(unit, parents, weights, own, shared):
    """Sum a unit out: what its states say of its parents."""
    first, second = parents[unit]
    if first < 0:
        return
    most = 0.0
    for a in range(2):
        for c in range(2):
            most = max(most, weights[0, a, c] + weights[1, a, c])
    for a in range(2):
        if second < 0:
            own[first, a] *= (weights[0, a, 0] + weights[1, a, 0]) / most
            continue
        for c in range(2):
            share = (weights[0, a, c] + weights[1, a, c]) / most
            if parents[first, 0] == second:
                shared[first, 0, a, c] *= share
            elif parents[first, 1] == second:
                shared[first, 1, a, c] *= share
            elif parents[second, 0] == first:
                shared[second, 0, c, a] *= share
            else:
                shared[second, 1, c, a] *= share


@subroutine
def _follow(unit, parents, rates, weights, tables):
    """The chance of a spike and of silence of a unit, and its tables with its parents."""
    first, second = parents[unit]
    given = np.zeros((2, 2))
    if first < 0:
        given[0, 0] = 1.0
    elif second < 0:
        given[0, 0], given[1, 0] = rates[first, 0], rates[first, 1]
    else:
        given[:] = _table(tables, parents, first, second)
    tables[unit], rates[unit] = 0.0, 0.0
    for a in range(2):
        for c in range(2):
            total = weights[0, a, c] + weights[1, a, c]
            if total == 0.0 or given[a, c] == 0.0:
                continue
            for x in range(2):
                p = given[a, c] * weights[x, a, c] / total
                rates[unit, x] += p
                tables[unit, 0, x, a] += p
                tables[unit, 1, x, c] += p


# Log odds of the last units given the first ones, all others of the last summed out.
# Cost: some 100 operations per unit and past.
# Pinned by tests/models/test_every_model.py to sums over all words.
@kernel(parallel=True)
def log_odds_given_first(pasts, order, parents, biases, slopes, out):
    """Fill ``out`` (n_pasts, n_last) from ``pasts`` (n_pasts, n_first), what the first did."""
    n_units, n_first = order.size, pasts.shape[1]
    for u in prange(pasts.shape[0]):
        own, shared = np.ones((n_units, 2)), np.ones((n_units, 2, 2, 2))
        weights, tables = np.empty((n_units, 2, 2, 2)), np.empty((n_units, 2, 2, 2))
        rates = np.empty((n_units, 2))
        for place in range(n_units - 1, -1, -1):
            unit = order[place]
            state = np.int64(pasts[u, unit]) if unit < n_first else -1
            _weights(unit, biases, slopes, state, own, shared, weights[unit])
            _explain(unit, parents, weights[unit], own, shared)
        for place in range(n_units):
            _follow(order[place], parents, rates, weights[order[place]], tables)
        for unit in range(n_first, n_units):
            out[u, unit - n_first] = math.log(rates[unit, 1]) - math.log(rates[unit, 0])
