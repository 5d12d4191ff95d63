"""The ratio of two normalisers from words of both models (docs/method.md, section 5)."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from ..validation import Floats


def log_ratio(
    ahead: Floats, back: Floats, n_ahead: Floats | None = None, n_back: Floats | None = None
) -> tuple[float, float]:
    """Log of Z over the last Z, and the variance of that (Bennett 1976).

    ``ahead`` (n_last,) and ``back`` (n_words,) are log p~ minus the last model's, on words of the
    last model and of this one; the first may be empty where the models are close. Words were drawn
    ``n_ahead`` and ``n_back`` times, once by default. Draws count as independent.
    """
    n_ahead = np.ones(ahead.size) if n_ahead is None else n_ahead
    n_back = np.ones(back.size) if n_back is None else n_back
    if not ahead.size:
        lowest = float(back.min())
        weights = np.exp(lowest - back)
        mean = float(np.average(weights, weights=n_back))
        return lowest - math.log(mean), _relative_variance(weights, n_back)
    shift = math.log(n_ahead.sum() / n_back.sum())

    def excess(ratio: float) -> float:
        gained = n_ahead @ expit(ahead - ratio - shift)
        return float(gained - n_back @ expit(ratio + shift - back))

    low = min(float(ahead.min()), float(back.min())) - 50.0
    high = max(float(ahead.max()), float(back.max())) + 50.0
    ratio = float(brentq(excess, low, high, xtol=1e-9))
    variance = _relative_variance(expit(ahead - ratio - shift), n_ahead)
    return ratio, variance + _relative_variance(expit(ratio + shift - back), n_back)


def _relative_variance(weights: Floats, counts: Floats) -> float:
    """Squared relative error of the mean of positive weights."""
    mean, n = float(np.average(weights, weights=counts)), float(counts.sum())
    return max(float(np.average(weights**2, weights=counts)) / mean**2 - 1.0, 0.0) / n
