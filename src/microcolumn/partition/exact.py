"""Exact log partition functions by folding (METHOD section 5).

Everything is in float64. A float32 path would be at most twice as fast and is not needed: the
fold is limited by the multiply-adds themselves and comes close to the processor's peak rate
(``benchmarks/exact.py`` measures the distance).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import logsumexp
from tqdm import tqdm

from ..kernels.cpu.fold import LANES, QUAD, fold_chunks
from ..parameters import Floats, Parameters
from .result import LogPartition
from .split import Padded, Shape, Split, pairwise_log_weight, slices, split_units, states

Side = Literal["auto", "visible", "hidden"]

#: An exact sum of more multiply-adds than this is refused: it would take days.
MAX_OPERATIONS = 2.0**50
#: Multiply-adds per second of a small machine, for deciding whether a progress bar is wanted.
_TYPICAL_RATE = 4e10
_PATIENCE_SECONDS = 3.0
#: Multiply-adds and outer states per call of the kernel: fractions of a second, a few megabytes.
_SLICE_OPERATIONS, _SLICE_OUTER = 2.0**33, 1 << 20
_FOLD = Shape(inner=(4, 8, 12), max_outer=13, max_table=1 << 17, operations=2.0)


def exact_log_partition(
    theta: Parameters, side: Side = "auto", progress: bool | None = None
) -> LogPartition:
    """Sum over all states, to rounding error.

    Parameters
    ----------
    theta : Parameters
        The model.
    side : {"auto", "visible", "hidden"}
        Sum over the words, over the states of the live hidden units (models without couplings
        only), or whichever takes fewer operations.
    progress : bool, optional
        Show a progress bar; by default when more than a few seconds are expected.

    Returns
    -------
    LogPartition
        With zero standard error; ``method`` says which side was summed.

    Examples
    --------
    >>> log_z = exact_log_partition(Parameters(b=[0.0, 0.0], J=[[0.0, 0.5], [0.5, 0.0]]))
    >>> bool(abs(log_z.value - np.log(3.0 + np.e)) < 1e-14)
    True
    """
    started = time.perf_counter()
    live, log_factor = theta.only_live()
    picked, n_operations = cheaper_side(live, side)
    if n_operations > MAX_OPERATIONS:
        raise ValueError(
            f"an exact sum over {live.n_units} units with {live.n_hidden} live hidden units takes "
            f"{n_operations:.1e} multiply-adds, more than the limit of {MAX_OPERATIONS:.1e}; "
            "use method='ais'"
        )
    value = _hidden_side(live, progress) if picked == "hidden" else _sum_states(live, progress)
    return LogPartition(
        value=value + log_factor,
        stderr=0.0,
        method=f"exact, {picked} side",
        n_operations=n_operations,
        seconds=time.perf_counter() - started,
        converged=True,
    )


def operations(theta: Parameters) -> float:
    """Multiply-adds of the cheaper exact sum for ``theta``, live hidden units only."""
    return cheaper_side(theta.only_live()[0], "auto")[1]


def cheaper_side(live: Parameters, side: Side) -> tuple[Literal["visible", "hidden"], float]:
    """The side to sum over and what it costs, for a model without dead hidden units.

    Returns
    -------
    side : {"visible", "hidden"}
    n_operations : float
        Multiply-adds: 2^N * (1 + 2M), or with N and M exchanged.
    """
    has_couplings = live.J is not None and bool(np.any(live.J != 0.0))
    visible = 2.0**live.n_units * (1 + 2 * live.n_hidden)
    hidden = math.inf if has_couplings else 2.0**live.n_hidden * (1 + 2 * live.n_units)
    if side == "hidden":
        if has_couplings:
            raise ValueError(
                "the hidden side cannot be summed for a model with couplings J; "
                "use method='exact-visible'"
            )
        return "hidden", hidden
    if side == "visible" or visible <= hidden:
        return "visible", visible
    return "hidden", hidden


def transposed(live: Parameters) -> Parameters:
    """The model with units and hidden units exchanged; needs at least one hidden unit, no J."""
    assert live.W is not None
    assert live.c is not None
    return Parameters(b=live.c, W=live.W.T, c=live.b)


def _hidden_side(live: Parameters, progress: bool | None) -> float:
    if live.W is None:  # one hidden state: the units are independent
        return float(np.logaddexp(0.0, live.b).sum())
    other, log_factor = transposed(live).only_live()
    return _sum_states(other, progress) + log_factor


def _sum_states(theta: Parameters, progress: bool | None) -> float:
    split = split_units(theta, _FOLD)
    logs = [
        logsumexp(scales + np.log(totals.sum(axis=1)))
        for scales, totals in outer_totals(theta, split, progress)
    ]
    return float(logsumexp(logs)) - split.n_free * math.log(2.0)


def outer_totals(
    theta: Parameters, split: Split, progress: bool | None
) -> Iterator[tuple[Floats, Floats]]:
    """Weight of each state of the fixed and outer units, summed over the inner ones.

    Yields
    ------
    scales : ndarray, shape (n_chunks,)
        Log scale of each chunk of a slice, nats.
    totals : ndarray, shape (n_chunks, n_outer_states)
        Weights divided by exp(scale).
    """
    tables = _fold_tables(theta, split)
    n_outer = 1 << split.outer.size
    per_chunk = 2.0**split.inner.size * n_outer * (1 + 2 * split.n_inner_hidden)
    size = int(max(1, min(split.n_chunks, _SLICE_OPERATIONS / per_chunk, _SLICE_OUTER / n_outer)))
    expected_seconds = per_chunk * split.n_chunks / _TYPICAL_RATE
    show = expected_seconds > _PATIENCE_SECONDS if progress is None else progress
    with tqdm(total=split.n_chunks, desc="exact sum", unit="chunk", disable=not show) as bar:
        for part in slices(theta, split, size):
            n_chunks = part.log_weight.size
            scales, totals = np.empty(n_chunks), np.empty((n_chunks, n_outer))
            fold_chunks(
                tables.log_outer,
                tables.log_inner,
                tables.centres,
                part.outer_fields,
                part.inner_fields,
                tables.boosts,
                tables.outer_inputs,
                part.hidden_inputs,
                tables.gains,
                totals,
                scales,
            )
            bar.update(n_chunks)
            yield scales + part.log_weight, totals


@dataclass(frozen=True, slots=True)
class _FoldTables:
    """What the kernel reads besides the chunks' fields; shapes in ``fold_chunks``."""

    log_outer: Floats
    log_inner: Floats
    centres: Floats
    boosts: Floats
    outer_inputs: Floats
    gains: Floats


