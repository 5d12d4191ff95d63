"""L1 logistic regressions of several responses on the same sparse rows.

Rows come as in a sparse matrix: row u has the ``values`` in ``columns``, which increase, from
``offsets[u]`` to ``offsets[u + 1]``, and stands for the share ``shares[u]`` of all words. Response
i is regressed on the columns before ``limits[i]`` and on terms that depend on how many of these the
row has, K, where counts beyond the last row of ``table`` are like it:

    log odds z_u = sum_{j < limits[i]} w_ij value_uj + sum_m v_im table[K, m].

The last term is the constant 1, whose coefficient is the bias. With a_u the share of all words that
are row u and in which the response is 1, the loss is

    sum_u (shares[u] - a_u) log(1 + exp z_u) + a_u log(1 + exp(-z_u)) + l1 * sum of |w| and |v|,

where the bias has no penalty. Each is solved by Newton's method (docs/method.md, "Cascaded
logistic"), and the way to the minimum of the quadratic model is halved until the objective falls.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from .l1_descent import descend, gate, violation

#: Share of the decrease that the slope promises which a step must reach.
_DECREASE = 1e-4
_MOST_HALVINGS = 30
#: Most that a step changes a coefficient by: far from the data the loss has no curvature left that
#: would lead back.
_LONGEST = 10.0
#: The quadratic model is minimised to this share of the violation that the step began with, in
#: rounds of so many sweeps over the coordinates.
_INNER_SHARE, _SWEEPS, _MOST_ROUNDS = 1e-2, 10, 100
#: Share of a coordinate's curvature that must be left when earlier coordinates are accounted for.
_SINGULAR = 1e-10
#: Relative change of the objective that may be mere rounding.
_ROUNDING = 1e-12


class SparseRows(NamedTuple):
    """What the regressions read."""

    offsets: np.ndarray  # (n_rows + 1,), int64
    columns: np.ndarray  # (n_values,), int32
    values: np.ndarray  # (n_values,)
    shares: np.ndarray  # (n_rows,)
    fired_offsets: np.ndarray  # (n_responses + 1,), int64: where the rows of a response begin in
    fired: np.ndarray  # (n_fired,), int32: rows in which it is 1, and
    fired_shares: np.ndarray  # (n_fired,): in what share of all words that are such a row
    limits: np.ndarray  # (n_responses,), int64
    usable: np.ndarray  # (n_columns,): whether a column may have a weight
    table: np.ndarray  # (n_counts, n_terms), the last column 1


class _Scratch(NamedTuple):
    ends: np.ndarray  # (n_rows,) where the columns before the limit end, int64
    counts: np.ndarray  # (n_rows,) row of the table, int64
    spikes: np.ndarray  # (n_rows,) share of words in which the response is 1
    inputs: np.ndarray  # (n_rows,) log odds
    there: np.ndarray  # (n_rows,) log odds at the end of a step
    slopes: np.ndarray  # (n_rows,) derivative of the loss along the log odds
    curvatures: np.ndarray  # (n_rows,) second derivative


@subroutine
def _begin(rows, i):
    """Where the predictors of response i end in each row, and how often it is 1 there."""
    n = rows.shares.size
    ends, counts = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for u in range(n):
        k, end = rows.offsets[u], rows.offsets[u + 1]
        if end > k and rows.columns[end - 1] < rows.limits[i]:
            k = end
        while k < end and rows.columns[k] < rows.limits[i]:
            k += 1
        ends[u] = k
        counts[u] = min(k - rows.offsets[u], rows.table.shape[0] - 1)
    spikes = np.zeros(n)
    for k in range(rows.fired_offsets[i], rows.fired_offsets[i + 1]):
        spikes[rows.fired[k]] += rows.fired_shares[k]
    return _Scratch(ends, counts, spikes, np.empty(n), np.empty(n), np.empty(n), np.empty(n))


@subroutine
def _loss(rows, inputs, scratch):
    """Loss without penalty at some log odds; leaves the derivatives along them."""
    loss = 0.0
    for u in range(inputs.size):
        share, spikes = rows.shares[u], scratch.spikes[u]
        s, sbar, softplus = gate(inputs[u])
        loss += share * softplus - spikes * inputs[u]
        scratch.slopes[u] = (share - spikes) * s - spikes * sbar
        scratch.curvatures[u] = share * s * sbar
    return loss


@subroutine
def _inputs(rows, scratch, coefficients, out):
    """Log odds of each row."""
    by_count = rows.table @ coefficients[rows.usable.size :]
    for u in range(out.size):
        total = by_count[scratch.counts[u]]
        for k in range(rows.offsets[u], scratch.ends[u]):
            total += rows.values[k] * coefficients[rows.columns[k]]
        out[u] = total


@subroutine
def _gradient(rows, scratch, gradient):
    """Write the gradient: of the weights first, then of the terms."""
    gradient[:] = 0.0
    by_count = np.zeros(rows.table.shape[0])
    for u in range(scratch.ends.size):
        slope = scratch.slopes[u]
        by_count[scratch.counts[u]] += slope
        for k in range(rows.offsets[u], scratch.ends[u]):
            gradient[rows.columns[k]] += slope * rows.values[k]
    gradient[rows.usable.size :] = by_count @ rows.table


@subroutine
def _moving(rows, i, l1, coefficients, gradient):
    """Coefficients that are not zero or should not be, and the bias, and the worst violation."""
    n_columns, bias = rows.usable.size, coefficients.size - 1
    moving, n_moving, worst = np.empty(bias + 1, dtype=np.int64), 0, abs(gradient[bias])
    for j in range(bias):
        is_free = j >= n_columns or (j < rows.limits[i] and rows.usable[j])
        if is_free and (coefficients[j] != 0.0 or abs(gradient[j]) > l1):
            worst = max(worst, violation(gradient[j], coefficients[j], l1))
            moving[n_moving] = j
            n_moving += 1
    moving[n_moving] = bias
    return moving[: n_moving + 1], worst


@subroutine
def _curvature_of_weights(rows, scratch, slots, H, crossed, by_count):
    """Second derivatives along weights with a slot, and by count what terms need."""
    listed, listed_values = np.empty(slots.size, dtype=np.int64), np.empty(slots.size)
    for u in range(scratch.ends.size):
        h, count, n_listed = scratch.curvatures[u], scratch.counts[u], 0
        by_count[count] += h
        for k in range(rows.offsets[u], scratch.ends[u]):
            slot = slots[rows.columns[k]]
            if slot >= 0:
                listed[n_listed], listed_values[n_listed] = slot, rows.values[k]
                n_listed += 1
                scaled, row = h * rows.values[k], H[slot]
                crossed[count, slot] += scaled
                for j in range(n_listed):
                    row[listed[j]] += scaled * listed_values[j]


@subroutine
def _curvature(rows, scratch, moving):
    """Matrix of second derivatives along the moving coefficients."""
    n_columns, n_moving = rows.usable.size, moving.size
    slots, n_weights = np.full(n_columns, -1), 0
    while moving[n_weights] < n_columns:
        slots[moving[n_weights]] = n_weights
        n_weights += 1
    n_counts = rows.table.shape[0]
    H, crossed = np.zeros((n_moving, n_moving)), np.zeros((n_counts, n_weights))
    by_count = np.zeros(n_counts)
    _curvature_of_weights(rows, scratch, slots, H, crossed, by_count)
    # Terms depend on the count alone, so that sums over rows become sums over counts.
    for a in range(n_weights, n_moving):
        term = rows.table[:, moving[a] - n_columns]
        for count in range(n_counts):
            for b in range(n_weights):
                H[a, b] += term[count] * crossed[count, b]
            for b in range(n_weights, a + 1):
                other = rows.table[count, moving[b] - n_columns]
                H[a, b] += term[count] * by_count[count] * other
    for a in range(n_moving):
        for b in range(a):
            H[b, a] = H[a, b]
    return H


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
def _jump(H, q, strengths, goal):
    """Go to the minimum over the coordinates that are not zero, or to where the first gets there.

    Coordinate descent crawls along directions in which coordinates nearly repeat each other.
    """
    is_free = goal != 0.0
    is_free[-1] = True  # the bias, which has no penalty and may have either sign
    free = np.flatnonzero(is_free)
    bias = free.size - 1
    A, x = np.empty((free.size, free.size)), np.empty(free.size)
    for k in range(free.size):
        x[k] = -q[free[k]] - math.copysign(strengths[free[k]], goal[free[k]])
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
        row = H[free[k]]
        for b in range(q.size):
            q[b] += change * row[b]


@subroutine
def _minimise(H, slopes, start, strengths, tol):
    """Where slopes'd + d'Hd/2 plus the penalty of start + d is least; the bias comes last."""
    goal, q = start.copy(), slopes.copy()
    for _ in range(_MOST_ROUNDS):
        if descend(H, q, strengths, tol, _SWEEPS, goal) <= tol:
            break
        _jump(H, q, strengths, goal)
    return goal


@subroutine
def _step(rows, scratch, moving, l1, worst, gradient, coefficients, value):
    """Move to a lower penalised loss and return it; infinity where no step leads to one."""
    start, slopes = coefficients[moving], gradient[moving]
    strengths = np.full(moving.size, l1)
    strengths[-1] = 0.0
    H = _curvature(rows, scratch, moving)
    goal = _minimise(H, slopes, start, strengths, _INNER_SHARE * worst)
    promised = ((goal - start) * slopes + strengths * (np.abs(goal) - np.abs(start))).sum()
    coefficients[moving] = goal
    _inputs(rows, scratch, coefficients, scratch.there)
    towards = scratch.there - scratch.inputs
    share = _LONGEST / max(np.abs(goal - start).max(), _LONGEST)
    for _ in range(_MOST_HALVINGS):
        there = start + share * (goal - start) if share < 1.0 else goal
        scratch.there[:] = scratch.inputs + share * towards
        reached = _loss(rows, scratch.there, scratch) + (strengths * np.abs(there)).sum()
        if reached <= value + _DECREASE * share * promised + _ROUNDING * abs(value):
            coefficients[moving] = there
            scratch.inputs[:] = scratch.there
            return reached
        share *= 0.5
    coefficients[moving] = start
    return np.inf


# The regressions of some responses, from the coefficients that are given on.
# Cost, of each step of each regression: three passes over the values, an exponential and a
# logarithm per row, and a multiply-add per pair of moving columns that share a row.
# Pinned to scikit-learn and to the conditions of the minimum by
# tests/kernels/loops/test_sparse_logistic.py.
@kernel(parallel=True)
def regress(rows, nodes, l1, tol, max_iter, coefficients, optimality, n_iter):
    """Improve ``coefficients`` (n_responses, n_columns + n_terms) in the rows of ``nodes``.

    ``optimality`` (n_responses,) gets the largest violation of the conditions of the minimum, and
    ``n_iter`` (n_responses,) the number of steps.
    """
    for node in prange(nodes.size):
        i = nodes[node]
        scratch, own, gradient = _begin(rows, i), coefficients[i], np.empty(coefficients.shape[1])
        _inputs(rows, scratch, own, scratch.inputs)
        value = _loss(rows, scratch.inputs, scratch) + l1 * np.abs(own[:-1]).sum()
        for step in range(max_iter + 1):
            _gradient(rows, scratch, gradient)
            moving, optimality[i] = _moving(rows, i, l1, own, gradient)
            n_iter[i] = step
            if optimality[i] <= tol or step == max_iter:
                break
            value = _step(rows, scratch, moving, l1, optimality[i], gradient, own, value)
            if np.isinf(value):
                break
