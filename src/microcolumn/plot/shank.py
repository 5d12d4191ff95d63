"""The probe: where its units lie, in which layers, and with which weights."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ..evaluate.assembly import MEMBER
from ..evaluate.recurrence import by_unit
from ..formatting import counted
from ..models import PopulationModel
from ..units import Units, downwards
from ..validation import Floats
from ..words_info import units_of
from ._inputs import documented, entitle
from .hidden import POSITIVE
from .laminar import (
    HasUnits,
    bit_layout,
    has_depths,
    laminar,
    layer_name,
    mark_layers,
    shank_size,
    table_of,
)
from .style import DATA_COLOUR, LEGEND, OneColour, axes_or_new, one_colour
from .time import hidden_columns, hidden_title
from .tips import tip

#: Areas of the dots of weights, points squared: of the strongest among few and among very many
#: units, of all largest dots together, and of units without weight.
_LARGEST, _LEAST, _TOGETHER, _NONE = 45.0, 9.0, 2500.0, 1.5
#: Shades of neighbouring layers, and of the probe.
_LAYER_SHADES, _SHANK = ("#F4F4F4", "#E4E4E4"), "#C8C8C8"


#: Labels of an axis of depths, by what these are measured from.
DEPTH_LABELS = {
    "surface": "depth below the surface (µm)",
    "tip": "height above the tip (µm)",
    "layer IV": "depth below the centre of layer IV (µm)",
    "unstated": "depth as in the file (µm)",
}


@documented("recording")
def probe(
    units: HasUnits,
    *,
    title: str | None = None,
    color: OneColour | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The probe with the units at their depths and the layers shaded, superficial at the top.

    Parameters
    ----------
    units : Units, Recording or Words
        Without depths they are drawn by layer or in their order, a row each. Borders of layers lie
        midway between the neighbouring units of two layers; none is drawn if layers overlap.
    color : colour, optional
        Of the units; black by default.
    """
    units, colour = table_of(units), one_colour(color, DATA_COLOUR)
    ax = axes_or_new(ax, shank_size(units))
    places, heights = draw_shank(ax, units)
    for kind, name, marker, face in (
        (~units.multiunit, "single unit", "o", colour),
        (units.multiunit, "multiunit", "s", "white"),
    ):
        shown = kind & ~np.isnan(heights)
        n_shown = int(shown.sum())
        if n_shown:
            label = counted(n_shown, name)
            [dots] = ax.plot(places[shown], heights[shown], marker, color=colour, label=label)
            size = float(np.clip(30.0 / math.sqrt(len(units)), 1.3, 3.0))  # many stay dots
            dots.set(markerfacecolor=face, markersize=size, markeredgewidth=0.23 * size)
            tip(dots, _tip_columns(units, np.flatnonzero(shown)))
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), handletextpad=0.1, **LEGEND)
    return entitle(ax, title)


