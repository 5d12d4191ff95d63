"""Plausibility of log Z from the most frequent words (docs/method.md, section 5)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..energy import log_weight
from ..parameters import Parameters
from .result import LogPartition

#: Nats by which frequent words may miss log Z in any fit: penalised fits of recordings stay within
#: a tenth of this.
_SLACK = 0.25


def frequent_words_check(
    theta: Parameters, X: ArrayLike, shares: ArrayLike, log_z: LogPartition
) -> tuple[float, str | None]:
    """Log Z (nats) by frequent words, and what they say against an annealed one; None if nothing.

    Words ``X`` (n_words, n_units) have the observed ``shares`` (n_words,). Only a log Z far below
    the estimate counts: a poor fit gives these words less than they have, as independent units do,
    and so does a spurious mode, however right log Z is.
    """
    observed = np.asarray(shares, dtype=np.float64)
    estimates = log_weight(theta, X) - np.log(observed)
    mean = float(np.average(estimates, weights=observed))
    spread = math.sqrt(float(np.average((estimates - mean) ** 2, weights=observed)))
    short = mean - log_z.value
    if log_z.method == "exact" or short <= _SLACK + 5.0 * (spread + log_z.stderr):
        return mean, None
    return mean, (
        f"it gives the most frequent words {math.exp(short):.2g} times their observed share, "
        f"which differs between them by {math.expm1(spread):.0%} only"
    )
