"""How well single units are predicted: gain, traces, calibration, ROC (the paper's figure 6b-c)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import NDArray
from scipy.special import expit

from ..evaluate import Calibration, Prediction, PredictionResult, Roc
from .style import (
    DATA_COLOUR,
    LEGEND,
    LEGEND_RIGHT,
    MODEL_COLOURS,
    Look,
    axes_or_new,
    leave_rounding_small,
    literal,
    looks,
)

Found = TypeVar("Found")

_CHANCE = MODEL_COLOURS["Independent"]


def gain(
    predictions: Iterable[PredictionResult] | Mapping[str, PredictionResult],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Conditional gain of each unit over its firing rate, against that rate.

    Bits/s against Hz on a logarithmic axis; units without a training spike are not drawn. Error
    bars are standard errors over splits; one split has none.

    Parameters
    ----------
    predictions : iterable of PredictionResult, or mapping of str to PredictionResult
        One for each model; a mapping names them.
    """
    if not isinstance(predictions, Mapping):
        predictions = {each.model.name: each for each in predictions}
    drawn = _drawn(predictions)
    ax = axes_or_new(ax)
    ax.axhline(0.0, color=_CHANCE, linewidth=0.8, zorder=0)
    for name, result, look in drawn:
        units = [unit for unit in result.units if unit.rate_hz > 0.0]
        values = [(unit.rate_hz, unit.gain_bits_per_second, unit.stderr) for unit in units]
        style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": ""}
        style |= {"markersize": 3.5, "markerfacecolor": "none", "markeredgewidth": 0.9}
        style |= {"label": literal(name), "elinewidth": 0.7}
        ax.errorbar(*np.array(values).reshape(-1, 3).T, **style)
    ax.set_xscale("log")
    ax.set(xlabel="firing rate (Hz)", ylabel="gain (bits/s)")
    _plain_ticks(ax)
    leave_rounding_small(ax)
    ax.legend(loc="best", **LEGEND)
    return ax


