"""Exact log partition functions (docs/method.md, section 5).

All sums are in float64. A float32 path would be at most twice as fast: the kernel is limited by
its multiply-adds and comes close to the processor's peak rate (see ``benchmarks/exact.py``).
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np
from scipy.special import logsumexp
from tqdm import tqdm

from ..parameters import Parameters
from ._cost import SUM_RATE, Side, pick_side, transposed, warn_if_long
from ._enumeration import KernelLimits
from ._inner_sums import InnerSums
from ._result import LogPartition
from ._table_sums import word_probabilities

_FOLD = KernelLimits(
    inner=(4, 8, 12), min_inner=4, max_outer=12, max_table=1 << 17, per_state=1.0, per_hidden=2.0
)


def exact_log_partition(
    theta: Parameters, side: Side = "auto", progress: bool | None = None
) -> LogPartition:
    """Sum over all states, to rounding error.

    The sum runs over words, over the states of the live hidden units (models without couplings
    only), or by default over whichever takes fewer operations. By default a progress bar appears
    on a terminal if more than a few seconds are expected.
    """
    started = time.perf_counter()
    live, log_factor = theta.only_live()
    picked, n_operations = pick_side(live, side)
    warn_if_long(n_operations, SUM_RATE, "use method='ais'")
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
    if theta.tables is not None:
        return word_probabilities(theta)[1]
    sums = InnerSums.of(theta, _FOLD)
    n_chunks = sums.plan.n_chunks
    hide = not progress
    if progress is None:
        expected_seconds = sums.n_operations * n_chunks / SUM_RATE
        hide = expected_seconds <= 3.0 or not sys.stderr.isatty()
    logs = []
    with tqdm(total=n_chunks, desc="exact sum", unit="chunk", disable=hide) as bar:
        for chunks in sums.plan.batches(sums.batch_size):
            scales, totals = sums.in_chunks(chunks)
            logs.append(logsumexp(scales + np.log(totals.sum(axis=1))))
            bar.update(chunks.size)
    return float(logsumexp(logs)) - sums.plan.n_free * math.log(2.0)
