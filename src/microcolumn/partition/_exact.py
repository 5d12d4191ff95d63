"""All that is exact: log partition functions, expectations and samples (METHOD section 5).

Everything is in float64. A float32 path would be at most twice as fast and is not needed: the
fold is limited by the multiply-adds themselves and comes close to the processor's peak rate
(``benchmarks/exact.py`` measures the distance).
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np
from scipy.special import logsumexp
from tqdm import tqdm

from ..parameters import Parameters
from ._enumeration import Shape, runs, split_units
from ._expectations import exact_expectations
from ._outer import OuterSums
from ._result import LogPartition
from ._samples import can_sample_exactly, exact_samples
from ._sides import Side, pick_side, transposed

__all__ = ["can_sample_exactly", "exact_expectations", "exact_log_partition", "exact_samples"]

#: Multiply-adds per second of a small machine, for deciding whether a progress bar is wanted.
_TYPICAL_RATE = 4e10
_PATIENCE_SECONDS = 3.0
_FOLD = Shape(
    inner=(4, 8, 12),
    min_inner=4,
    max_outer=12,
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
        Show a progress bar; by default on a terminal when more than a few seconds are expected.

    Returns
    -------
    LogPartition
        With zero standard error; ``side`` says which states were summed over.

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
        method="exact",
        side=picked,
        n_operations=n_operations,
        seconds=time.perf_counter() - started,
        converged=True,
    )


def _hidden_side(live: Parameters, progress: bool | None) -> float:
    if live.W is None:  # one hidden state: the units are independent
        return float(np.logaddexp(0.0, live.b).sum())
    other, log_factor = transposed(live).only_live()
    return _sum_states(other, progress) + log_factor


def _sum_states(theta: Parameters, progress: bool | None) -> float:
    split = split_units(theta, _FOLD)
    sums = OuterSums.of(theta, split)
    expected_seconds = sums.n_operations * split.n_chunks / _TYPICAL_RATE
    hide = not progress
    if progress is None:  # where it takes long, and on a terminal alone
        hide = expected_seconds <= _PATIENCE_SECONDS or not sys.stderr.isatty()
    logs = []
    with tqdm(total=split.n_chunks, desc="exact sum", unit="chunk", disable=hide) as bar:
        for chunks in runs(split.n_chunks, sums.slice_size):
            scales, totals = sums.over_inner(chunks)
            logs.append(logsumexp(scales + np.log(totals.sum(axis=1))))
            bar.update(chunks.size)
    return float(logsumexp(logs)) - split.n_free * math.log(2.0)