def prediction(
    prediction: Prediction | Mapping[str, Prediction],
    unit: int,
    *,
    start_s: float | None = None,
    stop_s: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Predicted probability of a spike of one unit over time, with the observed spikes.

    A stepped line per model, interrupted where the recording is; the dashed line is the training
    rate. Bins with a spike are ticks above.

    Parameters
    ----------
    prediction : Prediction or mapping of str to Prediction
        From :func:`~microcolumn.predict`; of several models, by name, on the same words.
    unit : int
        Position of the unit among the recorded units.
    start_s, stop_s : float, optional
        What to show, seconds. By default the second without a gap that has most spikes.
    """
    drawn = _drawn(prediction if isinstance(prediction, Mapping) else {"": prediction})
    first = drawn[0][1]
    if start_s is None and stop_s is None:
        start_s, stop_s = busiest_stretch_of_unit(first, unit)
    start = -np.inf if start_s is None else start_s
    stop = np.inf if stop_s is None else stop_s
    ax = axes_or_new(ax, (7.0, 1.8))
    for name, each, look in drawn:
        # Lines below others can be seen.
        line = {"color": look.colour, "linestyle": look.dash, "linewidth": 1.2, "alpha": 0.8}
        label = literal(name) or "prediction"
        _draw_trace(ax, each.stretch(start, stop), unit, line | {"label": label})
    shown = first.stretch(start, stop)
    column = _column(shown, unit)
    if shown.rate_log_odds is not None:
        rate = float(expit(shown.rate_log_odds[column]))
        ax.axhline(rate, color=_CHANCE, linestyle="--", linewidth=0.9, label="firing rate")
    spikes = shown.times_s[shown.spikes[:, column] == 1] + shown.bin_width / 2
    [ticks] = ax.plot(spikes, np.full(spikes.size, 1.05), "|", color=DATA_COLOUR, label="spikes")
    ticks.set(markersize=7, transform=ax.get_xaxis_transform(), clip_on=False)
    ax.set_xlim(shown.times_s[0], shown.times_s[-1] + shown.bin_width)
    ax.set_ylim(bottom=0.0)
    ax.set(xlabel="time (s)", ylabel="P(spike)")
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.legend(**LEGEND_RIGHT)
    return ax


def busiest_stretch_of_unit(prediction: Prediction, unit: int) -> tuple[float, float]:
    """Start and stop of the second without a gap in which a unit has most spikes, seconds.

    The longest stretch if none lasts a second; the first of equal ones.
    """
    spikes = prediction.spikes[:, _column(prediction, unit)].astype(np.int64)
    run = _runs(prediction)
    longest = int(np.bincount(run).max())
    n = min(max(1, round(1.0 / prediction.bin_width)), longest)
    total = np.concatenate(([0], np.cumsum(spikes)))
    counts = total[n:] - total[:-n]
    counts[run[n - 1 :] != run[: run.size - n + 1]] = -1  # across a gap
    first = int(np.argmax(counts))
    start = float(prediction.times_s[first])
    return start, start + n * prediction.bin_width


def calibration(found: Calibration | Mapping[str, Calibration], *, ax: Axes | None = None) -> Axes:
    """Observed frequency of spikes against their predicted probability.

    A point per group of similar predictions. Bars around the diagonal are 5 % and 95 % bounds of
    counting noise: nine of ten points of a calibrated prediction lie within.

    Parameters
    ----------
    found : Calibration or mapping of str to Calibration
        From :func:`~microcolumn.calibration`; of several models, by name.
    """
    drawn = _drawn(found if isinstance(found, Mapping) else {"": found})
    ax = axes_or_new(ax, (3.2, 3.2))
    largest = max(max(each.predicted.max(), each.observed.max()) for _, each, _ in drawn)
    ax.plot([0.0, largest], [0.0, largest], color=_CHANCE, linewidth=0.8, zorder=0)
    for name, each, (colour, marker, *_) in drawn:
        ax.vlines(each.predicted, each.lower, each.upper, color=colour, alpha=0.35, linewidth=2.5)
        label = f"{literal(name)} (error {each.error:.2g})".strip()
        ax.plot(each.predicted, each.observed, marker, color=colour, markersize=3.5, label=label)
    ax.set(xlabel="predicted P(spike)", ylabel="observed frequency")
    ax.legend(loc="upper left", **LEGEND)
    return ax


def roc(found: Roc | Mapping[str, Roc], *, ax: Axes | None = None) -> Axes:
    """Receiver operating characteristic: bins with a spike found against false alarms.

    The diagonal is chance. Units that spike in no bin or in all have no curve; the legend says so.

    Parameters
    ----------
    found : Roc or mapping of str to Roc
        From :func:`~microcolumn.roc`; of several models, by name.
    """
    drawn = _drawn(found if isinstance(found, Mapping) else {"": found})
    ax = axes_or_new(ax, (3.2, 3.2))
    ax.plot([0.0, 1.0], [0.0, 1.0], color=_CHANCE, linewidth=0.8, zorder=0)
    for name, each, (colour, _, dash, *_) in drawn:
        label = f"{literal(name)} ({each.note or f'area {each.area:.3f}'})".strip()
        ax.plot(each.false_positive, each.true_positive, color=colour, linestyle=dash, label=label)
    ax.set(xlabel="false alarms", ylabel="spikes found", xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    ax.set_aspect("equal")
    ax.legend(loc="lower right", **LEGEND)
    return ax


def _drawn(named: Mapping[str, Found]) -> list[tuple[str, Found, Look]]:
    """Name, content and look of each; black without a name."""
    if not named:
        raise ValueError("there is no prediction to draw; pass at least one")
    styles = looks(named)
    if "" in styles:
        styles[""] = styles[""]._replace(colour=DATA_COLOUR)
    return [(name, each, styles[name]) for name, each in named.items()]


def _draw_trace(ax: Axes, shown: Prediction, unit: int, line: dict[str, Any]) -> None:
    """Steps over the bins of each run; the first has the label."""
    probability, times = shown.probability[:, _column(shown, unit)], shown.times_s
    run = _runs(shown)
    for k in range(run[-1] + 1):
        edges = np.append(times[run == k], times[run == k][-1] + shown.bin_width)
        ax.stairs(probability[run == k], edges, baseline=None, **line)
        line["label"] = None


def _runs(prediction: Prediction) -> NDArray[np.int64]:
    """The run of adjacent bins that each bin belongs to, numbered from 0, shape (n_bins,)."""
    begins = np.zeros(prediction.n_bins, dtype=np.int64)
    begins[prediction.epoch_starts] = 1
    begins[1:] |= np.diff(prediction.bins) != 1
    begins[0] = 0
    return np.cumsum(begins)


def _column(prediction: Prediction, unit: int) -> int:
    if unit not in prediction.positions:
        known = ", ".join(map(str, prediction.positions))
        raise ValueError(f"unit {unit} was not predicted; pick one of {known}")
    return prediction.positions.index(unit)


def _plain_ticks(ax: Axes) -> None:
    """Label rates with plain numbers, more of them on an axis of few decades."""
    low, high = ax.get_xlim()
    decades = np.log10(high / low)
    subs = [1.0, 2.0, 5.0] if decades < 2.0 else [1.0]
    if decades < 1.0:
        subs += [1.5, 3.0, 4.0, 7.0]
    ax.xaxis.set_major_locator(LogLocator(subs=subs))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
