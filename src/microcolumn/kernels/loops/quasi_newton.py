"""Vector operations of the quasi-Newton search, on arrays that it allocates once.

Each costs one to three operations per coordinate, except for the direction, which says its own.
The memory is a tuple: steps and changes of slope, shape (n_places, n) each, the newest at place
``newest`` and older ones before it, around the corner; the moving coordinates of both, to the left
of rows of the same shape; s'y and y'y of these, shape (n_places, 2); and which coordinates move.
Pinned by tests/solvers, which compare minima with closed forms and other solvers.
"""

import math

import numpy as np

from ..compile import kernel, subroutine

#: Least cosine between a step and its change of slope. Below it the problem is not convex there.
_CURVED = 1e-10
_FAST = {"reassoc", "contract"}


@kernel
def largest(slopes, entries):
    """Largest |slopes| / entries."""
    worst = 0.0
    for k in range(slopes.size):
        worst = max(worst, abs(slopes[k]) / entries[k])
    return worst


@kernel(fastmath=_FAST)
def slope_along(slopes, x, trial):
    """slopes'(trial - x)."""
    total = 0.0
    for k in range(x.size):
        total += slopes[k] * (trial[k] - x[k])
    return total


@kernel
def move(x, length, direction, trial):
    """Fill ``trial`` with x + length * direction."""
    for k in range(x.size):
        trial[k] = x[k] + length * direction[k]


@kernel(fastmath=_FAST)
def keep_pair(before, after, memory, place):
    """Keep a step and how it changed the slopes; whether the problem is convex along it.

    ``before`` and ``after`` are (x, gradient, slopes). In a coordinate that has become zero the
    slopes are shrunk, so that the gradient's change stands for theirs.
    """
    (x, gradient, slopes), (new_x, new_gradient, new_slopes) = before, after
    step, change = memory[0][place], memory[1][place]
    sy = ss = yy = 0.0
    for k in range(x.size):
        step[k] = new_x[k] - x[k]
        moved = new_slopes[k] - slopes[k] if new_x[k] != 0.0 else new_gradient[k] - gradient[k]
        change[k] = moved
        sy += step[k] * moved
        ss += step[k] * step[k]
        yy += moved * moved
    return sy > _CURVED * math.sqrt(ss * yy)


# The L-BFGS direction (two-loop recursion) on the coordinates that may move.
# Cost: 4 multiply-adds per pair and moving coordinate, and 5 more where these have changed.
@kernel(fastmath=_FAST)
def find_direction(memory, n_pairs, newest, x, slopes, n_moving, direction):
    """Fill ``direction``; the number of moving coordinates, which was ``n_moving`` before."""
    steps, changes, s, y, products, moving = memory
    n, same = _find_moving(x, slopes, moving, n_moving)
    places = [(newest - p) % steps.shape[0] for p in range(n_pairs)]
    for p in range(min(n_pairs, 1) if same else n_pairs):
        _compress(steps, changes, moving, n, places[p], s, y, products)
    q = np.empty(n)
    for j in range(n):
        q[j] = -slopes[moving[j]]
    _apply_inverse(s, y, products, places, q)
    direction[:] = 0.0
    for j in range(n):
        direction[moving[j]] = q[j]
    return n


@subroutine
def _find_moving(x, slopes, moving, n_moving):
    """List the coordinates that may move; how many, and whether they are the same as before."""
    n, same = 0, True
    for k in range(x.size):
        if x[k] != 0.0 or slopes[k] != 0.0:
            same &= n < n_moving and moving[n] == k
            moving[n] = k
            n += 1
    return n, same and n == n_moving


@subroutine(fastmath=_FAST)
def _compress(steps, changes, moving, n, place, s, y, products):
    """Copy the moving coordinates of a pair, and its products s'y (0 if not convex) and y'y."""
    for j in range(n):
        s[place, j] = steps[place, moving[j]]
        y[place, j] = changes[place, moving[j]]
    sy, yy = _dot(s[place], y[place], n), _dot(y[place], y[place], n)
    is_convex = sy > _CURVED * math.sqrt(_dot(s[place], s[place], n) * yy)
    products[place, 0] = sy if is_convex else 0.0
    products[place, 1] = yy


@subroutine(fastmath=_FAST)
def _apply_inverse(s, y, products, places, q):
    """Multiply ``q`` by the inverse Hessian that the pairs, newest first, amount to."""
    n, alpha, scale = q.size, np.zeros(len(places)), 0.0
    for p, k in enumerate(places):
        if products[k, 0] > 0.0:
            scale = products[k, 0] / products[k, 1] if scale == 0.0 else scale
            alpha[p] = _dot(s[k], q, n) / products[k, 0]
            for j in range(n):
                q[j] -= alpha[p] * y[k, j]
    if scale == 0.0:  # nothing is known yet: a step of length 1 at most
        scale = min(1.0, 1.0 / math.sqrt(_dot(q, q, n)))
    for j in range(n):
        q[j] *= scale
    for p in range(len(places) - 1, -1, -1):
        k = places[p]
        if products[k, 0] > 0.0:
            beta = alpha[p] - _dot(y[k], q, n) / products[k, 0]
            for j in range(n):
                q[j] += beta * s[k, j]


@subroutine(fastmath=_FAST)
def _dot(a, b, n):
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total
