"""Hidden units and modes as bar charts, side by side on one scale (docs/method.md, section 7)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import StepPatch
from numpy.typing import NDArray

from ..evaluate.activation import hidden_activation
from ..models import BernoulliMixture, HiddenMarkovModes, PopulationModel
from ..parameters import Floats
from ..validation import expect, whole_number
from ..words import Words
from ._inputs import check_fitted, documented, entitle, model_with_hidden
from .laminar import HasUnits, bit_layout, mark_window
from .style import (
    Colour,
    OneColour,
    axes_or_new,
    by_name,
    one_colour,
    round_below,
    signed,
    size_points,
)

#: Colours of positive and negative weights, and of biases, which are minus thresholds.
POSITIVE, NEGATIVE, THRESHOLD = "#B2182B", "#2166AC", "#999999"
_COLOURS = MappingProxyType({"positive": POSITIVE, "negative": NEGATIVE})
#: Bars fill this part of a row; with more rows than this, they fill all of it.
_FILLED, _MANY = 0.8, 100
#: In widths of a column of weights: that of the column of biases, the space after it, and the
#: space between columns.
_SLIM, _APART, _GAP = 0.8, 0.4, 0.16
#: Columns that there is space for at least, so that the bars of a single one do not fill the page.
_FEWEST = 4
#: Size of the numbers above and below columns, most columns that all have numbers, and how near two
#: numbers may stand, points.
_SMALL, _LABELLED, _NEAREST = 6.0, 12, 9.0

#: Width of a letter, points.
_LETTER = 3.6
#: Space between charts and width of the narrowest, in mean widths of a chart.
_BETWEEN, _NARROWEST = 0.3, 0.5
#: Height of the bands for shares (above) and the scale bar (below), as a part of all rows.
_BAND = 0.08
#: Size of the shares, points.
_SHARE_SIZE = 6.0
#: Lengths of a scale bar.
_ROUND = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


class Extent(NamedTuple):
    """How far a column of bars reaches to the left and to the right of its zero, nats."""

    left: float
    right: float

    @classmethod
    def of(cls, *values: Floats) -> Extent:
        """The extent of all of some values; of zeros alone, some extent all the same."""
        low = max((-float(each.min(initial=0.0)) for each in values), default=0.0)
        high = max((float(each.max(initial=0.0)) for each in values), default=0.0)
        return cls(low, high) if low + high > 0.0 else cls(0.0, 1.0)

    @property
    def whole(self) -> float:
        """From end to end."""
        return self.left + self.right

    @property
    def mark(self) -> float:
        """A round number inside, on the wider side."""
        return round_below(self.right) if self.right >= self.left else -round_below(self.left)


@documented("model, words")
def hidden_units(
    model: PopulationModel,
    words: Words | None = None,
    units: HasUnits | None = None,
    *,
    most: int = 12,
    title: str | None = None,
    color: Colour | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weights of live hidden units as columns of bars, all on one scale.

    Each hidden unit is a column, named by its column of W, ``h0``, ``h1``, ..., with a bar per unit
    from a zero line of its own: red to the right for positive weights, blue to the left for
    negative ones. The number above a column is the bias c of the hidden unit; the slim grey column
    at the left holds the biases b of the units, on a scale of its own.

    Parameters
    ----------
    model : RBM or SemiRBM
        A fitted model with hidden units.
    words : Words, optional
        Hidden units are ordered by the variance of their activation on these words, as in the
        paper; by default the strongest are first, by the sum of their absolute weights.
    most : int
        Largest number of hidden units drawn; the axes say how many are live.
    color : colour or mapping, optional
        Of all bars of weights, or by sign: ``{"positive": "black", "negative": "gray"}``.
    """
    model_with_hidden(model)
    most = whole_number("most", most, least=1)
    if words is None:
        order, by = strongest_first(model), "strongest first"
    else:
        expect("words", words, Words, "words, such as recording.bin(0.020), or leave it out")
        order, by = hidden_activation(model, words).order, "by variance on the words"
        units = words if units is None and model.origin_ is None else units
    bit_layout(model, units)  # before there is a figure, if they do not fit
    colours = by_name(list(_COLOURS), list(_COLOURS.values()), color)
    axes = axes_or_new(ax, (7.0, 2.8))
    draw_hidden_units(axes, model, units, order, by=by, most=most, colours=colours)
    return entitle(axes, title)


def strongest_first(model: PopulationModel) -> NDArray[np.int64]:
    """Live hidden units by decreasing sum of their absolute weights."""
    live = np.flatnonzero(model.parameters_.live)
    strength = np.abs(model.W_[:, live]).sum(axis=0)
    return live[np.argsort(-strength, kind="stable")]


