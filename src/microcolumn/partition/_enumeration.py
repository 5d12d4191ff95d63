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

from ..parameters import Parameters
from ..validation import Floats

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
        Numbers of inner units that may be folded, besides none.
    min_inner : int
        Smaller sets of inner units are padded to this many.
    max_outer : int
        Largest number of outer units.
    max_table : int
        Largest number of entries of a table over states and hidden units.
    state_operations, hidden_operations : float
        Operations per state, and per state and inner hidden unit.
    """

    inner: tuple[int, ...]
    min_inner: int
    max_outer: int
    max_table: int
    state_operations: float
    hidden_operations: float


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

    @property
    def chunk_states(self) -> float:
        """Number of states of the outer and inner units."""
        return 2.0 ** (self.outer.size + self.inner.size)


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
        n_units = theta.n_visible
        J = np.zeros((n_units + 1, n_units + 1))
        if theta.J is not None:
            J[:n_units, :n_units] = theta.J
        W = np.zeros((n_units + 1, theta.n_hidden))
        c = np.zeros(theta.n_hidden)
        if theta.W is not None and theta.c is not None:
            W[:n_units] = theta.W
            c = theta.c
        return cls(np.append(theta.b, 0.0), J, W, c)


def states(n_units: int, numbers: NDArray[np.int64] | None = None) -> Floats:
    """Binary states of ``n_units`` units as floats, bit k of a state's number being unit k.

    Parameters
    ----------
    n_units : int
        Number of units, up to 62.
    numbers : ndarray of int64, shape (n_states,), optional
        Which states; by default all 2^n_units in order.

    Returns
    -------
    ndarray, shape (n_states, n_units)
    """
    if numbers is None:
        numbers = np.arange(1 << n_units, dtype=np.int64)
    return ((numbers[:, None] >> np.arange(n_units, dtype=np.int64)) & 1).astype(np.float64)


def sums_over_states(rows: Floats) -> Floats:
    """Sum of the rows of the units that are on, for all states in order.

    Built by doubling, one addition per entry; a matrix product would wake the threads of the
    linear algebra library, which then compete with the kernels.

    Parameters
    ----------
    rows : ndarray, shape (n_units, ...)

    Returns
    -------
    ndarray, shape (2^n_units, ...)
    """
    table = np.zeros((1 << rows.shape[0], *rows.shape[1:]))
    for k, row in enumerate(rows):
        table[1 << k : 2 << k] = table[: 1 << k] + row
    return table


def pairwise_log_weights(b: Floats, J: Floats) -> Floats:
    """Find b'x + x'Jx of all states in order, nats, shape (2^n_units,)."""
    table = np.zeros(1 << b.size)
    for k, bias in enumerate(b):
        fields = sums_over_states(2.0 * J[:k, k])
        table[1 << k : 2 << k] = table[: 1 << k] + (bias + fields)
    return table


def split_units(theta: Parameters, shape: Shape) -> Split:
    """Choose the groups that cost least among those that stay in range."""
    padded = Padded.of(theta)
    strength = np.abs(padded.J).sum(axis=1) + np.abs(padded.W).sum(axis=1)
    order = np.argsort(strength[: theta.n_visible], kind="stable")
    choices = []
    for n_inner in (0, *shape.inner):
        n_inner_hidden = int(np.any(padded.W[order[:n_inner]] != 0.0, axis=0).sum())
        for n_outer in range(min(shape.max_outer, theta.n_visible - n_inner) + 1):
            cost = _cost(theta, n_inner, n_outer, n_inner_hidden, shape)
            choices.append((cost, n_inner, n_outer))
    # Plain enumeration in the smallest chunks is always in range, so one choice is.
    return next(
        split
        for _, n_inner, n_outer in sorted(choices)
        if _in_range(padded, split := _split(padded, order, n_inner, n_outer, shape))
    )


def _split(
    padded: Padded, order: NDArray[np.intp], n_inner: int, n_outer: int, shape: Shape
) -> Split:
    def pad(units: NDArray[np.intp], size: int) -> NDArray[np.intp]:
        return np.append(units, np.full(max(0, size - units.size), order.size, dtype=np.intp))

    inner = pad(order[:n_inner], shape.min_inner)
    outer = pad(order[n_inner : n_inner + n_outer], _MIN_OUTER)
    reaches_inner = np.any(padded.W[inner] != 0.0, axis=0)
    return Split(
        inner=inner,
        outer=outer,
        fixed=order[n_inner + n_outer :],
        hidden=np.argsort(~reaches_inner, kind="stable"),
        n_inner_hidden=int(reaches_inner.sum()),
        n_free=inner.size + outer.size - n_inner - n_outer,
    )


def _cost(
    theta: Parameters, n_inner: int, n_outer: int, n_inner_hidden: int, shape: Shape
) -> float:
    """Predicted multiply-adds in all, infinite where a table would be too large."""
    inner, outer = 1 << max(n_inner, shape.min_inner), 1 << max(n_outer, _MIN_OUTER)
    largest = max(inner * n_inner_hidden, outer * theta.n_hidden)
    if largest > shape.max_table and (n_inner > 0 or n_outer > _MIN_OUTER):
        return np.inf
    per_chunk = (
        inner * outer * (shape.state_operations + shape.hidden_operations * n_inner_hidden)
        + outer * (_EXP_OPERATIONS + _GATE_OPERATIONS * theta.n_hidden)
        + inner * _EXP_OPERATIONS
        + _CHUNK_OPERATIONS
    )
    return per_chunk * max(2.0 ** (theta.n_visible - n_inner - n_outer), _ENOUGH_CHUNKS)


def _in_range(padded: Padded, split: Split) -> bool:
    pairs = float(np.abs(padded.J[np.ix_(split.outer, split.inner)]).sum())
    if pairs > RANGE_NATS or split.n_inner_hidden == 0:
        return pairs <= RANGE_NATS
    inputs = sums_over_states(padded.W[split.inner])
    return pairs + 0.5 * float(np.abs(inputs).sum(axis=1).max()) <= RANGE_NATS


@dataclass(frozen=True, slots=True)
class Tables:
    """Logs of every factor that does not depend on the fixed units.

    Parameters
    ----------
    log_outer, log_inner : ndarray, shapes (n_outer,), (n_inner,)
        Log weights of a and b alone, without hidden units; the latter with the middles.
    centres : ndarray, shape (n_inner,)
        The middles of the hidden units' factors within ``log_inner``.
    fields : ndarray, shape (n_outer, n_units_b)
        log g_j(a), around its middle over all a.
    outer_inputs, inner_inputs : ndarray, shapes (n_outer, n_hidden), (n_inner, n_inner_hidden)
        Hidden inputs from a and from b.
    """

    log_outer: Floats
    log_inner: Floats
    centres: Floats
    fields: Floats
    outer_inputs: Floats
    inner_inputs: Floats


def tables_of(theta: Parameters, split: Split) -> Tables:
    """Tabulate a model over its outer and over its inner states."""
    model = Padded.of(theta)
    A, B, hidden = split.outer, split.inner, split.hidden
    across = model.J[np.ix_(A, B)]
    middle = across.sum(axis=0)  # of 2 sum_n J_nj a_n over all a
    inner_inputs = sums_over_states(model.W[np.ix_(B, hidden[: split.n_inner_hidden])])
    centres = 0.5 * inner_inputs.sum(axis=1)
    return Tables(
        log_outer=pairwise_log_weights(model.b[A], model.J[np.ix_(A, A)]),
        log_inner=pairwise_log_weights(model.b[B] + middle, model.J[np.ix_(B, B)]) + centres,
        centres=centres,
        fields=sums_over_states(2.0 * across) - middle,
        outer_inputs=sums_over_states(model.W[np.ix_(A, hidden)]),
        inner_inputs=inner_inputs,
    )


def in_rows(table: Floats, n_rows: int) -> Floats:
    """Put consecutive states side by side: (n_states, k) to (n_rows, k, n_states / n_rows)."""
    n_states, width = table.shape
    grouped = table.reshape(n_rows, n_states // n_rows, width)
    return np.ascontiguousarray(grouped.transpose(0, 2, 1))


@dataclass(frozen=True, slots=True)
class Slice:
    """What the fixed units of a run of chunks are and add, one row per chunk."""

    states: Floats
    log_weight: Floats
    outer_fields: Floats
    inner_fields: Floats
    hidden_inputs: Floats


def slice_of(theta: Parameters, split: Split, chunks: NDArray[np.int64]) -> Slice:
    """What the fixed units add in the chunks with the given numbers."""
    padded = Padded.of(theta)
    fixed, hidden = split.fixed, split.hidden
    X = states(fixed.size, chunks)

    def added(rows: Floats) -> Floats:
        total: Floats = np.einsum("kn,nf->kf", X, rows)
        return total

    fields = added(padded.J[np.ix_(fixed, fixed)])
    return Slice(
        states=X,
        log_weight=np.einsum("kn,kn->k", X, padded.b[fixed] + fields),
        outer_fields=2.0 * added(padded.J[np.ix_(fixed, split.outer)]),
        inner_fields=2.0 * added(padded.J[np.ix_(fixed, split.inner)]),
        hidden_inputs=padded.c[hidden] + added(padded.W[np.ix_(fixed, hidden)]),
    )


def runs(n_chunks: int, size: int) -> Iterator[NDArray[np.int64]]:
    """Numbers of all chunks, ``size`` at a time."""
    for start in range(0, n_chunks, size):
        yield np.arange(start, min(start + size, n_chunks), dtype=np.int64)
