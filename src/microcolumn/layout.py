"""Parameters as one flat vector of free coordinates, and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

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
    ends. ``multiplicity`` counts the entries of the parameters that a coordinate moves, 2 for a
    pair, which has two in J, and ``n_tied`` the couplings, biases or weights. ``couplings``,
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
    n_tied: Floats = field(init=False, repr=False)
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
            "n_tied": np.ones(multiplicity.size),
            "couplings": slice(0, n_pairs),
            "fields": slice(n_pairs, offsets[1]),
            "weights": slice(offsets[1], offsets[1] + n_weights),
            "hidden_biases": slice(*offsets[2:]),
            "potential": slice(offsets[3], multiplicity.size),
        }.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def of(
        theta: Parameters,
        fixed: NDArray[np.bool_] | None = None,
        never_coactive: NDArray[np.bool_] | None = None,
        tied_bins: int = 1,
    ) -> Layout:
        """Layout of a model of the same kind and size as ``theta``, with its biases.

        With more than one of ``tied_bins`` it is a :class:`TiedLayout` of so many bins.
        """
        n = theta.n_visible
        fixed = np.zeros(n, dtype=bool) if fixed is None else fixed
        if never_coactive is None:
            never_coactive = np.zeros((n, n), dtype=bool)
        coupled, counted = theta.J is not None, theta.v is not None
        parts = theta.b, theta.n_hidden, coupled, fixed, never_coactive, counted
        named: dict[str, Any] = {"hidden": theta.hidden, "term": theta.term}
        if tied_bins > 1:
            return TiedLayout(*parts, **named, n_bins=tied_bins)
        return Layout(*parts, **named)

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


@dataclass(frozen=True, slots=True, eq=False)
class TiedLayout(Layout):
    """A layout of windows in which couplings and weights depend on the lag between bins alone.

    Words are ``n_bins`` bins of the same units, oldest first, and hidden units stand in bins as
    units do: an equal number belongs to each, the first of them to the oldest. One coordinate moves
    all couplings of two units at one lag, one all weights of a unit on the hidden units of one
    profile at one lag, one the biases of a profile's hidden units. Biases of bits are free: those
    at the edges of a window stand in for partners beyond it, and turned hidden units
    (docs/method.md, section 2) change them by what depends on the bin.

    A unit is fixed, and a pair never coactive, if it is so in all bins. ``untied`` is the layout
    without ties and ``shared`` (untied.size,) the coordinate that each of its own has become.
    """

    n_bins: int = 1
    untied: Layout = field(init=False, repr=False)
    shared: Indices = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find which coordinates of the untied layout are one."""
        fixed = np.tile(self.fixed.reshape(self.n_bins, -1).all(axis=0), self.n_bins)
        never = self._never_at_any_bin()
        parts = self.biases, self.n_hidden, self.coupled, fixed, never
        untied = Layout(*parts, hidden=self.hidden)
        groups, sizes, start = [], [], 0
        for keys in self._keys(untied):
            distinct, group = np.unique(keys, return_inverse=True)
            groups.append(start + group.ravel())
            sizes.append(distinct.size)
            start += distinct.size
        shared, ends = np.concatenate(groups), [int(end) for end in np.cumsum(sizes)]
        n_tied = np.bincount(shared, minlength=start).astype(np.float64)
        for name, value in {
            "fixed": fixed,
            "never_coactive": never,
            "free": untied.free,
            "pairs": untied.pairs,
            "fixed_pairs": untied.fixed_pairs,
            "offsets": tuple(ends),
            "multiplicity": np.bincount(shared, untied.multiplicity, start),
            "couplings": slice(0, ends[0]),
            "fields": slice(ends[0], ends[1]),
            "weights": slice(ends[1], ends[2]),
            "hidden_biases": slice(ends[2], ends[3]),
            "potential": slice(ends[3], ends[3]),
            "untied": untied,
            "shared": shared,
            "n_tied": n_tied,
        }.items():
            object.__setattr__(self, name, value)

    def _never_at_any_bin(self) -> NDArray[np.bool_]:
        """Pairs that are never active together at their lag, shape (n_visible, n_visible)."""
        n, n_bins = self.n_visible // self.n_bins, self.n_bins
        by_bins = self.never_coactive.reshape(n_bins, n, n_bins, n).transpose(0, 2, 1, 3)
        of_lag = np.subtract.outer(np.arange(n_bins), np.arange(n_bins))
        never = np.empty_like(by_bins)
        for lag in range(1 - n_bins, n_bins):
            never[of_lag == lag] = by_bins[of_lag == lag].all(axis=0)
        return np.ascontiguousarray(never.transpose(0, 2, 1, 3)).reshape(self.never_coactive.shape)

    def _keys(self, untied: Layout) -> list[Indices]:
        """What tells apart couplings, biases, weights and hidden biases that are not one."""
        n, n_profiles = self.n_visible // self.n_bins, max(self.n_hidden // self.n_bins, 1)
        (old, older), (new, newer) = (np.divmod(side, n) for side in untied.pairs)
        bins, unit = np.divmod(untied.free[:, None], n)
        of_hidden, profile = np.divmod(np.arange(self.n_hidden), n_profiles)
        lag = bins - of_hidden + self.n_bins
        n_biases = untied.hidden_biases.stop - untied.hidden_biases.start
        return [
            ((new - old) * n + older) * n + newer,
            np.arange(untied.free.size),
            ((lag * n + unit) * n_profiles + profile).ravel(),
            profile[:n_biases],
        ]

    def pack(self, theta: Parameters) -> Floats:
        """The free coordinates of ``theta``, whose couplings and weights are tied.

        Biases of dead hidden units, which tell nothing, are not those of their profile.
        """
        tells = np.ones(self.shared.size, dtype=bool)
        tells[self.untied.hidden_biases] = theta.live[: self.shared.size - self.untied.offsets[2]]
        packed = np.zeros(self.size)
        packed[self.shared[tells]] = self.untied.pack(theta)[tells]
        return packed

    def pack_gradient(self, gradient: Parameters) -> Floats:
        """Derivatives along the coordinates, each the sum over all that it moves."""
        slopes = np.bincount(self.shared, self.untied.pack_gradient(gradient), self.size)
        return slopes.astype(np.float64)

    def unpack(self, vector: Floats, *, change: bool = False) -> Parameters:
        """Parameters with these free coordinates; of a ``change`` of them, 0 for what is fixed."""
        return self.untied.unpack(vector[self.shared], change=change)

    def design(self, theta: Parameters, X: Bits, coordinates: Indices | None = None) -> Floats:
        """Derivatives of log p~ of words by coordinates, shape (n_words, n); by all by default."""
        place = np.full(self.size, -1)
        chosen = np.arange(self.size) if coordinates is None else coordinates
        place[chosen] = np.arange(chosen.size)
        column = place[self.shared]
        moved = np.flatnonzero(column >= 0)
        design = np.zeros((chosen.size, len(X)))
        np.add.at(design, column[moved], self.untied.design(theta, X, moved).T)
        return design.T
