"""The one parameter type that kernels, objectives, models and partition functions share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .energy._free_term import FreeTerm
from .energy._hidden_unit import BERNOULLI, GAUSSIAN, HiddenUnit, hidden_unit
from .energy._term import Count, Fields, Hidden, Pairs, Term
from .errors import BadArgument, BadInput, Unsupported
from .kernels import ModelArrays
from .renamed import Renamed
from .validation import Floats as Floats, check_entries, real_array

#: Sums of any number of parameters of this size are finite.
_LARGEST = 1e100

Kind = Literal[
    "independent",
    "ising",
    "rbm",
    "srbm",
    "kpairwise",
    "independent+count",
    "rbm+count",
    "srbm+count",
    "term",
]

#: By whether there are couplings and hidden units; without and with a potential of the count.
_KINDS: dict[tuple[bool, bool], tuple[Kind, Kind]] = {
    (False, False): ("independent", "independent+count"),
    (True, False): ("ising", "kpairwise"),
    (False, True): ("rbm", "rbm+count"),
    (True, True): ("srbm", "srbm+count"),
}


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Parameters(Renamed):
    """Parameters of log p~(x) = x'Jx + b'x + sum_i gate(c_i + sum_n W_ni x_n) + v_K.

    The gate of a hidden unit is softplus(z), or z^2 / 2 of a Gaussian one; K is the number of
    active bits of x. Any of J, W with c, and v may be missing.

    Parameters
    ----------
    b : array_like, shape (n_visible,)
        Visible biases.
    J : array_like, shape (n_visible, n_visible), optional
        Couplings, symmetric with a zero diagonal; a pair contributes ``2 * J[n, m]``.
    W : array_like, shape (n_visible, n_hidden), optional
        Weights between units and hidden units.
    c : array_like, shape (n_hidden,), optional
        Hidden biases; zero where ``W`` is given without them.
    v : array_like, shape (n_visible + 1,), optional
        Potential of the number of active bits, zero for 0 and for 1: these two are the gauge.
    hidden : {"bernoulli", "gaussian"} or HiddenUnit
        Kind of the hidden units.
    term : FreeTerm, optional
        A further term of log p~, such as functions of a few units each; it goes with biases alone.

    Examples
    --------
    >>> theta = Parameters(b=[-2.0, -1.0], J=[[0.0, 0.5], [0.5, 0.0]])
    >>> theta.kind, theta.n_visible, theta.n_hidden
    ('ising', 2, 0)
    """

    J: Floats | None
    b: Floats
    W: Floats | None
    c: Floats | None
    v: Floats | None
    hidden: HiddenUnit
    term: FreeTerm | None

    def __init__(
        self,
        b: ArrayLike,
        J: ArrayLike | None = None,
        W: ArrayLike | None = None,
        c: ArrayLike | None = None,
        v: ArrayLike | None = None,
        hidden: str | HiddenUnit = BERNOULLI,
        term: FreeTerm | None = None,
    ) -> None:
        biases = _finite("b", b, "n_visible")
        n_visible = biases.shape[0]
        if n_visible == 0:
            raise BadArgument("b", "is empty", "a model needs at least one unit")
        couplings = None if J is None else _couplings(J, n_visible)
        weights, hidden_biases = _weights(W, c, n_visible)
        potential = None if v is None else _potential(v, n_visible)
        others = couplings, weights, hidden_biases, potential
        if term is not None and any(part is not None for part in others):
            raise BadArgument("term", "is given with J, W or v", "it goes with b alone")
        self._set(biases, *others, hidden_unit(hidden), term)

    @classmethod
    def trusted(
        cls,
        b: Floats,
        J: Floats | None,
        W: Floats | None,
        c: Floats | None,
        v: Floats | None = None,
        hidden: HiddenUnit = BERNOULLI,
        term: FreeTerm | None = None,
    ) -> Parameters:
        """Parameters of arrays that are known to be valid and that nobody else will change."""
        theta = object.__new__(cls)
        theta._set(b, J, W, c, v, hidden, term)
        return theta

    def _set(self, *values: Floats | HiddenUnit | FreeTerm | None) -> None:
        names = ("b", "J", "W", "c", "v", "hidden", "term")
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms that log p~ is the sum of."""
        if self.term is not None and self.term.holds_fields:
            return (self.term.over(self.b),)
        terms: list[Term] = [Fields(self.b)]
        if self.J is not None:
            terms.append(Pairs(self.J))
        if self.W is not None and self.c is not None:
            terms.append(Hidden(self.W, self.c, self.hidden))
        if self.v is not None:
            terms.append(Count(self.v))
        if self.term is not None:
            terms.append(self.term)
        return tuple(terms)

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> Parameters:
        """Weighted sum over words (n_words, n_visible) of the slopes of log p~, as ``Parameters``.

        With ``squared`` the sum of their squares. Plain matrix products; for many sparse words
        there are kernels.
        """
        sums: dict[str, Floats] = {}
        for part in self.terms:
            sums |= part.moments(x, weights, squared)
        term = None if self.term is None else self.term.with_strengths(sums["strengths"])
        J, W, c, v = (sums.get(name) for name in "JWcv")
        return Parameters.trusted(sums["b"], J, W, c, v, self.hidden, term)

    def slopes_along(self, direction: Parameters, x: Floats) -> Floats:
        """Slope of log p~ of words (n_words, n_visible) along a direction, shape (n_words,)."""
        pairs = zip(self.terms, direction.terms, strict=True)
        slopes: Floats = sum((term.slopes_along(way, x) for term, way in pairs), np.zeros(len(x)))
        return slopes

    @property
    def arrays(self) -> ModelArrays:
        """All of it as kernels take it; the only hidden units that they know are Bernoulli ones."""
        self._check_bernoulli()
        return ModelArrays(self.b, self.J, self.W, self.c, self.v)

    @property
    def n_visible(self) -> int:
        """Number of bits of a word: units times bins of the window."""
        return int(self.b.shape[0])

    @property
    def n_hidden(self) -> int:
        """Number of hidden units, live or not."""
        return 0 if self.W is None else int(self.W.shape[1])

    @property
    def kind(self) -> Kind:
        """Member of the model family, by which parameters are present."""
        if self.term is not None:
            return "term"
        alone, counted = _KINDS[self.J is not None, self.W is not None]
        return alone if self.v is None else counted

    @property
    def live(self) -> NDArray[np.bool_]:
        """Mask over hidden units with at least one non-zero weight, shape (n_hidden,)."""
        if self.W is None:
            return np.zeros(0, dtype=bool)
        alive: NDArray[np.bool_] = np.any(self.W != 0.0, axis=0)
        return alive

    @property
    def is_independent(self) -> bool:
        """Whether units are independent of each other, by what is zero."""
        parts = (self.J, self.v, self.W, None if self.term is None else self.term.total)
        return not any(part is not None and part.any() for part in parts)

    @property
    def is_gaussian(self) -> bool:
        """Whether it has hidden units that are Gaussian."""
        return self.W is not None and self.hidden is GAUSSIAN

    def _check_bernoulli(self) -> None:
        """Refuse hidden units that neither kernels nor exact sums know."""
        if self.W is not None and self.hidden is not BERNOULLI:
            problem = f"kernels do not know hidden units of kind {self.hidden.name!r}"
            raise Unsupported(problem, "sum over words with log_weight, or use Bernoulli units")

    def drop_dead_units(self) -> tuple[Parameters, float]:
        """Drop what a sum over words need not know: hidden units without weights, zero potentials.

        Returns
        -------
        theta : Parameters
            The same distribution with live hidden units only (``W`` and ``c`` are None if none),
            Gaussian ones as couplings (:meth:`as_pairs`).
        log_factor : float
            What the dropped units added to every log p~(x), in nats: sum of softplus(c_i).
        """
        if self.term is not None:
            term = self.term.drop_dead_units()
            return Parameters.trusted(self.b, None, None, None, term=term), 0.0
        if self.v is not None and not self.v.any():
            without = Parameters.trusted(self.b, self.J, self.W, self.c, None, self.hidden)
            return without.drop_dead_units()
        if self.W is None or self.c is None:
            return self, 0.0
        if self.hidden is GAUSSIAN:
            return self.as_pairs()
        self._check_bernoulli()
        live = self.live
        if live.all() and self.W.flags.c_contiguous:
            return self, 0.0
        log_factor = float(np.logaddexp(0.0, self.c[~live]).sum())
        if not live.any():
            return Parameters.trusted(self.b, self.J, None, None, self.v), log_factor
        kept = np.ascontiguousarray(self.W[:, live]), self.c[live]  # as kernels want them
        return Parameters.trusted(self.b, self.J, *kept, self.v), log_factor

    def as_pairs(self) -> tuple[Parameters, float]:
        """Write Gaussian hidden units as the couplings and biases that they amount to.

        sum_i z_i^2 / 2 with z = c + W'x is x'Kx + a'x + c'c / 2 with K = WW' / 2 off the diagonal
        and a = Wc + diag(WW') / 2, as x_n^2 = x_n.

        Returns
        -------
        theta : Parameters
            The same distribution, with couplings and without hidden units.
        log_factor : float
            What is left over of every log p~(x), in nats: c'c / 2.

        Examples
        --------
        >>> theta, log_factor = Parameters(b=[0, 0], W=[[1], [2]], hidden="gaussian").as_pairs()
        >>> theta.b.tolist(), theta.J.tolist(), log_factor
        ([0.5, 2.0], [[0.0, 1.0], [1.0, 0.0]], 0.0)
        """
        if self.W is None or self.c is None:
            return self, 0.0
        if self.hidden is not GAUSSIAN:
            problem = f"hidden units of kind {self.hidden.name!r} act beyond pairs"
            raise BadInput(problem, "only Gaussian ones can be written as couplings")
        J = 0.5 * (self.W @ self.W.T)
        J = 0.5 * (J + J.T)  # exactly symmetric
        b = self.b + self.W @ self.c + np.diagonal(J)
        np.fill_diagonal(J, 0.0)
        if self.J is not None:
            J += self.J
        return Parameters.trusted(b, J, None, None, self.v), 0.5 * float(self.c @ self.c)

    def pulled_back(self, slopes: Parameters, by_constant: float = 0.0) -> Parameters:
        """Derivatives by Gaussian weights from those by what they amount to: the chain rule.

        Parameters
        ----------
        slopes : Parameters
            Derivatives of a function by ``b`` and ``J`` of :meth:`as_pairs`.
        by_constant : float
            Its derivative by a constant that is added to every log p~(x): 1 of log Z and of means
            of log p~, else 0.
        """
        assert self.W is not None
        assert self.c is not None
        assert slopes.J is not None
        W = slopes.J @ self.W + slopes.b[:, None] * (self.W + self.c)
        c = slopes.b @ self.W + by_constant * self.c
        J = None if self.J is None else slopes.J
        return Parameters.trusted(slopes.b, J, W, c, slopes.v, self.hidden)

    def canonical_sign(self) -> tuple[Parameters, float]:
        """Turn every hidden unit so that it is off in the silent word: ``c <= 0``.

        ``W[:, i] -> -W[:, i]``, ``c[i] -> -c[i]``, ``b -> b + W[:, i]`` gives the same
        distribution with on and off exchanged (docs/method.md, section 2). Where ``c[i]`` is zero
        the weights decide: their sum is positive, or zero and the first that is not zero positive.
        Biases of Gaussian units move to the visible ones, so that theirs is zero. Units of any
        other kind stay as they are.

        Returns
        -------
        theta : Parameters
            The same distribution, in the one orientation in which models are kept.
        log_factor : float
            What the turned units added to every log p~(x), in nats: the sum of their ``c``.

        Examples
        --------
        >>> theta, log_factor = Parameters(b=[-3.0], W=[[-2.0]], c=[1.5]).canonical_sign()
        >>> theta.b, theta.W, theta.c, log_factor
        (array([-5.]), array([[2.]]), array([-1.5]), 1.5)
        """
        if self.W is None or self.c is None or self.hidden not in (BERNOULLI, GAUSSIAN):
            return self, 0.0
        is_gaussian = self.hidden is GAUSSIAN
        c = np.zeros_like(self.c) if is_gaussian else self.c
        turned = c > 0.0
        for i in np.flatnonzero(c == 0.0):
            turned[i] = _points_down(self.W[:, i])
        sign = np.where(turned, -1.0, 1.0)
        b = self.b + (self.W @ self.c if is_gaussian else self.W[:, turned].sum(axis=1))
        # Zero is added so that no entry is a negative zero.
        W, c = sign * self.W + 0.0, sign * c + 0.0
        theta = Parameters.trusted(b, self.J, W, c, self.v, self.hidden)
        return theta, 0.5 * float(self.c @ self.c) if is_gaussian else math.fsum(self.c[turned])


