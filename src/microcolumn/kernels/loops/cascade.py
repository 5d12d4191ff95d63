"""L1 logistic regressions of each unit on those before it, from sparse words.

Units are numbered in the order of the cascade. Words come as in a sparse matrix: the active units
of word u are ``active`` from ``offsets[u]`` to ``offsets[u + 1]``, increasing. Unit i is regressed
on the units j < i and on terms that depend on how many of these are active, K:

    log odds of x_i = sum_{j<i} w_ij x_j + sum_m v_im table[K, m].

The last term is the constant 1, whose coefficient is the bias. Each regression is solved by
Newton's method: the quadratic model at the present coefficients, plus the penalty, is minimised
over those coefficients that are not zero or should not be (the proximal Newton method of Lee, Sun &
Saunders 2014), and the way there is halved until the objective falls. Coordinate descent finds
which coefficients are zero, and a linear system the others.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from .l1_descent import gate, violation

#: Share of the decrease promised by the slope that a step must reach.
_DECREASE = 1e-4
_MOST_HALVINGS = 30
#: The quadratic model is minimised to this share of the violation that the step began with, in
#: rounds of so many sweeps over the coordinates.
_INNER_SHARE, _SWEEPS, _MOST_ROUNDS = 1e-2, 10, 100
#: Share of a coordinate's curvature that must be left when earlier coordinates are accounted for.
_SINGULAR = 1e-10
#: Relative change of the objective that may be mere rounding.
_ROUNDING = 1e-12


class CascadeWords(NamedTuple):
    """What the regressions read."""

    offsets: np.ndarray  # (n_words + 1,), int64
    active: np.ndarray  # (n_active,), int32, in the order of the cascade
    shares: np.ndarray  # (n_words,) weight of each word
    table: np.ndarray  # (n_most_active + 1, n_terms), the last column 1
    usable: np.ndarray  # (n_units,) whether the unit's rate is neither 0 nor 1


class _Scratch(NamedTuple):
    ends: np.ndarray  # (n_words,) where the units before the regressed one end, int64
    signs: np.ndarray  # (n_words,) -1 where the unit is active, 1 where not
    slopes: np.ndarray  # (n_words,) derivative of the loss along the log odds
    curvatures: np.ndarray  # (n_words,) second derivative
    by_count: np.ndarray  # (n_most_active + 1,)


@subroutine
def _begin(words, i, scratch):
    """Find which units of each word come before unit i, and whether it is active itself."""
    offsets, active = words.offsets, words.active
    for u in range(offsets.size - 1):
        k, end = offsets[u], offsets[u + 1]
        while k < end and active[k] < i:
            k += 1
        scratch.ends[u] = k
        scratch.signs[u] = -1.0 if k < end and active[k] == i else 1.0


@subroutine
def _loss(words, coefficients, scratch):
    """Mean loss at some coefficients; leaves the derivatives along each word's log odds."""
    offsets, active, ends, table = words.offsets, words.active, scratch.ends, words.table
    by_count, signs = scratch.by_count, scratch.signs
    n_units, loss = words.usable.size, 0.0
    for count in range(table.shape[0]):
        total = 0.0
        for m in range(table.shape[1]):
            total += table[count, m] * coefficients[n_units + m]
        by_count[count] = total
    for u in range(offsets.size - 1):
        total = by_count[ends[u] - offsets[u]]
        for k in range(offsets[u], ends[u]):
            total += coefficients[active[k]]
        s, sbar, softplus = gate(signs[u] * total)
        loss += words.shares[u] * softplus
        scratch.slopes[u] = words.shares[u] * s * signs[u]
        scratch.curvatures[u] = words.shares[u] * s * sbar
    return loss


@subroutine
def _gradient(words, scratch, gradient):
    """Write the gradient: of the weights first, then of the terms."""
    offsets, active, ends, table = words.offsets, words.active, scratch.ends, words.table
    n_units, by_count = words.usable.size, scratch.by_count
    gradient[:] = 0.0
    by_count[:] = 0.0
    for u in range(offsets.size - 1):
        slope = scratch.slopes[u]
        by_count[ends[u] - offsets[u]] += slope
        for k in range(offsets[u], ends[u]):
            gradient[active[k]] += slope
    for count in range(table.shape[0]):
        for m in range(table.shape[1]):
            gradient[n_units + m] += table[count, m] * by_count[count]


