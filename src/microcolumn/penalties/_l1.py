"""The L1 penalty on couplings and weights."""

from __future__ import annotations

import numpy as np

from ..kernels.loops.penalties import l1_add_slopes, l1_value, l1_zero
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
        first, second, third, _ = layout.borders
        strengths = np.zeros(layout.size)
        strengths[:first], strengths[second:third] = 2.0 * self.strength, self.strength
        return strengths

    def value(self, x: Floats, layout: Layout) -> float:
        """The penalty at ``x``."""
        return float(l1_value(x, self.strength, layout.borders))

    def add_slopes(self, x: Floats, layout: Layout, slopes: Floats) -> None:
        """Add the sign of each entry, or shrink the slope of an entry that is zero."""
        l1_add_slopes(x, self.strength, layout.borders, slopes)

    def zero(self, x: Floats, origin: Floats, layout: Layout, slopes: Floats) -> None:
        """Set entries to zero that have changed sign."""
        if self.strength > 0.0:
            l1_zero(x, origin, layout.borders, slopes)
