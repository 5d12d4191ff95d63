"""Figure 1: the data (the paper's figure 1; docs/method.md, section 7)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..formatting import counted, enumeration
from ..plot import _recorded as recorded
from ..plot._laminar import has_depths, laminar, order_text
from ..plot._probe import layer_spans, probe
from ..plot._raster import raster, stretch_s, typical_bins
from ..plot.style import DATA_COLOUR
from ..study import Condition, DataResult, Results
from ..survey import pairwise_correlations
from ..survey._correlograms import lagged_correlations
from ..units import Units
from ..words import Words
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import of_condition
from ._correlograms import COUNTED, about_peak
from ._stacking import is_narrow

#: Seconds either way of the correlation of the strongest pair.
_LAG_S = 0.15
#: Kinds of pairs as captions have them.
_KINDS = {
    "between layers": "between layers",
    "within a layer": "within a layer",
    "layer unknown": "where a layer is unknown",
    "pairs": "of all",
}


@of_condition()
def data(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 1: the units on the probe, seconds of words, correlations, and the bin width.

    The data are the same for all windows.
    """
    name, experiment = condition.recording, condition.experiment.name
    shown = results.data(name, experiment=experiment)
    words = results.all_words(name, experiment=experiment)
    pair = _strongest_pair(words)
    narrow = is_narrow(PAGE)
    size = (PAGE, 7.8 if narrow else 4.8)
    with captioned("1", f"The data of {results.label(name)}", size) as figure:
        panels = (_panels_in_a_column if narrow else _panels)(figure, has_pair=pair is not None)
        busiest, typical = (shown.start_s, shown.stop_s), _typical_stretch(words, shown)
        if has_depths(shown.units):
            probe(shown.units, ax=panels["a"])
        else:
            recorded.draw_rates(panels["a"], shown.units, shown.rates_hz)
        for panel, stretch, which in (("b", typical, "typical"), ("e", busiest, "busiest")):
            raster(words, *stretch, title=f"{which} {_seconds(stretch)}", ax=panels[panel])
            _count_from_start(panels[panel], stretch)
        if not narrow:
            _share_rows(panels["e"])
            if not has_depths(shown.units):  # the rates beside it have the same rows
                _share_rows(panels["b"])
        recorded.correlations(words, ax=panels["c"])
        if pair:
            _draw_pair(panels["f"], words, pair)
        recorded.correlogram(shown.suggestion, bin_width=shown.bin_width, ax=panels["d"])
        for panel in "abcd":
            letter(panels[panel], panel)
        figure.caption = _caption(shown, words, typical, pair)
    return figure


def _panels(figure: Figure, *, has_pair: bool) -> dict[str, Axes]:
    """Probe and rasters above, correlations and correlograms below; b and e are the rasters."""
    rows = figure.add_gridspec(2, 1, height_ratios=(1.1, 1.0))
    upper: Any = rows[0].subgridspec(1, 3, width_ratios=(0.5, 2.0, 2.0)).subplots()
    widths = (2.0, 0.9, 2.0) if has_pair else (2.0, 2.0)
    lower: Any = rows[1].subgridspec(1, len(widths), width_ratios=widths).subplots()
    return dict(zip("abecfd" if has_pair else "abecd", (*upper, *lower), strict=True))


def _panels_in_a_column(figure: Figure, *, has_pair: bool) -> dict[str, Axes]:
    """The same for one column of a journal, with one raster below the other."""
    rows = figure.add_gridspec(3, 1, height_ratios=(2.1, 1.15, 1.0))
    upper = rows[0].subgridspec(2, 2, width_ratios=(0.3, 1.0))
    places = {"a": upper[:, 0], "b": upper[0, 1], "e": upper[1, 1], "d": rows[2]}
    middle = rows[1].subgridspec(1, 2, width_ratios=(2.0, 1.1))
    places |= {"c": middle[0], "f": middle[1]} if has_pair else {"c": rows[1]}
    return {panel: figure.add_subplot(place) for panel, place in places.items()}


def _typical_stretch(words: Words, shown: DataResult) -> tuple[float, float]:
    """As long as the busiest stretch, with the median number of bins with a spike."""
    n_bins = max(1, round((shown.stop_s - shown.start_s) / words.bin_width))
    return stretch_s(words, typical_bins(words, n_bins))


def _seconds(stretch: tuple[float, float]) -> str:
    return f"{stretch[1] - stretch[0]:.3g} s"


