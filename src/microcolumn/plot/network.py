"""Who is coupled to whom, and who is in which group: units from superficial to deep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba

from ..errors import BadInput
from ..evaluate.assembly import MEMBER
from ..evaluate.recurrence import by_unit
from ..formatting import counted
from ..models import PopulationModel
from ..validation import Floats, whole_number
from ._inputs import documented, entitle, fitted_model
from .hidden import NEGATIVE, POSITIVE, strongest_first
from .laminar import HasUnits, Laminar, bit_layout, mark_layers
from .style import DATA_COLOUR, LEGEND, Colour, axes_or_new, by_name, legible, size_points
from .time import COLOURS, hidden_columns
from .tips import tip

#: Width of the line of the strongest coupling, and of one next to zero, points.
_WIDEST, _SLIMMEST = 1.8, 0.3
#: Largest and smallest area of the largest dot, points squared, and the part of its row it fills.
_AREA, _LEAST, _FILLED = 36.0, 4.0, 0.9
#: Angles of an arc, and how solid arcs and the columns of groups are.
_ARC = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 41)
_SOLID, _FAINT = 0.7, 0.15
_SIGNS = {"positive": POSITIVE, "negative": NEGATIVE}


@documented("mc.Ising().fit(words)")
def arcs(
    model: PopulationModel,
    units: HasUnits | None = None,
    *,
    most: int = 50,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the strongest couplings as arcs between units, superficial units at the top.

    Red arcs are positive couplings, blue ones negative, and wide ones strong. Of words of several
    bins, the strongest coupling between two units at any lag counts.

    Parameters
    ----------
    model : Ising or SemiRBM
        A fitted model with couplings.
    most : int
        Largest number of couplings drawn; the title says how many there are.
    color : colour, or mapping of str to colour, optional
        Of all arcs, or by sign: ``{"positive": "black", "negative": "gray"}``.
    """
    fitted = fitted_model(model, "one fitted Ising or SemiRBM")
    if fitted.parameters_.J is None:
        raise BadInput(f"{type(model).__name__} has no couplings", "pass an Ising or a SemiRBM")
    most = whole_number("most", most, least=1)
    found = bit_layout(fitted, units).units
    colours = by_name(list(_SIGNS), list(_SIGNS.values()), color)
    ax = axes_or_new(ax, (2.4, 2.8))
    J = _by_pair(fitted.parameters_.J, found.order.size)
    row = np.argsort(found.order)
    i, j = np.triu_indices(len(J), 1)
    strength = J[i, j]
    n_all = int(np.count_nonzero(strength))
    strongest = np.argsort(-np.abs(strength), kind="stable")[: min(most, n_all)]
    strength, i, j = strength[strongest], i[strongest], j[strongest]
    middle, reach = 0.5 * (row[i] + row[j]), 0.5 * np.abs(row[i] - row[j])
    farthest = reach / reach.max(initial=0.5)  # how far arcs go to the right
    x = np.outer(farthest, np.cos(_ARC))
    y = middle[:, None] + np.outer(reach, np.sin(_ARC))
    size = np.abs(strength) / np.abs(strength).max(initial=1e-300)
    lines = [np.column_stack(each) for each in zip(x, y, strict=True)]
    shades = [colours["positive" if each > 0.0 else "negative"] for each in strength]
    widths = _SLIMMEST + (_WIDEST - _SLIMMEST) * size
    ax.add_collection(LineCollection(lines, colors=shades, linewidths=widths, alpha=_SOLID))
    # The middle of an arc says what it is; it is not seen itself.
    [ends] = ax.plot(farthest, middle, "o", alpha=0.0)
    pairs = [f"{found.ids[row[a]]}, {found.ids[row[b]]}" for a, b in zip(i, j, strict=True)]
    tip(ends, {"units": pairs, "coupling (nats)": strength})
    _mark_rows(ax, found)
    ax.scatter(np.zeros(len(J)), row, s=0.3 * _area(ax, len(J)), color=DATA_COLOUR, zorder=3)
    ax.set(xlim=(-0.06, 1.02), xticks=[])
    for sign, which in (("positive", strength > 0.0), ("negative", strength < 0.0)):
        if which.any() and not which.all():
            ax.plot([], [], color=colours[sign], label=sign)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, **LEGEND)
    some = f"the {most} strongest\nof " if n_all > most else ""
    return entitle(ax, title or f"{some}{counted(n_all, 'coupling')}")


