"""Hidden units as bar charts, side by side on one scale (docs/method.md, section 7, figure 2)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ..evaluate._activation import hidden_activation
from ..models import PopulationModel
from ..parameters import Floats
from ..units import Units
from ..validation import whole_number
from ..words import Words
from ._laminar import bit_layout, mark_window
from .style import axes_or_new

POSITIVE, NEGATIVE, THRESHOLD = "#B2182B", "#2166AC", "#999999"
#: Bars fill this part of a row; with more rows than this, they fill all of it.
_FILLED, _MANY = 0.8, 100
#: Space between charts and width of the narrowest, in mean widths of a chart.
_GAP, _NARROWEST = 0.25, 0.6
#: Height of the bands for thresholds (above) and the scale bar (below), as a part of all rows.
_BAND = 0.07


def hidden_units(
    model: PopulationModel,
    words: Words | None = None,
    units: Units | None = None,
    *,
    most: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weights of live hidden units as bar charts, all on the scale of one scale bar.

    Each hidden unit has a bar per unit from a zero line of its own: red to the right for positive
    weights, blue to the left for negative ones. Grey bars are thresholds, that is minus the
    biases, which are mostly negative: -b of the units in the first column, and -c of each hidden
    unit on top of its chart.

    Parameters
    ----------
    model : PopulationModel
        A fitted model.
    words : Words, optional
        Hidden units are ordered by the variance of their activation on these words, as in the
        paper; by default, by the sum of their absolute weights.
    units : Units, optional
        The recorded units, drawn from superficial to deep with lines between layers. For windows
        of several bins each lag is a block, the oldest first.
    most : int
        Largest number of hidden units drawn; the axes say how many are live.
    """
    if whole_number("most", most) < 1:
        raise ValueError(f"most is {most}; draw at least 1 hidden unit")
    if words is None:
        live = np.flatnonzero(model.parameters_.live)
        strength = np.abs(model.W_[:, live]).sum(axis=0)
        order, by = live[np.argsort(-strength, kind="stable")], "total weight"
    else:
        order, by = hidden_activation(model, words).order, "variance"
    return draw_hidden_units(axes_or_new(ax, (7.0, 2.8)), model, units, order, by=by, most=most)


def draw_hidden_units(
    axes: Axes,
    model: PopulationModel,
    units: Units | None,
    order: NDArray[np.int64],
    *,
    by: str = "variance",
    most: int = 12,
) -> Axes:
    """Draw the weights of hidden units in a given order, as :func:`hidden_units` does."""
    found = bit_layout(model, units)
    shown = order[:most]
    charts = [_Chart(-model.b_[found.order], None)] + [
        _Chart(model.W_[found.order, k], -float(model.c_[k])) for k in shown
    ]
    _draw(axes, charts)
    mark_window(axes, found)
    axes.spines[:].set_visible(False)
    if not shown.size:
        # Over the lines between layers, where hidden units would be.
        place: dict[str, Any] = {"transform": axes.transAxes, "backgroundcolor": "white"}
        axes.text(0.6, 0.5, "no live hidden unit", ha="center", va="center", **place)
        return axes
    of = "" if shown.size == order.size else f"{shown.size} of "
    axes.set_xlabel(f"hidden unit, by {by} ({of}{order.size} live)")
    return axes


class _Chart(NamedTuple):
    """Bars of one column, nats: a value per row and, of hidden units, a threshold on top."""

    values: Floats
    threshold: float | None

    @property
    def ends(self) -> tuple[float, float]:
        """Extent to the left and to the right of the zero line, both at least 0."""
        all_values = [0.0, self.threshold or 0.0, *self.values]
        return -min(all_values), max(all_values)


def _draw(ax: Axes, charts: list[_Chart]) -> None:
    """Draw charts side by side; x is in nats."""
    widths = [sum(chart.ends) for chart in charts]
    mean = (sum(widths) or 1.0) / len(charts)
    n_rows = charts[0].values.size
    band = max(1.5, _BAND * n_rows)
    middles, x = [], 0.0
    for chart, width in zip(charts, widths, strict=True):
        room = max(width, _NARROWEST * mean)
        zero = x + (room - width) / 2 + chart.ends[0]
        middles.append(x + room / 2)
        x += room + _GAP * mean
        ax.plot([zero, zero], [-0.5, n_rows - 0.5], color="black", linewidth=0.4)
        if chart.threshold is None:
            draw_bars(ax, zero, chart.values, THRESHOLD)
            continue
        draw_bars(ax, zero, np.maximum(chart.values, 0.0), POSITIVE)
        draw_bars(ax, zero, np.minimum(chart.values, 0.0), NEGATIVE)
        ax.barh(-0.5 - band / 2, chart.threshold, band / 2, left=zero, color=THRESHOLD)
    x = max(x, 6 * (1.0 + _GAP) * mean)  # the bars of a single chart would fill the page
    if len(charts) > 1:
        start = middles[0] + max(widths[0], _NARROWEST * mean) / 2
        ax.text(start, -0.5 - band / 2, "\N{MINUS SIGN}c", ha="right", va="center")
    ax.set_xlim(-_GAP * mean / 2, x - _GAP * mean / 2)
    ax.set_ylim(n_rows - 0.5 + band, -0.5 - band)
    every = -(-len(charts) // 25)  # of many charts, every second, third, ... is numbered
    numbers = [f"{k}" if k % every == 0 else "" for k in range(1, len(charts))]
    ax.set_xticks(middles, ["\N{MINUS SIGN}b", *numbers], va="baseline")
    ax.tick_params(length=0)
    ax.tick_params(axis="x", pad=9)  # measured to the baseline of the letters
    _scale_bar(ax, max(widths[0], mean), n_rows - 0.5 + band / 2)


def _scale_bar(ax: Axes, widest: float, y: float) -> None:
    """A line of a round number of nats, at most ``widest`` long."""
    power = 10.0 ** math.floor(math.log10(widest))
    length = max(step * power for step in (1, 2, 5) if step * power <= widest)
    ax.plot([0.0, length], [y, y], color="black", linewidth=1.5, solid_capstyle="butt")
    unit = "nat" if length == 1.0 else "nats"
    ax.annotate(f"{length:g} {unit}", (length, y), (3, 0), textcoords="offset points", va="center")


def draw_bars(ax: Axes, zero: float, values: Floats, colour: str) -> None:
    """A bar per row, all in one outline, which keeps vector files small."""
    if not values.any():
        return
    half = (_FILLED if values.size <= _MANY else 1.0) / 2
    rows = np.arange(values.size)
    edges = np.column_stack([rows - half, rows + half]).ravel()
    ends = np.column_stack([values, np.zeros_like(values)]).ravel()[:-1]
    wide = np.diff(edges) > 0.0  # no gaps between many rows
    ends, edges = ends[wide], edges[np.append(True, wide)]
    starts = np.append(True, np.diff(ends) != 0.0)  # neighbours of the same length are one step
    ends, edges = zero + ends[starts], edges[np.append(starts, True)]
    ax.stairs(ends, edges, baseline=zero, orientation="horizontal", fill=True, color=colour)
