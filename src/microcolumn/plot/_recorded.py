"""The recording: where units are, how they are correlated, and over which lags."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from ..formatting import counted
from ..recording import Recording
from ..survey import BinWidth, pairwise_correlations, suggest_bin_width
from ..survey._bin_width import DEAD_TIME
from ..units import Units, downwards
from ..validation import Floats
from ..words import Words, checked_bin_width
from ._colours import Colour, OneColour, by_name, one_colour
from ._inputs import entitle, expect
from ._laminar import (
    HasUnits,
    has_depths,
    laminar,
    layer_name,
    mark_layers,
    shank_size,
    table_of,
)
from ._tips import tip
from .style import DATA_COLOUR, LEGEND, axes_or_new

#: Okabe & Ito's palette: counts, their running mean, the chance level, the dead time.
_COUNTS, _PEAK, _CHANCE, _DEAD = "#A8D8F2", "#0072B2", "#999999", "#E69F00"
#: Firing rates, and pairs of units in one layer, in two, and of unknown or no layers.
RATE_COLOUR = "0.4"
_PAIRS = {
    "between layers": "#777777",
    "within a layer": "#D55E00",
    "layer unknown": "#56B4E9",
    "pairs": "#0072B2",
}
#: Shades of neighbouring layers, and of the probe.
_LAYER_SHADES, _SHANK = ("#F4F4F4", "#E4E4E4"), "#C8C8C8"
#: ms. Shorter lags do not count for the width, since sorters miss or repeat spikes there.
_DEAD_TIME_MS = 1e3 * DEAD_TIME


def depth_label(depth_reference: str) -> str:
    """Label of an axis of depths."""
    return {
        "surface": "depth below the surface (µm)",
        "tip": "height above the tip (µm)",
        "layer IV": "depth below the centre of layer IV (µm)",
        "unstated": "depth as in the file (µm)",
    }[depth_reference]


def probe(
    units: HasUnits,
    *,
    title: str | None = None,
    color: OneColour | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The probe with the units at their depths and the layers shaded, superficial at the top.

    Parameters
    ----------
    units : Units, Recording or Words
        Without depths they are drawn by layer or in their order, a row each. Borders of layers lie
        midway between the neighbouring units of two layers; none is drawn if layers overlap.
    title : str, optional
        Of the axes.
    color : colour, optional
        Of the units; black by default.
    """
    units, colour = table_of(units), one_colour(color, DATA_COLOUR)
    ax = axes_or_new(ax, shank_size(units))
    places, heights = draw_shank(ax, units)
    for kind, name, marker, face in (
        (~units.multiunit, "single unit", "o", colour),
        (units.multiunit, "multiunit", "s", "white"),
    ):
        shown = kind & ~np.isnan(heights)
        n_shown = int(shown.sum())
        if n_shown:
            label = counted(n_shown, name)
            [dots] = ax.plot(places[shown], heights[shown], marker, color=colour, label=label)
            size = float(np.clip(30.0 / math.sqrt(len(units)), 1.3, 3.0))  # many stay dots
            dots.set(markerfacecolor=face, markersize=size, markeredgewidth=0.23 * size)
            tip(dots, _told(units, np.flatnonzero(shown)))
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.01), handletextpad=0.1, **LEGEND)
    return entitle(ax, title)


def _told(units: Units, rows: NDArray[np.int64]) -> dict[str, Any]:
    """What is known of some units, by name."""
    told: dict[str, Any] = {"unit": [units.ids[n] for n in rows]}
    if units.layer is not None:
        told["layer"] = [units.layer[n] for n in rows]
    if units.depth_um is not None:
        told["depth (µm)"] = np.asarray(units.depth_um)[rows]
    return told


def draw_shank(ax: Axes, units: Units) -> tuple[Floats, Floats]:
    """Draw the probe and the layers; where units lie on it, x and y, shape (n_units,) each.

    A unit whose depth is not known among others that have one lies at NaN.
    """
    found = laminar(units)
    if has_depths(units):
        heights = np.asarray(units.depth_um)
        _depth_axis(ax, heights, str(units.depth_reference))
        _shade_layers(ax, units)
    else:
        heights = np.argsort(found.order).astype(np.float64)
        ax.set_ylim(len(units) - 0.5, -0.5)
        mark_layers(ax, found)
        ax.set_ylabel(
            "units by layer, depths unknown" if found.layers else "units, in the order of the file"
        )
    places = _side_by_side(heights)
    shank = float(np.nanmax(np.abs(places))) + 0.15
    ax.axvspan(-shank, shank, color=_SHANK, linewidth=0)
    ax.set(xlim=(-max(0.6, shank + 0.1), max(0.6, shank + 0.1)), xticks=[])
    ax.spines["bottom"].set_visible(False)
    return places, heights


