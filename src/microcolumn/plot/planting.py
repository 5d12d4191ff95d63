"""Groups that a simulation was built with, beside the hidden units that stand for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

from ..errors import BadArgument
from ..evaluate import PlantedGroup
from ._inputs import documented, entitle, named
from .laminar import HasUnits, laminar, layer_name, mark_layers, table_of
from .style import LEGEND, Colour, axes_or_new, by_name, legible, size_points
from .time import COLOURS
from .tips import tip

#: How units are marked: marker, and whether it is filled.
_MARKS = {"right": ("o", True), "missed": ("o", False), "wrong": ("X", True)}
#: Columns between the groups planted and those found, and beside the outermost.
_APART, _MARGIN = 0.4, 0.6
#: Smallest and largest mark, points, and the part of the height of a row that it fills.
_SMALLEST, _LARGEST, _FILLED = 1.5, 6.0, 0.75
#: Size of the names of columns.
_SMALL = 5.5


@documented(
    "mc.evaluate.match_groups(recording.groups, mc.evaluate.assemblies(model, words)), words"
)
def planted(
    groups: Sequence[PlantedGroup],
    units: HasUnits,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the groups that a simulation was built with and, beside them, what a model found.

    Each group is a column with a dot for each unit. On the right stands the hidden unit that it is
    paired with: open dots are units that it lacks, crosses units that are not of the group.

    Parameters
    ----------
    groups : sequence of PlantedGroup
        What :func:`microcolumn.evaluate.match_groups` returns.
    units : Units, Words or Recording
        The recorded units, drawn from superficial to deep with lines between layers.
    color : colour, or mapping of str to colour, optional
        One for all groups, or by name.
    """
    shown = named("groups", groups, PlantedGroup, "what mc.evaluate.match_groups returns")
    found = laminar(table_of(units))
    rows = {unit: row for row, unit in enumerate(found.ids)}
    for unit in (unit for each in shown.values() for unit in (*each.units, *each.wrong)):
        if unit not in rows:
            problem = f"name unit {unit!r}, which is not among the units"
            raise BadArgument("groups", problem, "pass the units of the recording")
    colours = by_name(list(shown), COLOURS, color)
    ax = axes_or_new(ax, (3.4, 3.4))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    size = float(np.clip(_FILLED * size_points(ax)[1] / len(rows), _SMALLEST, _LARGEST))
    beside = len(shown) + _APART
    for column, (name, group) in enumerate(shown.items()):
        look = {"color": colours[name], "markersize": size, "markeredgewidth": size / 6.0}
        about = {"planted group": group.name, "hidden unit": group.hidden}
        kinds = [kind for kind in _MARKS if getattr(group, kind)]
        marked = [(beside + column, kind, getattr(group, kind)) for kind in kinds]
        for place, kind, ids in ((float(column), "right", group.units), *marked):
            at = [rows[unit] for unit in ids]
            [dots] = ax.plot([place] * len(at), at, **_mark(kind, colours[name]) | look)
            tip(dots, about | {"unit": ids})
    mark_layers(ax, found)
    for place, heading in ((0.0, "planted"), (beside, "found")):
        middle: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "ha": "center"}
        ax.text(place + (len(shown) - 1) / 2, 1.02, heading, size=8, **middle)
    ax.axvline((beside + len(shown) - 1) / 2, color="0.85", linewidth=0.8, zorder=0)
    ax.set_xlim(-_MARGIN, beside + len(shown) - 1 + _MARGIN)
    _name_columns(ax, shown, beside, [legible(to_hex(each)) for each in colours.values()])
    seen = [kind for kind in _MARKS if any(getattr(each, kind) for each in shown.values())]
    key = [Line2D([], [], label=kind, color="0.35", **_mark(kind, "0.35")) for kind in seen]
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.13)}
    ax.legend(handles=key, ncols=len(seen), handletextpad=0.1, **below, **LEGEND)
    return entitle(ax, title, pad=16.0)


def _mark(kind: str, colour: Any) -> dict[str, Any]:
    marker, is_filled = _MARKS[kind]
    face = colour if is_filled else "white"
    return {"marker": marker, "linestyle": "none", "markerfacecolor": face, "markersize": 4.5}


def _name_columns(
    ax: Axes, groups: Mapping[str, PlantedGroup], beside: float, colours: Sequence[str]
) -> None:
    """Below each column its group, or its hidden unit with the share of the group that it has."""
    names = [layer_name(name) for name in groups]
    names += [f"{g.hidden or 'none'}\n{len(g.right)}/{len(g.units)}" for g in groups.values()]
    places = [side + place for side in (0.0, beside) for place in range(len(groups))]
    ax.set_xticks(places, names, fontsize=_SMALL)
    ax.tick_params(axis="x", length=0)
    for label, colour in zip(ax.get_xticklabels(), [*colours, *colours], strict=True):
        label.set_color(colour)
