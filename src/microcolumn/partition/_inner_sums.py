"""Sums over the inner units of an enumeration, from the folding kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.cpu.counted import counted_fold_chunks
from ..kernels.cpu.fold import LANES, fold_chunks
from ..kernels.loops.threads import threads_for
from ..kernels.simd.groups import GROUP
from ..parameters import Parameters
from ..validation import Floats
from ._counted import CountTables
from ._enumeration import (
    EnumerationPlan,
    FixedUnits,
    KernelLimits,
    Tables,
    in_rows,
    plan_enumeration,
)

#: Multiply-adds and outer states per call of the kernel: fractions of a second, a few megabytes.
_BATCH_OPERATIONS, _BATCH_OUTER = 2.0**33, 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class InnerSums:
    """Weights of the states of the fixed and outer units, summed over the inner ones."""

    plan: EnumerationPlan
    tables: Tables
    boosts: Floats
    inputs: Floats
    gains: Floats
    counted: CountTables | None  # of a model with a potential

    @classmethod
    def of(cls, theta: Parameters, limits: KernelLimits) -> InnerSums:
        """Plan the sum and make the tables that all chunks share."""
        plan = plan_enumeration(theta, limits)
        tables = plan.tables()
        n_outer, n_inner = 1 << plan.outer.size, 1 << plan.inner.size
        return cls(
            plan,
            tables,
            boosts=in_rows(np.exp(tables.fields), n_outer // LANES),
            inputs=in_rows(tables.outer_inputs, n_outer // LANES),
            gains=in_rows(np.exp(tables.inner_inputs), n_inner // GROUP),
            counted=None if plan.model.v is None else CountTables.of(plan, tables),
        )

    @property
    def n_operations(self) -> float:
        """Multiply-adds of one chunk."""
        return self.plan.states_per_chunk * (1 + 2 * self.plan.n_inner_hidden)

    @property
    def batch_size(self) -> int:
        """Chunks per call that keep it short and its memory small."""
        n_outer = 1 << self.plan.outer.size
        return int(max(1, min(_BATCH_OPERATIONS / self.n_operations, _BATCH_OUTER / n_outer)))

    def in_chunks(self, chunks: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Log scale of each of the given chunks, and weights of its outer states over exp(scale).

        The weights, shape (n_chunks, n_outer_states), include the factor of the free units.
        """
        fixed = self.plan.fixed_units(chunks)
        scales = np.empty(chunks.size)
        totals = np.empty((chunks.size, 1 << self.plan.outer.size))
        with threads_for(self.n_operations * chunks.size):
            self._run_kernel(fixed, totals, scales)
        return scales + fixed.log_weight, totals

    def _run_kernel(self, fixed: FixedUnits, totals: Floats, scales: Floats) -> None:
        fields = fixed.outer_fields, fixed.inner_fields
        tables = self.tables
        if self.counted is not None:
            counted_fold_chunks(
                tables.log_outer,
                tables.log_inner,
                *fields,
                *self.counted.arguments(fixed),
                totals,
                scales,
            )
            return
        fold_chunks(
            tables.log_outer,
            tables.log_inner,
            tables.centres,
            *fields,
            self.boosts,
            self.inputs,
            fixed.hidden_inputs,
            self.gains,
            totals,
            scales,
        )