@subroutine
def _largest_violation(words, i, l1, coefficients, gradient):
    """Over the weights of unit i, its terms and its bias, which is not penalised."""
    n_units, bias = words.usable.size, coefficients.size - 1
    largest = abs(gradient[bias])
    for j in range(bias):
        if j >= n_units or (j < i and words.usable[j]):
            largest = max(largest, violation(gradient[j], coefficients[j], l1))
    return largest


@subroutine
def _moving(words, i, l1, coefficients, gradient):
    """Coefficients that are not zero or should not be, and the bias, which comes last."""
    n_units, bias = words.usable.size, coefficients.size - 1
    moving, n_moving = np.empty(coefficients.size, dtype=np.int64), 0
    for j in range(bias):
        is_free = j >= n_units or (j < i and words.usable[j])
        if is_free and (coefficients[j] != 0.0 or abs(gradient[j]) > l1):
            moving[n_moving] = j
            n_moving += 1
    moving[n_moving] = bias
    return moving[: n_moving + 1]


@subroutine
def _curvature_of_weights(words, slots, scratch, H, crossed, by_count):
    """Second derivatives along weights with a slot, and by running count what terms need."""
    offsets, active, ends = words.offsets, words.active, scratch.ends
    listed = np.empty(words.table.shape[0], dtype=np.int64)
    for u in range(offsets.size - 1):
        h, n_before, n_listed = scratch.curvatures[u], ends[u] - offsets[u], 0
        by_count[n_before] += h
        for k in range(offsets[u], ends[u]):
            slot = slots[active[k]]
            if slot >= 0:
                listed[n_listed] = slot
                n_listed += 1
                crossed[n_before, slot] += h
                for j in range(n_listed):
                    H[slot, listed[j]] += h


@subroutine
def _curvature(words, moving, scratch):
    """Matrix of second derivatives along the moving coefficients."""
    table, by_count = words.table, scratch.by_count
    n_counts, n_units, n_moving = table.shape[0], words.usable.size, moving.size
    slots, n_weights = np.full(n_units, -1), 0
    while moving[n_weights] < n_units:
        slots[moving[n_weights]] = n_weights
        n_weights += 1
    H, crossed = np.zeros((n_moving, n_moving)), np.zeros((n_counts, n_weights))
    by_count[:] = 0.0
    _curvature_of_weights(words, slots, scratch, H, crossed, by_count)
    # Terms depend on the count alone, so that sums over words become sums over counts.
    for a in range(n_weights, n_moving):
        for count in range(n_counts):
            value = table[count, moving[a] - n_units]
            for b in range(n_weights):
                H[a, b] += value * crossed[count, b]
            for b in range(n_weights, a + 1):
                H[a, b] += value * by_count[count] * table[count, moving[b] - n_units]
    for a in range(n_moving):
        for b in range(a):
            H[b, a] = H[a, b]
    return H


@subroutine
def _shift(H, a, change, q):
    """Slopes after a change of coordinate a."""
    if change != 0.0:
        row = H[a]
        for b in range(q.size):
            q[b] += change * row[b]


@subroutine
def _sweep(H, l1, goal, q):
    """Minimise along each coordinate in turn; whether all have kept their signs.

    ``q`` is the slope of the quadratic model.
    """
    n, settled = goal.size, True
    for a in range(n):
        curvature, strength = H[a, a], l1 if a < n - 1 else 0.0
        if curvature > 0.0:
            centre = goal[a] - q[a] / curvature
            new = math.copysign(max(abs(centre) - strength / curvature, 0.0), centre)
            settled = settled and np.sign(new) == np.sign(goal[a])
            _shift(H, a, new - goal[a], q)
            goal[a] = new
    return settled


@subroutine
def _solve(A, x):
    """Solve A x = x in place by Cholesky factors; A is used below the diagonal, and overwritten.

    A coordinate whose pivot only rounding keeps from 0 repeats earlier ones, and stays at 0.
    """
    n = x.size
    smallest, column = np.diag(A) * _SINGULAR, np.empty(n)
    for k in range(n):
        pivot = math.sqrt(A[k, k]) if A[k, k] > smallest[k] else np.inf
        A[k, k] = pivot
        for i in range(k + 1, n):
            A[i, k] /= pivot
            column[i] = A[i, k]
        for i in range(k + 1, n):
            factor, row = column[i], A[i]
            for j in range(k + 1, i + 1):
                row[j] -= factor * column[j]
    for k in range(n):
        for j in range(k):
            x[k] -= A[k, j] * x[j]
        x[k] /= A[k, k]
    for k in range(n - 1, -1, -1):
        x[k] /= A[k, k]
        for j in range(k):
            x[j] -= A[k, j] * x[k]