@documented("model, [0, 1]")
def groups(
    model: PopulationModel,
    hidden: int | Sequence[int] | None = None,
    units: HasUnits | None = None,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the units of hidden units as columns of dots, superficial units at the top.

    Large dots are units with a positive weight of at least a quarter of the largest, their areas
    the sizes of the weights; open ones are units with a negative weight of that size, and points
    all others.

    Parameters
    ----------
    model : RBM or SemiRBM
        A fitted model with hidden units.
    hidden : int or sequence of int, optional
        Columns of ``W``; by default the four strongest. Of words of several bins, each unit's
        strongest bin counts.
    color : colour, or mapping of str to colour, optional
        One for all, or by name: ``{"h0": "red"}``.
    """
    columns = hidden_columns(model, hidden)
    if hidden is None:
        columns = strongest_first(model)[: len(COLOURS)].tolist()
    found = bit_layout(model, units).units
    n_units = found.order.size
    names = [f"h{column}" for column in columns]
    colours = by_name(names, COLOURS, color)
    ax = axes_or_new(ax, (1.0 + 0.45 * max(len(columns), 2), 2.8))
    _mark_rows(ax, found)
    area = _area(ax, n_units)
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        weights = by_unit(model.W_[:, column], n_units)[found.order]
        largest = weights.max() if weights.max() > 0.0 else np.abs(weights).max()
        strong = np.abs(weights) >= MEMBER * max(largest, 1e-300)
        rows = np.flatnonzero(strong)
        if (members := rows[weights[rows] > 0.0]).size:
            ends = members.min() - 0.4, members.max() + 0.4
            shade = to_rgba(colours[name], _FAINT)
            ax.fill_betweenx(ends, place - 0.3, place + 0.3, color=shade, linewidth=0)
        rest = np.flatnonzero(~strong)
        ax.scatter(np.full(rest.size, place), rest, s=0.12 * area, color="0.65", linewidths=0)
        faces = [colours[name] if weights[n] > 0.0 else "white" for n in rows]
        sizes = area * np.minimum(np.abs(weights[rows]) / largest, 1.0)
        look: dict[str, Any] = {"facecolors": faces, "edgecolors": colours[name]}
        dots = ax.scatter(np.full(rows.size, place), rows, s=sizes, linewidths=0.8, **look)
        ids = [found.ids[n] for n in rows]
        tip(dots, {"hidden unit": name, "unit": ids, "weight (nats)": weights[rows]})
    ax.set_xlim(-0.6, len(columns) - 0.4)
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(columns)), names)
    ax.tick_params(axis="x", length=0)
    for label, name in zip(ax.get_xticklabels(), names, strict=True):
        label.set(color=legible(colours[name]), fontweight="bold")
    return entitle(ax, title)


def _by_pair(J: Floats, n_units: int) -> Floats:
    """Strongest coupling of every two units over the bins of a window, shape (n_units, n_units)."""
    window = len(J) // n_units
    by_lag = J.reshape(window, n_units, window, n_units).transpose(1, 3, 0, 2)
    flat = by_lag.reshape(n_units, n_units, -1)
    strongest = np.abs(flat).argmax(axis=2)[:, :, None]
    return np.asarray(np.take_along_axis(flat, strongest, axis=2)[:, :, 0])


def _mark_rows(ax: Axes, found: Laminar) -> None:
    """A row for each unit, with layers, and no box around them."""
    ax.set_ylim(found.order.size - 0.4, -0.6)
    mark_layers(ax, found)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)


def _area(ax: Axes, n_rows: int) -> float:
    """Area of the largest dot of a row, points squared."""
    return float(np.clip((_FILLED * size_points(ax)[1] / n_rows) ** 2, _LEAST, _AREA))
