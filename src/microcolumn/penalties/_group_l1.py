"""The group penalty on hidden units, under which a hidden unit dies as a whole."""

from __future__ import annotations

import math

from numba import njit

from ..layout import Layout
from ..parameters import Floats
from ._penalty import Penalty


class GroupL1(Penalty):
    """strength * sqrt(n_visible) * sum_i |W_i|, the Euclidean norm of each hidden unit's weights.

    Couplings and biases are free. A hidden unit without weights is at its optimum where the norm
    of the gradient of its weights is at most strength * sqrt(n_visible); with an L1 penalty
    beside it, the norm of what that penalty leaves of the gradient.

    Examples
    --------
    >>> from microcolumn.layout import Layout
    >>> from microcolumn.parameters import Parameters
    >>> theta = Parameters(b=[0.0] * 4, W=[[1.0, 0.0]] * 4)
    >>> layout = Layout.of(theta)
    >>> GroupL1(0.1).value(layout.pack(theta), layout)
    0.4
    """

    level = 1

    def value(self, x: Floats, layout: Layout) -> float:
        """The penalty at ``x``."""
        return _value(x[layout.weights], self._weight(layout), layout.n_hidden)

    def add_slopes(self, x: Floats, layout: Layout, slopes: Floats) -> None:
        """Add the direction of each hidden unit's weights, or shrink the slopes of a dead one."""
        at = layout.weights
        _add_slopes(x[at], self._weight(layout), layout.n_hidden, slopes[at])

    def zero(self, x: Floats, origin: Floats, layout: Layout, slopes: Floats) -> None:
        """Set hidden units to zero whose weights have turned by a right angle or more."""
        if self.strength > 0.0:
            at = layout.weights
            _zero(x[at], origin[at], layout.n_hidden, slopes[at])

    def _weight(self, layout: Layout) -> float:
        return self.strength * math.sqrt(layout.n_visible)


@njit(cache=True)
def _norm(x, n_hidden, i):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(i, x.size, n_hidden):
        total += x[k] * x[k]
    return math.sqrt(total)


@njit(cache=True)
def _value(x, weight, n_hidden):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(n_hidden):
        total += _norm(x, n_hidden, i)
    return weight * total


@njit(cache=True)
def _add_slopes(x, weight, n_hidden, slopes):  # type: ignore[no-untyped-def]
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


@njit(cache=True)
def _zero(x, origin, n_hidden, slopes):  # type: ignore[no-untyped-def]
    for i in range(n_hidden):
        along, is_dead = 0.0, _norm(origin, n_hidden, i) == 0.0
        for k in range(i, x.size, n_hidden):
            along += x[k] * (-slopes[k] if is_dead else origin[k])
        if along <= 0.0:
            for k in range(i, x.size, n_hidden):
                x[k] = 0.0
