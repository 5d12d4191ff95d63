"""How well single units are predicted: traces, calibration, ROC (the paper's figure 6c)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike
from scipy.special import expit

from ..errors import BadArgument, BadInput
from ..evaluate import (
    Calibration,
    Prediction,
    calibration as calibration_of,
    predict,
)
from ..models import WordsEstimator
from ..timeline import busiest_bins, run_starts
from ..validation import whole_number
from ..words import Words
from ._inputs import asked_stretch, check_given, documented, entitle, measured
from .style import (
    DATA_COLOUR,
    LEGEND,
    LEGEND_RIGHT,
    MODEL_COLOURS,
    Colour,
    axes_or_new,
    literal,
    looks,
)

_CHANCE = MODEL_COLOURS["Independent"]
#: The time drawn unless it is asked for.
_SECONDS = 1.0
#: An error of calibration below this is rounding.
_ROUNDING = 1e-9


@documented("model, words, unit=0")
def prediction(
    models: WordsEstimator | Prediction | Sequence[Any] | Mapping[str, Any],
    words: Words | ArrayLike | None = None,
    unit: int | str | None = None,
    *,
    given: Literal["rest", "past"] = "rest",
    start_s: float | None = None,
    stop_s: float | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Predicted probability of a spike of one unit over time, with the observed spikes.

    A stepped line per model, interrupted where the recording is; the dashed line is the training
    rate. Bins with a spike are ticks above.

    Parameters
    ----------
    models : fitted model or Prediction, or sequence or mapping of them
        Fitted models and their names; or, without ``words``, what
        :func:`~microcolumn.evaluate.predict` returns on the same words.
    unit : int or str
        Position of the unit among the recorded units, or its id.
    start_s, stop_s : float, optional
        What to show, seconds; from one of them on, a second. By default the second without a gap
        in which the unit has most spikes.
    """
    check_given(words, given)
    at = _check_unit(words, unit)
    asked = asked_stretch(start_s, stop_s, _SECONDS)
    made_by = "mc.evaluate.predict(model, words)"
    predictions = measured(
        models, words, Prediction, made_by, lambda m, x: predict(m, x, given=given, positions=[at])
    )
    first = next(iter(predictions.values()))
    start, stop = busiest_stretch_of_unit(first, at) if asked is None else asked
    shown = {name: each.stretch(start, stop) for name, each in predictions.items()}
    styles = looks(list(predictions), color, models)
    ax = axes_or_new(ax, (7.0, 1.8))
    for name, each in shown.items():  # lines below others can be seen
        line = {"color": styles[name].colour, "linestyle": styles[name].dash}
        line |= {"linewidth": 1.1, "alpha": 0.75, "label": literal(name) or "prediction"}
        _draw_trace(ax, each, at, line)
    _draw_spikes(ax, next(iter(shown.values())), at)
    ax.set_ylim(0.0, 1.08 * max(ax.dataLim.y1, 1e-3))
    ax.set(xlabel="time (s)", ylabel="P(spike)")
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.legend(**LEGEND_RIGHT)
    return entitle(ax, title, pad=14)  # above the spikes


def busiest_stretch_of_unit(prediction: Prediction, unit: int) -> tuple[float, float]:
    """Start and stop of the second without a gap in which a unit has most spikes, seconds.

    The longest stretch if none lasts a second; the first of equal ones.
    """
    spikes = prediction.spikes[:, prediction.column(unit)].astype(np.int64)
    n_bins = max(1, round(_SECONDS / prediction.bin_width))
    runs = run_starts(prediction.bins, prediction.epoch_starts)
    first, stop = busiest_bins(spikes, runs, n_bins, shorter=False)
    start = float(prediction.times_s[first])
    return start, start + (stop - first) * prediction.bin_width


