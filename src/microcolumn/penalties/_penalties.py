"""Penalties on entries, on hidden units as a whole, and on bends of a potential."""

from __future__ import annotations

import math

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
        return self._weight(layout) * float(_norms(_weights(x, layout)).sum())

    def add_subgradient(self, x: Floats, layout: Layout, subgradient: Floats) -> None:
        """Add the direction of each hidden unit's weights, or shrink that of a dead one."""
        W, along, weight = _weights(x, layout), _weights(subgradient, layout), self._weight(layout)
        norms, pull = _norms(W), _norms(along)
        is_live = norms > 0.0
        along[:, is_live] += weight * W[:, is_live] / norms[is_live]
        kept = np.where(pull > weight, 1.0 - weight / np.maximum(pull, weight or 1.0), 0.0)
        along[:, ~is_live] *= kept[~is_live]

    def zero(self, x: Floats, origin: Floats, layout: Layout, subgradient: Floats) -> None:
        """Set hidden units to zero that are not in the half-space where a step may lead."""
        if self.strength > 0.0:
            W, start, pull = (_weights(vector, layout) for vector in (x, origin, subgradient))
            towards = np.where(_norms(start) > 0.0, start, -pull)
            W[:, (W * towards).sum(axis=0) <= 0.0] = 0.0

    def _weight(self, layout: Layout) -> float:
        return self.strength * math.sqrt(layout.n_visible)


def _weights(vector: Floats, layout: Layout) -> Floats:
    """A view of the weights, shape (n_free, n_hidden)."""
    return vector[layout.weights].reshape(layout.free.size, layout.n_hidden)


def _norms(W: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ni,ni->i", W, W)))


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
