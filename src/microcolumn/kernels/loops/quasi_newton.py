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
from ..compile import kernel

Point = tuple[Floats, Floats, Floats]
Memory = tuple[Floats, Floats, Floats, Floats, Floats, NDArray[np.intp]]

#: Least cosine between a step and its change of slope. Below it the problem is not convex there.
_CURVED = 1e-10


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
    return bool(step @ change > _CURVED * math.sqrt((step @ step) * (change @ change)))


def find_direction(
    memory: Memory,
    n_pairs: int,
    newest: int,
    x: Floats,
    slopes: Floats,
    n_moving: int,
    direction: Floats,
    curvature: Floats | None = None,
) -> int:
    """Fill ``direction``; the number of moving coordinates, which was ``n_moving`` before.

    ``curvature`` (n,) is a first guess at that of each coordinate, of the same scale for all.
    """
    steps, changes, s, y, products, last_moving = memory
    moving = np.flatnonzero((x != 0.0) | (slopes != 0.0))
    n = moving.size
    is_same = n == n_moving and np.array_equal(moving, last_moving[:n])
    last_moving[:n] = moving
    places = (newest - np.arange(n_pairs)) % len(steps)
    taken = places[:1] if is_same else places
    s_of, y_of = steps[taken[:, None], moving], changes[taken[:, None], moving]
    s[taken, :n], y[taken, :n] = s_of, y_of
    sy, ss, yy = (
        np.einsum("pj,pj->p", *pair) for pair in ((s_of, y_of), (s_of, s_of), (y_of, y_of))
    )
    scales = np.ones(n) if curvature is None else 1.0 / curvature[moving]
    products[taken, 0] = np.where(sy > _CURVED * np.sqrt(ss * yy), sy, 0.0)
    products[taken, 1] = yy if curvature is None else y_of**2 @ scales
    q = -slopes[moving]
    convex = places[products[places, 0] > 0.0]
    if convex.size:
        scales *= products[convex[0], 0] / products[convex[0], 1]
    elif curvature is None:  # as long as nothing is known, a step has length 1 at most
        scales /= max(1.0, math.sqrt(q @ q))
    _apply_inverse(s, y, products, convex, scales, q)
    direction[:] = 0.0
    direction[moving] = q
    return n


# The two-loop recursion: q times the inverse Hessian that the pairs, newest first, amount to.
# Cost: 4 multiply-adds per pair and coordinate.
# Pinned by tests/solvers.
@kernel(fastmath={"reassoc", "contract"})
def _apply_inverse(s, y, products, places, scales, q):
    """Overwrite ``q`` (n_moving,)."""
    n, alpha = q.size, np.empty(places.size)
    for p in range(places.size):
        k = places[p]
        total = 0.0
        for j in range(n):
            total += s[k, j] * q[j]
        alpha[p] = total / products[k, 0]
        for j in range(n):
            q[j] -= alpha[p] * y[k, j]
    for j in range(n):
        q[j] *= scales[j]
    for p in range(places.size - 1, -1, -1):
        k = places[p]
        total = 0.0
        for j in range(n):
            total += y[k, j] * q[j]
        beta = alpha[p] - total / products[k, 0]
        for j in range(n):
            q[j] += beta * s[k, j]
