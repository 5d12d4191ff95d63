"""Spikes in time, and the words that they are binned into."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection, PathCollection
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ..recording import Recording
from ..survey._stretch import SECONDS, busiest_stretch
from ..timeline import busiest_bins, run_starts, typical_bins
from ..validation import Floats
from ..words import Words
from ._inputs import asked_stretch, documented, entitle, expect, one_of
from ._laminar import laminar, mark_layers
from .style import DATA_COLOUR, OneColour, axes_or_new, one_colour

#: Height of a mark of a spike, rows.
_HEIGHT = 0.8
#: More marks than this are pixels in vector files, which stay small so.
_MANY = 2000


@documented
def raster(
    data: Recording | Words,
    start_s: float | None = None,
    stop_s: float | None = None,
    *,
    stretch: Literal["busiest", "typical"] = "busiest",
    bin_width: float | None = None,
    title: str | None = None,
    color: OneColour | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Spikes of all units, or bins with spikes, superficial units at the top.

    Lines are drawn between layers, and time that was not recorded is shaded.

    Parameters
    ----------
    data : Recording or Words
        A recording, of which spikes within the epochs are drawn, or words of single bins.
    start_s, stop_s : float, optional
        The time drawn, seconds; by default 2 s, which ``stretch`` chooses if neither is given.
    stretch : {"busiest", "typical"}
        The 2 s with the most spikes, or some with the median number of them.
    bin_width : float, optional
        Seconds; draw the bins of a recording with spikes, as words have them, instead of spikes.
    color : colour, optional
        Of the spikes; black by default.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> words = Words.from_array([[0, 1]] * 300 + [[1, 1]] * 100, bin_width=0.020)
    >>> print(*raster(words, ax=Figure().subplots()).get_xlim())
    6.0 8.0
    >>> print(*raster(words, stretch="typical", ax=Figure().subplots()).get_xlim())
    3.0 5.0
    """
    kind: Any = Recording | Words
    expect("data", data, kind, "a recording, or words such as recording.bin(0.020)")
    if isinstance(data, Words) and bin_width is not None:
        raise ValueError("words have their own bins; leave bin_width out")
    start, stop = _stretch(data, start_s, stop_s, stretch)
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
    if not ((epochs[:, 0] < stop) & (epochs[:, 1] > start)).any():
        ends = f"{epochs.min():g} to {epochs.max():g} s"
        raise ValueError(
            f"nothing was recorded from {start:g} to {stop:g} s; the recording is from {ends}"
        )
    marks.set_color(one_colour(color, DATA_COLOUR))
    ax = axes_or_new(ax, (7.0, 2.6))
    ax.add_collection(marks, autolim=False)
    _shade_gaps(ax, epochs, start, stop)
    mark_layers(ax, found)
    ax.set(xlim=(start, stop), ylim=(len(data.units) - 0.5, -0.5), xlabel="time (s)")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
    ax.ticklabel_format(axis="x", useOffset=False)
    return entitle(ax, title)


def spikes_by_bin(words: Words) -> NDArray[np.int64]:
    """Number of active units of each bin, shape (n_bins,)."""
    counts: NDArray[np.int64] = words.X.sum(axis=1, dtype=np.int64)[words.index]
    return counts


def stretch_s(words: Words, bins: tuple[int, int]) -> tuple[float, float]:
    """Start and stop of adjacent bins in seconds, from the first and the bin after the last."""
    first, last = words.clock.times_s(words.bins[[bins[0], bins[1] - 1]], words.bin_width).tolist()
    return first, last + words.bin_width


def _stretch(
    data: Recording | Words, start_s: float | None, stop_s: float | None, which: str
) -> tuple[float, float]:
    one_of("stretch", which, ("busiest", "typical"))
    asked = asked_stretch(start_s, stop_s, SECONDS)
    return _found_stretch(data, which) if asked is None else asked


def _found_stretch(data: Recording | Words, which: str) -> tuple[float, float]:
    """The busiest or a typical stretch; that of a recording's bins where it is typical."""
    if isinstance(data, Recording):
        if which == "busiest":
            return busiest_stretch(data)
        data = data.bin()
    find = busiest_bins if which == "busiest" else typical_bins
    n_bins = max(1, round(SECONDS / data.bin_width))
    return stretch_s(data, find(spikes_by_bin(data), data.epoch_starts, n_bins))


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
    return LineCollection(list(lines), linewidths=0.5, rasterized=len(lines) > _MANY)


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
    """A box for each bin with spikes: when it starts, and the row of its unit.

    All are one path, which is written in a tenth of the time of many.
    """
    across = starts_s[:, None] + bin_width * np.array([0.0, 0.0, 1.0, 1.0, 0.0])
    along = rows[:, None] + np.array([-0.5, 0.5, 0.5, -0.5, -0.5])
    corners = np.stack((across, along), axis=2).reshape(-1, 2)
    closed = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY]
    path = Path(corners, np.tile(closed, len(rows)))
    rasterized = len(rows) > _MANY
    return PathCollection([path], facecolors=colour, linewidths=0, rasterized=rasterized)


def _runs(words: Words) -> Floats:
    """Start and stop of each run of adjacent bins, seconds, shape (n_runs, 2)."""
    first = run_starts(words.bins, words.epoch_starts)
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
