"""Words in which each unit depends on at most two that come before it.

Unit i is active with log odds b_i + w_i0 x_j + w_i1 x_k, where j and k are its ``parents``. In
``regressions`` a missing one is -1. Everywhere else each unit has two, (n_units + 1, 2), of which
the second is a parent of the first, so that the table of both is one of the first's own (a 2-tree).
Those that are missing are unit ``n_units``, which never fires and is its own parent, or with a
coefficient of zero a parent of the other one.
"""

import math
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from ...validation import Bits, Floats, chunks
from ..compile import kernel, subroutine
from .two_trees import _together

Places = NDArray[np.int64]

#: Entries of tables that are held at once, 32 MB.
_ENTRIES = 1 << 22


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
        k, jk = pairs[second, second] + 1.0, pairs[first, second] + 0.5
        ik = pairs[unit, second] + 0.5
        t = _together(i, j, k, ij, ik, jk, n)
        silent = _log_odds(i - ij - ik + t, n - i - j - k + ij + ik + jk - t)
        both[unit, 0] = _log_odds(ij - t, j - ij - jk + t) - silent
        both[unit, 1] = _log_odds(ik - t, k - ik - jk + t) - silent


def _bias(table: Floats, slopes: Floats, rate: float) -> float:
    """The bias at which a unit with these two coefficients has its rate."""
    steps = np.array([[0.0, slopes[1]], [slopes[0], slopes.sum()]])

    def excess(bias: float) -> float:
        """Of the logarithm of the rate, which is straighter where units are rarely active."""
        return math.log(float((table * expit(bias + steps)).sum()) / rate)

    # The ends are the biases of units whose parents are always in one state.
    low, high = logit(rate) - steps.max() - 1e-6, logit(rate) - steps.min() + 1e-6
    return float(brentq(excess, low, high, xtol=1e-14))


def _keeper(parents: Places, unit: int) -> tuple[int, int]:
    """The first parent of a unit, and which of that one's parents is the unit's second."""
    first, second = parents[unit]
    return first, int(parents[first, 0] != second)


def _given_parents(bias: float, slopes: Floats) -> Floats:
    """Probability of each state x of a unit at each state a, c of its parents, [x, a, c]."""
    odds = bias + np.array([[0.0, slopes[1]], [slopes[0], slopes[0] + slopes[1]]])
    return expit(np.array([-odds, odds]))


def fill_tables(
    order: Places, parents: Places, slopes: Floats, rates: Floats, biases: Floats, tables: Floats
) -> None:
    """Fill ``biases`` (n_units,), which give every unit its rate, and ``tables``.

    ``tables[i, s, a, c]``, shape (n_units + 1, 2, 2, 2), is P(x_i = a, parent s of i = c).
    """
    tables[-1] = 0.0
    tables[-1, :, 0, 0] = 1.0
    for unit in order:
        given = tables[_keeper(parents, unit)]
        biases[unit] = _bias(given, slopes[unit], rates[unit])
        joint = given * _given_parents(biases[unit], slopes[unit])
        tables[unit] = joint.sum(axis=2), joint.sum(axis=1)


def log_odds_given_first(
    pasts: Bits, order: Places, parents: Places, biases: Floats, slopes: Floats, out: Floats
) -> None:
    """Fill ``out`` (n_pasts, n_last) from ``pasts`` (n_pasts, n_first), what the first did.

    They are log odds of the last units, all others of the last summed out. Backwards in the order
    of the units each is summed out, which leaves a table of its parents' states; forwards the
    table of each unit and its parents follows from that of the parents.
    """
    n_units, n_first = order.size, pasts.shape[1]
    for part in chunks(len(pasts), 24 * n_units, _ENTRIES):
        past = pasts[part].T
        explained = np.ones((n_units + 1, 2, 2, 2, past.shape[1]))
        weights, tables = np.empty_like(explained), np.zeros_like(explained)
        tables[-1, :, 0, 0] = 1.0
        for unit in order[::-1]:
            by_first, by_second = explained[unit]
            chances = _given_parents(biases[unit], slopes[unit])[..., None]
            weights[unit] = chances * by_first[:, :, None] * by_second[:, None]
            if unit < n_first:
                weights[unit] *= (past[unit] == [[0], [1]])[:, None, None]
            totals = weights[unit].sum(axis=0)
            explained[_keeper(parents, unit)] *= totals / totals.max(axis=(0, 1))
        for unit in order:
            given, totals = tables[_keeper(parents, unit)], weights[unit].sum(axis=0)
            shares = np.divide(given, totals, out=np.zeros(totals.shape), where=totals > 0.0)
            joint = weights[unit] * shares
            tables[unit] = joint.sum(axis=2), joint.sum(axis=1)
        silent, active = tables[n_first:-1, 0].sum(axis=2).swapaxes(0, 1)
        out[part] = (np.log(active) - np.log(silent)).T


def numbers_active(
    order: Places, parents: Places, biases: Floats, slopes: Floats, out: Floats
) -> None:
    """Fill ``out`` (n_units + 1,) with the chance of every number of active units.

    Backwards in the order of the units, what is left of a unit and all that depend on it is a
    polynomial for each state of its parents; they are multiplied where branches meet.
    """
    # Of what depends on unit i and its parent s, at their states, kept[i, s][x_i, x_s].
    kept: Any = defaultdict(lambda: dict.fromkeys(np.ndindex(2, 2), np.ones(1)))
    for unit in order[::-1]:
        chances = _given_parents(biases[unit], slopes[unit])
        by_first, by_second = kept.pop((unit, 0), kept[-1]), kept.pop((unit, 1), kept[-1])
        branches = kept[_keeper(parents, unit)]
        for a, c in branches:
            silent, active = (
                chances[x, a, c] * np.convolve(by_first[x, a], by_second[x, c]) for x in (0, 1)
            )
            left = np.append(silent, 0.0) + np.append(0.0, active)
            branches[a, c] = np.convolve(branches[a, c], left)
    out[:] = branches[0, 0]
