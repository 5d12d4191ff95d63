"""L1 logistic regressions of several responses on the same sparse features.

Rows come as in a sparse matrix: row u has the ``values`` in ``columns`` from ``offsets[u]`` to
``offsets[u + 1]``, stands for the share ``shares[u]`` of all bins, and response i was 1 in the rows
listed in ``fired`` from ``fired_offsets[i]`` to ``fired_offsets[i + 1]``, each time in the share
``bin_share`` of the bins. The constant comes last among the coefficients and is not penalised:

    loss = sum_u shares[u] log(1 + exp z_u) - bin_share * sum over fired of z_u + l1 * sum |w|.

Each regression is solved by Newton's method: the quadratic model at the present coefficients, plus
the penalty, is minimised by coordinate descent over the coefficients that are not zero or should
not be (the proximal Newton method, Lee, Sun & Saunders 2014), and the way there is halved until the
objective falls.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from .l1_descent import descend, gate, violation

#: Share of the decrease that the slope promises which a step must reach.
_DECREASE = 1e-4
_MOST_HALVINGS = 30
#: Coordinate descent ends when its conditions are violated by this share of what the rows' are.
_INNER_SHARE = 1e-3
#: Relative change of the objective that may be mere rounding.
_ROUNDING = 1e-13


class SparseRows(NamedTuple):
    """What the regressions read."""

    offsets: np.ndarray  # (n_rows + 1,), int64
    columns: np.ndarray  # (n_values,), int32
    values: np.ndarray  # (n_values,)
    shares: np.ndarray  # (n_rows,)
    fired_offsets: np.ndarray  # (n_responses + 1,), int64
    fired: np.ndarray  # (n_fired,), int32
    bin_share: float


class _Scratch(NamedTuple):
    spikes: np.ndarray  # (n_rows,) share of bins in which the response is 1
    inputs: np.ndarray  # (n_rows,) log odds
    there: np.ndarray  # (n_rows,) log odds at the end of a step
    slopes: np.ndarray  # (n_rows,) derivative of the loss along the log odds
    curvatures: np.ndarray  # (n_rows,) second derivative


@subroutine
def _loss(rows, inputs, scratch):
    """Loss without penalty at some log odds; leaves the derivatives along them."""
    loss = 0.0
    for u in range(inputs.size):
        share, spikes = rows.shares[u], scratch.spikes[u]
        s, sbar, softplus = gate(inputs[u])
        loss += share * softplus - spikes * inputs[u]
        scratch.slopes[u] = share * s - spikes
        scratch.curvatures[u] = share * s * sbar
    return loss


@subroutine
def _inputs(rows, coefficients, out):
    """Log odds of each row."""
    constant = coefficients[-1]
    for u in range(rows.offsets.size - 1):
        total = constant
        for k in range(rows.offsets[u], rows.offsets[u + 1]):
            total += rows.values[k] * coefficients[rows.columns[k]]
        out[u] = total


@subroutine
def _gradient(rows, scratch, gradient):
    gradient[:] = 0.0
    total = 0.0
    for u in range(rows.offsets.size - 1):
        slope = scratch.slopes[u]
        total += slope
        for k in range(rows.offsets[u], rows.offsets[u + 1]):
            gradient[rows.columns[k]] += slope * rows.values[k]
    gradient[-1] = total


@subroutine
def _curvature(rows, slots, n, scratch):
    """Second derivatives (n, n) along the moving coefficients by their slots, the constant last."""
    H = np.zeros((n, n))
    listed, listed_values = np.empty(n, dtype=np.int64), np.empty(n)
    for u in range(rows.offsets.size - 1):
        h, n_listed = scratch.curvatures[u], 0
        H[n - 1, n - 1] += h
        for k in range(rows.offsets[u], rows.offsets[u + 1]):
            slot = slots[rows.columns[k]]
            if slot >= 0:
                listed[n_listed], listed_values[n_listed] = slot, rows.values[k]
                n_listed += 1
        for a in range(n_listed):
            row, scaled = H[listed[a]], h * listed_values[a]
            H[n - 1, listed[a]] += scaled
            for b in range(n_listed):  # both halves: no comparison of slots
                row[listed[b]] += scaled * listed_values[b]
    H[: n - 1, n - 1] = H[n - 1, : n - 1]
    return H


@subroutine
def _step(rows, scratch, l1, worst, gradient, coefficients, value):
    """Move to a lower penalised loss and return it; infinity where no step leads to one."""
    n_features = coefficients.size - 1
    slots, moving = np.full(n_features, -1), np.empty(n_features + 1, dtype=np.int64)
    n = 0
    for j in range(n_features):
        if coefficients[j] != 0.0 or abs(gradient[j]) > l1:
            slots[j], moving[n] = n, j
            n += 1
    moving[n] = n_features
    moving = moving[: n + 1]
    values, slopes = coefficients[moving], gradient[moving]
    strengths = np.full(n + 1, l1)
    strengths[-1] = 0.0
    H = _curvature(rows, slots, n + 1, scratch)
    goal = values.copy()
    descend(H, slopes.copy(), strengths, _INNER_SHARE * worst, goal)
    promised = ((goal - values) * slopes + strengths * (np.abs(goal) - np.abs(values))).sum()
    coefficients[moving] = goal
    _inputs(rows, coefficients, scratch.there)
    towards = scratch.there - scratch.inputs
    share = 1.0
    for _ in range(_MOST_HALVINGS):
        there = values + share * (goal - values) if share < 1.0 else goal
        reached = _loss(rows, scratch.there, scratch) + (strengths * np.abs(there)).sum()
        if reached <= value + _DECREASE * share * promised + _ROUNDING * abs(value):
            coefficients[moving] = there
            scratch.inputs[:] = scratch.there
            return reached
        share *= 0.5
        scratch.there[:] = scratch.inputs + share * towards
    coefficients[moving] = values
    return np.inf


@subroutine
def _solve(rows, i, l1, tol, max_iter, own):
    """Improve the coefficients of response i; its largest violation and the number of steps."""
    n = rows.shares.size
    scratch = _Scratch(np.zeros(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n))
    for k in range(rows.fired_offsets[i], rows.fired_offsets[i + 1]):
        scratch.spikes[rows.fired[k]] += rows.bin_share
    gradient = np.empty(own.size)
    _inputs(rows, own, scratch.inputs)
    value = _loss(rows, scratch.inputs, scratch) + l1 * np.abs(own[:-1]).sum()
    step = 0
    while True:
        _gradient(rows, scratch, gradient)
        worst = abs(gradient[-1])
        for j in range(own.size - 1):
            worst = max(worst, violation(gradient[j], own[j], l1))
        if worst <= tol or step == max_iter:
            return worst, step
        value = _step(rows, scratch, l1, worst, gradient, own, value)
        if np.isinf(value):
            return worst, step
        step += 1


# The regressions of some responses, from the coefficients that are given on.
# Cost, of each step of each regression: three passes over the values, an exponential per row, and
# a multiply-add per pair of moving features that share a row.
# Pinned to scikit-learn and to the conditions of the minimum by
# tests/kernels/loops/test_sparse_logistic.py.
@kernel(parallel=True)
def regress(rows, nodes, l1, tol, max_iter, coefficients, optimality, n_iter):
    """Improve ``coefficients`` (n_responses, n_features + 1) in the rows of ``nodes``.

    ``optimality`` (n_responses,) gets the largest violation of the conditions of the minimum, and
    ``n_iter`` (n_responses,) the number of steps.
    """
    for node in prange(nodes.size):
        i = nodes[node]
        optimality[i], n_iter[i] = _solve(rows, i, l1, tol, max_iter, coefficients[i])
