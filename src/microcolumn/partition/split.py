"""How an exact sum over all states is divided: which units are fixed, walked and folded.

Every state is (c, a, b): C is fixed within a chunk, the outer units A are walked and the inner
units B are folded (METHOD section 5). The tables made here hold every exponential the kernels
need, so that a state costs multiply-adds alone.

Range. The inner table f(b) is scaled to a maximum of one, after the middle of each factor's
range over a has been absorbed into it. What then multiplies f(b) lies within exp(-H)...exp(H),
in any order of multiplication, with

    H = sum_{n in A, j in B} |J_nj| + 1/2 max_b sum_i |w_i . b|.

The sum over a chunk is at least exp(-H); a term that leaves the range of a double was below
exp(-708 + H). So with H <= 300 whatever underflows is smaller than the sum by exp(-108) at
least, and nothing overflows. Units are sorted so that the strongest are fixed, and A and B
shrink until the bound holds; with B empty it always does (plain enumeration).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..parameters import Floats, Parameters

#: Largest H of the module's text, nats.
RANGE_NATS = 300.0
#: Multiply-adds that one exponential, and one sigmoid with its softplus, are worth.
_EXP_OPERATIONS, _GATE_OPERATIONS = 25, 75
#: What starting a chunk costs besides its tables, in multiply-adds.
_CHUNK_OPERATIONS = 4096
#: Fewer chunks than this cannot keep the cores of a small machine busy.
_ENOUGH_CHUNKS = 8
_MIN_OUTER = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes that a kernel allows.

    Parameters
    ----------
    inner : tuple of int
        Numbers of inner units that may be folded, smallest first; smaller sets are padded.
    max_outer : int
        Largest number of outer units.
    max_table : int
        Largest number of entries of a table over states and hidden units.
    operations : float
        Multiply-adds per state and inner hidden unit.
    """

    inner: tuple[int, ...]
    max_outer: int
    max_table: int
    operations: float


@dataclass(frozen=True, slots=True)
class Split:
    """Units of a model in three groups; index ``n_units`` stands for a free unit.

    A free unit has no bias, couplings or weights. It pads a group to the size that the kernels
    need, and only doubles the sum.
    """

    inner: NDArray[np.intp]
    outer: NDArray[np.intp]
    fixed: NDArray[np.intp]
    hidden: NDArray[np.intp]
    n_inner_hidden: int
    n_free: int

    @property
    def n_chunks(self) -> int:
        """Number of states of the fixed units."""
        return 1 << self.fixed.size


@dataclass(frozen=True, slots=True)
class Padded:
    """A model's arrays with one free unit appended; absent parts have no hidden units or zeros."""

    b: Floats
    J: Floats
    W: Floats
    c: Floats

    @classmethod
    def of(cls, theta: Parameters) -> Padded:
        """Append the free unit to ``theta``."""
        n_units = theta.n_units
        J = np.zeros((n_units + 1, n_units + 1))
        if theta.J is not None:
            J[:n_units, :n_units] = theta.J
        W = np.zeros((n_units + 1, theta.n_hidden))
        c = np.zeros(theta.n_hidden)
        if theta.W is not None and theta.c is not None:
            W[:n_units] = theta.W
            c = theta.c
        return cls(np.append(theta.b, 0.0), J, W, c)


def states(n_units: int, start: int = 0, stop: int | None = None) -> Floats:
    """Binary states of ``n_units`` units as floats, first unit fastest.

    Returns
    -------
    ndarray, shape (stop - start, n_units)
    """
    numbers = np.arange(start, (1 << n_units) if stop is None else stop, dtype=np.int64)
    return ((numbers[:, None] >> np.arange(n_units, dtype=np.int64)) & 1).astype(np.float64)


def pairwise_log_weight(X: Floats, b: Floats, J: Floats) -> Floats:
    """Return b'x + x'Jx of each state, nats, shape (n_states,)."""
    value: Floats = X @ b + np.einsum("un,un->u", X @ J, X)
    return value


