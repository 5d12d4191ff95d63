"""The smoothness penalty on the potential of the number of active units."""

from __future__ import annotations

import numpy as np

from ..layout import Layout
from ..validation import Floats
from ._penalty import Penalty


class Smoothness(Penalty):
    """strength / 2 * sum of (v_{K+1} - 2 v_K + v_{K-1} - bend_K)^2 over K from 1 to n_visible - 1.

    The second differences are what is penalised, so a potential may rise or fall along a line; with
    v_0 = v_1 = 0 one potential alone costs nothing. Nothing else is penalised. ``bends``, shape
    (n_visible - 1,), are zero by default.

    Examples
    --------
    >>> from microcolumn.layout import Layout
    >>> from microcolumn.parameters import Parameters
    >>> theta = Parameters(b=[0.0] * 3, J=np.zeros((3, 3)), v=[0.0, 0.0, 1.0, 4.0])
    >>> layout = Layout.of(theta)
    >>> Smoothness(0.2).value(layout.pack(theta), layout)
    0.5
    """

    level = 2

    def __init__(self, strength: float, bends: Floats | None = None) -> None:
        super().__init__(strength)
        self.bends: Floats | float = 0.0 if bends is None else bends

    def value(self, x: Floats, layout: Layout) -> float:
        return 0.5 * self.strength * float((self._excess(x, layout) ** 2).sum())

    def add_subgradient(self, x: Floats, layout: Layout, subgradient: Floats) -> None:
        """Add the derivatives: differences of the second differences."""
        padded = np.pad(self._excess(x, layout), 2)  # the differences are their own transpose
        along = self.strength * np.diff(padded, n=2)
        subgradient[layout.potential] += layout.slopes_of_potential(along)

    def _excess(self, x: Floats, layout: Layout) -> Floats:
        """Second differences of the potential beyond those that cost nothing."""
        return np.diff(layout.potential_of(x), n=2) - self.bends
