"""The correlogram that a bin width rests on (the paper's figure 1e)."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ..survey.bin_width import DEAD_TIME, BinWidth
from ..plot.style import RC

_COUNTS, _PEAK, _CHANCE, _DEAD = "#56B4E9", "#0072B2", "#999999", "#E69F00"
#: ms. Lags whose counts the width is not read from, since sorters miss or repeat spikes there.
_DEAD_TIME_MS = 1e3 * DEAD_TIME


def correlogram(result: BinWidth) -> Figure:
    """Pooled cross-correlogram, its chance level, and the width of its central peak.

    Parameters
    ----------
    result : BinWidth
        From :func:`microcolumn.suggest_bin_width`.

    Returns
    -------
    matplotlib.figure.Figure
        Ready to be saved; pairs of spikes are drawn relative to chance, whose level is 1. Bins
        within the sorters' dead time, which a cell sorted twice fills with itself, do not stretch
        the axis: where they lie beyond it, the dead time is shaded and the legend says how far.
    """
    with mpl.rc_context(RC):  # type: ignore[arg-type]
        figure = Figure(figsize=(3.4, 2.6), layout="constrained")
        axes = figure.subplots()
        lags_ms = result.lags_s * 1e3
        axes.set(
            title=_title(result),
            xlabel="lag (ms)",
            ylabel="pairs of spikes / chance",
            xlim=(lags_ms[0], lags_ms[-1]),
        )
        if result.chance.any():
            _draw(axes, result, lags_ms)
        else:
            axes.text(0.5, 0.5, "no pairs of units", ha="center", transform=axes.transAxes)
    return figure


def _title(result: BinWidth) -> str:
    suggestion = f"Suggested bins: {result.width_s * 1e3:g} ms"
    return suggestion + (" (no central peak)" if np.isnan(result.peak_width_s) else "")


def _draw(axes: Axes, result: BinWidth, lags_ms: NDArray[np.float64]) -> None:
    """Counts, their running mean, chance, and the peak if there is one, relative to chance."""
    step_ms = lags_ms[1] - lags_ms[0]
    level = result.chance[result.chance.size // 2]
    with np.errstate(invalid="ignore"):  # Lags that no epoch is long enough for are not drawn.
        counts, smoothed = result.counts / result.chance, result.smoothed / result.chance
    axes.plot(lags_ms, counts, color=_COUNTS, linewidth=0.6, label=f"{step_ms:.3g} ms bins")
    axes.plot(lags_ms, smoothed, color=_PEAK, linewidth=1.2, label="running mean")
    axes.axhline(1.0, color=_CHANCE, linewidth=0.8, label="chance")
    _leave_dead_time_out(axes, lags_ms, counts, smoothed)
    if not np.isnan(result.peak_width_s):
        half_ms = result.peak_width_s / 2 * 1e3
        half_height = (result.baseline + result.height / 2) / level
        for place in (-half_ms, half_ms):
            axes.axvline(place, color="black", linewidth=0.8, linestyle="--")
        axes.annotate(
            f"{result.peak_width_s * 1e3:.1f} ± {result.peak_stderr_s * 1e3:.1f} ms",
            (half_ms, half_height),
            xytext=(6, 2),
            textcoords="offset points",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1},
        )
    columns = 2 if axes.patches else 3
    axes.figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=7)


def _leave_dead_time_out(
    axes: Axes,
    lags_ms: NDArray[np.float64],
    counts: NDArray[np.float64],
    smoothed: NDArray[np.float64],
) -> None:
    """End the axis above the running mean and all other bins if those of the dead time are higher.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        With the curves.
    lags_ms, counts, smoothed : ndarray of float64, shape (n_lags,)
        Bin centres in ms, and the curves relative to chance.
    """
    half_bin = (lags_ms[1] - lags_ms[0]) / 2
    is_dead = np.abs(lags_ms) + half_bin < _DEAD_TIME_MS + 1e-6
    others = np.concatenate(([1.0], smoothed, counts[~is_dead]))
    lowest, top = np.nanmin(others), 1.1 * np.nanmax(others)
    highest = np.max(counts[is_dead], initial=0.0)
    if highest > top:
        axes.set_ylim(lowest - 0.05 * (top - lowest), top)
        label = f"dead time of sorters, up to {highest:.3g}"
        axes.axvspan(-_DEAD_TIME_MS, _DEAD_TIME_MS, color=_DEAD, alpha=0.3, lw=0, label=label)
