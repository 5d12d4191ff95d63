"""When hidden units are active: P(h = 1 | x) over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ..evaluate._activation import activation_in_time, hidden_activation, in_windows
from ..models import PopulationModel
from ..survey._stretch import SECONDS
from ..timeline import typical_bins
from ..validation import Floats, whole_number
from ..words import Words
from ._inputs import asked_stretch, documented, entitle, expect, model_with_hidden
from .style import Colour, axes_or_new, by_name

#: Okabe & Ito's palette without the colours of the models with hidden units.
COLOURS = ("#D55E00", "#0072B2", "#CC79A7", "#56B4E9")
#: Height of a row of activations, of the distance between rows; rows drawn unless asked for.
_HEIGHT, _MOST = 0.85, 8


@documented
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
    start, stop = _stretch(P, held, times, start_s, stop_s)
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
    asked = [hidden] if np.ndim(hidden) == 0 else list(hidden)  # type: ignore[arg-type]
    columns = [whole_number("hidden", each) for each in asked]
    if not columns:
        raise ValueError(f"hidden is empty; name some of h0 to h{n_hidden - 1} by their numbers")
    for column in columns:
        if not 0 <= column < n_hidden:
            raise ValueError(f"hidden is {column}; the model has h0 to h{n_hidden - 1}")
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
        ends = base + _HEIGHT * values
        ax.stairs(ends, edges, baseline=base, fill=True, color=colours[name], linewidth=0)
        ax.axhline(base, color="0.7", linewidth=0.4, zorder=0)
    if len(rows) == 1:
        [name] = rows
        ax.set_yticks([0.0, _HEIGHT], ["0", "1"])
        ax.set_ylabel(f"P({name} = 1 | x)")
    else:
        ax.set_yticks(bases + _HEIGHT / 2, list(rows))
        ax.tick_params(axis="y", length=0)
        ax.set_ylabel("P(h = 1 | x)")
    ax.set_ylim(-0.05, len(rows) - 1 + _HEIGHT + 0.05)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
    ax.ticklabel_format(axis="x", useOffset=False)


def _stretch(
    P: Floats, words: Words, times: Floats, start_s: float | None, stop_s: float | None
) -> tuple[float, float]:
    """Start and stop of what is drawn, seconds."""
    asked = asked_stretch(start_s, stop_s, SECONDS)
    if asked is None:
        n_bins = max(1, round(SECONDS / words.bin_width))
        first, end = typical_activation(P[:, :1], words.epoch_starts, n_bins)
        return float(times[first]), float(times[end - 1]) + words.bin_width
    start, stop = asked
    if not ((times + words.bin_width > start) & (times < stop)).any():
        ends = f"{times[0]:g} to {times[-1] + words.bin_width:g} s"
        raise ValueError(f"there are no words from {start:g} to {stop:g} s; they are from {ends}")
    return start, stop
