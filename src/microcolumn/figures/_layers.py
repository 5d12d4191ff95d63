"""Whether hidden units keep to layers: all of them in all splits, against shuffled labels."""

from statistics import fmean
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from ..evaluate import LayersResult, LayerStatistics
from ..plot import layers as draw_layers
from ..plot._layers import CHANCE, LAYER_COLOURS, MEAN, marks_from_the_top
from ..plot.style import DATA_COLOUR, by_name
from ..study import Condition, NotComputedError, Results
from ..units import Units, layers_from_the_top
from ._assemblies import best_with_hidden
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import LAYERS, caption, of_condition

#: Width of a letter of the legend, points.
_LETTER = 4.4
#: Edges of dots.
_EDGES: dict[str, Any] = {"edgecolors": "black", "linewidths": 0.4, "zorder": 3}


@of_condition(LAYERS)
def layers(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure of layers: the weight of hidden units per layer, against shuffled labels.

    Of the best model with hidden units: each hidden unit of the first split, all hidden units of
    all splits, and all weight of each split together.
    """
    found = _found(results, condition)
    first = found.statistics[0]
    units = results.units(condition.recording, experiment=condition.experiment.name)
    title = f"Hidden units of {found.model.name} and layers, {results.label(condition.recording)}"
    with captioned("", title, (PAGE, 4.3)) as figure:
        panels = figure.subplot_mosaic("aa;bc", width_ratios=(2.0, 1.0))
        draw_layers(first, ax=panels["a"])
        panels["a"].set_xlabel(f"hidden units of split {found.splits[0]}")
        _name_layers(panels["a"], first, units)
        _draw_all(panels["b"], found)
        _draw_overall(panels["c"], found)
        for panel, ax in panels.items():
            letter(ax, panel)
        figure.caption = caption(
            "layers",
            condition,
            found=found,
            order=layers_from_the_top(units),
            sizes=dict(zip(first.layers, first.n_units, strict=True)),
            inside=fmean(found.n_significant),
            live=fmean(found.n_live_hidden),
        )
    return figure


def _found(results: Results, condition: Condition) -> LayersResult:
    spec = best_with_hidden(results, condition)
    found = results.layers(model=spec, **condition.names)
    if found is None or not all(row.shares for each in found.statistics for row in each.hidden):
        raise NotComputedError(f"shuffled labels of {spec.name} are not kept; run the study again")
    if not found.statistics[0].hidden:
        raise NotComputedError("no hidden unit of the first split has weight onto a layer")
    return found


def _name_layers(ax: Axes, found: LayerStatistics, units: Units) -> None:
    """One legend above all panels in place of that beside the first."""
    legend: Any = ax.get_legend()
    legend.remove()
    marks, names = marks_from_the_top(ax, found.layers, units)
    figure: Any = ax.figure
    n_columns = int(72.0 * figure.get_figwidth() / (_LETTER * (max(map(len, names)) + 6)))
    place = {"loc": "outside upper center", "ncols": max(1, min(len(names), n_columns))}
    figure.legend(marks, names, title="layer", title_fontsize=7, **place)


def _draw_all(ax: Axes, found: LayersResult) -> None:
    """Share in the main layer beyond what shuffled labels reach, a dot per hidden unit."""
    names = sorted({name for each in found.statistics for name in each.layers})
    colours = by_name(names, LAYER_COLOURS, None)
    size = float(np.clip(1500.0 / sum(found.n_live_hidden), 3.0, 20.0))
    for slot, each in enumerate(found.statistics):
        rows = sorted(each.hidden, key=lambda row: row.upper - row.share)
        x = slot + np.linspace(-0.36, 0.36, len(rows)) * (len(rows) > 1)
        beyond = [row.share - row.upper for row in rows]
        ax.scatter(x, beyond, s=size, c=[colours[row.layer] for row in rows], **_EDGES)
    ax.axhline(0.0, color=MEAN, linewidth=0.8, zorder=1)
    ax.axhspan(-1.0, 0.0, color=CHANCE, linewidth=0, zorder=0)
    ends = [row.share - row.upper for each in found.statistics for row in each.hidden]
    ax.set_ylim(min(*ends, -0.1) - 0.04, max(*ends, 0.1) + 0.04)
    ax.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    ax.set_ylabel("share beyond 95 %\nof shuffled labels")
    _by_split(ax, found)


def _draw_overall(ax: Axes, found: LayersResult) -> None:
    """Weight in the main layers of all hidden units together, of each split."""
    x, each = np.arange(len(found.splits)), found.statistics
    ax.bar(x, np.nan_to_num([one.overall_upper for one in each]), 0.8, color=CHANCE, linewidth=0)
    mean = [one.overall_expected for one in each]
    ax.hlines(mean, x - 0.4, x + 0.4, color=MEAN, linewidth=0.8)
    dots: dict[str, Any] = {"color": DATA_COLOUR, "markersize": 4.5, "clip_on": False}
    ax.plot(x, [one.overall_share for one in each], "o", **dots)
    ax.set_ylim(0.0, 1.0)
    ax.set_ylabel("share of all weight\nin main layers")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    _by_split(ax, found)


def _by_split(ax: Axes, found: LayersResult) -> None:
    """An axis of splits, of which at most about 20 are numbered."""
    places = range(0, len(found.splits), -(-len(found.splits) // 20))
    ax.set_xticks(places, [str(found.splits[place]) for place in places])
    ax.set(xlim=(-0.6, len(found.splits) - 0.4), xlabel="split")
    ax.tick_params(axis="x", length=0)
