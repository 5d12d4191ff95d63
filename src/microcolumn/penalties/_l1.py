"""The L1 penalty on couplings and weights."""

from __future__ import annotations

import numpy as np

from ..layout import Layout
from ..validation import Floats
from ._penalty import Penalty


class L1(Penalty):
    """strength * (sum |J_nm| + sum |W_ni|) over all entries, so twice per pair; biases are free.

    Entries that are tied count each.

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
        for at in self._parts(layout):
            strengths[at] = self.strength * layout.multiplicity[at]
        return strengths

    def value(self, x: Floats, layout: Layout) -> float:
        sums = ((layout.multiplicity[at] * np.abs(x[at])).sum() for at in self._parts(layout))
        return float(sum(self.strength * each for each in sums))

    def add_subgradient(self, x: Floats, layout: Layout, subgradient: Floats) -> None:
        """Add the sign of each entry, or shrink the slope of an entry that is zero."""
        for at in self._parts(layout):
            weight = self.strength * layout.multiplicity[at]
            shrunk = np.minimum(np.maximum(subgradient[at], -weight), weight)
            subgradient[at] += np.where(x[at] != 0.0, np.copysign(weight, x[at]), -shrunk)

    def zero(self, x: Floats, origin: Floats, layout: Layout, subgradient: Floats) -> None:
        """Set entries to zero that are not on the side of zero where a step may lead."""
        for at in self._parts(layout) if self.strength > 0.0 else ():
            side = np.where(origin[at] != 0.0, origin[at], -subgradient[at])
            x[at][x[at] * side <= 0.0] = 0.0

    def _parts(self, layout: Layout) -> tuple[slice, slice]:
        """Where couplings, and weights and strengths, stand."""
        _, first, last, _ = layout.offsets
        if layout.term is not None:
            last = first + layout.term.n_penalised
        return layout.couplings, slice(first, last)
