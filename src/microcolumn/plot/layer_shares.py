"""How much of the weight of hidden units lies in each layer, against shuffled labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from ..errors import BadInput
from ..evaluate import HiddenUnitLayer, LayerStatistics, layer_statistics
from ..models import PopulationModel
from ..recording import Recording
from ..units import Units
from ..validation import expect, listed
from ..words import Words
from ._inputs import asked_columns, documented, entitle, model_with_hidden
from .laminar import HasUnits, table_of
from .style import LEGEND_RIGHT, Colour, axes_or_new, by_name, literal, size_points
from .tips import tip

#: Tol's muted palette, which no model has.
LAYER_COLOURS = ("#44AA99", "#DDCC77", "#882255", "#88CCEE", "#999933", "#CC6677")
#: What shuffled labels reach, and their mean.
CHANCE, MEAN = "#E2E2E2", "#8C8C8C"
#: Width for an upright name of a hidden unit, points; the axis has space for so many bars at least.
_NAME, _FEWEST = 9.0, 4


@documented("model")
def layers(
    statistics: LayerStatistics | PopulationModel,
    units: HasUnits | Sequence[str] | None = None,
    *,
    hidden: int | Sequence[int] | None = None,
    group_by: str | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of each hidden unit's weight in each layer, against shuffled labels.

    Large dots are the main layers, that is those with most of the weight, small dots the others.
    Grey bars reach as high as the main layer of 95 % of the permutations of labels over units, and
    lines are their mean: a large dot above its bar is more than chance, for that one hidden unit.

    Parameters
    ----------
    statistics : LayerStatistics, or PopulationModel
        From :func:`microcolumn.evaluate.layer_statistics`, or a fitted model whose statistics are
        found.
    units : Units, Words, Recording or sequence of str, optional
        With a model: its units, or one label for each; by default those that it knows.
    hidden : int or sequence of int, optional
        Columns of ``W`` in the order drawn; by default all, those with the largest share first.
    group_by : str, optional
        With a model: the label instead of layers, such as ``"cell_type"``; by default the first
        that the units are grouped by.
    color : colour or dict, optional
        Of all layers, or by name.
    """
    tested = _statistics(statistics, units, group_by)
    rows = _rows_drawn(tested, hidden)
    colours = by_name(tested.layers, LAYER_COLOURS, color)
    ax = axes_or_new(ax, (max(2.4, 1.4 + 0.22 * len(rows)), 2.4))
    x = np.arange(len(rows))
    upper, mean = np.array([(row.upper, row.expected) for row in rows]).T
    ax.bar(x, np.nan_to_num(upper), 0.8, color=CHANCE, linewidth=0, zorder=1)
    ax.hlines(mean, x - 0.4, x + 0.4, color=MEAN, linewidth=0.8, zorder=2)
    size = float(np.clip(900.0 / max(len(rows), 1), 4.0, 30.0))
    for k, name in enumerate(tested.layers):
        main = np.array([row.layer == name for row in rows])
        share = np.array([row.shares[k] if row.shares else np.nan for row in rows])
        looks: dict[str, Any] = {"color": colours[name], "zorder": 3, "clip_on": False}
        small = ax.scatter(x[~main], share[~main], s=size / 5.0, linewidths=0, **looks)
        looks |= {"edgecolors": "black", "linewidths": 0.5, "label": literal(name)}
        shares = np.array([row.share for row in rows])[main]
        large = ax.scatter(x[main], shares, s=size, **looks)
        for dots, here, y in ((small, ~main, share[~main]), (large, main, shares)):
            names = [row.name for row, it in zip(rows, here, strict=True) if it]
            tip(dots, {"hidden unit": names, tested.label_name: name, "share": y})
    beside = max(0, _FEWEST - len(rows)) / 2  # few bars stand slim in the middle
    ax.set(xlim=(-0.6 - beside, len(rows) - 0.4 + beside), ylim=(0.0, 1.0))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    width = size_points(ax)[0]
    every = -(-len(rows) // max(1, int(width / _NAME)))
    names = [row.name if n % every == 0 else "" for n, row in enumerate(rows)]
    ax.set_xticks(range(len(rows)), names)
    ax.tick_params(axis="x", length=0, labelrotation=90 if len(rows) > 12 else 0)
    ax.set(xlabel="hidden unit", ylabel="share of its weight")
    ax.legend(title=literal(tested.label_name), title_fontsize=7, **LEGEND_RIGHT)
    return entitle(ax, title)


def _statistics(
    source: LayerStatistics | PopulationModel,
    units: HasUnits | Sequence[str] | None,
    group_by: str | None,
) -> LayerStatistics:
    if isinstance(source, LayerStatistics):
        if units is not None or group_by is not None:
            remedy = "leave units and group_by out, or pass a model"
            raise BadInput("statistics know their layers", remedy)
        return source
    kind: Any = PopulationModel
    remedy = "a fitted RBM or SemiRBM, or what mc.evaluate.layer_statistics returns"
    model = model_with_hidden(expect("statistics", source, kind, remedy))
    if units is None or isinstance(units, Units | Words | Recording):
        table = None if units is None else table_of(units)
        return layer_statistics(model, table, group_by=group_by)
    remedy = "a table of units, words or a recording that have one, or a layer for each unit"
    labels: Any = units if isinstance(units, str) else listed("units", units, f"pass {remedy}")
    for k, label in enumerate(expect("units", labels, list, remedy)):
        expect(f"units[{k}]", label, str, "a layer for each unit, '' where it is unknown")
    return layer_statistics(model, labels, group_by=group_by)


def _rows_drawn(
    statistics: LayerStatistics, hidden: int | Sequence[int] | None
) -> list[HiddenUnitLayer]:
    if not statistics.hidden:
        raise BadInput("no hidden unit has weight onto a unit with a layer", "pass another model")
    if hidden is None:
        return sorted(statistics.hidden, key=lambda row: -row.share)
    known = {row.position: row for row in statistics.hidden}
    asked = asked_columns(hidden)
    unknown = [k for k in asked if k not in known]
    if unknown or not asked:
        what = f"names h{unknown[0]}" if unknown else "is empty"
        raise BadInput(f"hidden {what}", f"tested are {', '.join(f'h{k}' for k in known)}")
    return [known[k] for k in asked]
