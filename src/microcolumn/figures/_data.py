"""Figure 1: the data (the paper's figure 1; docs/method.md, section 7)."""

from __future__ import annotations

import numpy as np

from ..formatting import counted
from ..plot import _recorded as recorded, raster
from ..plot._laminar import has_depths, laminar, order_text
from ..study import Condition, DataResult, Results
from ..survey import pairwise_correlations
from ..units import Units
from ..words import Words
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import of_condition
from ._correlograms import COUNTED, about_peak


@of_condition()
def data(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 1: the units on the probe, two seconds of words, correlations, and the bin width.

    The data are the same for all windows.
    """
    name, experiment = condition.recording, condition.experiment.name
    shown = results.data(name, experiment=experiment)
    words = results.all_words(name, experiment=experiment)
    with captioned("1", f"The data of {results.label(name)}", (PAGE, 4.6)) as figure:
        panels = figure.subplot_mosaic("aabbbbbb;ccccdddd", height_ratios=(1.2, 1.0))
        if has_depths(shown.units):
            recorded.probe(shown.units, ax=panels["a"])
        else:
            recorded.draw_rates(panels["a"], shown.units, shown.rates_hz)
        raster(words, shown.start_s, shown.stop_s, ax=panels["b"])
        recorded.correlations(words, ax=panels["c"])
        recorded.correlogram(shown.suggestion, bin_width=shown.bin_width, ax=panels["d"])
        for panel, ax in panels.items():
            letter(ax, panel)
        figure.caption = _caption(shown, words, by_layer=len(panels["c"].containers) > 1)
    return figure


def _caption(shown: DataResult, words: Words, by_layer: bool) -> str:
    width = f"{shown.bin_width * 1e3:g} ms"
    units = counted(words.n_units, "unit")
    if words.n_units < shown.n_recorded:
        units = f"the {words.n_units} most active of {shown.n_recorded} units"
    return (
        f"{units[0].upper()}{units[1:]}, {shown.n_bins:,} bins of {width}. "
        f"{_first_panel(shown.units)} "
        f"(b) Words of {width} bins in the {shown.stop_s - shown.start_s:.3g} s with the most "
        f"spikes, from {shown.start_s:.1f} s on: black where a unit spikes at least once, "
        f"units {order_text(shown.units)}. {_correlations_panel(words, by_layer)} "
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
    if recorded.layer_spans(units):
        text += " Borders of layers are drawn midway between the neighbouring units of two layers."
    elif laminar(units).layers:
        text += " Layers are not drawn, since they overlap in depth."
    return text


def _correlations_panel(words: Words, by_layer: bool) -> str:
    values = pairwise_correlations(words)[np.triu_indices(words.n_units, 1)]
    known = values[~np.isnan(values)]
    if not known.size:
        return "(c) Correlations of pairs of units: there are none."
    text = (
        f"(c) Correlations of the bits of {counted(known.size, 'pair')} of units over all bins; "
        f"dashed, their mean, {known.mean():.3f}."
    )
    if known.size < values.size:
        left_out = counted(values.size - known.size, "pair")
        text += f" {left_out} with a unit that never or always fires are left out."
    if by_layer:
        text += " Pairs within a layer and between layers are shown separately."
    return text
