"""What the log weights of annealed chains say: an estimate, its error, and reasons to doubt it."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

from ..validation import Floats

#: Rounding of log weights, nats: smaller differences are ignored.
ROUNDING = 1e-9


def log_mean(log_weights: Floats) -> tuple[float, float]:
    """Logarithm of the mean weight and its standard error by the delta method (nats)."""
    n = len(log_weights)
    largest = float(log_weights.max())
    if largest == -math.inf:
        return -math.inf, math.inf
    weights = np.exp(log_weights - largest)
    mean = float(weights.mean())
    stderr = float(weights.std(ddof=1)) / (mean * math.sqrt(n)) if n > 1 else math.inf
    return largest + math.log(mean), stderr


def reverse_estimate(forward: Floats, reverse: Floats) -> tuple[float, float]:
    """Log of a part of Z and its standard error (nats) from the log weights of a reverse run.

    The mean of 1 / w over words of the part is the share of forward chains that end there, over it.
    """
    negative, stderr = log_mean(-reverse)
    ended_here = float(np.isfinite(forward).mean())
    return (math.log(ended_here) if ended_here else -math.inf) - negative, stderr


def effective_sample_size(log_weights: Floats) -> float:
    """(sum w)^2 / sum w^2: how many equally weighted chains carry as much information."""
    return float(np.exp(2 * logsumexp(log_weights) - logsumexp(2 * log_weights)))


def missed_log_mass(forward: Floats, reverse: Floats) -> float:
    """How much of log Z the forward chains missed, by Crooks' relation (nats, not negative)."""
    beyond = reverse > forward.max()
    share = float(beyond.mean())
    if share == 1.0:
        return math.inf
    relative = np.exp(log_mean(forward)[0] - reverse[beyond])
    reached = float(relative.sum()) / len(reverse)
    return math.log1p(-reached) - math.log1p(-share)


def doubt_of(
    forward: Floats, reverse: Floats, settled: bool, tolerance: float, share: float, stderr: float
) -> str | None:
    """The check that the forward estimate of a part of Z fails, as a clause; None if it passes all.

    ``forward`` and ``reverse`` are log weights, nats, -inf of forward chains that ended outside of
    the part, which is a ``share`` of Z. It is ``settled`` where doubling the steps changed little.
    ``tolerance`` is what log Z may be off by, and ``stderr`` its error, both in nats.
    """
    value, reverse_stderr = reverse_estimate(forward, reverse)
    gap = effect(value - log_mean(forward)[0], share)
    bits = 1.0 / math.log(2.0)
    if not settled:
        return (
            f"it moved by more than {tolerance * bits:.3g} bits on the last doubling, or its "
            f"standard error of {stderr * bits:.3g} bits is above that"
        )
    missed = effect(missed_log_mass(forward, reverse), share)
    if missed > stderr + ROUNDING:
        return (
            f"the reverse run found words that hold {-math.expm1(-missed):.2%} of the mass and "
            "that no forward chain reached"
        )
    reverse_stderr = effect(reverse_stderr, share)
    combined = math.hypot(stderr, reverse_stderr)
    if max(abs(gap), reverse_stderr) > tolerance or abs(gap) > 3.0 * combined + ROUNDING:
        return (
            f"the reverse run is {gap * bits:+.3g} bits away, with standard errors of "
            f"{stderr * bits:.3g} forward and {reverse_stderr * bits:.3g} reverse"
        )
    return None


def effect(change: float, share: float) -> float:
    """Change of log Z where the logarithm of a share of Z changes, nats."""
    if share == 0.0 or math.isnan(change):
        return 0.0
    if share == 1.0:
        return change
    return math.log1p(share * math.expm1(change)) if change < 500.0 else math.inf
