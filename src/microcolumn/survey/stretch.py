"""The stretch of a recording with the most spikes, which figures show."""

import numpy as np

from ..epochs import HALF_NANOSECOND
from ..errors import BadInput
from ..recording import Recording

#: Seconds that are drawn where nothing else is asked for, as in the paper's figure 1b.
SECONDS = 2.0


def busiest_stretch(recording: Recording, seconds: float = SECONDS) -> tuple[float, float]:
    """Start and stop of the first ``seconds`` within one epoch with the most spikes of all units.

    Epochs that are shorter are looked at as a whole.
    """
    epochs = recording.epochs
    if not epochs.duration_s > 0:
        raise BadInput("the recording has no epoch that lasts", "state epochs where it is read")
    times = np.sort(recording.spike_times)
    epoch = epochs.locate(times)
    times, epoch = times[epoch >= 0], epoch[epoch >= 0]
    if not times.size:
        start, stop = max(epochs, key=lambda each: each[1] - each[0])
        return start, min(stop, start + seconds)
    # A stretch with the most spikes can be moved until it begins with a spike or ends its epoch.
    starts = np.maximum(epochs.starts[epoch], np.minimum(times, epochs.stops[epoch] - seconds))
    stops = np.minimum(starts + seconds, epochs.stops[epoch])
    first = np.searchsorted(times, starts - HALF_NANOSECOND)
    best = int(np.argmax(np.searchsorted(times, stops + HALF_NANOSECOND) - first))
    return float(starts[best]), float(stops[best])
