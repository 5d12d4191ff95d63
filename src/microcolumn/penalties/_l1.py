"""The L1 penalty on couplings and weights."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..layout import Layout
from ..parameters import Floats
from ._penalty import Penalty


class L1(Penalty):
    """strength * (sum |J_nm| + sum |W_ni|) over all entries, so twice per pair; biases are free.

    Examples
    --------
    >>> from microcolumn.layout import Layout
    >>> from microcolumn.parameters import Parameters
    >>> theta = Parameters(b=[-2.0, -1.0], J=[[0.0, 0.5], [0.5, 0.0]])
    >>> layout = Layout.of(theta)
    >>> L1(0.1).value(layout.pack(theta), layout)
    0.1
    """

    level = 0

    def value(self, x: Floats, layout: Layout) -> float:
        """The penalty at ``x``."""
        return _value(x, self.strength, layout.borders)

    def add_slopes(self, x: Floats, layout: Layout, slopes: Floats) -> None:
        """Add the sign of each entry, or shrink the slope of an entry that is zero."""
        _add_slopes(x, self.strength, layout.borders, slopes)

    def zero(self, x: Floats, origin: Floats, layout: Layout, slopes: Floats) -> None:
        """Set entries to zero that have changed sign."""
        if self.strength > 0.0:
            _zero(x, origin, layout.borders, slopes)


@njit(cache=True)
def _value(x, strength, borders):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(borders[0]):
        total += 2.0 * abs(x[k])
    for k in range(borders[1], borders[2]):
        total += abs(x[k])
    return strength * total


@njit(cache=True)
def _add_slopes(x, strength, borders, slopes):  # type: ignore[no-untyped-def]
    for first, last, weight in (
        (0, borders[0], 2.0 * strength),
        (borders[1], borders[2], strength),
    ):
        for k in range(first, last):
            if x[k] != 0.0:
                slopes[k] += weight * np.sign(x[k])
            else:
                slopes[k] -= min(max(slopes[k], -weight), weight)


@njit(cache=True)
def _zero(x, origin, borders, slopes):  # type: ignore[no-untyped-def]
    for first, last in ((0, borders[0]), (borders[1], borders[2])):
        for k in range(first, last):
            side = origin[k] if origin[k] != 0.0 else -slopes[k]
            if (side >= 0.0 and x[k] <= 0.0) or (side <= 0.0 and x[k] >= 0.0):
                x[k] = 0.0