def draw_hidden_units(
    axes: Axes,
    model: PopulationModel,
    units: HasUnits | None,
    order: NDArray[np.int64],
    *,
    by: str = "strongest first",
    most: int = 12,
    extent: Extent | None = None,
    room_for: int = 0,
    colours: Mapping[str, Any] = _COLOURS,
) -> Axes:
    """Draw the weights of hidden units in a given order, as :func:`hidden_units` does.

    Two plots of one width have the same scale where ``extent`` and ``room_for``, the number of
    columns that there is space for, are the same.
    """
    found = bit_layout(model, units)
    shown = order[:most]
    weights = model.W_[np.ix_(found.order, shown)]
    scale = Extent.of(weights) if extent is None else extent
    n_columns = max(shown.size, room_for, _FEWEST)
    axes.set_xlim(-_SLIM - _APART - _GAP, n_columns * (1.0 + _GAP))
    ticks = _draw_biases(axes, model.b_[found.order])
    ticks |= _draw_weights(axes, weights, scale, colours)
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.tick_params(axis="x", length=2, width=0.5, labelsize=_SMALL, pad=1.5)
    axes.set_ylim(found.order.size - 0.5, -0.5)
    mark_window(axes, found)
    axes.spines[:].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if not shown.size:
        # Over the lines between layers, where hidden units would be.
        place: dict[str, Any] = {"transform": axes.transAxes, "backgroundcolor": "white"}
        axes.text(0.6, 0.5, "no live hidden unit", ha="center", va="center", size=8, **place)
        return axes
    _name_columns(axes, shown, model.c_[shown])
    of = "" if shown.size == order.size else f"{shown.size} of "
    live = f"live hidden unit{'s' * (order.size != 1)}"
    axes.set_xlabel(f"weight (nats)\n{of}{order.size} {live}, {by}", size=7)
    return axes


def _draw_weights(
    ax: Axes, weights: Floats, scale: Extent, colours: Mapping[str, Any]
) -> dict[float, str]:
    """Columns of bars, each one wide; 0 and a round number of each, or of the first, as ticks."""
    n_rows, n_columns = weights.shape
    mark = scale.mark / scale.whole
    low, high = ax.get_xlim()
    width = size_points(ax)[0] / (high - low)
    apart = (1.0 + _GAP - abs(mark)) * width  # from the number of a column to the zero of the next
    few = bool(n_columns <= _LABELLED and len(f"{scale.mark:g}") < 3 and apart >= _NEAREST)
    ticks: dict[float, str] = {}
    for k, column in enumerate(weights.T / scale.whole):
        zero = k * (1.0 + _GAP) + scale.left / scale.whole
        ax.plot([zero, zero], [-0.5, n_rows - 0.5], color="black", linewidth=0.4)
        draw_bars(ax, zero, np.maximum(column, 0.0), colours["positive"])
        draw_bars(ax, zero, np.minimum(column, 0.0), colours["negative"])
        named = few or not k
        ticks |= {zero: "0" * named, zero + mark: signed(f"{scale.mark:g}") * named}
    return ticks


def _draw_biases(ax: Axes, b: Floats) -> dict[float, str]:
    """The slim column of biases at the left, named below; 0 and a round number as ticks."""
    scale = Extent.of(b)
    shrink = _SLIM / scale.whole
    zero = -_SLIM - _APART + shrink * scale.left
    ax.plot([zero, zero], [-0.5, b.size - 0.5], color="black", linewidth=0.4)
    draw_bars(ax, zero, b * shrink, THRESHOLD)
    ax.xaxis.remove_overlapping_locs = False
    ax.set_xticks([-_SLIM / 2 - _APART], ["bias b"], minor=True)
    ax.tick_params(axis="x", which="minor", length=0, pad=3 + 1.5 * _SMALL, labelsize=7)
    mark = signed(f"{scale.mark:g}")
    return {zero: "0" * (len(mark) < 3), zero + scale.mark * shrink: mark}  # they would overlap


