"""Parameters as one flat vector of free coordinates, and back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..parameters import Floats, Parameters

#: Coupling of two units kept apart: unlikely enough that the slope is below every tolerance.
APART = -20.0


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Which entries of a model's parameters are free, and in which order they stand in a vector.

    The order is: one coordinate per coupled pair n < m (moving J_nm and J_mn together), b, W row
    by row, c. Units with ``held`` keep their bias and have neither couplings nor weights; other
    pairs with ``apart`` have the coupling ``APART``.

    Parameters
    ----------
    n_units, n_hidden : int
        Size of the model; ``n_hidden`` may be 0.
    coupled : bool
        Whether the model has couplings J.
    held : ndarray of bool, shape (n_units,)
        Units left out of the problem.
    apart : ndarray of bool, shape (n_units, n_units)
        Pairs left out of the problem.

    Attributes
    ----------
    free : ndarray of int
        Positions of the units that are not held.
    """

    n_units: int
    n_hidden: int
    coupled: bool
    held: NDArray[np.bool_]
    apart: NDArray[np.bool_]
    free: NDArray[np.intp] = field(init=False)
    _pairs: tuple[NDArray[np.intp], NDArray[np.intp]] = field(init=False, repr=False)
    _pairs_apart: tuple[NDArray[np.intp], NDArray[np.intp]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find the free units and their pairs once; every evaluation needs them."""
        free = np.flatnonzero(~self.held)
        rows, columns = free[np.array(np.triu_indices(free.size if self.coupled else 0, 1))]
        apart = self.apart[rows, columns]
        object.__setattr__(self, "free", free)
        object.__setattr__(self, "_pairs", (rows[~apart], columns[~apart]))
        object.__setattr__(self, "_pairs_apart", (rows[apart], columns[apart]))

    @classmethod
    def of(
        cls,
        theta: Parameters,
        held: NDArray[np.bool_] | None = None,
        apart: NDArray[np.bool_] | None = None,
    ) -> Layout:
        """Layout of a model of the same kind and size as ``theta``."""
        n_units = theta.n_visible
        held = np.zeros(n_units, dtype=bool) if held is None else held
        apart = np.zeros((n_units, n_units), dtype=bool) if apart is None else apart
        return cls(n_units, theta.n_hidden, theta.J is not None, held, apart)

    @property
    def _sizes(self) -> tuple[int, int, int, int]:
        free = self.free.size
        return self._pairs[0].size, free, free * self.n_hidden, self.n_hidden

    def pack(self, theta: Parameters) -> Floats:
        """The free coordinates of ``theta``."""
        return self._flatten(theta, 1.0)

    def pack_gradient(self, gradient: Parameters) -> Floats:
        """Derivatives along the coordinates: a pair moves two entries of J."""
        return self._flatten(gradient, 2.0)

    def _flatten(self, theta: Parameters, pair_factor: float) -> Floats:
        parts = []
        if theta.J is not None:
            parts.append(pair_factor * theta.J[self._pairs])
        parts.append(theta.b[self.free])
        if theta.W is not None and theta.c is not None:
            parts += [theta.W[self.free].ravel(), theta.c]
        return np.concatenate(parts)

    def unpack(self, vector: Floats, held_biases: Floats) -> Parameters:
        """Parameters with these free coordinates; held units get ``held_biases`` alone."""
        pairs, biases, weights, c = np.split(vector, np.cumsum(self._sizes)[:-1])
        b = held_biases.copy()
        b[self.free] = biases
        J = W = None
        if self.coupled:
            J = np.zeros((self.n_units, self.n_units))
            J[self._pairs] = pairs
            J[self._pairs_apart] = APART
            J += J.T
        if self.n_hidden:
            W = np.zeros((self.n_units, self.n_hidden))
            W[self.free] = weights.reshape(biases.size, self.n_hidden)
        return Parameters(b=b, J=J, W=W, c=c if self.n_hidden else None)

    def penalties(self, l1: float) -> Floats:
        """Weight of each coordinate's absolute value: 2*l1 per pair, l1 per W, none for biases.

        The penalty counts all entries of J (METHOD section 3), hence twice per pair.
        """
        pairs, biases, weights, c = self._sizes
        return np.concatenate(
            [np.full(pairs, 2.0 * l1), np.zeros(biases), np.full(weights, l1), np.zeros(c)]
        )
