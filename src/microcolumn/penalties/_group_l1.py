"""The group penalty on hidden units, under which a hidden unit dies as a whole."""

from __future__ import annotations

import math

import numpy as np

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
    """Norm of each column."""
    return np.asarray(np.sqrt(np.einsum("ni,ni->i", W, W)))
