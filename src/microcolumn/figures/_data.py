"""Figure 1: the data (the paper's figure 1; docs/method.md, section 7)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..plot import probe, raster, recorded
from ..plot.laminar import drop_names, has_depths, laminar, order_text
from ..plot.shank import layer_spans
from ..plot.style import DATA_COLOUR
from ..plot.time import spikes_by_bin, stretch_s
from ..recording import Recording
from ..study import Condition, DataResult, Results
from ..survey import BinWidth, pairwise_correlations
from ..survey.cross_correlation import lagged_correlations
from ..timeline import typical_bins
from ..units import several_labels
from ..words import Words
from ._presets import is_narrow
from .captioned import COLUMN, PAGE, CaptionedFigure, captioned, letter
from .conditions import caption, of_condition

#: Seconds either way of the correlation of the strongest pair.
_LAG_S = 0.15


@of_condition()
def data(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 1: the units on the probe, seconds of words, correlations, and the bin width.

    The data are the same for all windows.
    """
    name, experiment = condition.recording, condition.experiment.name
    shown = results.data(name, experiment=experiment)
    words, units = results.all_words(name, experiment=experiment), shown.units
    pair = _strongest_pair(words)
    narrow = is_narrow(PAGE)
    size = (PAGE, 7.8 if narrow else 4.8)
    with captioned("1", f"The data of {name}", size) as figure:
        panels = (_panels_in_a_column if narrow else _panels)(figure, has_pair=pair is not None)
        busiest, typical = (shown.start_s, shown.stop_s), _typical_stretch(words, shown)
        if has_depths(units):
            probe(units, ax=panels["a"])
        else:
            recorded.draw_rates(panels["a"], units, shown.rates_hz)
        for panel, stretch, which in (("b", typical, "typical"), ("e", busiest, "busiest")):
            title = f"{which} {stretch[1] - stretch[0]:.3g} s"
            raster(words, *stretch, title=title, ax=panels[panel])
        if not narrow:
            drop_names(panels["e"])
            if not has_depths(units):  # the rates beside it have the same rows
                drop_names(panels["b"])
        recorded.correlations(words, ax=panels["c"])
        if pair:
            _draw_pair(panels["f"], words, pair)
        recorded.correlogram(shown.suggestion, bin_width=shown.bin_width, ax=panels["d"])
        for panel in "abcd":
            letter(panels[panel], panel)
        about: dict[str, Any] = {"depths": has_depths(units), "order": order_text(units)}
        about |= {"spans": layer_spans(units), "layers": laminar(units).layers}
        about["labels"] = several_labels(units.group_by[0])
        about |= {"kinds": recorded.correlations_by_layer(words), "typical": typical}
        about["pair"] = pair and [words.units.ids[unit] for unit in pair]
        figure.caption = caption("data", shown=shown, words=words, **about)
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
    return stretch_s(words, typical_bins(spikes_by_bin(words), words.epoch_starts, n_bins))


def _strongest_pair(words: Words) -> tuple[int, int] | None:
    """Positions of the two most correlated units; None if no two are correlated."""
    table = np.triu(pairwise_correlations(words), 1)
    if not np.nanmax(table, initial=0.0) > 0.0:
        return None
    first, second = np.unravel_index(np.nanargmax(table), table.shape)
    return int(first), int(second)


def _draw_pair(ax: Axes, words: Words, pair: tuple[int, int]) -> None:
    n_lags = max(1, round(_LAG_S / words.bin_width))
    r = lagged_correlations(words, *pair, n_lags)
    edges_ms = 1e3 * words.bin_width * (np.arange(-n_lags, n_lags + 2) - 0.5)
    ax.stairs(r, edges_ms, fill=True, color="0.4")
    ax.axhline(0.0, color=DATA_COLOUR, linewidth=0.6)
    ax.set(xlim=(edges_ms[0], edges_ms[-1]), xticks=[-100, 0, 100])
    ax.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10)))
    ax.set(xlabel="lag (ms)", ylabel="correlation", title="strongest pair")


def correlogram(result: BinWidth | Recording) -> CaptionedFigure:
    """Pooled cross-correlogram with the width of its central peak and the suggestion as title.

    See :func:`microcolumn.plot.correlogram`.

    Parameters
    ----------
    result : BinWidth or Recording
        From :func:`microcolumn.survey.suggest_bin_width`, or the recording for which to find it.

    Examples
    --------
    >>> figure = correlogram(mc.simulate.microcolumn(n_units=6, minutes=1))
    """
    result = recorded.bin_width_of(result)
    with captioned("", "Cross-correlogram and bin width", (COLUMN, 2.6)) as figure:
        axes = recorded.correlogram(result, ax=figure.subplots())
        without_peak = " (no central peak)" if np.isnan(result.peak_width_s) else ""
        axes.set_title(f"Suggested bins: {result.width_s * 1e3:g} ms{without_peak}")
        figure.caption = caption("correlogram", found=result)
    return figure