@documented("model, 0")
def assembly(
    model: PopulationModel,
    hidden: int,
    units: HasUnits | None = None,
    *,
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the weights of one hidden unit on the probe, its units at their depths.

    The area of a dot is the size of the weight: filled where it is positive, so that the unit is
    more active when the hidden unit is on, and open where it is negative. Weights below a quarter
    of the largest are grey, and units without weight are points.

    Parameters
    ----------
    model : RBM or SemiRBM
        A fitted model with hidden units.
    hidden : int
        Column of ``W``. For windows of several bins, each unit's strongest bin counts.
    units : Units, Words or Recording, optional
        The recorded units; by default those that the model knows. Without depths they stand in a
        column, by layer or in their order.
    color : colour, optional
        Of the dots; red by default.
    """
    [column] = hidden_columns(model, [hidden])
    n_units = bit_layout(model, units).units.order.size
    known = units_of(model.words_info_, None if units is None else table_of(units))
    table = Units.numbered(n_units) if known is None else known
    colour = one_colour(color, POSITIVE)
    ax = axes_or_new(ax, shank_size(table))
    weights = by_unit(model.W_[:, column], len(table))
    strong = np.abs(weights) >= MEMBER * (np.abs(weights).max() or 1.0)
    labels, about = ("positive weight", "negative weight"), {"hidden unit": f"h{column}"}
    draw_signed(ax, table, weights, strong, colour, labels, "weight (nats)", about)
    return entitle(ax, hidden_title(model, column) if title is None else title)


def draw_signed(
    ax: Axes,
    units: Units,
    values: Floats,
    strong: NDArray[np.bool_],
    colour: OneColour,
    labels: tuple[str, str],
    name: str,
    about: dict[str, Any],
) -> None:
    """Draw a value of each unit, (n_units,), on the probe: the size of its dot, open below zero.

    Those that are not ``strong`` are grey. ``labels`` of the legend are of values above and below
    zero, ``name`` is what pages call a value, and ``about`` what else they say.
    """
    places, heights = draw_shank(ax, units)
    largest = float(np.abs(values).max()) or 1.0
    area = float(np.clip(_TOGETHER / len(units), _LEAST, _LARGEST))
    by_size = np.argsort(-np.abs(values), kind="stable")  # the first is named in the legend
    for sign, label in zip((1.0, -1.0), labels, strict=True):
        shown = by_size[sign * values[by_size] > 0.0]
        if not shown.size:
            continue
        shades = [colour if each else "0.55" for each in strong[shown]]
        filled: dict[str, Any] = {"facecolors": shades, "edgecolors": "white", "linewidths": 0.3}
        hollow: dict[str, Any] = {"facecolors": "white", "edgecolors": shades, "linewidths": 0.9}
        sizes = area * np.abs(values[shown]) / largest
        look = filled if sign > 0.0 else hollow
        dots = ax.scatter(places[shown], heights[shown], s=sizes, zorder=3, **look)
        dots.set_label(label if strong[shown].any() else "")
        tip(dots, about | {"unit": [units.ids[n] for n in shown], name: values[shown]})
    absent = values == 0.0
    ax.scatter(places[absent], heights[absent], s=_NONE, color="0.4", linewidths=0, zorder=2)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), handletextpad=0.1, **LEGEND)


def _tip_columns(units: Units, rows: NDArray[np.int64]) -> dict[str, Any]:
    columns: dict[str, Any] = {"unit": [units.ids[n] for n in rows]}
    if (labels := units.label()) is not None:
        columns[units.label_name] = [labels[n] for n in rows]
    if units.depth_um is not None:
        columns["depth (µm)"] = np.asarray(units.depth_um)[rows]
    return columns


def draw_shank(ax: Axes, units: Units) -> tuple[Floats, Floats]:
    """Draw the probe and the layers; where units lie on it, x and y, shape (n_units,) each.

    A unit whose depth is not known among others that have one lies at NaN.
    """
    rows = laminar(units)
    if has_depths(units):
        heights, reference = np.asarray(units.depth_um), str(units.depth_reference)
        shallow, deep = np.nanmin(heights), np.nanmax(heights)
        margin = 0.06 * (deep - shallow) or 50.0
        limits = (shallow - margin, deep + margin)
        ax.set_ylim(limits[::-1] if downwards(reference) > 0 else limits)
        ax.set_ylabel(DEPTH_LABELS[reference])
        _shade_layers(ax, units)
    else:
        heights = np.argsort(rows.order).astype(np.float64)
        ax.set_ylim(len(units) - 0.5, -0.5)
        mark_layers(ax, rows)
        by_label = f"units by {rows.label_name}, depths unknown"
        ax.set_ylabel(by_label if rows.layers else "units, in the order of the file")
    places = _side_by_side(heights)
    shank = float(np.nanmax(np.abs(places))) + 0.15
    ax.axvspan(-shank, shank, color=_SHANK, linewidth=0)
    ax.set(xlim=(-max(0.6, shank + 0.1), max(0.6, shank + 0.1)), xticks=[])
    ax.spines["bottom"].set_visible(False)
    return places, heights


def layer_spans(units: Units) -> dict[str, tuple[float, float]]:
    """Upper and lower limit of each layer, µm, from the top; infinite at both ends.

    A border lies midway between the neighbouring units of two layers, or of other labels that units
    are grouped by. Empty if labels or depths are unknown, or if labels overlap in depth.
    """
    if units.depth_um is None or units.label() is None:
        return {}
    down = downwards(str(units.depth_reference))
    labels, below = np.array(units.label()), down * units.depth_um
    spans = {}
    for name, _, _ in laminar(units).layers:
        inside = below[(labels == name) & ~np.isnan(below)]
        if name and inside.size:
            spans[name] = (float(inside.min()), float(inside.max()))
    ends = list(spans.values())
    if not ends or any(upper[1] >= lower[0] for upper, lower in pairwise(ends)):
        return {}
    borders = [(upper[1] + lower[0]) / 2 for upper, lower in pairwise(ends)]
    edges = [down * edge for edge in (-np.inf, *borders, np.inf)]
    return dict(zip(spans, pairwise(edges), strict=True))


def _shade_layers(ax: Axes, units: Units) -> None:
    """A band for each layer, named right of the axes, and lines between them."""
    low, high = sorted(ax.get_ylim())
    right: Any = {"xycoords": ax.get_yaxis_transform(), "annotation_clip": False, "size": 7}
    right |= {"textcoords": "offset points", "va": "center"}
    for place, (name, limits) in enumerate(layer_spans(units).items()):
        upper, lower = np.clip(limits, low, high)
        ax.axhspan(upper, lower, color=_LAYER_SHADES[place % 2], linewidth=0, zorder=0)
        if place:
            ax.axhline(upper, color="black", linewidth=0.8)
        ax.annotate(layer_name(name), (1.0, (upper + lower) / 2), (3.0, 0.0), **right)


def _side_by_side(heights: Floats) -> Floats:
    """Horizontal positions on the probe, such that units of similar height do not overlap."""
    known = np.flatnonzero(~np.isnan(heights))
    least = np.ptp(heights[known]) / 45  # units that are closer would overlap
    columns = np.zeros(heights.size)
    nearest = np.full(known.size, -np.inf)  # of each column, the largest height taken in it
    for unit in known[np.argsort(heights[known], kind="stable")]:
        column = int(np.argmax(heights[unit] - nearest > least))
        nearest[column] = heights[unit]
        # From the middle outwards: 0, 1, -1, 2, -2 and so on.
        columns[unit] = (column + 1) // 2 * (1 if column % 2 else -1)
    columns -= (columns.min() + columns.max()) / 2
    return columns * min(0.14, 0.5 / max(float(columns.max()), 1.0))
