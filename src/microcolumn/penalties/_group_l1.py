"""The group penalty on hidden units, under which a hidden unit dies as a whole."""

from __future__ import annotations

import math

from ..kernels.loops.penalties import group_add_slopes, group_value, group_zero
from ..layout import Layout
from ..validation import Floats
from ._penalty import Penalty


class GroupL1(Penalty):
    """strength * sqrt(n_visible) * sum_i |W_i|, the Euclidean norm of each hidden unit's weights.

    Couplings and biases are free. A hidden unit without weights is at its optimum where the norm
    of the gradient of its weights is at most strength * sqrt(n_visible); with an L1 penalty
    as well, the norm of what that penalty leaves of the gradient.

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
        return float(group_value(x[layout.weights], self._weight(layout), layout.n_hidden))

    def add_slopes(self, x: Floats, layout: Layout, slopes: Floats) -> None:
        """Add the direction of each hidden unit's weights, or shrink the slopes of a dead one."""
        at = layout.weights
        group_add_slopes(x[at], self._weight(layout), layout.n_hidden, slopes[at])

    def zero(self, x: Floats, origin: Floats, layout: Layout, slopes: Floats) -> None:
        """Set hidden units to zero whose weights have turned by a right angle or more."""
        if self.strength > 0.0:
            at = layout.weights
            group_zero(x[at], origin[at], layout.n_hidden, slopes[at])

    def _weight(self, layout: Layout) -> float:
        return self.strength * math.sqrt(layout.n_visible)