def _fold_tables(theta: Parameters, split: Split) -> _FoldTables:
    model = Padded.of(theta)
    A, B, hidden = split.outer, split.inner, split.hidden
    outer, inner = states(A.size), states(B.size)
    n_rows = outer.shape[0] // LANES
    across = model.J[np.ix_(A, B)]
    # The middle of t_j(a) = 2 sum_n J_nj a_n over all a is sum_n J_nj; it goes to the biases.
    middle = across.sum(axis=0)
    boosts = np.exp(2.0 * outer @ across - middle)
    inputs = outer @ model.W[np.ix_(A, hidden)]
    inner_inputs = inner @ model.W[np.ix_(B, hidden[: split.n_inner_hidden])]
    centres = 0.5 * inner_inputs.sum(axis=1)
    log_inner = pairwise_log_weight(inner, model.b[B] + middle, model.J[np.ix_(B, B)])
    return _FoldTables(
        log_outer=pairwise_log_weight(outer, model.b[A], model.J[np.ix_(A, A)]),
        log_inner=log_inner + centres,
        centres=centres,
        boosts=_in_rows(boosts, n_rows),
        outer_inputs=_in_rows(inputs, n_rows),
        gains=_in_rows(np.exp(inner_inputs), inner.shape[0] // QUAD),
    )


def _in_rows(table: Floats, n_rows: int) -> Floats:
    """Consecutive states side by side: (n_states, k) to (n_rows, k, n_states / n_rows)."""
    n_states, width = table.shape
    grouped = table.reshape(n_rows, n_states // n_rows, width)
    return np.ascontiguousarray(grouped.transpose(0, 2, 1))
