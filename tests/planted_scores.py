"""Scores of splits whose errors are known by construction."""

from __future__ import annotations

import numpy as np

from microcolumn.evaluate import SplitScore
from microcolumn.evaluate.time_errors import N_WAVES

#: Cells of time, all of which every split tests.
N_CELLS = 40


def planted_score(split, bits_per_second, stderr=0.3, **fields):
    """A score whose test words give it exactly this error, by one wave of each frequency.

    Scores of two models share the waves, so that the error of their difference is the difference
    of their errors.
    """
    phases = np.outer(np.arange(1, N_WAVES + 1), np.arange(N_CELLS) + 0.5) * (np.pi / N_CELLS)
    waves = np.cos(phases).sum(axis=0) * (np.sqrt(2.0) * stderr / N_CELLS)
    share = np.full(N_CELLS, 1.0 / N_CELLS)
    gains = bits_per_second * share + waves
    return SplitScore(
        split,
        bits_per_second,
        stderr,
        gain_by_cell=tuple(gains.tolist()),
        share_by_cell=tuple(share.tolist()),
        gain_by_active=(0.5 * bits_per_second, 0.0, 0.5 * bits_per_second),
        **fields,
    )