def rates(
    recording: Recording,
    *,
    title: str | None = None,
    color: OneColour | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Firing rate of each unit within the epochs, in the rows that a raster has.

    Parameters
    ----------
    recording : Recording
        Its units are drawn from superficial to deep.
    title : str, optional
        Of the axes.
    color : colour, optional
        Of the bars; grey by default.
    """
    remedy = "one recording, such as mc.read(path)"
    if isinstance(recording, Words):
        remedy = "the recording, since words do not tell several spikes in a bin from one"
    expect("recording", recording, Recording, remedy)
    colour = one_colour(color, RATE_COLOUR)
    ax = axes_or_new(ax, (1.7, 2.6))
    return entitle(draw_rates(ax, recording.units, recording.rates_hz, colour), title)


def draw_rates(ax: Axes, units: Units, rates_hz: Floats, color: Any = RATE_COLOUR) -> Axes:
    """Draw rates of units as :func:`rates` does."""
    found = laminar(units)
    edges = np.arange(len(units))[:, None] + np.array([-0.5, 0.5])
    hz = np.repeat(rates_hz[found.order], 2)
    ax.fill_betweenx(edges.ravel(), hz, color=color, linewidth=0)
    ax.set(ylim=(len(units) - 0.5, -0.5), xlim=(0.0, None), xlabel="rate (Hz)")
    mark_layers(ax, found)
    return ax


def correlations(
    words: Words,
    *,
    title: str | None = None,
    color: Colour | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Histogram of the correlations of all pairs of units, with the mean of each kind of pairs.

    Parameters
    ----------
    words : Words
        Of single bins. Pairs within a layer and between layers are apart if there are both; pairs
        with a unit that never or always fires have no correlation.
    title : str, optional
        Of the axes.
    color : colour or mapping, optional
        Of all pairs, or by kind: ``{"within a layer": "red"}``.
    """
    expect("words", words, Words, "the words of single bins, such as recording.bin(0.020)")
    if words.window > 1:
        raise ValueError(f"these words span {words.window} bins; pass words of single bins")
    kinds = correlations_by_layer(words)
    colours = by_name(list(kinds), [_PAIRS[name] for name in kinds], color)
    ax = axes_or_new(ax)
    ax.set(xlabel="correlation of two units", ylabel="pairs of units")
    if not kinds:
        _say_no_pairs(ax)
        return entitle(ax, title)
    values = np.concatenate(list(kinds.values()))
    automatic = np.histogram_bin_edges(values, bins="fd").size - 1  # Freedman-Diaconis rule
    edges = np.histogram_bin_edges(values, bins=int(np.clip(automatic, 20, 60)))
    tallest = 0
    for name, each in kinds.items():
        mean = float(each.mean())
        label = f"{name} ({each.size:,}), mean {mean:.3f}".replace("-", "\N{MINUS SIGN}")
        shown: dict[str, Any] = {"color": colours[name], "alpha": 0.55, "label": label}
        counts = np.histogram(each, edges)[0]
        ax.stairs(counts, edges, fill=True, **shown)
        tallest = max(tallest, int(counts.max()))
        ax.axvline(mean, color=colours[name], linestyle="--", linewidth=1.2)
    if tallest > 1000:  # so that the tail can be seen
        ax.set_yscale("log")
    else:
        ax.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10), integer=True))
    ax.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=(1, 2, 5, 10)))
    _legend_below(ax, 1)
    return entitle(ax, title)


def correlations_by_layer(words: Words) -> dict[str, Floats]:
    """Correlations of pairs of units by kind: between layers and within one, or all alike."""
    first, second = np.triu_indices(words.n_units, 1)
    values = pairwise_correlations(words)[first, second]
    known = ~np.isnan(values)
    labels = np.array(words.units.layer or [""] * words.n_units)
    first, second, values = labels[first[known]], labels[second[known]], values[known]
    layered = (first != "") & (second != "")
    within, between = layered & (first == second), layered & (first != second)
    kinds = {"pairs": np.ones(values.size, dtype=bool)}
    if within.any() and between.any():
        kinds = {"between layers": between, "within a layer": within, "layer unknown": ~layered}
    return {name: values[chosen] for name, chosen in kinds.items() if chosen.any()}


