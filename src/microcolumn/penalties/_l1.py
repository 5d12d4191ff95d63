"""The L1 penalty on couplings and weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..layout import Layout
from ..validation import Floats
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

    def strengths(self, layout: Layout) -> Floats:
        """What each coordinate's absolute value costs, shape (layout.size,)."""
        strengths = np.zeros(layout.size)
        for at, weight in self._parts(layout):
            strengths[at] = weight
        return strengths

    def value(self, x: Floats, layout: Layout) -> float:
        values = (weight * np.abs(x[at]).sum() for at, weight in self._parts(layout))
        return float(sum(values))

    def add_slopes(self, x: Floats, layout: Layout, slopes: Floats) -> None:
        """Add the sign of each entry, or shrink the slope of an entry that is zero."""
        for at, weight in self._parts(layout):
            shrunk = np.minimum(np.maximum(slopes[at], -weight), weight)
            slopes[at] += np.where(x[at] != 0.0, np.copysign(weight, x[at]), -shrunk)

    def zero(self, x: Floats, origin: Floats, layout: Layout, slopes: Floats) -> None:
        """Set entries to zero that are not on the side of zero where a step may lead."""
        for at, _ in self._parts(layout) if self.strength > 0.0 else ():
            side = np.where(origin[at] != 0.0, origin[at], -slopes[at])
            x[at][x[at] * side <= 0.0] = 0.0

    def _parts(self, layout: Layout) -> Iterator[tuple[slice, float]]:
        """Where couplings, and weights and strengths, stand, and what an absolute value costs."""
        n_pairs, first, last, _ = layout.offsets
        if layout.term is not None:
            last = first + layout.term.n_penalised
        if n_pairs > 0:
            yield layout.couplings, 2.0 * self.strength
        if last > first:
            yield slice(first, last), self.strength
