"""How an exact sum with hidden units is organised: chunks of states, and tables for the kernels.

Every state is (c, a, b): the fixed units C are constant within a chunk, a kernel loops over the
states of the outer units A, and for each of them sums over the inner units B at once
(docs/method.md, section 5). The tables made here hold every exponential the kernels need, so that
a state costs multiply-adds alone.

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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...validation import Floats
from ..arrays import ModelArrays
from ..states import pairwise_log_weights, states, sums_over_states

#: Largest H of the module docstring, nats.
RANGE_NATS = 300.0
#: Smaller sets of inner and outer units are padded to so many.
_MIN_INNER, _MIN_OUTER = 4, 4


class KernelLimits(NamedTuple):
    """Sizes that a kernel allows, and its cost in multiply-adds."""

    inner: tuple[int, ...]  # numbers of inner units it can sum over, in addition to none
    max_outer: int  # largest number of outer units
    max_table: int  # largest number of entries of a table over states and hidden units
    per_state: float  # cost per state
    per_hidden: float  # cost per state and inner hidden unit


class PaddedModel(NamedTuple):
    """A model's arrays with one free unit appended, and zeros for W and c that it lacks.

    A free unit has no bias, couplings or weights. It pads a group of units to the size that the
    kernels need, and only doubles the sum.
    """

    b: Floats
    J: Floats | None
    W: Floats
    c: Floats

    @classmethod
    def of(cls, model: ModelArrays) -> PaddedModel:
        """Pad a model; a potential of the number of active units is left out."""
        n, (W, c), J = model.n_units, model.hidden, None
        if model.J is not None:
            J = np.zeros((n + 1, n + 1))
            J[:n, :n] = model.J
        return cls(np.append(model.b, 0.0), J, np.vstack([W, np.zeros(c.size)]), c)


class Tables(NamedTuple):
    """Logs of every factor that does not depend on the fixed units, over states a and b.

    The first three are passed on to the kernels as they are.
    """

    log_outer: Floats  # weights of a alone, without hidden units, (n_outer,)
    log_inner: Floats  # weights of b alone, with the middles of the other factors, (n_inner,)
    log_midpoints: Floats  # the middles of the hidden units' factors within log_inner, (n_inner,)
    fields: Floats | None  # log g_j(a), around its middle over all a, (n_outer, n_units_b)
    outer_inputs: Floats  # hidden inputs from a, (n_outer, n_hidden)
    inner_inputs: Floats  # hidden inputs from b, (n_inner, n_inner_hidden)


class FixedUnits(NamedTuple):
    """States of the fixed units in several chunks, and what they add, one row per chunk."""

    states: Floats
    log_weight: Floats
    outer_fields: Floats
    inner_fields: Floats
    hidden_inputs: Floats


@dataclass(frozen=True, slots=True, eq=False)
class EnumerationPlan:
    """Which units of a model are inner, outer and fixed; the last index is the free unit."""

    n_units: int
    inner: NDArray[np.intp]
    outer: NDArray[np.intp]
    fixed: NDArray[np.intp]
    hidden: NDArray[np.intp]  # those with a weight onto an inner unit come first
    n_inner_hidden: int

    @property
    def n_free(self) -> int:
        """Number of free units in the groups."""
        return self.inner.size + self.outer.size + self.fixed.size - self.n_units

    @property
    def n_chunks(self) -> int:
        """Number of states of the fixed units."""
        return 1 << self.fixed.size

    @property
    def states_per_chunk(self) -> float:
        """States of the outer and inner units."""
        return 2.0 ** (self.outer.size + self.inner.size)

    def batches(self, size: int) -> Iterator[NDArray[np.int64]]:
        """Numbers of all chunks, ``size`` at a time."""
        for start in range(0, self.n_chunks, size):
            yield np.arange(start, min(start + size, self.n_chunks), dtype=np.int64)

    def suits(self, model: PaddedModel) -> bool:
        """Whether this model is in range, and its hidden units are those that the plan expects."""
        reaches_inner = np.any(model.W[self.inner] != 0.0, axis=0)[self.hidden]
        first = np.arange(reaches_inner.size) < self.n_inner_hidden
        return np.array_equal(reaches_inner, first) and self.in_range(model)

    def in_range(self, model: PaddedModel) -> bool:
        """Whether H of the module docstring is at most ``RANGE_NATS``."""
        pairs = 0.0
        if model.J is not None:
            pairs = float(np.abs(model.J[self.outer[:, None], self.inner]).sum())
        weights = model.W[self.inner]
        if pairs + 0.5 * float(np.abs(weights).sum()) <= RANGE_NATS:
            return True
        inputs = np.abs(sums_over_states(weights)).sum(axis=1)
        return pairs + 0.5 * float(inputs.max()) <= RANGE_NATS

    def tables(self, model: PaddedModel) -> Tables:
        """Tabulate the model over its outer and over its inner states."""
        b, J, W, _ = model
        A, B = self.outer, self.inner
        inner_inputs = sums_over_states(W[B[:, None], self.hidden[: self.n_inner_hidden]])
        log_midpoints = 0.5 * inner_inputs.sum(axis=1)
        if J is None:
            log_outer, log_inner, fields = sums_over_states(b[A]), sums_over_states(b[B]), None
        else:
            across = J[A[:, None], B]
            middle = across.sum(axis=0)  # of 2 sum_n J_nj a_n over all a
            log_outer = pairwise_log_weights(b[A], J[A[:, None], A])
            log_inner = pairwise_log_weights(b[B] + middle, J[B[:, None], B])
            fields = sums_over_states(2.0 * across) - middle
        outer_inputs = sums_over_states(W[A[:, None], self.hidden])
        log_inner += log_midpoints
        return Tables(log_outer, log_inner, log_midpoints, fields, outer_inputs, inner_inputs)

    def fixed_units(self, model: PaddedModel, chunks: NDArray[np.int64]) -> FixedUnits:
        """What the fixed units add in the chunks with the given numbers."""
        b, J, W, c = model
        fixed, n_outer = self.fixed, self.outer.size
        X = states(fixed.size, chunks)
        hidden_inputs = c[self.hidden] + X @ W[fixed[:, None], self.hidden]
        log_weight, fields = X @ b[fixed], np.zeros((len(X), n_outer + self.inner.size))
        if J is not None:
            log_weight += np.einsum("kn,kn->k", X, X @ J[fixed[:, None], fixed])
            fields = 2.0 * X @ J[fixed[:, None], np.concatenate([self.outer, self.inner])]
        outer_fields, inner_fields = fields[:, :n_outer], fields[:, n_outer:]
        return FixedUnits(X, log_weight, outer_fields, inner_fields, hidden_inputs)


def plan_enumeration(model: PaddedModel, limits: KernelLimits) -> EnumerationPlan:
    """Choose the groups of units that cost least among those that stay in range."""
    n_units, n_hidden = model.b.size - 1, model.c.size
    strength = np.abs(model.W).sum(axis=1)
    if model.J is not None:
        strength += np.abs(model.J).sum(axis=1)
    order = np.argsort(strength[:n_units], kind="stable")
    choices = []
    for n_inner in (0, *limits.inner):
        n_inner_hidden = int(np.any(model.W[order[:n_inner]] != 0.0, axis=0).sum())
        for n_outer in range(min(limits.max_outer, n_units - n_inner) + 1):
            cost = _cost((n_units, n_hidden), n_inner, n_outer, n_inner_hidden, limits)
            choices.append((cost, n_inner, n_outer))
    # Plain enumeration in the smallest chunks is always in range, so one choice is.
    return next(
        plan
        for _, n_inner, n_outer in sorted(choices)
        if (plan := _grouped(model, order, n_inner, n_outer, limits)).in_range(model)
    )


def _grouped(
    model: PaddedModel, order: NDArray[np.intp], n_inner: int, n_outer: int, limits: KernelLimits
) -> EnumerationPlan:
    def padded(units: NDArray[np.intp], size: int) -> NDArray[np.intp]:
        return np.append(units, np.full(max(0, size - units.size), order.size, dtype=np.intp))

    inner = padded(order[:n_inner], _MIN_INNER)
    reaches_inner = np.any(model.W[inner] != 0.0, axis=0)
    return EnumerationPlan(
        order.size,
        inner=inner,
        outer=padded(order[n_inner : n_inner + n_outer], _MIN_OUTER),
        fixed=order[n_inner + n_outer :],
        hidden=np.argsort(~reaches_inner, kind="stable"),
        n_inner_hidden=int(reaches_inner.sum()),
    )


def _cost(
    shape: tuple[int, int], n_inner: int, n_outer: int, n_inner_hidden: int, limits: KernelLimits
) -> float:
    """Predicted multiply-adds of the whole sum, infinite where a table would be too large."""
    n_units, n_hidden = shape
    inner, outer = 1 << max(n_inner, _MIN_INNER), 1 << max(n_outer, _MIN_OUTER)
    largest = max(inner * n_inner_hidden, outer * n_hidden)
    if largest > limits.max_table and (n_inner > 0 or n_outer > _MIN_OUTER):
        return np.inf
    # An exponential is worth 25 multiply-adds, a sigmoid with its softplus 75, a new chunk 4096.
    per_chunk = (
        inner * outer * (limits.per_state + limits.per_hidden * n_inner_hidden)
        + outer * (25 + 75 * n_hidden)
        + inner * 25
        + 4096
    )
    # Fewer than 8 chunks cannot keep the cores of a small machine busy.
    return per_chunk * max(2.0 ** (n_units - n_inner - n_outer), 8)


def in_rows(table: Floats, n_rows: int) -> Floats:
    """Put consecutive states side by side: (n_states, k) to (n_rows, k, n_states / n_rows)."""
    n_states, width = table.shape
    grouped = table.reshape(n_rows, n_states // n_rows, width)
    return np.ascontiguousarray(grouped.transpose(0, 2, 1))