def _points_down(weights: Floats) -> bool:
    """Whether weights are mostly negative; turning them changes the answer, unless all are zero."""
    total = math.fsum(weights)  # exact, so that it does not depend on the order of units
    first = weights[np.flatnonzero(weights)[:1]]
    return total < 0.0 or (total == 0.0 and bool((first < 0.0).any()))


def _finite(name: str, value: ArrayLike, *shape: int | str) -> Floats:
    """A copy, which the caller cannot change later; a size that is a text may be any."""
    array = real_array(name, value, "pass numbers")
    sizes = zip(array.shape, shape, strict=False)
    if array.ndim != len(shape) or any(isinstance(n, int) and m != n for m, n in sizes):
        needed = f"it needs ({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"
        raise BadArgument(name, f"has shape {array.shape}", needed)
    check_entries(name, array, np.isfinite(array), "all parameters must be finite")
    remedy = f"beyond {_LARGEST:g} the energies of words cannot be summed: rescale the parameters"
    check_entries(name, array, np.abs(array) <= _LARGEST, remedy)
    return array


def _potential(value: ArrayLike, n_visible: int) -> Floats:
    v = _finite("v", value, n_visible + 1)
    if np.any(v[:2] != 0.0):
        remedy = "both must be 0 (subtract v[0], and add the step to v[1] to all biases)"
        raise BadArgument("v", f"begins with {v[0]:g} and {v[1]:g}", remedy)
    return v


def _weights(
    W: ArrayLike | None, c: ArrayLike | None, n_visible: int
) -> tuple[Floats | None, Floats | None]:
    weights = None if W is None else _finite("W", W, n_visible, "n_hidden")
    if weights is not None and weights.size:
        n_hidden = weights.shape[1]
        return weights, _finite("c", np.zeros(n_hidden) if c is None else c, n_hidden)
    if c is not None and np.shape(c) != (0,):
        raise BadArgument("c", "is given without W", "hidden biases need hidden weights")
    return None, None  # no hidden units


def _couplings(value: ArrayLike, n_visible: int) -> Floats:
    J = _finite("J", value, n_visible, n_visible)
    good = (J == 0.0) | ~np.eye(n_visible, dtype=bool)
    check_entries("J", J, good, "the diagonal must be zero (use b for biases)")
    if not np.array_equal(J, J.T):
        n, m = (int(i) for i in np.argwhere(J != J.T)[0])
        problem = f"is {J[n, m]} but J[{m}, {n}] is {J[m, n]}"
        raise BadArgument(f"J[{n}, {m}]", problem, "pass a symmetric J, such as (J + J.T) / 2")
    return J
