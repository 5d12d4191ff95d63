"""Levels and bursting that give the target shares of bins with one spike and with more."""

from __future__ import annotations

import numpy as np

from ..validation import Floats
from ._spikes import CLOCK_HZ, Cells, draw_trains
from ._truth import Truth

#: Length of the simulations that calibrate, and their number.
_STRETCH_S, _ROUNDS = 240.0, 5
_BIN_S = 0.020
#: Initial intensity of bursting (per ms).
_FIRST_BURST = 0.08


def calibrate(
    truth: Truth,
    cells: Cells,
    relative_rate: Floats,
    single: float,
    multiple: float,
    seed: np.random.SeedSequence,
) -> tuple[Floats, float]:
    """Find the level of each unit and the bursting of all, as `draw_trains` takes them.

    A unit's share of active bins is nearly proportional to its intensity, and the share of active
    bins with more than one spike to the bursting, with little effect on each other. So each round
    of this fixed-point iteration simulates a few minutes, always with the same random numbers, and
    multiplies each intensity by target over found. The sampling error of those minutes remains.

    ``single`` and ``multiple`` are the target shares of 20 ms bins with exactly one spike and with
    more, over all units.
    """
    wanted = (single + multiple) * relative_rate
    level = np.log(0.5 * wanted / (1000 * _BIN_S * truth.cells))
    burst = _FIRST_BURST
    n_bins = round(_STRETCH_S / _BIN_S)
    for _ in range(_ROUNDS):
        rng = np.random.default_rng(seed)
        trains = draw_trains(truth, cells, level, burst, _STRETCH_S, rng)
        counts = np.stack(
            [np.bincount(train // round(CLOCK_HZ * _BIN_S), minlength=n_bins) for train in trains]
        )
        # The added half bin keeps the step of a silent unit finite.
        active = ((counts > 0).sum(axis=1) + 0.5) / (n_bins + 0.5)
        level += np.log(wanted / active)
        several = ((counts > 1).sum() + 0.5) / ((counts > 0).sum() + 0.5)
        burst *= multiple / (single + multiple) / several
    return level, burst