def split_units(theta: Parameters, shape: Shape) -> Split:
    """Choose the groups that cost least among those that stay in range."""
    padded = Padded.of(theta)
    strength = np.abs(padded.J).sum(axis=1) + np.abs(padded.W).sum(axis=1)
    order = np.argsort(strength[: theta.n_units], kind="stable")
    candidates = [
        _candidate(padded, order, n_inner, n_outer, shape.inner[0])
        for n_inner in (0, *shape.inner)
        for n_outer in range(min(shape.max_outer, theta.n_units - n_inner) + 1)
    ]
    # Plain enumeration in the smallest chunks is always allowed, so there is a first one.
    by_cost = sorted(candidates, key=lambda split: _cost(split, theta.n_hidden, shape))
    return next(split for split in by_cost if _in_range(padded, split))


def _candidate(
    padded: Padded, order: NDArray[np.intp], n_inner: int, n_outer: int, min_inner: int
) -> Split:
    free = order.size

    def pad(units: NDArray[np.intp], size: int) -> NDArray[np.intp]:
        return np.append(units, np.full(max(0, size - units.size), free, dtype=np.intp))

    inner = pad(order[:n_inner], min_inner)
    outer = pad(order[n_inner : n_inner + n_outer], _MIN_OUTER)
    fixed = order[n_inner + n_outer :]
    reaches_inner = np.any(padded.W[inner] != 0.0, axis=0)
    hidden = np.argsort(~reaches_inner, kind="stable")
    n_free = inner.size + outer.size - n_inner - n_outer
    return Split(inner, outer, fixed, hidden, int(reaches_inner.sum()), n_free)


def _cost(split: Split, n_hidden: int, shape: Shape) -> float:
    """Predicted multiply-adds in all, infinite where a table would be too large."""
    n_inner, n_outer = 1 << split.inner.size, 1 << split.outer.size
    minimal = split.inner.size == shape.inner[0] and split.outer.size == _MIN_OUTER
    largest = max(n_inner * split.n_inner_hidden, n_outer * n_hidden)
    if largest > shape.max_table and not minimal:
        return np.inf
    per_chunk = (
        n_inner * n_outer * (1.0 + shape.operations * split.n_inner_hidden)
        + n_outer * (_EXP_OPERATIONS + _GATE_OPERATIONS * n_hidden)
        + n_inner * _EXP_OPERATIONS
        + _CHUNK_OPERATIONS
    )
    return per_chunk * max(split.n_chunks, _ENOUGH_CHUNKS)


def _in_range(padded: Padded, split: Split) -> bool:
    pairs = float(np.abs(padded.J[np.ix_(split.outer, split.inner)]).sum())
    if pairs > RANGE_NATS:
        return False
    inputs = states(split.inner.size) @ padded.W[split.inner]
    return pairs + 0.5 * float(np.abs(inputs).sum(axis=1).max()) <= RANGE_NATS


@dataclass(frozen=True, slots=True)
class Slice:
    """What the fixed units of a run of chunks add, one row per chunk."""

    log_weight: Floats
    outer_fields: Floats
    inner_fields: Floats
    hidden_inputs: Floats


def slices(theta: Parameters, split: Split, size: int) -> Iterator[Slice]:
    """Walk the chunks ``size`` at a time, so that memory stays bounded."""
    padded = Padded.of(theta)
    fixed, hidden = split.fixed, split.hidden
    for start in range(0, split.n_chunks, size):
        X = states(fixed.size, start, min(start + size, split.n_chunks))
        yield Slice(
            log_weight=pairwise_log_weight(X, padded.b[fixed], padded.J[np.ix_(fixed, fixed)]),
            outer_fields=2.0 * X @ padded.J[np.ix_(fixed, split.outer)],
            inner_fields=2.0 * X @ padded.J[np.ix_(fixed, split.inner)],
            hidden_inputs=padded.c[hidden] + X @ padded.W[np.ix_(fixed, hidden)],
        )
