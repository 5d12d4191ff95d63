"""Spikes in time, and the words that they are binned into."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ..recording import Recording
from ..survey._stretch import SECONDS, busiest_stretch
from ..validation import Floats, real_number
from ..words import Words
from ._laminar import laminar, mark_layers
from .style import DATA_COLOUR, axes_or_new

#: Above this many marks they are drawn as an image, so that vector files stay small.
_MOST_MARKS = 2000
#: Height of a mark of a spike, rows.
_HEIGHT = 0.8
_GAP = "#DDDDDD"


def raster(
    data: Recording | Words,
    start_s: float | None = None,
    stop_s: float | None = None,
    *,
    bin_width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Spikes of all units, or bins with spikes, superficial units at the top.

    Lines are drawn between layers, and time that was not recorded is shaded.

    Parameters
    ----------
    data : Recording or Words
        A recording, of which spikes within the epochs are drawn, or words of single bins.
    start_s, stop_s : float, optional
        The time drawn, seconds; by default the busiest 2 s, and 2 s if only one of them is given.
    bin_width : float, optional
        Seconds; draw the bins of a recording with spikes, as words have them, instead of spikes.
    """
    words = data if isinstance(data, Words) else None
    if isinstance(data, Recording) and bin_width is not None:
        words = data.bin(bin_width)
    start, stop = _stretch(data, start_s, stop_s)
    ax = axes_or_new(ax, (7.0, 2.6))
    found = laminar(data.units)
    row = np.argsort(found.order)
    marks: LineCollection | PolyCollection
    if isinstance(data, Recording) and words is None:
        unit, left = _spikes(data, start, stop)
        ends = np.column_stack((row[unit] - _HEIGHT / 2, row[unit] + _HEIGHT / 2))
        lines = np.stack((np.repeat(left[:, None], 2, axis=1), ends), axis=2)
        marks = LineCollection(list(lines), colors=DATA_COLOUR, linewidths=0.5)
    else:
        assert words is not None
        unit, left = _active_bins(words, start, stop)
        across = left[:, None] + words.bin_width * np.array([0.0, 0.0, 1.0, 1.0])
        along = row[unit][:, None] + np.array([-0.5, 0.5, 0.5, -0.5])
        boxes = np.stack((across, along), axis=2)
        marks = PolyCollection(list(boxes), facecolors=DATA_COLOUR, linewidths=0)
    marks.set_rasterized(unit.size > _MOST_MARKS)
    ax.add_collection(marks, autolim=False)
    epochs = np.array(list(data.epochs)) if isinstance(data, Recording) else _runs(data)
    _shade_gaps(ax, epochs, start, stop)
    mark_layers(ax, found)
    ax.set(xlim=(start, stop), ylim=(len(data.units) - 0.5, -0.5), xlabel="time (s)")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
    ax.ticklabel_format(axis="x", useOffset=False)
    return ax


def busiest_bins(words: Words, n_bins: int, window: int = 1) -> tuple[int, int]:
    """First bin and bin after the last of the stretch with most spikes, within one epoch.

    Parameters
    ----------
    words : Words
        Of single bins.
    n_bins : int
        Length of the stretch; a shorter epoch is taken whole.
    window : int
        Each bin of the stretch ends a window of this many bins within the epoch.
    """
    spikes = np.concatenate(([0], np.cumsum(words.X.sum(axis=1, dtype=np.int64)[words.index])))
    best, found = -1, (0, 0)
    for start, stop in pairwise([*words.epoch_starts.tolist(), words.n_bins]):
        first = start + window - 1
        length = min(n_bins, stop - first)
        if length < 1:
            continue
        counts = spikes[first + length : stop + 1] - spikes[first : stop + 1 - length]
        if counts.max() > best:
            best, begin = int(counts.max()), first + int(counts.argmax())
            found = begin, begin + length
    return found


def _stretch(
    data: Recording | Words, start_s: float | None, stop_s: float | None
) -> tuple[float, float]:
    if start_s is None and stop_s is None:
        return busiest_stretch(data) if isinstance(data, Recording) else _busiest_time(data)
    start = None if start_s is None else real_number("start_s", start_s, "give seconds")
    stop = None if stop_s is None else real_number("stop_s", stop_s, "give seconds")
    if stop is None:
        assert start is not None
        stop = start + SECONDS
    elif start is None:
        start = stop - SECONDS
    if not -np.inf < start < stop < np.inf:
        raise ValueError(f"from {start:g} to {stop:g} s there is no time; give start_s < stop_s")
    return start, stop


def _busiest_time(words: Words) -> tuple[float, float]:
    first, stop = busiest_bins(words, max(1, round(SECONDS / words.bin_width)))
    start_s, last_s = words.clock.times_s(words.bins[[first, stop - 1]], words.bin_width).tolist()
    return start_s, last_s + words.bin_width


def _spikes(recording: Recording, start: float, stop: float) -> tuple[NDArray[np.int64], Floats]:
    """Unit and time of the spikes in the stretch that lie within an epoch."""
    times = recording.spike_times
    unit = np.repeat(np.arange(recording.n_units), np.diff(recording.offsets))
    inside = np.flatnonzero((times >= start) & (times <= stop))
    inside = inside[recording.epochs.locate(times[inside]) >= 0]
    return unit[inside], times[inside]


def _active_bins(words: Words, start: float, stop: float) -> tuple[NDArray[np.int64], Floats]:
    """Unit and start of the bins with spikes that overlap the stretch."""
    if words.window > 1:
        raise ValueError(f"these words span {words.window} bins; pass words of single bins")
    starts = words.clock.times_s(words.bins, words.bin_width)
    shown = np.flatnonzero((starts + words.bin_width > start) & (starts < stop))
    place, unit = np.nonzero(words.X[words.index[shown]])
    return unit, starts[shown[place]]


def _runs(words: Words) -> Floats:
    """Start and stop of each run of adjacent bins, seconds, shape (n_runs, 2)."""
    begins = np.append(True, np.diff(words.bins) != 1)
    begins[words.epoch_starts] = True
    first = np.flatnonzero(begins)
    last = np.append(first[1:], words.n_bins) - 1
    starts, stops = (
        words.clock.times_s(words.bins[edge], words.bin_width) for edge in (first, last)
    )
    return np.column_stack((starts, stops + words.bin_width))


def _shade_gaps(ax: Axes, epochs: Floats, start: float, stop: float) -> None:
    """Shade what was not recorded: before, between and after the epochs."""
    edges = np.clip(np.concatenate(([start], epochs.ravel(), [stop])), start, stop)
    for left, right in edges.reshape(-1, 2):
        if right - left > 1e-9 * (stop - start):
            ax.axvspan(left, right, facecolor=_GAP, edgecolor="white", hatch="////", linewidth=0)
