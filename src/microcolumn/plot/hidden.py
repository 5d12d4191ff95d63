"""Hidden units and modes as bar charts, side by side on one scale (docs/method.md, section 7)."""

from __future__ import annotations

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
from .laminar import BitLayout, HasUnits, bit_layout, mark_window
from .style import Colour, OneColour, axes_or_new, by_name, one_colour, round_below, signed

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
#: Size of the numbers above and below columns; most columns that are all named.
_SMALL, _NAMED = 6.0, 24


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
        units = words if units is None and model.words_info_ is None else units
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
) -> None:
    """Draw the weights of hidden units in a given order, as :func:`hidden_units` does.

    Two plots of one width have the same scale where ``extent`` and ``room_for``, the number of
    columns that there is space for, are the same.
    """
    layout = bit_layout(model, units)
    shown = order[:most]
    weights = model.W_[np.ix_(layout.order, shown)]
    scale = Extent.of(weights) if extent is None else extent
    _draw_charts(axes, layout, {"bias b": model.b_}, weights, scale, colours, room_for)
    if not shown.size:
        # Over the lines between layers, where hidden units would be.
        place: dict[str, Any] = {"transform": axes.transAxes, "backgroundcolor": "white"}
        axes.text(0.6, 0.5, "no live hidden unit", ha="center", va="center", size=8, **place)
        return
    biases = [signed(f"{c:z.{int(abs(c) < 9.95)}f}") for c in model.c_[shown]]
    _name_columns(axes, {"hidden unit": [f"h{k}" for k in shown], "bias c": biases})
    of = "" if shown.size == order.size else f"{shown.size} of "
    live = f"live hidden unit{'s' * (order.size != 1)}"
    axes.set_xlabel(f"weight (nats)\n{of}{order.size} {live}, {by}", size=7)


def _draw_charts(
    ax: Axes,
    layout: BitLayout,
    first: Mapping[str, Floats],
    columns: Floats,
    scale: Extent,
    colours: Mapping[str, Any],
    room_for: int = 0,
) -> list[float]:
    """A slim grey column on a scale of its own, then columns of bars on one; the zeros of these.

    Each column of ``columns``, shape (n_bits, n_columns) in the order drawn, is one wide. ``first``
    has the name and the values of the slim one, in the order of the model's bits.
    """
    n_rows, n_columns = columns.shape
    ax.set_xlim(-_SLIM - _APART - _GAP, max(n_columns, room_for, _FEWEST) * (1.0 + _GAP))
    [(name, values)] = first.items()
    own = Extent.of(values)
    shrink = _SLIM / own.whole
    zero = -_SLIM - _APART + shrink * own.left
    draw_bars(ax, zero, values[layout.order] * shrink, THRESHOLD)
    ticks = {zero: "0" * (len(f"{own.mark:g}") < 3), zero + own.mark * shrink: f"{own.mark:g}"}
    zeros = [k * (1.0 + _GAP) + scale.left / scale.whole for k in range(n_columns)]
    for zero, column in zip(zeros, columns.T / scale.whole, strict=True):
        draw_bars(ax, zero, np.maximum(column, 0.0), colours["positive"])
        draw_bars(ax, zero, np.minimum(column, 0.0), colours["negative"])
        named = zero == zeros[0]  # the others have the same scale
        ticks |= {zero: "0" * named, zero + scale.mark / scale.whole: f"{scale.mark:g}" * named}
    for zero in list(ticks)[::2]:
        ax.plot([zero, zero], [-0.5, n_rows - 0.5], color="black", linewidth=0.4)
    ax.set_xticks(list(ticks), [signed(text) for text in ticks.values()])
    ax.tick_params(axis="x", length=2, width=0.5, labelsize=_SMALL, pad=1.5)
    ax.xaxis.remove_overlapping_locs = False
    ax.set_xticks([-_SLIM / 2 - _APART], [name], minor=True)
    ax.tick_params(axis="x", which="minor", length=0, pad=3 + 1.5 * _SMALL, labelsize=7)
    ax.set_ylim(n_rows - 0.5, -0.5)
    mark_window(ax, layout)
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return zeros


def _name_columns(ax: Axes, rows: Mapping[str, Sequence[str]]) -> None:
    """Names of columns above them, and a number of each between: two rows, by what they are."""
    (title, names), (other, numbers) = rows.items()
    named = range(0, len(names), -(-len(names) // _NAMED))  # of many, every second, third, ...
    middles = [-_APART / 2, *(k * (1.0 + _GAP) + 0.5 for k in named)]
    above = ax.secondary_xaxis("top")
    above.set_xticks(middles, [title, *(names[k] for k in named)])
    above.xaxis.remove_overlapping_locs = False
    texts = [other, *(numbers[k] for k in named)]
    above.set_xticks(middles, texts, minor=True, fontsize=_SMALL, color="0.35")
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
    """Draw the probability of a spike of each unit in each mode as columns of bars on one scale.

    Each mode has a red bar per unit from a zero line of its own, and above it the share of words
    that come from it. The slim column at the left, in grey, is the mean over all modes, on a scale
    of its own; it is drawn as a line over every mode too: bars that pass it are units that are more
    active in the mode.

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
    layout = bit_layout(model, units)
    colour = one_colour(color, POSITIVE)
    weights, axes = model.weights_, axes_or_new(ax, (7.0, 2.8))
    order = np.argsort(-weights, kind="stable")
    shown = order[:most]
    mean = weights @ model.modes_
    columns = model.modes_[np.ix_(shown, layout.order)].T
    scale, colours = Extent.of(columns, mean), dict.fromkeys(_COLOURS, colour)
    edges = np.arange(mean.size + 1) - 0.5
    for zero in _draw_charts(axes, layout, {"mean": mean}, columns, scale, colours):
        line: Any = {"baseline": None, "orientation": "horizontal", "linewidth": 0.5}
        axes.stairs(zero + mean[layout.order] / scale.whole, edges, color="black", **line)
    shares = [f"{100.0 * share:.3g}" for share in weights[shown]]
    _name_columns(axes, {"mode": [f"{k + 1}" for k in range(shown.size)], "words, %": shares})
    of = "" if shown.size == order.size else f"{shown.size} of "
    axes.set_xlabel(f"P(spike) in a bin\n{of}{order.size} modes, most frequent first", size=7)
    return entitle(axes, title)
