"""Loops of the penalties over flat vectors of parameters.

Each costs a few operations per coordinate. ``borders`` are where b, W and c begin in a vector, and
where c ends; couplings of pairs come first. The group penalty sees W alone, row by row, so that a
hidden unit's weights lie ``n_hidden`` apart. All of it is pinned by tests/penalties.
"""

import math

import numpy as np

from ..compile import kernel, subroutine


@kernel
def l1_value(x, strength, borders):
    """Value: strength * (2 * sum over pairs + sum over weights) of absolute values."""
    total = 0.0
    for k in range(borders[0]):
        total += 2.0 * abs(x[k])
    for k in range(borders[1], borders[2]):
        total += abs(x[k])
    return strength * total


@kernel
def l1_add_slopes(x, strength, borders, slopes):
    """Add the derivative of each entry, or shrink the slope of one that is zero."""
    for first, last, weight in (
        (0, borders[0], 2.0 * strength),
        (borders[1], borders[2], strength),
    ):
        for k in range(first, last):
            if x[k] != 0.0:
                slopes[k] += weight * np.sign(x[k])
            else:
                slopes[k] -= min(max(slopes[k], -weight), weight)


@kernel
def l1_zero(x, origin, borders, slopes):
    """Set entries to zero that are not on the side of zero where a step may lead."""
    for first, last in ((0, borders[0]), (borders[1], borders[2])):
        for k in range(first, last):
            side = origin[k] if origin[k] != 0.0 else -slopes[k]
            if (side >= 0.0 and x[k] <= 0.0) or (side <= 0.0 and x[k] >= 0.0):
                x[k] = 0.0


@subroutine
def _norm(x, n_hidden, i):
    total = 0.0
    for k in range(i, x.size, n_hidden):
        total += x[k] * x[k]
    return math.sqrt(total)


@kernel
def group_value(x, weight, n_hidden):
    """Value: weight * sum of the norms of the hidden units."""
    total = 0.0
    for i in range(n_hidden):
        total += _norm(x, n_hidden, i)
    return weight * total


@kernel
def group_add_slopes(x, weight, n_hidden, slopes):
    """Add the derivative of each norm, or shrink the slopes of a hidden unit that is zero."""
    for i in range(n_hidden):
        norm = _norm(x, n_hidden, i)
        if norm > 0.0:
            for k in range(i, x.size, n_hidden):
                slopes[k] += weight * x[k] / norm
        else:
            norm = _norm(slopes, n_hidden, i)
            rest = 1.0 - weight / norm if norm > weight else 0.0
            for k in range(i, x.size, n_hidden):
                slopes[k] *= rest


@kernel
def group_zero(x, origin, n_hidden, slopes):
    """Set hidden units to zero that are not in the half-space where a step may lead."""
    for i in range(n_hidden):
        along, is_dead = 0.0, _norm(origin, n_hidden, i) == 0.0
        for k in range(i, x.size, n_hidden):
            along += x[k] * (-slopes[k] if is_dead else origin[k])
        if along <= 0.0:
            for k in range(i, x.size, n_hidden):
                x[k] = 0.0
