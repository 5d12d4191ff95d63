"""Figure 1: the data (the paper's figure 1, METHOD section 7)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..formatting import counted
from ..plot import _recorded as recorded, raster
from ..plot._laminar import has_depths, laminar, order_text
from ..plot._raster import busiest_stretch
from ..recording import Recording
from ..study import Results
from ..study._index import Condition
from ..study._sources import words_of
from ..survey import BinWidth, pairwise_correlations, suggest_bin_width
from ..units import Units
from ..words import Words
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import condition_of
from ._correlograms import COUNTED, about_peak


class _Studied(NamedTuple):
    """What the models of a place saw: its units and its time, as spikes and as words."""

    condition: Condition
    recording: Recording
    words: Words
    n_recorded: int


def data(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    window: int | None = None,
) -> CaptionedFigure:
    """Figure 1: the units on the probe, two seconds of words, correlations, and the bin width.

    The data are the same for all window lengths.
    """
    studied = _studied(results, condition_of(results, recording, experiment, window))
    width = studied.words.bin_width
    stretch = busiest_stretch(studied.recording)
    found = suggest_bin_width(studied.recording)
    with captioned("1", f"The data of {studied.condition.recording}", (PAGE, 4.6)) as figure:
        panels = figure.subplot_mosaic("aabbbbbb;ccccdddd", height_ratios=(1.2, 1.0))
        if has_depths(studied.recording.units):
            recorded.probe(studied.recording.units, ax=panels["a"])
        else:
            recorded.rates(studied.recording, ax=panels["a"])
        raster(studied.recording, *stretch, bin_width=width, ax=panels["b"])
        recorded.correlations(studied.words, ax=panels["c"])
        recorded.correlogram(found, bin_width=width, ax=panels["d"])
        for name, ax in panels.items():
            letter(ax, name)
        by_layer = len(panels["c"].containers) > 1
        figure.caption = _caption(studied, stretch, found, by_layer)
    return figure


def _studied(results: Results, condition: Condition) -> _Studied:
    whole = results.recording(condition.recording)
    words = words_of(whole, condition.experiment)
    chosen = set(words.units.ids)
    used = whole.take([n for n, name in enumerate(whole.units.ids) if name in chosen])
    if condition.experiment.max_words is not None:
        last = words.clock.times_s(words.bins[-1:], words.bin_width)[0] + words.bin_width
        used = used.restrict([[used.epochs.starts[0], last]])
    return _Studied(condition, used, words, whole.n_units)


def _caption(
    studied: _Studied, stretch: tuple[float, float], found: BinWidth, by_layer: bool
) -> str:
    width, (start, stop) = f"{studied.words.bin_width * 1e3:g} ms", stretch
    return " ".join(
        (
            f"The data of {studied.condition.recording}: {_units(studied)}, "
            f"{studied.words.n_bins:,} bins of {width}.",
            _first_panel(studied.recording.units),
            f"(b) Words of {width} bins in the {stop - start:.3g} s with the most spikes, from "
            f"{start:.1f} s on: black where a unit spikes at least once, units "
            f"{order_text(studied.recording.units)}.",
            _correlations_panel(studied.words, by_layer),
            f"(d) {COUNTED}; dashed, plus and minus the bin width of {width}.",
            about_peak(found),
        )
    )


def _units(studied: _Studied) -> str:
    shown = studied.words.n_units
    if shown < studied.n_recorded:
        return f"the {shown} most active of {studied.n_recorded} units"
    return counted(shown, "unit")


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
