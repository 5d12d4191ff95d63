"""Groups that a simulation was built with, beside the hidden units that stand for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

from ..errors import BadArgument
from ..evaluate import PlantedGroup
from ..validation import expect
from ._inputs import documented, entitle
from .laminar import HasUnits, laminar, layer_name, mark_layers, table_of
from .style import LEGEND, Colour, axes_or_new, by_name, legible, size_points
from .time import COLOURS
from .tips import tip

#: How units are marked: marker, and whether it is filled.
_MARKS = {"right": ("o", True), "missed": ("o", False), "wrong": ("X", True)}
_KEY_COLOUR = "0.35"
#: Columns between the groups planted and those found, and beside the outermost.
_APART, _MARGIN = 0.4, 0.6
#: Smallest and largest mark, points, and the part of the height of a row that it fills.
_SMALLEST, _LARGEST, _FILLED = 1.5, 6.0, 0.75
#: Size of how many units were found.
_SMALL = 5.0


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
    shown = _checked(groups)
    found = laminar(table_of(units))
    rows = {unit: row for row, unit in enumerate(found.ids)}
    for unit in (each for group in shown for each in (*group.units, *group.found)):
        if unit not in rows:
            problem = f"name unit {unit!r}, which is not among the units"
            raise BadArgument("groups", problem, "pass the units of the recording")
    colours = by_name([group.name for group in shown], COLOURS, color)
    ax = axes_or_new(ax, (3.4, 3.4))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    size = min(_LARGEST, max(_SMALLEST, _FILLED * size_points(ax)[1] / len(rows)))
    beside = len(shown) + _APART
    for column, group in enumerate(shown):
        look = {"color": colours[group.name], "markersize": size, "markeredgewidth": size / 6.0}
        _draw_units(ax, column, group, {"right": group.units}, rows, look)
        kinds = {kind: getattr(group, kind) for kind in _MARKS}
        _draw_units(ax, beside + column, group, kinds, rows, look)
    mark_layers(ax, found)
    for place, heading in ((0.0, "planted"), (beside, "found")):
        middle: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "ha": "center"}
        ax.text(place + (len(shown) - 1) / 2, 1.02, heading, size=8, **middle)
    ax.axvline((beside + len(shown) - 1) / 2, color="0.85", linewidth=0.8, zorder=0)
    ax.set_xlim(-_MARGIN, beside + len(shown) - 1 + _MARGIN)
    _name_columns(ax, shown, beside, [legible(to_hex(colours[each.name])) for each in shown])
    _add_key(ax, [kind for kind in _MARKS if any(getattr(each, kind) for each in shown)])
    return entitle(ax, title, pad=16.0)


def _checked(groups: Any) -> list[PlantedGroup]:
    remedy = "what mc.evaluate.match_groups returns"
    many = isinstance(groups, Sequence) and not isinstance(groups, str | bytes | Mapping)
    shown = [
        expect("groups", each, PlantedGroup, remedy) for each in (groups if many else [groups])
    ]
    if not shown:
        raise BadArgument("groups", "is empty", f"pass {remedy}")
    return shown


def _draw_units(
    ax: Axes,
    place: float,
    group: PlantedGroup,
    kinds: Mapping[str, Sequence[str]],
    rows: Mapping[str, int],
    look: Mapping[str, Any],
) -> None:
    """A column of units, by how they are marked."""
    for kind, units in kinds.items():
        if units:
            heights = [rows[unit] for unit in units]
            [dots] = ax.plot([place] * len(units), heights, **_mark(kind, look))
            tip(dots, {"planted group": group.name, "hidden unit": group.hidden, "unit": units})


def _mark(kind: str, look: Mapping[str, Any]) -> dict[str, Any]:
    marker, is_filled = _MARKS[kind]
    face = look["color"] if is_filled else "white"
    return {"marker": marker, "linestyle": "none", "markerfacecolor": face, **look}


def _name_columns(
    ax: Axes, groups: Sequence[PlantedGroup], beside: float, colours: Sequence[str]
) -> None:
    """Below each column its group, or its hidden unit with the share of the group that it has."""
    names = [layer_name(each.name) for each in groups]
    names += [each.hidden or "none" for each in groups]
    shares = [f"{len(each.right)}/{len(each.units)}" for each in groups]
    places = [side + place for side in (0.0, beside) for place in range(len(groups))]
    ax.set_xticks(places, names)
    ax.set_xticks(places[len(groups) :], shares, minor=True, fontsize=_SMALL)
    ax.xaxis.remove_overlapping_locs = False
    ax.tick_params(axis="x", length=0)
    ax.tick_params(axis="x", which="minor", length=0, pad=12.0)
    labels = [*ax.get_xticklabels(), *ax.get_xticklabels(minor=True)]
    for label, colour in zip(labels, [*colours] * 3, strict=True):
        label.set_color(colour)


def _add_key(ax: Axes, kinds: Sequence[str]) -> None:
    look = {"color": _KEY_COLOUR, "markersize": 4.5}
    marks = [Line2D([], [], label=kind, **_mark(kind, look)) for kind in kinds]
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.13)}
    ax.legend(handles=marks, ncols=len(marks), handletextpad=0.1, **place, **LEGEND)
