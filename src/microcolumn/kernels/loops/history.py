"""Spike trains whose log odds follow from the spikes before them."""

import math

import numpy as np

from ..compile import kernel


# Spike trains drawn bin by bin.
# Cost: one exponential per bin and unit, one addition per unit and spike within the lags.
# Pinned to the log odds of what it draws by tests/models/test_history_glm.py.
@kernel
def draw_bins(filters, unknown, uniforms, out):
    """Fill ``out`` (n_bins, n_units) with spikes where ``uniforms`` lie below the probability."""
    n_lags, n_units = filters.shape[0], out.shape[1]
    odds = np.empty(n_units)
    for t in range(out.shape[0]):
        n_known = min(t, n_lags)
        odds[:] = unknown[n_known]
        for lag in range(n_known):
            for m in range(n_units):
                if out[t - 1 - lag, m]:
                    odds += filters[lag, m]
        for n in range(n_units):
            out[t, n] = uniforms[t, n] * (1.0 + math.exp(-odds[n])) < 1.0