def _count_from_start(ax: Axes, stretch: tuple[float, float]) -> None:
    """Count seconds from where a raster begins, which the label says, in both rasters alike."""
    start, stop = stretch
    seconds = MaxNLocator(nbins=5, steps=(1, 2, 5, 10)).tick_values(0.0, stop - start)
    shown = [each for each in seconds if 0.0 <= each <= 1.001 * (stop - start)]
    ax.set_xticks([min(start + each, stop) for each in shown], [f"{each:g}" for each in shown])
    ax.set_xlabel(f"time from {start:.2f} s (s)")


def _share_rows(ax: Axes) -> None:
    """Drop the names of rows that the panel to the left has."""
    ax.set(yticklabels=[], ylabel="")
    ax.set_yticklabels(["" for _ in ax.get_yticks(minor=True)], minor=True)


def _strongest_pair(words: Words) -> tuple[int, int] | None:
    """Positions of the two most correlated units; None if no two are correlated."""
    table = np.triu(pairwise_correlations(words), 1)
    if not np.nanmax(table, initial=0.0) > 0.0:
        return None
    first, second = np.unravel_index(np.nanargmax(table), table.shape)
    return int(first), int(second)


def _draw_pair(ax: Axes, words: Words, pair: tuple[int, int]) -> None:
    """The correlation of two units against the lag."""
    n_lags = max(1, round(_LAG_S / words.bin_width))
    r = lagged_correlations(words, *pair, n_lags)
    edges_ms = 1e3 * words.bin_width * (np.arange(-n_lags, n_lags + 2) - 0.5)
    ax.stairs(r, edges_ms, fill=True, color="0.4")
    ax.axhline(0.0, color=DATA_COLOUR, linewidth=0.6)
    ax.set(xlim=(edges_ms[0], edges_ms[-1]), xticks=[-100, 0, 100])
    ax.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
    ax.set(xlabel="lag (ms)", ylabel="correlation", title="strongest pair")


def _caption(
    shown: DataResult,
    words: Words,
    typical: tuple[float, float],
    pair: tuple[int, int] | None,
) -> str:
    width = f"{shown.bin_width * 1e3:g} ms"
    units = counted(words.n_units, "unit")
    if words.n_units < shown.n_recorded:
        units = f"the {words.n_units} most active of {shown.n_recorded} units"
    return (
        f"{units[0].upper()}{units[1:]}, {shown.n_bins:,} bins of {width}. "
        f"{_first_panel(shown.units)} "
        f"(b) Words of {width} bins: black where a unit spikes at least once, units "
        f"{order_text(shown.units)}. Typical: the first {_seconds(typical)} with the median number "
        f"of marks, from {typical[0]:.2f} s on. Busiest: the "
        f"{_seconds((shown.start_s, shown.stop_s))} with the most spikes, from "
        f"{shown.start_s:.2f} s on. {_correlations_panel(words, pair)} "
        f"(d) {COUNTED}, over the whole recording; dashed, plus and minus the bin width of "
        f"{width}. "
        f"{about_peak(shown.suggestion)}"
    )


def _first_panel(units: Units) -> str:
    if not has_depths(units):
        return "(a) Firing rates of the units; their depths are not known."
    unknown = int(np.isnan(np.asarray(units.depth_um)).sum())
    missing = f"; the depth of {unknown} more is not known" if unknown else ""
    kinds = "Multiunits" if units.multiunit.all() else "Units"
    mixed = units.multiunit.any() and not units.multiunit.all()
    marks = ", dots single units, squares multiunits" if mixed else ""
    text = f"(a) {kinds} at their depths on the probe{marks}{missing}."
    if len(units) > 1:
        text += " Those of similar depth stand side by side."
    if layer_spans(units):
        text += " Borders of layers are drawn midway between the neighbouring units of two layers."
    elif laminar(units).layers:
        text += " Layers are not drawn, since they overlap in depth."
    return text


def _correlations_panel(words: Words, pair: tuple[int, int] | None) -> str:
    kinds = recorded.correlations_by_layer(words)
    n_known = sum(each.size for each in kinds.values())
    if not kinds:
        return "(c) Correlations of pairs of units: there are none."
    means = enumeration([f"{each.mean():.3f} {_KINDS[name]}" for name, each in kinds.items()])
    text = (
        f"(c) Correlations of the bits of {counted(n_known, 'pair')} of units over all bins; "
        f"dashed, the mean{'s' * (len(kinds) > 1)}: {means}."
    )
    n_pairs = math.comb(words.n_units, 2)
    if n_known < n_pairs:
        left_out = counted(n_pairs - n_known, "pair")
        text += f" {left_out} with a unit that never or always fires are left out."
    if pair:
        first, second = (words.units.ids[unit] for unit in pair)
        text += (
            f" Beside it, the most correlated pair, units {first} and {second}, against the lag."
        )
    return text
