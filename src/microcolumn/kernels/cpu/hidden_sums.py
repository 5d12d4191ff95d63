"""Exact sums over all words of models with hidden units, by the kernels for chunks of states."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...validation import Bits, Floats, chunks
from ..arrays import CERTAINLY_OFF, ModelArrays
from ..loops.threads import threads_for
from ..simd.groups import GROUP
from ..simd.lanes import WIDTH
from ..states import states, sums_over_states
from .chunk_sums import Numbers, Watch, add_up, draw, draw_in_rows
from .enumeration import (
    EnumerationPlan,
    FixedUnits,
    KernelLimits,
    PaddedModel,
    Tables,
    in_rows,
    plan_enumeration,
)
from .fold import LANES, fold_chunks
from .moments import LANE_UNITS, moment_chunks

_FOLD = KernelLimits(
    inner=(4, 8, 12), max_outer=12, max_table=1 << 17, per_state=1.0, per_hidden=2.0
)
_MOMENTS = KernelLimits(
    inner=(4, 6, 8), max_outer=9, max_table=1 << 14, per_state=16.0, per_hidden=9.0
)
#: Few inner units: their conditional distribution is tabulated for every sample.
_SAMPLING = KernelLimits(inner=(4,), max_outer=10, max_table=1 << 17, per_state=3.0, per_hidden=2.0)
#: Multiply-adds and outer states per call of the kernel that folds: fractions of a second.
_BATCH_OPERATIONS, _BATCH_OUTER = 2.0**33, 1 << 20
#: Entries of the moments of all chunks of one batch: a few megabytes.
_BATCH_ENTRIES = 1 << 20


class HiddenSums:
    """Exact sums over models with hidden units; the plan for moments is kept while it suits.

    All hidden units have weights, and there is no potential.
    """

    def __init__(self, model: ModelArrays) -> None:
        self._shape = model.n_units, model.n_hidden
        self._plan = plan_enumeration(PaddedModel.of(model), _MOMENTS)

    def fits(self, model: ModelArrays) -> bool:
        """Whether this model has the size of the plan."""
        return (model.n_units, model.n_hidden) == self._shape

    def log_weights(self, model: ModelArrays, watch: Watch | None = None) -> Floats:
        """Log of the sum over each chunk, nats."""
        return _FoldedSums(model, _FOLD).log_weights(watch)

    def moments(self, model: ModelArrays) -> tuple[float, ModelArrays]:
        """Log Z, nats, and the expectations of what each array of the model multiplies."""
        padded = PaddedModel.of(model)
        if not self._plan.suits(padded):
            self._plan = plan_enumeration(padded, _MOMENTS)
        plan, tables = self._plan, self._plan.tables(padded)
        n_sums = plan.inner.size + plan.outer.size + model.n_hidden + 1
        batch_size = max(1, min(plan.n_chunks, _BATCH_ENTRIES // n_sums**2))
        parts = (
            _batch_sums(tables, plan, plan.fixed_units(padded, numbers))
            for numbers in plan.batches(batch_size)
        )
        log_scale, [sums] = add_up(parts)
        total = float(sums[0, 0])
        log_z = log_scale + math.log(total) - plan.n_free * math.log(2.0)
        return log_z, _in_model_order(sums / total, plan, model.J is not None)

    def samples(self, model: ModelArrays, n: int, rng: np.random.Generator) -> Bits:
        """Draw ``n`` independent words: fixed, outer and inner units, each given those before."""
        folded = _FoldedSums(model, _SAMPLING)
        plan = folded.plan
        log_weights = folded.log_weights()
        fixed = draw(np.exp(log_weights - log_weights.max()), n, rng)
        outer = folded.draw_outer(fixed, rng)
        distinct, which = np.unique(fixed << plan.outer.size | outer, return_inverse=True)
        words = np.zeros((distinct.size, model.n_units + 1), dtype=np.uint8)  # last: free units
        words[:, plan.fixed] = states(plan.fixed.size, distinct >> plan.outer.size)
        words[:, plan.outer] = states(plan.outer.size, distinct)
        weights = _inner_weights(folded.model, plan.inner, words)
        samples = words[which]
        samples[:, plan.inner] = states(plan.inner.size, draw_in_rows(weights, which, rng))
        return rng.permutation(samples[:, :-1])


class _FoldedSums:
    """Weights of the states of the fixed and outer units, summed over the inner ones."""

    def __init__(self, model: ModelArrays, limits: KernelLimits) -> None:
        self.model = PaddedModel.of(model)
        self.plan = plan_enumeration(self.model, limits)
        self._tables = tables = self.plan.tables(self.model)
        n_outer, n_inner = 1 << self.plan.outer.size, 1 << self.plan.inner.size
        exp_fields = np.ones((n_outer, self.plan.inner.size))
        if tables.fields is not None:
            np.exp(tables.fields, out=exp_fields)
        self._exp_fields = in_rows(exp_fields, n_outer // LANES)
        self._inputs = in_rows(tables.outer_inputs, n_outer // LANES)
        self._gains = in_rows(np.exp(tables.inner_inputs), n_inner // GROUP)
        # Multiply-adds of one chunk, and chunks per call that keep it short and its memory small.
        self._operations = self.plan.states_per_chunk * (1 + 2 * self.plan.n_inner_hidden)
        batch = min(_BATCH_OPERATIONS / self._operations, _BATCH_OUTER / n_outer)
        self._batch_size = int(max(1, batch))

    def _in_chunks(self, numbers: Numbers) -> tuple[Floats, Floats]:
        """Log scale of each of the given chunks, and weights of its outer states over exp(scale).

        The weights, shape (n_chunks, n_outer_states), include the factor of the free units.
        """
        tables, fixed = self._tables, self.plan.fixed_units(self.model, numbers)
        scales, totals = np.empty(numbers.size), np.empty((numbers.size, tables.log_outer.size))
        with threads_for(self._operations * numbers.size):
            of_states = *tables[:3], *fixed[2:4], self._exp_fields, self._inputs
            fold_chunks(*of_states, fixed.hidden_inputs, self._gains, totals, scales)
        return scales + fixed.log_weight, totals

    def log_weights(self, watch: Watch | None = None) -> Floats:
        """Log of the sum over each chunk, nats."""
        logs = []
        for numbers in self.plan.batches(self._batch_size):
            scales, totals = self._in_chunks(numbers)
            logs.append(scales + np.log(totals.sum(axis=1)))
            if watch is not None:
                watch(numbers.size / self.plan.n_chunks)
        return np.concatenate(logs) - self.plan.n_free * math.log(2.0)

    def draw_outer(self, fixed: Numbers, rng: np.random.Generator) -> Numbers:
        """Outer state of each sample given the number of its chunk; these are in order."""
        numbers, counts = np.unique(fixed, return_counts=True)
        outer = [np.zeros(0, dtype=np.int64)]
        for part in chunks(numbers.size, 1, self._batch_size):
            _, totals = self._in_chunks(numbers[part])
            outer += [draw(w, n, rng) for w, n in zip(totals, counts[part], strict=True)]
        return np.concatenate(outer)


def _inner_weights(model: PaddedModel, units: NDArray[np.intp], words: Bits) -> Floats:
    """Weights, up to a factor, of the inner states given the other units of each word.

    Shape (n_words, n_inner_states); the bits of inner units of ``words`` are off.
    """
    b, J, W, c = model
    Y = states(units.size)
    within = Y @ b[units]
    if J is not None:
        within += np.einsum("bn,nm,bm->b", Y, J[np.ix_(units, units)], Y)
    weights = np.empty((len(words), len(Y)))
    for part in chunks(len(words), (c.size + 1) * len(Y), 1 << 22):
        X = words[part].astype(np.float64)
        logs = within if J is None else within + 2.0 * X @ J[:, units] @ Y.T
        logs = logs + np.logaddexp(0.0, (c + X @ W)[:, None, :] + Y @ W[units]).sum(axis=2)
        weights[part] = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights


def _batch_sums(
    tables: Tables, plan: EnumerationPlan, part: FixedUnits
) -> tuple[float, tuple[Floats]]:
    """Scale, and sums of (1, b, a, c) times (1, b, a, c, sigmoid(z)) over a batch over exp(scale).

    Their shape is (1 + n_units, 1 + n_units + n_hidden), with free units; blocks that follow by
    symmetry are left out.
    """
    n_a, n_b, n_hidden = plan.outer.size, plan.inner.size, plan.hidden.size
    logs, outer, outer_pairs, inner_pairs, inner_hidden = _run_kernel(tables, plan, part)
    logs = logs + part.log_weight
    scale = float(logs.max())
    weights = np.exp(logs - scale)
    of_b, of_a = slice(1, 1 + n_b), slice(1 + n_b, 1 + n_b + n_a)
    n_units = n_b + n_a + plan.fixed.size
    of_c, of_z = slice(1 + n_b + n_a, 1 + n_units), slice(1 + n_units, None)
    hidden = slice(1 + n_b, 1 + n_b + n_hidden)
    sums = np.zeros((1 + n_units, 1 + n_units + n_hidden))
    across = _weighted(weights, outer)
    sums[0, 0] = across[0, 0]
    sums[0, of_z] = across[0, hidden]
    sums[of_b, of_b] = _weighted(weights, inner_pairs)
    sums[of_b, of_z] = _weighted(weights, inner_hidden)
    sums[of_a, of_a] = _weighted(weights, outer_pairs)
    sums[of_a, of_b] = across[1:, of_b]
    sums[of_a, of_z] = across[1:, hidden]
    fixed = (part.states * weights[:, None]).T
    sums[of_c, of_b] = fixed @ outer[:, 0, of_b]
    sums[of_c, of_z] = fixed @ outer[:, 0, hidden]
    sums[of_c, of_a] = fixed @ outer[:, 1:, 0]
    sums[of_c, of_c] = fixed @ (part.states * outer[:, 0, :1])
    return scale, (sums,)


def _weighted(weights: Floats, sums: Floats) -> Floats:
    """Add up sums over chunks, shape (n_chunks, n, m), by the chunks' weights."""
    total: Floats = weights @ sums.reshape(weights.size, -1)
    return total.reshape(sums.shape[1:])


