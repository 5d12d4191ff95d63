"""Modes of a mixture or a hidden Markov model as bar charts, side by side on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..models import BernoulliMixture, HiddenMarkovModes
from ..validation import Floats, whole_number
from ._colours import OneColour, one_colour
from ._hidden import POSITIVE, THRESHOLD, draw_bars
from ._inputs import check_fitted, entitle, expect
from ._laminar import HasUnits, bit_layout, mark_window
from .style import axes_or_new

#: Width of a letter, points.
_LETTER = 3.6
#: Space between charts and width of the narrowest, in mean widths of a chart.
_GAP, _NARROWEST = 0.3, 0.5
#: Height of the bands for shares (above) and the scale bar (below), as a part of all rows.
_BAND = 0.08
#: Size of the shares, points.
_SHARE_SIZE = 6.0
#: Lengths of a scale bar.
_ROUND = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


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
    units : Units, Words or Recording, optional
        The recorded units, drawn from superficial to deep with lines between layers; by default
        those of the model. For windows of several bins each lag is a block, the oldest first.
    most : int
        Largest number of modes drawn, the most frequent first; the axes say how many there are.
    color : colour, optional
        Of the bars; red by default.
    title : str, optional
        Of the axes.
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
    _draw(axes, mean, model.modes_[shown][:, found.order], weights[shown], colour)
    mark_window(axes, found)
    axes.spines[:].set_visible(False)
    of = "" if shown.size == order.size else f"{shown.size} of "
    axes.set_xlabel(f"mode, by share of words ({of}{order.size})")
    return entitle(axes, title)


def _draw(ax: Axes, mean: Floats, shown: Floats, shares: Floats, colour: OneColour) -> None:
    """Draw the mean and the modes side by side; x is in probabilities of a spike per bin."""
    charts = [mean, *shown]
    widths = [float(chart.max()) for chart in charts]
    typical, n_rows = sum(widths) / len(widths), mean.size
    band = max(1.5, _BAND * n_rows)
    zeros: list[float] = []
    middles, x = [], 0.0
    for place, (chart, width) in enumerate(zip(charts, widths, strict=True)):
        room = max(width, float(mean.max()), _NARROWEST * typical)
        ax.plot([x, x], [-0.5, n_rows - 0.5], color="black", linewidth=0.4)
        draw_bars(ax, x, chart, colour if place else THRESHOLD)
        if place:
            ax.stairs(
                x + mean, np.arange(n_rows + 1) - 0.5, baseline=None, orientation="horizontal",
                color="black", linewidth=0.5,
            )  # fmt: skip
            zeros.append(x)
        middles.append(x + room / 2)
        x += room + _GAP * typical
    x = max(x, 4.0 * typical)  # the bars of a single mode would fill the page
    ax.set_xlim(-_GAP * typical / 2, x - _GAP * typical / 2)
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
    point = (high - low) / (ax.get_window_extent().width / ax.figure.dpi * 72.0)
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