def _name_columns(ax: Axes, hidden: NDArray[np.int64], c: Floats) -> None:
    """Names of hidden units above their columns, with their biases between."""
    every = -(-hidden.size // (2 * _LABELLED))  # of many columns, every second, third, ... is named
    named = range(0, hidden.size, every)
    middles = [-_APART / 2, *(k * (1.0 + _GAP) + 0.5 for k in named)]
    above = ax.secondary_xaxis("top")
    above.set_xticks(middles, ["hidden unit", *(f"h{hidden[k]}" for k in named)])
    above.xaxis.remove_overlapping_locs = False
    biases = [signed(f"{c[k]:z.{int(abs(c[k]) < 9.95)}f}") for k in named]
    above.set_xticks(middles, ["bias c", *biases], minor=True, fontsize=_SMALL, color="0.35")
    above.tick_params(which="minor", length=0, pad=1.5)
    above.tick_params(which="major", length=0, pad=3 + 1.2 * _SMALL, labelsize=7)
    for labels in (above.get_xticklabels(), above.get_xticklabels(minor=True)):
        labels[0].set_horizontalalignment("right")
    above.spines["top"].set_visible(False)


def draw_bars(ax: Axes, zero: float, values: Floats, colour: Any) -> None:
    """A bar per row, all in one outline, which keeps vector files small.

    The limits of the axes are the caller's: matplotlib would look for them along each edge.
    """
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
    look: dict[str, Any] = {"facecolor": colour, "linewidth": 0}
    ax.add_artist(StepPatch(ends, edges, baseline=zero, orientation="horizontal", **look))


@documented("mc.models.BernoulliMixture(2).fit(words)")
def modes(
    model: BernoulliMixture | HiddenMarkovModes,
    units: HasUnits | None = None,
    *,
    most: int = 12,
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the probability of a spike of each unit in each mode, all on the scale of one scale bar.

    Each mode has a red bar per unit from a zero line of its own, and on top the share of words
    that come from it. The first column, in grey, is the mean over all modes, which is drawn as a
    line over every mode too: bars that pass it are units that are more active in the mode.

    Parameters
    ----------
    model : BernoulliMixture or HiddenMarkovModes
        A fitted model.
    most : int
        Largest number of modes drawn, the most frequent first; the axes say how many there are.
    color : colour, optional
        Of the bars; red by default.
    """
    kind: Any = BernoulliMixture | HiddenMarkovModes
    expect("model", model, kind, "a fitted BernoulliMixture or HiddenMarkovModes")
    check_fitted(model)
    most = whole_number("most", most, least=1)
    found = bit_layout(model, units)
    colour = one_colour(color, POSITIVE)
    weights, axes = model.weights_, axes_or_new(ax, (7.0, 2.8))
    order = np.argsort(-weights, kind="stable")
    shown = order[:most]
    mean = (weights @ model.modes_)[found.order]
    _draw_modes(axes, mean, model.modes_[shown][:, found.order], weights[shown], colour)
    mark_window(axes, found)
    axes.spines[:].set_visible(False)
    of = "" if shown.size == order.size else f"{shown.size} of "
    axes.set_xlabel(f"mode, by share of words ({of}{order.size})")
    return entitle(axes, title)


def _draw_modes(ax: Axes, mean: Floats, shown: Floats, shares: Floats, colour: OneColour) -> None:
    """Draw the mean and the modes side by side; x is in probabilities of a spike per bin."""
    charts = [mean, *shown]
    widths = [float(chart.max()) for chart in charts]
    typical, n_rows = sum(widths) / len(widths), mean.size
    band = max(1.5, _BAND * n_rows)
    zeros: list[float] = []
    middles, x = [], 0.0
    for place, (chart, width) in enumerate(zip(charts, widths, strict=True)):
        space = max(width, float(mean.max()), _NARROWEST * typical)
        ax.plot([x, x], [-0.5, n_rows - 0.5], color="black", linewidth=0.4)
        draw_bars(ax, x, chart, colour if place else THRESHOLD)
        if place:
            ax.stairs(
                x + mean, np.arange(n_rows + 1) - 0.5, baseline=None, orientation="horizontal",
                color="black", linewidth=0.5,
            )  # fmt: skip
            zeros.append(x)
        middles.append(x + space / 2)
        x += space + _BETWEEN * typical
    x = max(x, 4.0 * typical)  # the bars of a single mode would fill the page
    ax.set_xlim(-_BETWEEN * typical / 2, x - _BETWEEN * typical / 2)
    ax.set_ylim(n_rows - 0.5 + band, -0.5 - band)
    percents = _apart(ax, zeros, [_percent(share) for share in shares.tolist()])
    for zero, text in zip(zeros, percents, strict=True):
        ax.text(zero, -0.5 - band / 2, text, ha="left", va="center", fontsize=_SHARE_SIZE)
    every = -(-len(charts) // 25)  # of many charts, every second, third, ... is numbered
    numbers = [f"{k}" if k % every == 0 else "" for k in range(1, len(charts))]
    ax.set_xticks(middles, _apart(ax, middles, ["mean", *numbers]), va="baseline")
    ax.tick_params(length=0)
    ax.tick_params(axis="x", pad=9)  # measured to the baseline of the letters
    length = max((step for step in _ROUND if step <= typical), default=_ROUND[0])
    y = n_rows - 0.5 + band / 2
    ax.plot([0.0, length], [y, y], color="black", linewidth=1.5, solid_capstyle="butt")
    label = f"{length:g} spikes per bin"
    ax.annotate(label, (length, y), (3, 0), textcoords="offset points", va="center", size=7)


def _apart(ax: Axes, places: Sequence[float], texts: Sequence[str]) -> list[str]:
    """Texts along x, those that would run into one before them left empty."""
    low, high = ax.get_xlim()
    point = (high - low) / size_points(ax)[0]
    kept, end = [], -math.inf
    for place, text in zip(places, texts, strict=True):
        kept.append(text if place >= end else "")
        if kept[-1]:
            end = place + _LETTER * (len(text) + 1) * point
    return kept


def _percent(share: float) -> str:
    """A share of words in per cent with two digits, or that it is less than 0.1 %."""
    percent = 100.0 * share
    if percent < 0.1:
        return "< 0.1 %"
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.1f} %"
