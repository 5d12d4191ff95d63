"""Spikes in time, and the words that they are binned into."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection, PolyCollection
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ..recording import Recording
from ..survey._stretch import SECONDS, busiest_stretch
from ..validation import Floats, real_number
from ..words import Words
from ._laminar import laminar, mark_layers
from .style import DATA_COLOUR, axes_or_new

#: Height of a mark of a spike, rows.
_HEIGHT = 0.8


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
    if isinstance(data, Words) and bin_width is not None:
        raise ValueError("words have their own bins; leave bin_width out")
    start, stop = _stretch(data, start_s, stop_s)
    ax = axes_or_new(ax, (7.0, 2.6))
    found = laminar(data.units)
    rows = np.argsort(found.order)
    if isinstance(data, Words):
        marks, epochs = _bin_marks(data, rows, start, stop), _runs(data)
    else:
        epochs = np.array(list(data.epochs))
        if bin_width is None:
            marks = _spike_marks(data, rows, start, stop)
        else:
            marks = _bin_marks(data.bin(bin_width), rows, start, stop)
    marks.set_rasterized(len(marks.get_paths()) > 2000)  # so that vector files stay small
    ax.add_collection(marks, autolim=False)
    _shade_gaps(ax, epochs, start, stop)
    mark_layers(ax, found)
    ax.set(xlim=(start, stop), ylim=(len(data.units) - 0.5, -0.5), xlabel="time (s)")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
    ax.ticklabel_format(axis="x", useOffset=False)
    return ax


def busiest_bins(words: Words, n_bins: int) -> tuple[int, int]:
    """First bin and bin after the last of the ``n_bins`` bins with most spikes, within one epoch.

    Of a shorter epoch, all bins are taken.
    """
    spikes = words.X.sum(axis=1, dtype=np.int64)[words.index]
    return fullest_bins(spikes, words.epoch_starts, n_bins)


def fullest_bins(
    amounts: NDArray[Any], epoch_starts: NDArray[np.int64], n_bins: int
) -> tuple[int, int]:
    """As :func:`busiest_bins`, for the largest sum of ``amounts``, one per bin and at least 0."""
    total = np.concatenate(([0], np.cumsum(amounts)))
    best, found = -1.0, (0, 0)
    for start, stop in pairwise([*epoch_starts.tolist(), amounts.size]):
        length = min(n_bins, stop - start)
        sums = total[start + length : stop + 1] - total[start : stop + 1 - length]
        if sums.max() > best:
            best, begin = float(sums.max()), start + int(sums.argmax())
            found = begin, begin + length
    return found


def _stretch(
    data: Recording | Words, start_s: float | None, stop_s: float | None
) -> tuple[float, float]:
    if start_s is None:
        if stop_s is None:
            if isinstance(data, Recording):
                return busiest_stretch(data)
            first, end = busiest_bins(data, max(1, round(SECONDS / data.bin_width)))
            times_s = data.clock.times_s(data.bins[[first, end - 1]], data.bin_width)
            return float(times_s[0]), float(times_s[1]) + data.bin_width
        start_s = stop_s - SECONDS
    elif stop_s is None:
        stop_s = start_s + SECONDS
    start = real_number("start_s", start_s, "give seconds")
    stop = real_number("stop_s", stop_s, "give seconds")
    if not -np.inf < start < stop < np.inf:
        raise ValueError(f"from {start:g} to {stop:g} s there is no time; give start_s < stop_s")
    return start, stop


def _spike_marks(
    recording: Recording, rows: NDArray[np.int64], start: float, stop: float
) -> Collection:
    """A line for each spike in the stretch that lies within an epoch."""
    times = recording.spike_times
    unit = np.repeat(np.arange(recording.n_units), np.diff(recording.offsets))
    inside = np.flatnonzero((times >= start) & (times <= stop))
    inside = inside[recording.epochs.locate(times[inside]) >= 0]
    ends = rows[unit[inside]][:, None] + np.array([-_HEIGHT / 2, _HEIGHT / 2])
    lines = np.stack((np.repeat(times[inside][:, None], 2, axis=1), ends), axis=2)
    return LineCollection(list(lines), colors=DATA_COLOUR, linewidths=0.5)


def _bin_marks(words: Words, rows: NDArray[np.int64], start: float, stop: float) -> Collection:
    """A box for each bin with spikes that overlaps the stretch."""
    if words.window > 1:
        raise ValueError(f"these words span {words.window} bins; pass words of single bins")
    starts = words.clock.times_s(words.bins, words.bin_width)
    shown = np.flatnonzero((starts + words.bin_width > start) & (starts < stop))
    place, unit = np.nonzero(words.X[words.index[shown]])
    return boxes(starts[shown[place]], rows[unit], words.bin_width)


def boxes(
    starts_s: Floats, rows: NDArray[np.int64], bin_width: float, colour: str = DATA_COLOUR
) -> Collection:
    """A box for each bin with spikes: when it starts, and the row of its unit."""
    across = starts_s[:, None] + bin_width * np.array([0.0, 0.0, 1.0, 1.0])
    along = rows[:, None] + np.array([-0.5, 0.5, 0.5, -0.5])
    corners = np.stack((across, along), axis=2)
    return PolyCollection(list(corners), facecolors=colour, linewidths=0)


def _runs(words: Words) -> Floats:
    """Start and stop of each run of adjacent bins, seconds, shape (n_runs, 2)."""
    begins = np.append(True, np.diff(words.bins) != 1)
    begins[words.epoch_starts] = True
    first = np.flatnonzero(begins)
    last = np.append(first[1:], words.n_bins) - 1
    starts = words.clock.times_s(words.bins, words.bin_width)
    return np.column_stack((starts[first], starts[last] + words.bin_width))


def _shade_gaps(ax: Axes, epochs: Floats, start: float, stop: float) -> None:
    """Shade what was not recorded: before, between and after the epochs."""
    edges = np.clip(np.concatenate(([start], epochs.ravel(), [stop])), start, stop)
    for left, right in edges.reshape(-1, 2):
        if right - left > 1e-9 * (stop - start):
            shade = ax.axvspan(left, right, facecolor="#DDDDDD", edgecolor="white", linewidth=0)
            shade.set_hatch("////")