@subroutine
def _jump(H, l1, goal, q):
    """Go to the minimum over the coordinates that are not zero, or to where the first gets there.

    Coordinate descent crawls along directions in which coordinates nearly repeat each other.
    """
    is_free = goal != 0.0
    is_free[-1] = True  # the bias, which has no penalty and may have either sign
    free = np.flatnonzero(is_free)
    bias = free.size - 1
    A, x = np.empty((free.size, free.size)), np.empty(free.size)
    for k in range(free.size):
        x[k] = -q[free[k]] - (math.copysign(l1, goal[free[k]]) if k < bias else 0.0)
        for j in range(k + 1):
            A[k, j] = H[free[k], free[j]]
    _solve(A, x)
    share, first = 1.0, -1
    for k in range(bias):
        if goal[free[k]] * (goal[free[k]] + share * x[k]) < 0.0:
            share, first = -goal[free[k]] / x[k], k
    for k in range(free.size):
        change = -goal[free[k]] if k == first else share * x[k]
        goal[free[k]] += change
        _shift(H, free[k], change, q)


@subroutine
def _descend(H, slopes, start, l1, tol):
    """Where slopes'd + d'Hd/2 plus the penalty of start + d is least; the bias comes last."""
    n = start.size
    goal, q = start.copy(), slopes.copy()
    for _ in range(_MOST_ROUNDS):
        for _ in range(_SWEEPS):
            settled = _sweep(H, l1, goal, q)
        worst = abs(q[n - 1])
        for a in range(n - 1):
            worst = max(worst, violation(q[a], goal[a], l1))
        if worst <= tol:
            break
        if settled:  # else it would soon end where a coefficient changes its sign
            _jump(H, l1, goal, q)
    return goal


@subroutine
def _penalty(l1, coefficients):
    """Of all coefficients except the bias, which comes last."""
    total = 0.0
    for a in range(coefficients.size - 1):
        total += abs(coefficients[a])
    return l1 * total


@subroutine
def _step(words, i, l1, worst, gradient, coefficients, value, scratch):
    """Move the coefficients to where the penalised loss is lower; the loss there."""
    moving = _moving(words, i, l1, coefficients, gradient)
    start, slopes = coefficients[moving], gradient[moving]
    H = _curvature(words, moving, scratch)
    goal = _descend(H, slopes, start, l1, _INNER_SHARE * worst)
    promised = _penalty(l1, goal) - _penalty(l1, start)
    for a in range(moving.size):
        promised += slopes[a] * (goal[a] - start[a])
    share = 1.0
    for _ in range(_MOST_HALVINGS):
        for a in range(moving.size):
            coefficients[moving[a]] = start[a] + share * (goal[a] - start[a])
        reached = _loss(words, coefficients, scratch) + _penalty(l1, coefficients)
        if reached <= value + _DECREASE * share * promised + _ROUNDING * value:
            break
        share *= 0.5
    return reached


# The regressions of some units, from the coefficients that are given on.
# Cost, of each step of a regression: three passes over the active units before it, one exponential
# and one logarithm per word, and one addition per pair of moving units that are active together.
# Pinned to scikit-learn and the conditions of the minimum by tests/kernels/loops/test_cascade.py.
@kernel(parallel=True)
def regress(words, nodes, l1, tol, max_iter, coefficients, optimality, n_iter):
    """Improve ``coefficients`` (n_units, n_units + n_terms) in the rows of ``nodes``.

    ``optimality`` (n_units,) gets the largest violation of the conditions of the minimum, and
    ``n_iter`` (n_units,) the number of steps.
    """
    n_words = words.shares.size
    for node in prange(nodes.size):
        i = nodes[node]
        scratch = _Scratch(
            np.empty(n_words, dtype=np.int64),
            np.empty(n_words),
            np.empty(n_words),
            np.empty(n_words),
            np.empty(words.table.shape[0]),
        )
        row, gradient = coefficients[i], np.empty(coefficients.shape[1])
        _begin(words, i, scratch)
        value = _loss(words, row, scratch) + _penalty(l1, row)
        for step in range(max_iter + 1):
            _gradient(words, scratch, gradient)
            optimality[i] = _largest_violation(words, i, l1, row, gradient)
            n_iter[i] = step
            if optimality[i] <= tol or step == max_iter:
                break
            value = _step(words, i, l1, optimality[i], gradient, row, value, scratch)
