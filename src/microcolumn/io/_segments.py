"""Segments of a recording, each with a clock of its own, put on one clock."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..epochs import HALF_NANOSECOND

#: Seconds between segments whose own clocks do not say how they follow each other.
_GAP_S = 1.0


def align_segments(
    stretches: Sequence[tuple[float, float]],
) -> tuple[NDArray[np.float64], list[str]]:
    """What to add to the times of each segment so that all share one clock.

    Nothing, where segments follow each other on their own clocks. Where those overlap, which is so
    for trials that all start at 0, each segment begins 1 s after the one before it ends.

    Parameters
    ----------
    stretches : sequence of (float, float)
        Start and stop of each segment on its own clock, seconds; all its spikes lie there.

    Returns
    -------
    shifts : ndarray of float64, shape (n_segments,)
        Seconds.
    notes : list of str
        What was done.
    """
    shifts = np.zeros(len(stretches))
    if all(later[0] > stop - 2 * HALF_NANOSECOND for (_, stop), later in pairwise(stretches)):
        return shifts, []
    begin = max(stretches[0][0], 0.0)  # trials may begin before the event that they are aligned to
    for k, (start, stop) in enumerate(stretches):
        shifts[k] = begin - start
        begin += stop - start + _GAP_S
    note = f"{len(stretches)} segments put one after another with {_GAP_S:g} s between them"
    return shifts, [note]