def correlogram(
    result: BinWidth | Recording,
    *,
    bin_width: float | None = None,
    title: str | None = None,
    color: OneColour | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Pooled cross-correlogram, its chance level, and the width of its central peak.

    Pairs of spikes are drawn relative to chance, whose level is 1. Bins within the sorters' dead
    time, which a neuron sorted twice fills with itself, do not determine the axis: if they exceed
    it, the dead time is shaded and the legend states their height.

    Parameters
    ----------
    result : BinWidth or Recording
        From :func:`microcolumn.suggest_bin_width`, or the recording for which to find it.
    bin_width : float, optional
        Bin width in use, seconds: dashed lines are drawn at plus and minus it, as in the paper's
        figure 1e; by default, at the peak's half height.
    title : str, optional
        Of the axes.
    color : colour, optional
        Of the running mean; blue by default.
    """
    width = None if bin_width is None else checked_bin_width(bin_width)
    colour = one_colour(color, _PEAK)
    result = bin_width_of(result)
    ax = axes_or_new(ax)
    lags_ms = result.lags_s * 1e3
    ax.set(xlabel="lag (ms)", ylabel="pairs of spikes / chance", xlim=(lags_ms[0], lags_ms[-1]))
    if not result.chance.any():
        _say_no_pairs(ax)
        return entitle(ax, title)
    with np.errstate(invalid="ignore"):  # lags longer than all epochs are not drawn
        counts, smoothed = result.counts / result.chance, result.smoothed / result.chance
    step = lags_ms[1] - lags_ms[0]
    edges = np.append(lags_ms - step / 2, lags_ms[-1] + step / 2)
    shown: dict[str, Any] = {"color": _COUNTS, "label": f"{step:.3g} ms bins"}
    ax.stairs(counts, edges, baseline=1.0, fill=True, **shown)  # from the level of chance
    ax.plot(lags_ms, smoothed, color=colour, linewidth=1.2, label="running mean")
    ax.axhline(1.0, color=_CHANCE, linewidth=0.8, label="chance")
    _leave_dead_time_out(ax, lags_ms, counts, smoothed)
    dashed_ms = 1e3 * (result.peak_width_s / 2 if width is None else width)
    if not np.isnan(dashed_ms):
        label = None if width is None else f"± bin width, {dashed_ms:g} ms"
        ax.axvline(-dashed_ms, color="black", linewidth=0.8, linestyle="--", label=label)
        ax.axvline(dashed_ms, color="black", linewidth=0.8, linestyle="--")
    if not np.isnan(result.peak_width_s):
        _peak_width(ax, result, dashed_ms)
    _legend_below(ax, 2)
    return entitle(ax, title)


def bin_width_of(given: BinWidth | Recording) -> BinWidth:
    """The correlogram and its peak that were given, or those of a recording."""
    remedy = "a recording, or what suggest_bin_width(recording) returns"
    found = suggest_bin_width(given) if isinstance(given, Recording) else given
    return expect("result", found, BinWidth, remedy)


def _say_no_pairs(ax: Axes) -> None:
    """A sentence in place of what pairs would show, on axes without numbers."""
    ax.text(0.5, 0.5, "no pairs of units", ha="center", size=8, transform=ax.transAxes)
    ax.set(xticks=[], yticks=[])


def _legend_below(ax: Axes, n_columns: int) -> None:
    """Put the legend below the label of the axis; inside, curves could cross it."""
    down = 3.2 * rcParams["font.size"] / 72.0  # height of the axis' numbers and label, inches
    below = ax.transAxes + ScaledTranslation(0.0, -down, ax.figure.dpi_scale_trans)
    place = {"bbox_to_anchor": (0.5, 0.0), "bbox_transform": below}
    ax.legend(loc="upper center", ncols=n_columns, **LEGEND, **place)


def _peak_width(ax: Axes, result: BinWidth, dashed_ms: float) -> None:
    """A bar over the width of the central peak at half its height, with the number."""
    half_ms = result.peak_width_s / 2 * 1e3
    half_height = (result.baseline + result.height / 2) / result.chance[result.chance.size // 2]
    ax.plot([-half_ms, half_ms], [half_height] * 2, color="black", linewidth=1.2)
    width = f"{result.peak_width_s * 1e3:.1f} ± {result.peak_stderr_s * 1e3:.1f} ms"
    place: dict[str, Any] = {
        "xytext": (4, 0),
        "textcoords": "offset points",
        "va": "center",
        "size": 8,
    }
    place["bbox"] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1}
    ax.annotate(width, (max(half_ms, dashed_ms), half_height), **place)


def _leave_dead_time_out(ax: Axes, lags_ms: Floats, counts: Floats, smoothed: Floats) -> None:
    """Let all bins outside the dead time determine the axis if those inside are higher."""
    half_bin = (lags_ms[1] - lags_ms[0]) / 2
    is_dead = np.abs(lags_ms) + half_bin < _DEAD_TIME_MS + 1e-6
    others = np.concatenate(([1.0], smoothed, counts[~is_dead]))
    lowest, top = np.nanmin(others), 1.1 * np.nanmax(others)
    highest = np.max(counts[is_dead], initial=0.0)
    if highest > top:
        ax.set_ylim(lowest - 0.05 * (top - lowest), top)
        label = f"dead time, to {highest:.3g} \N{MULTIPLICATION SIGN} chance"
        ax.axvspan(-_DEAD_TIME_MS, _DEAD_TIME_MS, color=_DEAD, alpha=0.3, lw=0, label=label)


def _depth_axis(ax: Axes, depths: Floats, reference: str) -> None:
    """An axis on which deeper is further down, with some room beyond the outermost units."""
    shallow, deep = np.nanmin(depths), np.nanmax(depths)
    room = 0.06 * (deep - shallow) or 50.0
    limits = (shallow - room, deep + room)
    ax.set_ylim(limits[::-1] if downwards(reference) > 0 else limits)
    ax.set_ylabel(depth_label(reference))


def layer_spans(units: Units) -> dict[str, tuple[float, float]]:
    """Upper and lower limit of each layer, µm, from the top; infinite at both ends.

    A border lies midway between the neighbouring units of two layers. Empty if layers or depths
    are unknown, or if layers overlap in depth.
    """
    if units.depth_um is None or units.layer is None:
        return {}
    down = downwards(str(units.depth_reference))
    labels, below = np.array(units.layer), down * units.depth_um
    spans = {}
    for name, _, _ in laminar(units).layers:
        inside = below[(labels == name) & ~np.isnan(below)]
        if name and inside.size:
            spans[name] = (float(inside.min()), float(inside.max()))
    ends = list(spans.values())
    if not ends or any(upper[1] >= lower[0] for upper, lower in pairwise(ends)):
        return {}
    borders = [(upper[1] + lower[0]) / 2 for upper, lower in pairwise(ends)]
    edges = [down * edge for edge in (-np.inf, *borders, np.inf)]
    return dict(zip(spans, pairwise(edges), strict=True))


def _shade_layers(ax: Axes, units: Units) -> None:
    """A band for each layer, named right of the axes, and lines between them."""
    low, high = sorted(ax.get_ylim())
    right: Any = {"xycoords": ax.get_yaxis_transform(), "annotation_clip": False, "size": 7}
    right |= {"textcoords": "offset points", "va": "center"}
    for place, (name, limits) in enumerate(layer_spans(units).items()):
        upper, lower = np.clip(limits, low, high)
        ax.axhspan(upper, lower, color=_LAYER_SHADES[place % 2], linewidth=0, zorder=0)
        if place:
            ax.axhline(upper, color="black", linewidth=0.8)
        ax.annotate(layer_name(name), (1.0, (upper + lower) / 2), (3.0, 0.0), **right)


def _side_by_side(heights: Floats) -> Floats:
    """Horizontal positions on the probe, such that units of similar height do not overlap."""
    known = np.flatnonzero(~np.isnan(heights))
    least = np.ptp(heights[known]) / 45  # units that are closer would overlap
    columns = np.zeros(heights.size)
    nearest = np.full(known.size, -np.inf)  # of each column, the largest height taken in it
    for unit in known[np.argsort(heights[known], kind="stable")]:
        column = int(np.argmax(heights[unit] - nearest > least))
        nearest[column] = heights[unit]
        # From the middle outwards: 0, 1, -1, 2, -2 and so on.
        columns[unit] = (column + 1) // 2 * (1 if column % 2 else -1)
    columns -= (columns.min() + columns.max()) / 2
    places: Floats = columns * min(0.14, 0.5 / max(float(columns.max()), 1.0))
    return places
