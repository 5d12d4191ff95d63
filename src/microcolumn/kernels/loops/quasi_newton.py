"""The L-BFGS direction of the quasi-Newton search, on arrays that it allocates once.

The memory is a tuple: steps and changes of slope, shape (n_places, n) each, the newest at place
``newest`` and older ones before it, around the corner; the moving coordinates of both, to the left
of rows of the same shape; s'y and y'y of these, shape (n_places, 2), y over the curvature where one
is known; and which coordinates move.
Pinned by tests/solvers, which compare minima with closed forms and other solvers.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ...validation import Floats
from ..compile import kernel, subroutine

Point = tuple[Floats, Floats, Floats]
Memory = tuple[Floats, Floats, Floats, Floats, Floats, NDArray[np.intp]]

#: Least cosine between a step and its change of slope. Below it the problem is not convex there.
_CURVED = 1e-10
#: Sums may be added up in any order, so that they run in lanes.
_REORDERED = {"reassoc", "contract"}


def keep_pair(before: Point, after: Point, memory: Memory, place: int) -> bool:
    """Keep a step and how it changed the slopes; whether the problem is convex along it.

    ``before`` and ``after`` are (x, gradient, slopes). In a coordinate that has become zero the
    slopes are shrunk, so that the gradient's change stands for theirs.
    """
    (x, gradient, slopes), (new_x, new_gradient, new_slopes) = before, after
    step, change = memory[0][place], memory[1][place]
    np.subtract(new_x, x, out=step)
    np.subtract(new_slopes, slopes, out=change)
    np.subtract(new_gradient, gradient, out=change, where=new_x == 0.0)
    # Two roots: where nothing is curved, steps may be so long that a product would overflow.
    return bool(step @ change > _CURVED * math.sqrt(step @ step) * math.sqrt(change @ change))


# Minus the slopes of the moving coordinates times the inverse Hessian that the pairs amount to, by
# the two-loop recursion. Coordinates of older pairs are picked anew only where others move.
# Cost: 4 multiply-adds per pair and moving coordinate.
# Pinned by tests/solvers.
@kernel(fastmath=_REORDERED)
def find_direction(
    steps, changes, s, y, products, moving, n_pairs, newest, x, slopes, n_before, direction, guess
):
    """Fill ``direction``, and of the memory, which comes first, ``moving`` and what belongs to it.

    Returns the number of moving coordinates, which was ``n_before``. ``guess`` (n,) is a first one
    at the curvature of each coordinate, of the same scale for all; (0,) where none is known.
    """
    n, is_same = 0, True
    for j in range(x.size):
        direction[j] = 0.0
        if x[j] != 0.0 or slopes[j] != 0.0:
            is_same &= n < n_before and moving[n] == j
            moving[n] = j
            n += 1
    is_same &= n == n_before
    for p in range(min(n_pairs, 1) if is_same else n_pairs):
        _pick(steps, changes, s, y, products, moving[:n], guess, (newest - p) % len(steps))
    q, scales, alpha, length = np.empty(n), np.ones(n), np.zeros(n_pairs), 0.0
    for j in range(n):
        q[j] = -slopes[moving[j]]
        length += q[j] * q[j]
        if guess.size:
            scales[j] = 1.0 / guess[moving[j]]
    # As long as nothing is known, a step has length 1 at most.
    scale = 1.0 if guess.size else 1.0 / max(1.0, math.sqrt(length))
    for p in range(n_pairs - 1, -1, -1):
        k = (newest - p) % len(steps)
        if products[k, 0] > 0.0:
            scale = products[k, 0] / products[k, 1]
    for j in range(n):
        scales[j] *= scale
    _apply_inverse(s, y, products, newest, alpha, scales, q)
    for j in range(n):
        direction[moving[j]] = q[j]
    return n


@subroutine(fastmath=_REORDERED)
def _pick(steps, changes, s, y, products, moving, guess, k):
    """Moving coordinates of pair ``k`` and their products; s'y is 0 where it is not convex."""
    sy = ss = yy = scaled = 0.0
    for j in range(moving.size):
        step, change = steps[k, moving[j]], changes[k, moving[j]]
        s[k, j], y[k, j] = step, change
        sy += step * change
        ss += step * step
        yy += change * change
        scaled += change * change / guess[moving[j]] if guess.size else 0.0
    products[k, 0] = sy if sy > _CURVED * math.sqrt(ss * yy) else 0.0
    products[k, 1] = scaled if guess.size else yy


@subroutine(fastmath=_REORDERED)
def _apply_inverse(s, y, products, newest, alpha, scales, q):
    """Overwrite ``q`` (n_moving,) with its product; ``alpha`` (n_pairs,) is zero before."""
    n_pairs, n_places = alpha.size, len(s)
    for p in range(n_pairs):
        k = (newest - p) % n_places
        if products[k, 0] > 0.0:
            total = 0.0
            for j in range(q.size):
                total += s[k, j] * q[j]
            alpha[p] = total / products[k, 0]
            for j in range(q.size):
                q[j] -= alpha[p] * y[k, j]
    for j in range(q.size):
        q[j] *= scales[j]
    for p in range(n_pairs - 1, -1, -1):
        k = (newest - p) % n_places
        if products[k, 0] > 0.0:
            total = 0.0
            for j in range(q.size):
                total += y[k, j] * q[j]
            beta = alpha[p] - total / products[k, 0]
            for j in range(q.size):
                q[j] += beta * s[k, j]
