"""Spikes in time, and the words that they are binned into."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ..recording import Recording
from ..survey._stretch import SECONDS, busiest_stretch
from ..units import Units
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
        The time drawn, seconds; the busiest 2 s where neither is given, and 2 s where one is.
    bin_width : float, optional
        Draw bins of so many seconds that hold spikes, as words have them, instead of spikes.
    """
    start, stop = _stretch(recording, start_s, stop_s)
    if bin_width is not None:
        return words_raster(recording.bin(bin_width), start, stop, recording.epochs, ax=ax)
    unit, left = _spikes(recording, start, stop)
    row = np.argsort(laminar(recording.units).order)
    ends = np.column_stack((row[unit] - _HEIGHT / 2, row[unit] + _HEIGHT / 2))
    lines = np.stack((np.repeat(left[:, None], 2, axis=1), ends), axis=2)
    marks = LineCollection(list(lines), colors=DATA_COLOUR, linewidths=0.5)
    return _framed(marks, unit.size, recording.units, (start, stop), recording.epochs, ax)


def words_raster(
    words: Words,
    start_s: float,
    stop_s: float,
    epochs: Iterable[tuple[float, float]],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Bins that hold spikes, of all units, superficial ones at the top.

    Parameters
    ----------
    words : Words
        Of single bins.
    start_s, stop_s : float
        The time drawn, seconds.
    epochs : iterable of (float, float)
        What was recorded, seconds; the rest is shaded.
    """
    unit, left = _active_bins(words, start_s, stop_s)
    row = np.argsort(laminar(words.units).order)
    across = left[:, None] + np.array([0.0, 0.0, words.bin_width, words.bin_width])
    along = row[unit][:, None] + np.array([-0.5, 0.5, 0.5, -0.5])
    boxes = np.stack((across, along), axis=2)
    marks = PolyCollection(list(boxes), facecolors=DATA_COLOUR, linewidths=0)
    return _framed(marks, unit.size, words.units, (start_s, stop_s), epochs, ax)


def _framed(
    marks: LineCollection | PolyCollection,
    n_marks: int,
    units: Units,
    stretch: tuple[float, float],
    epochs: Iterable[tuple[float, float]],
    ax: Axes | None,
) -> Axes:
    """Axes with a row for each unit, lines between layers, and gaps of the recording shaded."""
    ax = axes_or_new(ax, (7.0, 2.6))
    marks.set_rasterized(n_marks > _MOST_MARKS)
    ax.add_collection(marks, autolim=False)
    _shade_gaps(ax, epochs, *stretch)
    mark_layers(ax, laminar(units))
    ax.set(xlim=stretch, ylim=(len(units) - 0.5, -0.5), xlabel="time (s)")
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
    """Unit and time of the spikes within both the stretch and an epoch."""
    times = recording.spike_times
    unit = np.repeat(np.arange(recording.n_units), np.diff(recording.offsets))
    inside = np.flatnonzero((times >= start) & (times <= stop))
    inside = inside[recording.epochs.locate(times[inside]) >= 0]
    return unit[inside], times[inside]


def _active_bins(
    words: Words, start: float, stop: float
) -> tuple[NDArray[np.int64], Floats]:
    """Unit and start of the bins with spikes that reach into the stretch."""
    starts = words.clock.times_s(words.bins, words.bin_width)
    shown = np.flatnonzero((starts + words.bin_width > start) & (starts < stop))
    place, unit = np.nonzero(words.X[words.index[shown]])
    return unit, starts[shown[place]]


def _shade_gaps(
    ax: Axes, epochs: Iterable[tuple[float, float]], start: float, stop: float
) -> None:
    """Shade what was not recorded: before, between and after the epochs."""
    edges = np.concatenate(([start], np.ravel(list(epochs)), [stop]))
    edges = np.clip(edges, start, stop)
    for left, right in edges.reshape(-1, 2):
        if right > left:
            ax.axvspan(left, right, facecolor=_GAP, edgecolor="white", hatch="////", linewidth=0)
