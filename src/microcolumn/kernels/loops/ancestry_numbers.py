"""How many units are active, where each depends on at most two that come before it.

Units of a 2-tree, described in ``ancestry.py``, are summed out from the last to the first. What is
left of a unit and of all that hang on it is, for each state of its parents, the chance of every
number of active units: a polynomial. Polynomials are multiplied where branches meet.
"""

import numpy as np

from ..compile import kernel, subroutine
from .ancestry import _sigmoid


@subroutine
def _multiply(one, n_one, other, n_other, out):
    """Product of two polynomials of these degrees, to ``out``."""
    out[: n_one + n_other + 1] = 0.0
    for k in range(n_one + 1):
        if one[k] == 0.0:
            continue
        for m in range(n_other + 1):
            out[k + m] += one[k] * other[m]


@subroutine
def _sum_out(bias, slopes, kept, degrees, sums):
    """Chances of numbers active of a unit and all that hang on it, by its parents' states."""
    own, one, two = degrees
    left, both = np.empty(own + one + 1), np.empty(own + one + two + 1)
    sums[:, :, : both.size + 1] = 0.0
    for a in range(2):
        for c in range(2):
            z = bias + a * slopes[0] + c * slopes[1]
            for x in range(2):
                p = _sigmoid(z) if x else _sigmoid(-z)
                _multiply(kept[0, x, 0], own, kept[1, x, a], one, left)
                _multiply(left, own + one, kept[2, x, c], two, both)
                for k in range(both.size):
                    sums[a, c, k + x] += p * both[k]


@subroutine
def _hang(sums, degree, first, second, parents, kept, degrees):
    """Multiply what was summed out into what hangs on a parent alone or on both of them.

    That of both is kept by the one that has the other as a parent.
    """
    keeper, slot = first, 0
    if second >= 0:
        if parents[first, 0] != second and parents[first, 1] != second:
            keeper = second
        other = second if keeper == first else first
        slot = 1 if parents[keeper, 0] == other else 2
    before = degrees[keeper, slot]
    merged = np.empty(before + degree + 1)
    for a in range(2):
        for c in range(2 if slot else 1):
            target = kept[keeper, slot, a, c] if keeper == first else kept[keeper, slot, c, a]
            _multiply(target, before, sums[a, c], degree, merged)
            target[: merged.size] = merged
    degrees[keeper, slot] = before + degree


# Chance of every number of active units.
# Cost: about 30 multiply-adds per two units.
# Pinned by tests/models/test_every_model.py to sums over all words.
@kernel
def numbers_active(order, parents, biases, slopes, out):
    """Fill ``out`` (n_units + 1,); only the first unit in order has no parent."""
    n_units = order.size
    # What hangs on unit i alone is kept[i, 0, x_i, 0], on it and a parent kept[i, slot, x_i, x_j].
    kept, degrees = (
        np.zeros((n_units, 3, 2, 2, n_units + 1)),
        np.zeros((n_units, 3), dtype=np.int64),
    )
    kept[:, :, :, :, 0] = 1.0
    sums = np.empty((2, 2, n_units + 1))
    for place in range(n_units - 1, -1, -1):
        unit = order[place]
        _sum_out(biases[unit], slopes[unit], kept[unit], degrees[unit], sums)
        if place > 0:
            degree = degrees[unit].sum() + 1
            _hang(sums, degree, parents[unit, 0], parents[unit, 1], parents, kept, degrees)
    out[:] = sums[0, 0]
