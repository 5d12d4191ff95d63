"""What happens when: spikes, the words that they are binned into, and active hidden units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection, PathCollection
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ..errors import BadArgument, BadInput
from ..evaluate.activation import activation_in_time, hidden_activation, in_windows
from ..models import PopulationModel
from ..recording import Recording
from ..survey.stretch import SECONDS, busiest_stretch
from ..timeline import busiest_bins, run_starts, typical_bins
from ..validation import Floats, expect, one_of
from ..words import Words, check_single_bins
from ._inputs import asked_columns, asked_stretch, documented, entitle, model_with_hidden
from .laminar import laminar, mark_layers
from .style import DATA_COLOUR, Colour, OneColour, axes_or_new, by_name, one_colour

#: Height of a mark of a spike, rows.
_HEIGHT = 0.8
#: More marks than this are pixels in vector files, which stay small so.
_MANY = 2000
#: Okabe & Ito's palette without the colours of the models with hidden units.
COLOURS = ("#D55E00", "#0072B2", "#CC79A7", "#56B4E9")
#: Height of a row of activations, of the distance between rows; rows drawn unless asked for.
ROW_HEIGHT, _MOST = 0.85, 8


@documented()
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
        raise BadArgument("words", "have their own bins", "leave bin_width out")
    start, stop = _stretch(data, start_s, stop_s, stretch)
    layout = laminar(data.units)
    rows = np.argsort(layout.order)
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
        raise BadInput(f"nothing was recorded from {start:g} to {stop:g} s", f"choose from {ends}")
    marks.set_color(one_colour(color, DATA_COLOUR))
    ax = axes_or_new(ax, (7.0, 2.6))
    ax.add_collection(marks, autolim=False)
    _shade_gaps(ax, epochs, start, stop)
    mark_layers(ax, layout)
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
    if asked is not None:
        return asked
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
    check_single_bins(words)
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


@documented("model, words")
def activation(
    model: PopulationModel,
    words: Words,
    hidden: int | Sequence[int] | None = None,
    start_s: float | None = None,
    stop_s: float | None = None,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw P(h = 1 | x) of hidden units over time, from 0 to 1 in a row for each.

    Time that was not recorded is left white.

    Parameters
    ----------
    model : RBM or SemiRBM
        A fitted model with hidden units.
    words : Words
        Of the model's units, of single bins or of its window. The activation by a window is drawn
        in its newest bin.
    hidden : int or sequence of int, optional
        Columns of ``W``; by default the live ones that vary most over the words, at most eight.
    start_s, stop_s : float, optional
        The time drawn, seconds. By default 2 s in which the first hidden unit is on: of all such
        stretches, the one in which it is on for the median time.
    color : colour or dict, optional
        Of all, or by name: ``{"h3": "red"}``.
    """
    columns = hidden_columns(model, hidden)
    expect("words", words, Words, "words of the model's units, such as recording.bin(0.020)")
    held = in_windows(model, words)
    if hidden is None:
        columns = hidden_activation(model, held).order[:_MOST].tolist() or columns[:1]
    P = activation_in_time(model, held, columns)
    times = held.clock.times_s(held.bins + held.window - 1, held.bin_width)
    start, stop = _activation_stretch(P, held, times, start_s, stop_s)
    inside = np.flatnonzero((times + held.bin_width > start) & (times < stop))
    named = {f"h{k}": P[inside, n] for n, k in enumerate(columns)}
    colours = by_name(list(named), COLOURS, color)
    ax = axes_or_new(ax, (7.0, 0.5 + 0.35 * len(columns)))
    draw_activation(ax, named, times[inside], held.bin_width, colours)
    ax.set(xlim=(start, stop), xlabel="time (s)")
    return entitle(ax, title)


def hidden_columns(model: PopulationModel, hidden: int | Iterable[int] | None) -> list[int]:
    """Columns of ``W`` that are asked for, by default all; errors say what the model has."""
    n_hidden = model_with_hidden(model).parameters_.n_hidden
    if hidden is None:
        return list(range(n_hidden))
    columns = asked_columns(hidden)
    if not columns:
        raise BadArgument("hidden", "is empty", f"name some of 0 to {n_hidden - 1}")
    for column in columns:
        if not 0 <= column < n_hidden:
            raise BadArgument("hidden", f"is {column}", f"the model has h0 to h{n_hidden - 1}")
    return columns


def hidden_title(model: PopulationModel, column: int) -> str:
    """Name of a hidden unit, and that it has no weights where the penalty has left none."""
    return f"h{column}" if model.W_[:, column].any() else f"h{column} (no weights)"


def typical_activation(
    activation: Floats, epoch_starts: NDArray[np.int64], n_bins: int
) -> tuple[int, int]:
    """First bin and bin after the last of a typical stretch of ``n_bins`` within one epoch.

    Of the stretches in which as many of the hidden units as possible are on at some time, not at
    the very ends, one in which they are on for the median time. ``activation`` has shape
    (n_bins, n_hidden); on is above 0.5, or above half of the largest where that is never so.
    """
    on = activation > np.minimum(0.5, activation.max(axis=0) / 2)
    return typical_bins(on, epoch_starts, n_bins, occurring=True)


def draw_activation(
    ax: Axes,
    rows: Mapping[str, Floats],
    times_s: Floats,
    bin_width: float,
    colours: Mapping[str, Any],
) -> None:
    """Draw a row for each hidden unit, the first on top; bins need not be adjacent."""
    edges = np.column_stack((times_s, times_s + bin_width)).ravel()
    wide = np.diff(edges) > 1e-6 * bin_width  # neither neighbours nor rounding leave a gap
    edges = edges[np.append(True, wide)]
    bases = len(rows) - 1 - np.arange(len(rows))
    for base, (name, p) in zip(bases.tolist(), rows.items(), strict=True):
        values = np.column_stack((p, np.full(p.size, np.nan))).ravel()[:-1][wide]
        ends = base + ROW_HEIGHT * values
        ax.stairs(ends, edges, baseline=base, fill=True, color=colours[name], linewidth=0)
        ax.axhline(base, color="0.7", linewidth=0.4, zorder=0)
    if len(rows) == 1:
        [name] = rows
        ax.set_yticks([0.0, ROW_HEIGHT], ["0", "1"])
        ax.set_ylabel(f"P({name} = 1 | x)")
    else:
        ax.set_yticks(bases + ROW_HEIGHT / 2, list(rows))
        ax.tick_params(axis="y", length=0)
        ax.set_ylabel("P(h = 1 | x)")
    ax.set_ylim(-0.05, len(rows) - 1 + ROW_HEIGHT + 0.05)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
    ax.ticklabel_format(axis="x", useOffset=False)


def _activation_stretch(
    P: Floats, words: Words, times: Floats, start_s: float | None, stop_s: float | None
) -> tuple[float, float]:
    asked = asked_stretch(start_s, stop_s, SECONDS)
    if asked is None:
        n_bins = max(1, round(SECONDS / words.bin_width))
        first, end = typical_activation(P[:, :1], words.epoch_starts, n_bins)
        return float(times[first]), float(times[end - 1]) + words.bin_width
    start, stop = asked
    if not ((times + words.bin_width > start) & (times < stop)).any():
        ends = f"{times[0]:g} to {times[-1] + words.bin_width:g} s"
        raise BadInput(f"there are no words from {start:g} to {stop:g} s", f"they are from {ends}")
    return start, stop
