"""Tables for sums under a potential of the number of active units."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..kernels.cpu.counted import LOW_UNITS
from ..validation import Floats
from ._enumeration import EnumerationPlan, FixedUnits, Tables, sums_over_states

Counts = NDArray[np.int64]


class CountTables(NamedTuple):
    """What the kernels for a potential need besides the tables of all exact sums."""

    low_boosts: Floats
    high_boosts: Floats
    counts: tuple[Counts, Counts]  # active units of each outer and of each inner state
    v: Floats

    @classmethod
    def of(cls, plan: EnumerationPlan, tables: Tables) -> Self:
        """Tables of a plan whose model has a potential; free units do not count as active."""
        v = plan.model.v
        assert v is not None
        outer, inner = (
            sums_over_states((units < plan.n_units).astype(np.float64)).astype(np.int64)
            for units in (plan.outer, plan.inner)
        )
        return cls(*boosts(tables.fields, LOW_UNITS), (outer, inner), v)

    def arguments(self, part: FixedUnits) -> tuple[object, ...]:
        """Arguments of the kernels from the boosts to the potential, for some chunks."""
        fixed_counts = part.states.sum(axis=1).astype(np.int64)
        return self.low_boosts, self.high_boosts, self.counts, fixed_counts, self.v


def boosts(fields: Floats, n_low: int) -> tuple[Floats, Floats]:
    """Products of g_j(a)**b_j over the first ``n_low`` inner units, and over the others."""
    low, high = (sums_over_states(part) for part in (fields.T[:n_low], fields.T[n_low:]))
    return np.exp(np.ascontiguousarray(low.T)), np.exp(np.ascontiguousarray(high.T))
