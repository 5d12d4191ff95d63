"""An assembly: the weights of one hidden unit, at the places of its units."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..evaluate._assemblies import MEMBER, by_unit
from ..models import PopulationModel
from ..origin import units_of
from ..units import Units
from ._activation import hidden_columns, hidden_title
from ._colours import OneColour, one_colour
from ._hidden import POSITIVE
from ._inputs import entitle
from ._laminar import HasUnits, bit_layout, shank_size, table_of
from ._probe import draw_shank
from ._tips import tip
from .style import LEGEND, axes_or_new

#: Areas of the dots, points squared: of the strongest weight among few and among very many units,
#: of all largest dots together, and of units without weight.
_LARGEST, _LEAST, _TOGETHER, _NONE = 45.0, 9.0, 2500.0, 1.5


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
    known = units_of(model.origin_, None if units is None else table_of(units))
    table = Units.numbered(n_units) if known is None else known
    colour = one_colour(color, POSITIVE)
    ax = axes_or_new(ax, shank_size(table))
    places, heights = draw_shank(ax, table)
    weights = by_unit(model.W_[:, column], len(table))
    largest = float(np.abs(weights).max()) or 1.0
    area = float(np.clip(_TOGETHER / len(table), _LEAST, _LARGEST))
    strong = np.abs(weights) >= MEMBER * largest
    shades: dict[bool, Any] = {True: colour, False: "0.55"}
    for positive, label in ((True, "positive weight"), (False, "negative weight")):
        for is_strong, shade in shades.items():
            shown = ((weights > 0.0) if positive else (weights < 0.0)) & (strong == is_strong)
            if not shown.any():
                continue
            dots = ax.scatter(
                places[shown],
                heights[shown],
                s=area * np.abs(weights[shown]) / largest,
                facecolors=shade if positive else "white",
                edgecolors=shade if not positive else "white",
                linewidths=0.9 if not positive else 0.3,
                zorder=3 if is_strong else 2,
            )
            named = {"unit": np.array(table.ids)[shown].tolist(), "weight (nats)": weights[shown]}
            tip(dots, {"hidden unit": f"h{column}", **named})
            if is_strong:
                dots.set_label(label)
    absent = weights == 0.0
    ax.scatter(places[absent], heights[absent], s=_NONE, color="0.4", linewidths=0, zorder=2)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), handletextpad=0.1, **LEGEND)
    return entitle(ax, hidden_title(model, column) if title is None else title)
