"""Parts of L1 logistic regressions: a logistic unit, and descent on a quadratic model."""

import math

from ..compile import kernel, subroutine

_MOST_SWEEPS = 1000


@subroutine
def gate(z):
    """sigmoid(z), sigmoid(-z) and log(1 + exp z), none of which overflows."""
    e = math.exp(-abs(z))
    large = 1.0 / (1.0 + e)
    small = e * large
    softplus = max(z, 0.0) + math.log1p(e)
    return (large, small, softplus) if z > 0.0 else (small, large, softplus)


@subroutine
def violation(slope, value, l1):
    """By how much one coordinate violates its condition of a minimum with an L1 penalty."""
    if value > 0.0:
        return abs(slope + l1)
    if value < 0.0:
        return abs(slope - l1)
    return max(abs(slope) - l1, 0.0)


@subroutine
def descend(H, q, strengths, tol, most_sweeps, goal):
    """Minimise q'd + d'Hd/2 + sum of strength * abs(goal + d) over d, and move ``goal`` there.

    Ends when no condition of the minimum is violated by more than ``tol``, or after so many sweeps;
    ``q`` is left with the slopes of the quadratic function there. Returns the largest violation
    that the last sweep met.
    """
    worst = 0.0
    for _ in range(most_sweeps):
        worst = 0.0
        for a in range(goal.size):
            curvature = H[a, a]
            if curvature <= 0.0:
                continue
            worst = max(worst, violation(q[a], goal[a], strengths[a]))
            centre = goal[a] - q[a] / curvature
            new = math.copysign(max(abs(centre) - strengths[a] / curvature, 0.0), centre)
            change = new - goal[a]
            if change != 0.0:
                goal[a] = new
                for b in range(goal.size):
                    q[b] += change * H[a, b]
        if worst <= tol:
            break
    return worst


# The same for Python.
# Cost: one multiply-add per sweep, coordinate that moves and coordinate.
# Pinned by tests/solvers/test_newton.py (its optimality conditions; scikit-learn's Lasso).
@kernel
def minimise_quadratic(H, slopes, values, strengths, tol):
    """Find value + d at the least slopes'd + d'Hd/2 + sum of strength * |value + d|.

    Ends as :func:`descend` does. Also returns slopes + Hd there.
    """
    goal, q = values.copy(), slopes.copy()
    descend(H, q, strengths, tol, _MOST_SWEEPS, goal)
    return goal, q
