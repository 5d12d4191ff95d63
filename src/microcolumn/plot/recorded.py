"""The recording: how often units fire, how they are correlated, and over which lags."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from ..recording import Recording
from ..survey import BinWidth, pairwise_correlations, suggest_bin_width
from ..survey.bin_width import DEAD_TIME
from ..units import Units
from ..validation import Floats, expect
from ..words import Words, check_single_bins, checked_bin_width
from ._inputs import documented, entitle
from .laminar import laminar, mark_layers
from .style import LEGEND, Colour, OneColour, axes_or_new, by_name, one_colour, signed

#: Okabe & Ito's palette: counts, their running mean, the chance level, the dead time.
_COUNTS, _PEAK, _CHANCE, _DEAD = "#A8D8F2", "#0072B2", "#999999", "#E69F00"
#: Firing rates; pairs of units in two layers, in one, and of unknown ones; all pairs alike.
RATE_COLOUR = "0.4"
_KINDS, _PAIRS = ("#777777", "#D55E00", "#56B4E9"), "#0072B2"
#: ms. Shorter lags do not count for the width, since sorters miss or repeat spikes there.
_DEAD_TIME_MS = 1e3 * DEAD_TIME


@documented("recording")
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
    rows = laminar(units)
    edges = np.arange(len(units))[:, None] + np.array([-0.5, 0.5])
    hz = np.repeat(rates_hz[rows.order], 2)
    ax.fill_betweenx(edges.ravel(), hz, color=color, linewidth=0)
    ax.set(ylim=(len(units) - 0.5, -0.5), xlim=(0.0, None), xlabel="rate (Hz)")
    mark_layers(ax, rows)
    return ax


@documented("words")
def correlations(
    words: Words, *, title: str | None = None, color: Colour | None = None, ax: Axes | None = None
) -> Axes:
    """Histogram of the correlations of all pairs of units, with the mean of each kind of pairs.

    Parameters
    ----------
    words : Words
        Of single bins. Pairs within a layer and between layers are apart if there are both, or
        those of the same and of different labels that units are grouped by; pairs with a unit that
        never or always fires have no correlation.
    color : colour or mapping, optional
        Of all pairs, or by kind: ``{"within a layer": "red"}``, ``{"same cell type": "red"}``.
    """
    expect("words", words, Words, "the words of single bins, such as recording.bin(0.020)")
    check_single_bins(words)
    kinds = correlations_by_layer(words)
    palette = dict(zip(_kinds(words.units), _KINDS, strict=True))
    colours = by_name(list(kinds), [palette.get(name, _PAIRS) for name in kinds], color)
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
        label = signed(f"{name} ({each.size:,}), mean {mean:.3f}")
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
    """Correlations of pairs of units by kind: between labels and within one, or all alike."""
    first, second = np.triu_indices(words.n_units, 1)
    values = pairwise_correlations(words)[first, second]
    known = ~np.isnan(values)
    labels = np.array(words.units.label() or [""] * words.n_units)
    first, second, values = labels[first[known]], labels[second[known]], values[known]
    labelled = (first != "") & (second != "")
    within, between = labelled & (first == second), labelled & (first != second)
    kinds = {"pairs": np.ones(values.size, dtype=bool)}
    if within.any() and between.any():
        kinds = dict(zip(_kinds(words.units), (between, within, ~labelled), strict=True))
    return {name: values[chosen] for name, chosen in kinds.items() if chosen.any()}


def _kinds(units: Units) -> tuple[str, str, str]:
    """Names of pairs with different labels, with the same, and with an unknown one."""
    name = units.label_name
    if name == "layer":
        return "between layers", "within a layer", "layer unknown"
    return f"different {name}", f"same {name}", f"{name} unknown"


@documented("recording")
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
        From :func:`microcolumn.survey.suggest_bin_width`, or the recording for which to find it.
    bin_width : float, optional
        Bin width in use, seconds: dashed lines are drawn at plus and minus it, as in the paper's
        figure 1e; by default, at the peak's half height.
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


def bin_width_of(source: BinWidth | Recording) -> BinWidth:
    """The correlogram and its peak that were given, or those of a recording."""
    remedy = "a recording, or what suggest_bin_width(recording) returns"
    result = suggest_bin_width(source) if isinstance(source, Recording) else source
    return expect("result", result, BinWidth, remedy)


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
    ax.text(max(half_ms, dashed_ms), half_height, f" {width}", va="center", size=8)


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
