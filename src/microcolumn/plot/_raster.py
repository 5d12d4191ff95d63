"""Spikes in time, and the words that they are binned into."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ..epochs import HALF_NANOSECOND
from ..recording import Recording
from ..validation import Floats, real_number
from ._laminar import laminar, mark_layers
from .style import DATA_COLOUR, axes_or_new

#: Seconds drawn by default, as in the paper's figure 1b.
SECONDS = 2.0
#: Above this many marks they are drawn as an image, so that vector files stay small.
_MOST_MARKS = 2000
#: Height of a mark of a spike, rows.
_HEIGHT = 0.8
_GAP = "#DDDDDD"


def busiest_stretch(recording: Recording, seconds: float = SECONDS) -> tuple[float, float]:
    """The stretch of ``seconds`` with most spikes of all units together, within one epoch.

    Parameters
    ----------
    recording : Recording
        Spikes outside its epochs do not count.
    seconds : float
        Length of the stretch; a shorter epoch is taken whole.

    Returns
    -------
    start, stop : float
        Seconds; the first of several stretches with equally many spikes.

    Examples
    --------
    >>> recording = Recording([[1.0, 7.0, 7.5], [7.2, 9.5]], epochs=[[0.0, 10.0]])
    >>> busiest_stretch(recording, 1.0)
    (7.0, 8.0)
    """
    epochs = recording.epochs
    if not epochs.duration_s > 0:
        raise ValueError("all epochs of the recording are empty; state its epochs when reading it")
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


def raster(
    recording: Recording,
    start_s: float | None = None,
    stop_s: float | None = None,
    *,
    bin_width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Spikes of all units, superficial ones at the top, with lines between layers.

    Parameters
    ----------
    recording : Recording
        What lies outside its epochs is shaded, and spikes there are left out.
    start_s, stop_s : float, optional
        The time drawn, seconds; by default the busiest 2 s, and 2 s if only one of them is given.
    bin_width : float, optional
        Seconds; draw the bins with spikes, as in words of this bin width, instead of spikes.
    """
    start, stop = _stretch(recording, start_s, stop_s)
    ax = axes_or_new(ax, (7.0, 2.6))
    found = laminar(recording.units)
    row = np.argsort(found.order)
    if bin_width is None:
        unit, left = _spikes(recording, start, stop)
        ends = np.column_stack((row[unit] - _HEIGHT / 2, row[unit] + _HEIGHT / 2))
        lines = np.stack((np.repeat(left[:, None], 2, axis=1), ends), axis=2)
        marks: LineCollection | PolyCollection = LineCollection(
            list(lines), colors=DATA_COLOUR, linewidths=0.5
        )
    else:
        unit, left = _active_bins(recording, start, stop, bin_width)
        across = left[:, None] + np.array([0.0, 0.0, bin_width, bin_width])
        along = row[unit][:, None] + np.array([-0.5, 0.5, 0.5, -0.5])
        boxes = np.stack((across, along), axis=2)
        marks = PolyCollection(list(boxes), facecolors=DATA_COLOUR, linewidths=0)
    marks.set_rasterized(unit.size > _MOST_MARKS)
    ax.add_collection(marks, autolim=False)
    _shade_gaps(ax, recording, start, stop)
    mark_layers(ax, found)
    ax.set(xlim=(start, stop), ylim=(recording.n_units - 0.5, -0.5), xlabel="time (s)")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
    ax.ticklabel_format(axis="x", useOffset=False)
    return ax


def _stretch(
    recording: Recording, start_s: float | None, stop_s: float | None
) -> tuple[float, float]:
    if start_s is None:
        if stop_s is None:
            return busiest_stretch(recording)
        start_s = stop_s - SECONDS
    elif stop_s is None:
        stop_s = start_s + SECONDS
    start = real_number("start_s", start_s, "give seconds")
    stop = real_number("stop_s", stop_s, "give seconds")
    if not -np.inf < start < stop < np.inf:
        raise ValueError(f"from {start:g} to {stop:g} s there is no time; give start_s < stop_s")
    return start, stop


def _spikes(recording: Recording, start: float, stop: float) -> tuple[NDArray[np.int64], Floats]:
    """Unit and time of the spikes in the stretch that lie within an epoch."""
    times = recording.spike_times
    unit = np.repeat(np.arange(recording.n_units), np.diff(recording.offsets))
    inside = np.flatnonzero((times >= start) & (times <= stop))
    inside = inside[recording.epochs.locate(times[inside]) >= 0]
    return unit[inside], times[inside]


def _active_bins(
    recording: Recording, start: float, stop: float, width: float
) -> tuple[NDArray[np.int64], Floats]:
    """Unit and start of the bins with spikes that overlap the stretch."""
    words = recording.bin(width)
    starts = words.clock.times_s(words.bins, words.bin_width)
    shown = np.flatnonzero((starts + words.bin_width > start) & (starts < stop))
    place, unit = np.nonzero(words.X[words.index[shown]])
    return unit, starts[shown[place]]


def _shade_gaps(ax: Axes, recording: Recording, start: float, stop: float) -> None:
    """Shade what was not recorded: before, between and after the epochs."""
    edges = np.concatenate(([start], np.ravel(list(recording.epochs)), [stop]))
    edges = np.clip(edges, start, stop)
    for left, right in edges.reshape(-1, 2):
        if right > left:
            ax.axvspan(left, right, facecolor=_GAP, edgecolor="white", hatch="////", linewidth=0)
