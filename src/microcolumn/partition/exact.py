"""Exact log partition functions by folding (METHOD section 5).

Everything is in float64. A float32 path would be at most twice as fast and is not needed: the
fold is limited by the multiply-adds themselves and comes close to the processor's peak rate
(``benchmarks/exact.py`` measures the distance).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Literal

import numpy as np
from scipy.special import logsumexp
from tqdm import tqdm

from ..kernels.cpu.fold import LANES, QUAD, fold_chunks
from ..parameters import Floats, Parameters
from .result import LogPartition
from .split import Shape, Split, in_rows, slices, split_units, tables_of

Side = Literal["auto", "visible", "hidden"]

#: An exact sum of more multiply-adds than this is refused: it would take days.
MAX_OPERATIONS = 2.0**50
#: Multiply-adds per second of a small machine, for deciding whether a progress bar is wanted.
_TYPICAL_RATE = 4e10
_PATIENCE_SECONDS = 3.0
#: Multiply-adds and outer states per call of the kernel: fractions of a second, a few megabytes.
_SLICE_OPERATIONS, _SLICE_OUTER = 2.0**33, 1 << 20
_FOLD = Shape(
    inner=(4, 8, 12),
    max_outer=13,
    max_table=1 << 17,
    state_operations=1.0,
    hidden_operations=2.0,
)


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
    picked, n_operations = pick_side(live, side)
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
    """Multiply-adds of the cheaper exact sum for ``theta``."""
    return min(_side_operations(theta.only_live()[0]))


def _side_operations(live: Parameters) -> tuple[float, float]:
    """Multiply-adds of the sums over words and over hidden states; the latter needs J = 0."""

    def count(n_summed: int, n_multiplied: int) -> float:
        return 2.0 ** min(n_summed, 1000) * (1 + 2 * n_multiplied)

    has_couplings = live.J is not None and bool(np.any(live.J != 0.0))
    hidden = math.inf if has_couplings else count(live.n_hidden, live.n_units)
    return count(live.n_units, live.n_hidden), hidden


def pick_side(live: Parameters, side: Side) -> tuple[Literal["visible", "hidden"], float]:
    """The side to sum over and its multiply-adds, for a model without dead hidden units."""
    visible, hidden = _side_operations(live)
    if side == "hidden" and math.isinf(hidden):
        raise ValueError(
            "the hidden side cannot be summed for a model with couplings J; "
            "use method='exact-visible'"
        )
    take_visible = side == "visible" or (side == "auto" and visible <= hidden)
    n_operations = visible if take_visible else hidden
    if n_operations > MAX_OPERATIONS:
        raise ValueError(
            f"an exact sum over {live.n_units} units with {live.n_hidden} live hidden units takes "
            f"{n_operations:.1e} multiply-adds, more than the limit of {MAX_OPERATIONS:.1e}; "
            "use method='ais'"
        )
    return ("visible" if take_visible else "hidden"), n_operations


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
    tables = tables_of(theta, split)
    n_outer, n_inner = 1 << split.outer.size, 1 << split.inner.size
    boosts = in_rows(np.exp(tables.fields), n_outer // LANES)
    inputs = in_rows(tables.outer_inputs, n_outer // LANES)
    gains = in_rows(np.exp(tables.inner_inputs), n_inner // QUAD)
    per_chunk = float(n_inner) * n_outer * (1 + 2 * split.n_inner_hidden)
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
                boosts,
                inputs,
                part.hidden_inputs,
                gains,
                totals,
                scales,
            )
            bar.update(n_chunks)
            yield scales + part.log_weight, totals
