"""Weights of the outer states of a split model, from the folding kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.cpu.fold import LANES, fold_chunks
from ..kernels.cpu.threads import threads_for
from ..kernels.simd.groups import GROUP
from ..parameters import Floats, Parameters
from .split import Split, Tables, in_rows, slice_of, tables_of

#: Multiply-adds and outer states per call of the kernel: fractions of a second, a few megabytes.
_SLICE_OPERATIONS, _SLICE_OUTER = 2.0**33, 1 << 20


@dataclass(frozen=True, slots=True)
class OuterSums:
    """Weights of the states of the fixed and outer units, summed over the inner ones."""

    theta: Parameters
    split: Split
    tables: Tables
    boosts: Floats
    inputs: Floats
    gains: Floats

    @classmethod
    def of(cls, theta: Parameters, split: Split) -> OuterSums:
        """Make the tables that all chunks share."""
        tables = tables_of(theta, split)
        n_outer, n_inner = 1 << split.outer.size, 1 << split.inner.size
        return cls(
            theta,
            split,
            tables,
            boosts=in_rows(np.exp(tables.fields), n_outer // LANES),
            inputs=in_rows(tables.outer_inputs, n_outer // LANES),
            gains=in_rows(np.exp(tables.inner_inputs), n_inner // GROUP),
        )

    @property
    def n_operations(self) -> float:
        """Multiply-adds of one chunk."""
        return self.split.chunk_states * (1 + 2 * self.split.n_inner_hidden)

    @property
    def slice_size(self) -> int:
        """Chunks per call that keep it short and its memory small."""
        n_outer = 1 << self.split.outer.size
        return int(max(1, min(_SLICE_OPERATIONS / self.n_operations, _SLICE_OUTER / n_outer)))

    def over_inner(self, chunks: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Sums over the inner units in the chunks with the given numbers.

        Returns
        -------
        scales : ndarray, shape (n_chunks,)
            Log scale of each chunk, nats.
        totals : ndarray, shape (n_chunks, n_outer_states)
            Weights divided by exp(scale); the free units' factor is still in them.
        """
        part = slice_of(self.theta, self.split, chunks)
        scales = np.empty(chunks.size)
        totals = np.empty((chunks.size, 1 << self.split.outer.size))
        with threads_for(self.n_operations * chunks.size):
            fold_chunks(
                self.tables.log_outer,
                self.tables.log_inner,
                self.tables.centres,
                part.outer_fields,
                part.inner_fields,
                self.boosts,
                self.inputs,
                part.hidden_inputs,
                self.gains,
                totals,
                scales,
            )
        return scales + part.log_weight, totals