@documented("model, words")
def calibration(
    models: WordsEstimator | Calibration | Sequence[Any] | Mapping[str, Any],
    words: Words | ArrayLike | None = None,
    unit: int | str | None = None,
    *,
    given: Literal["rest", "past"] = "rest",
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Observed frequency of spikes against their predicted probability.

    A point per group of similar predictions. Bars around the diagonal are 5 % and 95 % bounds of
    counting noise: nine of ten points of a calibrated prediction lie within.

    Parameters
    ----------
    models : fitted model or Calibration, or sequence or mapping of them
        Fitted models and their names; or, without ``words``, what
        :func:`~microcolumn.evaluate.calibration` returns.
    unit : int or str, optional
        Position of the unit among the recorded units, or its id; by default all units are pooled.
        With ``words`` only.
    """
    check_given(words, given, unit=unit)
    at = None if unit is None else _check_unit(words, unit)
    made_by = "mc.evaluate.calibration(mc.evaluate.predict(model, words))"
    calibrations = measured(
        models,
        words,
        Calibration,
        made_by,
        lambda m, x: calibration_of(predict(m, x, given=given), at),
    )
    styles = looks(list(calibrations), color, models)
    ax = axes_or_new(ax, (3.2, 3.2))
    largest = max(max(each.predicted.max(), each.observed.max()) for each in calibrations.values())
    ax.plot([0.0, largest], [0.0, largest], color=_CHANCE, linewidth=0.8, zorder=0)
    for name, look in styles.items():
        each, colour = calibrations[name], look.colour
        ax.vlines(each.predicted, each.lower, each.upper, color=colour, alpha=0.35, linewidth=2.5)
        error = each.error if each.error > _ROUNDING else 0.0
        label = f"{literal(name)} (error {error:.2g})".strip()
        [dots] = ax.plot(each.predicted, each.observed, look.marker, color=colour, label=label)
        dots.set_markersize(3.5)
    ax.set(xlabel="predicted P(spike)", ylabel="observed frequency")
    ax.legend(loc="upper left", **LEGEND)
    return entitle(ax, title)


def _check_unit(words: Any, unit: int | str | None) -> int:
    """The position of the unit, which must be named; a number in place of words is one."""
    if unit is None:
        which = words if isinstance(words, int | str) else 0
        raise BadInput("no unit is named", f"pass the id or position of one: unit={which!r}")
    if isinstance(unit, str):
        ids = words.units.ids if isinstance(words, Words) else ()
        if unit not in ids:
            remedy = f"choose one of {', '.join(ids[:10])}" if ids else "pass words that have ids"
            raise BadArgument("unit", f"is {unit!r}", remedy)
        return ids.index(unit)
    position = whole_number("unit", unit)
    if isinstance(words, Words) and not 0 <= position < words.n_units:
        raise BadArgument("unit", f"is {unit}", f"the words have units 0 to {words.n_units - 1}")
    return position


def _draw_spikes(ax: Axes, result: Prediction, unit: int) -> None:
    """Observed spikes as ticks above the axes, and the training rate, if it is known."""
    column = result.column(unit)
    if result.rate_log_odds is not None:
        rate = float(expit(result.rate_log_odds[column]))
        ax.axhline(rate, color=_CHANCE, linestyle="--", linewidth=0.9, label="firing rate")
    spikes = result.times_s[result.spikes[:, column] == 1] + result.bin_width / 2
    above = ax.get_xaxis_transform() + ScaledTranslation(0.0, 6 / 72, ax.figure.dpi_scale_trans)
    [ticks] = ax.plot(spikes, np.ones(spikes.size), "|", color=DATA_COLOUR, transform=above)
    ticks.set(markersize=7, clip_on=False, label="spikes")
    ax.set_xlim(result.times_s[0], result.times_s[-1] + result.bin_width)


def _draw_trace(ax: Axes, result: Prediction, unit: int, line: dict[str, Any]) -> None:
    """Steps over the bins of each run; the first has the label."""
    probability, times = result.probability[:, result.column(unit)], result.times_s
    for bins in np.split(np.arange(times.size), run_starts(result.bins, result.epoch_starts)[1:]):
        edges = np.append(times[bins], times[bins][-1] + result.bin_width)
        ax.stairs(probability[bins], edges, baseline=None, **line)
        line["label"] = None
