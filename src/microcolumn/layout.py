"""Parameters as one flat vector of free coordinates, and back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .energy import BERNOULLI, GAUSSIAN, FreeTerm, HiddenUnit, hidden_mean
from .parameters import Parameters
from .validation import Bits, Floats

Indices = NDArray[np.intp]

#: Coupling of two units that are never active together, where it has no finite optimum: so
#: unlikely to be active together that the slope is below every tolerance.
NEVER_COACTIVE = -20.0


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Which entries of a model's parameters are free, and in which order a vector holds them.

    The order is: one coordinate per coupled pair n < m (which moves J_nm and J_mn together), b, W
    row by row, strengths of a further term, c but for Gaussian hidden units, and the
    potential v from two active bits on, where a model is ``counted``. A fixed unit keeps its bias
    and has neither couplings nor weights. A pair that is never coactive has the coupling
    ``NEVER_COACTIVE``, unless one of its units is fixed. With a ``basis``, shape (n_visible - 1,
    n_visible - 1), the potential is that matrix times its coordinates.

    Biases, shape (n_visible,), are final for fixed units. Rows and columns of the couplings that
    are coordinates are ``pairs``. ``offsets`` are where b, W and c begin in a vector, and where c
    ends. ``multiplicity`` is 2 for a pair, which moves two entries of J, else 1. ``couplings``,
    ``fields`` (biases of free units), ``weights`` (W row by row, one row per free unit),
    ``hidden_biases`` and ``potential`` are where each of them stands in a vector.
    """

    biases: Floats
    n_hidden: int
    coupled: bool
    fixed: NDArray[np.bool_]
    never_coactive: NDArray[np.bool_]
    counted: bool = False
    basis: Floats | None = None
    hidden: HiddenUnit = BERNOULLI
    term: FreeTerm | None = None
    free: Indices = field(init=False)
    pairs: tuple[Indices, Indices] = field(init=False, repr=False)
    fixed_pairs: tuple[Indices, Indices] = field(init=False, repr=False)
    offsets: tuple[int, int, int, int] = field(init=False)
    multiplicity: Floats = field(init=False, repr=False)
    couplings: slice = field(init=False, repr=False)
    fields: slice = field(init=False, repr=False)
    weights: slice = field(init=False, repr=False)
    hidden_biases: slice = field(init=False, repr=False)
    potential: slice = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find the free units and their pairs once; every evaluation needs them."""
        free = np.flatnonzero(~self.fixed)
        rows, columns = free[np.array(np.triu_indices(free.size if self.coupled else 0, 1))]
        never = self.never_coactive[rows, columns]
        n_pairs, n_weights = int((~never).sum()), free.size * self.n_hidden
        # Biases of Gaussian hidden units are no freedom that visible ones do not have.
        n_biases = 0 if self.hidden is GAUSSIAN else self.n_hidden
        n_strengths = 0 if self.term is None else self.term.strengths.size
        sizes = (n_pairs, free.size, n_weights + n_strengths, n_biases)
        n_potential = max(self.n_visible - 1, 0) if self.counted else 0
        multiplicity = np.ones(sum(sizes) + n_potential)
        multiplicity[:n_pairs] = 2.0
        offsets = tuple(int(end) for end in np.cumsum(sizes))
        for name, value in {
            "free": free,
            "pairs": (rows[~never], columns[~never]),
            "fixed_pairs": (rows[never], columns[never]),
            "offsets": offsets,
            "multiplicity": multiplicity,
            "couplings": slice(0, n_pairs),
            "fields": slice(n_pairs, offsets[1]),
            "weights": slice(offsets[1], offsets[1] + n_weights),
            "hidden_biases": slice(*offsets[2:]),
            "potential": slice(offsets[3], multiplicity.size),
        }.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(
        cls,
        theta: Parameters,
        fixed: NDArray[np.bool_] | None = None,
        never_coactive: NDArray[np.bool_] | None = None,
    ) -> Layout:
        """Layout of a model of the same kind and size as ``theta``, with its biases."""
        n = theta.n_visible
        fixed = np.zeros(n, dtype=bool) if fixed is None else fixed
        if never_coactive is None:
            never_coactive = np.zeros((n, n), dtype=bool)
        coupled, counted = theta.J is not None, theta.v is not None
        parts = theta.n_hidden, coupled, fixed, never_coactive, counted
        return cls(theta.b, *parts, hidden=theta.hidden, term=theta.term)

    @property
    def n_visible(self) -> int:
        """Number of bits of a word."""
        return int(self.biases.size)

    @property
    def size(self) -> int:
        """Number of free coordinates."""
        return int(self.multiplicity.size)

    def potential_of(self, x: Floats) -> Floats:
        """The potential v of a vector, shape (n_visible + 1,)."""
        moved = x[self.potential]
        return np.concatenate([[0.0, 0.0], moved if self.basis is None else self.basis @ moved])

    def slopes_of_potential(self, slopes: Floats) -> Floats:
        """Derivatives along the coordinates of the potential from those along v."""
        return slopes[2:] if self.basis is None else slopes[2:] @ self.basis

    def design(self, theta: Parameters, X: Bits, coordinates: Indices | None = None) -> Floats:
        """Derivatives of log p~ of words by coordinates, shape (n_words, n); by all by default.

        ``coordinates`` (n,) are increasing places in a vector. Not for a potential with a basis.
        """
        chosen = np.arange(self.size) if coordinates is None else coordinates
        parts = np.split(chosen, np.searchsorted(chosen, self.offsets))
        starts = 0, *self.offsets
        pairs, units, weights, biases, counts = (
            part - start for part, start in zip(parts, starts, strict=True)
        )
        bits = np.ascontiguousarray(X.T, dtype=np.float64)  # rows are units, read as they lie
        rows, columns = self.pairs
        slopes = [2.0 * bits[rows[pairs]] * bits[columns[pairs]], bits[self.free[units]]]
        if self.n_hidden:
            mean = np.ascontiguousarray(hidden_mean(theta, X).T)
            unit, hidden = np.divmod(weights, self.n_hidden)
            slopes += [bits[self.free[unit]] * mean[hidden], mean[biases]]
        elif theta.term is not None:
            term = theta.term.over(theta.b)
            slopes[1] = slopes[1] * term.gains(X).T
            slopes.append(term.slopes(X).T[weights])
        slopes.append(bits.sum(axis=0) == 2.0 + counts[:, None])
        return np.concatenate(slopes).T

    def pack(self, theta: Parameters) -> Floats:
        """The free coordinates of ``theta``."""
        flat = self._flatten(theta, 1.0)
        if theta.v is None:
            return flat
        v = theta.v[2:] if self.basis is None else np.linalg.solve(self.basis, theta.v[2:])
        return np.concatenate([flat, v])

    def pack_gradient(self, gradient: Parameters) -> Floats:
        """Derivatives along the coordinates: a pair moves two entries of J."""
        flat = self._flatten(gradient, 2.0)
        if gradient.v is None:
            return flat
        return np.concatenate([flat, self.slopes_of_potential(gradient.v)])

    def _flatten(self, theta: Parameters, pair_factor: float) -> Floats:
        parts = []
        if theta.J is not None:
            parts.append(pair_factor * theta.J[self.pairs])
        parts.append(theta.b[self.free])
        if theta.W is not None and theta.c is not None:
            n_biases = self.offsets[3] - self.offsets[2]
            parts += [theta.W[self.free].ravel(), theta.c[:n_biases]]
        if theta.term is not None:
            parts.append(theta.term.strengths)
        return np.concatenate(parts)

    def unpack(self, vector: Floats, *, change: bool = False) -> Parameters:
        """Parameters with these free coordinates; of a ``change`` of them, 0 for what is fixed."""
        starts = 0, *self.offsets[:3]
        parts = (vector[start:end] for start, end in zip(starts, self.offsets, strict=True))
        pairs, free, weights, c = parts
        b = np.zeros(self.n_visible) if change else self.biases.copy()
        b[self.free] = free
        J = W = None
        if self.coupled:
            J = np.zeros((self.n_visible, self.n_visible))
            J[self.pairs] = pairs
            J[self.fixed_pairs] = 0.0 if change else NEVER_COACTIVE
            J += J.T
        if self.n_hidden:
            W = np.zeros((self.n_visible, self.n_hidden))
            W[self.free] = weights.reshape(-1, self.n_hidden)
            c = np.zeros(self.n_hidden) if self.hidden is GAUSSIAN else c.copy()
        v = self.potential_of(vector) if self.counted else None
        term = None if self.term is None else self.term.with_strengths(weights)
        hidden_biases = c if self.n_hidden else None
        return Parameters.trusted(b, J, W, hidden_biases, v, self.hidden, term)