def _run_kernel(
    tables: Tables, plan: EnumerationPlan, part: FixedUnits
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Log scale of each chunk, and its sums as ``moment_chunks`` writes them."""
    n_chunks, n_a, n_b = part.log_weight.size, plan.outer.size, plan.inner.size
    n_hidden = plan.hidden.size
    low, high = np.ones((1 << n_a, WIDTH)), np.ones((1 << n_a, (1 << n_b) // WIDTH))
    if tables.fields is not None:
        np.exp(sums_over_states(tables.fields.T[:LANE_UNITS]).T, out=low)
        np.exp(sums_over_states(tables.fields.T[LANE_UNITS:]).T, out=high)
    logs = np.empty(n_chunks)
    n_features = 1 + n_b + n_hidden
    outer = np.empty((n_chunks, 1 + n_a, n_features + -n_features % WIDTH))
    outer_pairs, inner_pairs = np.empty((n_chunks, n_a, n_a)), np.empty((n_chunks, n_b, n_b))
    inner_hidden = np.empty((n_chunks, n_b, n_hidden))
    per_state = _MOMENTS.per_state + _MOMENTS.per_hidden * plan.n_inner_hidden
    with threads_for(n_chunks * plan.states_per_chunk * per_state):
        rows = (0, 0), (0, -n_hidden % WIDTH)
        outer_z = np.pad(tables.outer_inputs, rows)
        chunk_z = np.pad(part.hidden_inputs, rows, constant_values=CERTAINLY_OFF)
        gains = in_rows(np.exp(tables.inner_inputs), tables.inner_inputs.shape[0] // WIDTH)
        sums = outer, outer_pairs, inner_pairs, inner_hidden
        moment_chunks(*tables[:3], *part[2:4], low, high, outer_z, chunk_z, gains, *sums, logs)
    return logs, *sums


def _in_model_order(sums: Floats, plan: EnumerationPlan, with_pairs: bool) -> ModelArrays:
    """Units and hidden units in the model's order, free units dropped."""
    n_units = plan.n_units
    order = np.concatenate([plan.inner, plan.outer, plan.fixed])
    hidden = np.argsort(plan.hidden)
    among, cross = sums[1:, 1 : 1 + order.size], np.empty((n_units + 1, hidden.size))
    cross[order] = sums[1:, 1 + order.size :][:, hidden]
    rates, pairs = np.empty(n_units + 1), None
    rates[order] = np.diagonal(among)
    if with_pairs:
        lower, units = np.tril(among, -1), np.empty((n_units + 1, n_units + 1))
        units[order[:, None], order] = lower + lower.T
        pairs = units[:n_units, :n_units]
    c = sums[0, 1 + order.size :][hidden]
    return ModelArrays(rates[:n_units], pairs, cross[:n_units], c)
