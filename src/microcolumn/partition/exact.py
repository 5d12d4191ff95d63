"""Exact log partition functions, all in float64 (docs/method.md, section 5)."""

from __future__ import annotations

import sys
import time

import numpy as np
from tqdm import tqdm

from ..kernels import exact_log_z
from ..parameters import Parameters
from .cost import SUM_RATE, Side, pick_side, transposed, warn_if_long
from .result import LogPartition
from .term_sums import word_probabilities

#: A bar appears by itself for sums that take longer, seconds.
_PATIENCE = 3.0


def exact_log_partition(
    theta: Parameters, side: Side = "auto", progress: bool | None = None
) -> LogPartition:
    """Sum over all states, to rounding error.

    The sum runs over words, over the states of the live hidden units (models without couplings
    only), or by default over whichever takes fewer operations. By default a progress bar appears
    on a terminal if more than a few seconds are expected.
    """
    started = time.perf_counter()
    live, log_factor = theta.drop_dead_units()
    picked, n_operations = pick_side(live, side)
    warn_if_long(n_operations, SUM_RATE, "use method='ais'")
    if progress is None:
        progress = n_operations / SUM_RATE > _PATIENCE and sys.stderr.isatty()
    value = _log_z(live, picked, progress)
    return LogPartition(
        value=value + log_factor,
        stderr=0.0,
        method="exact",
        side=picked,
        n_operations=n_operations,
        seconds=time.perf_counter() - started,
        converged=True,
    )


def _log_z(live: Parameters, side: Side, progress: bool) -> float:
    if side == "hidden" and live.W is None:  # one hidden state: the units are independent
        return float(np.logaddexp(0.0, live.b).sum())
    if live.term is not None:
        return word_probabilities(live)[1]
    summed = transposed(live) if side == "hidden" else live
    layout = "{l_bar}{bar}| [{elapsed}<{remaining}]"
    with tqdm(total=1.0, desc="exact sum", bar_format=layout, disable=not progress) as bar:
        return exact_log_z(summed.arrays, bar.update)
