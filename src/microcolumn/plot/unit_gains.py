"""Conditional gain of each unit over its firing rate (the paper's figure 6b)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import ArrayLike

from ..errors import BadArgument
from ..evaluate import PredictionResult, conditional_gain
from ..evaluate.inputs import words_for
from ..models import WordModel
from ..validation import Floats, real_array
from ..words import Words
from ._inputs import check_given, check_order, check_words, documented, entitle, named, named_models
from .laminar import short_ids
from .style import LEGEND, MODEL_COLOURS, Colour, axes_or_new, leave_rounding_small, literal, looks
from .tips import tip

_CHANCE = MODEL_COLOURS["Independent"]
#: Distance of models of one unit, which have the same rate, as a part of the decades drawn.
_APART = 0.012
#: The axis of rates spans at least this factor, so that it has a number, and has this part of its
#: length free at each end.
_NARROWEST, _MARGIN = 3.0, 0.08
#: Size of names of units, points.
_NAME = 5.5
#: More units than this are not named.
MOST_NAMED = 15


#: Rate (Hz), gain and its error (bits/s) of units, by their names.
_Gains = dict[str, tuple[float, float, float]]


@documented("model, words")
def gain(
    models: WordModel | PredictionResult | ArrayLike | Sequence[Any] | Mapping[str, Any],
    words: Words | ArrayLike | None = None,
    *,
    given: Literal["rest", "past"] = "rest",
    rates: ArrayLike | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Conditional gain of each unit over its firing rate, against that rate.

    Bits/s against Hz on a logarithmic axis; units without a training spike are not drawn. The
    models of one unit stand side by side, joined by a grey line; their middle is at its rate. Up
    to 15 units are named.
    Error bars are standard errors over splits; one split, and models on words, have none.

    Parameters
    ----------
    models : fitted model, PredictionResult or array_like, or sequence or mapping of them
        Fitted models and their names; or, without ``words``, what ``results.predictions(...)`` of
        a study returns for each model; or, with ``rates``, what
        :func:`microcolumn.evaluate.conditional_gain` returns: bits/s, shape (n_units,).
    words : Words or array_like, shape (n_words, n_units), optional
        Held-out words; the rates are then those that each model was trained at.
    rates : array_like, shape (n_units,), optional
        Firing rate of each unit, Hz, for gains that are arrays.
    """
    check_given(words, given)
    gains = _gains(models, words, given, rates)
    styles = looks(list(gains), color, models)
    ax = axes_or_new(ax)
    ax.axhline(0.0, color=_CHANCE, linewidth=0.8, zorder=0)
    units = list(dict.fromkeys(unit for each in gains.values() for unit in each))
    rows = [[each.get(unit, (math.nan,) * 3) for unit in units] for each in gains.values()]
    rate, value, stderr = np.array(rows).reshape(len(gains), len(units), 3).transpose(2, 0, 1)
    rate = np.where(rate > 0.0, rate, np.nan)
    # The models of a unit, which have the same rate, stand side by side.
    places = np.arange(len(rate))[:, None] - (len(rate) - 1) / 2
    known = rate[~np.isnan(rate)]
    span = max(2.0, known.max() / known.min()) if known.size else 2.0
    at = rate * span ** (_APART * places)
    ends = [np.column_stack(pair)[~np.isnan(pair[0])] for pair in zip(at.T, value.T, strict=True)]
    joined = LineCollection([end for end in ends if len(end) > 1], colors="0.6", linewidths=0.7)
    ax.add_collection(joined, autolim=False)
    for k, (name, look) in enumerate(styles.items()):
        shown = np.flatnonzero(~np.isnan(at[k]))
        style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": ""}
        style |= {"markersize": 3.5, "label": literal(name), "elinewidth": 0.8}
        points = ax.errorbar(at[k, shown], value[k, shown], stderr[k, shown], **style)
        about = {"unit": [units[n] for n in shown], "model": name, "rate (Hz)": rate[k, shown]}
        about |= {"gain (bits/s)": value[k, shown], "standard error": stderr[k, shown]}
        tip(points, about)
    _name_units(ax, units, rate, value, np.nan_to_num(stderr))
    ax.set(xlabel="firing rate (Hz)", ylabel="gain (bits/s)")
    _rate_axis(ax, at[~np.isnan(at)])
    ax.margins(y=0.08)  # for the names of units
    leave_rounding_small(ax)
    if any(gains):
        ax.legend(loc="best", **LEGEND)
    return entitle(ax, title)


def _gains(models: Any, words: Any, given: Any, rates: Any) -> dict[str, _Gains]:
    if rates is not None:
        if words is not None:
            raise BadArgument("rates", "are for arrays of gains", "models know their own rates")
        return _of_arrays(models, real_array("rates", rates, "pass the rate of each unit in Hz"))
    if words is None:
        return _of_results(models)
    check_order(models)
    by_name = named_models(models, WordModel).items()
    return {name: _on_words(name, model, check_words(words), given) for name, model in by_name}


def _on_words(
    name: str, model: WordModel, words: Words | ArrayLike, given: Literal["rest", "past"]
) -> _Gains:
    """Gains of the newest bin of words by unit, at the rates of the model's training."""
    if not hasattr(model, "rates_"):
        made_by = "mc.evaluate.conditional_gain(model, words, baseline=...)"
        problem = "was never fitted, so it knows no training rates"
        raise BadArgument(name, problem, f"pass what {made_by} returns, and rates=")
    held = words_for(model, words, None)
    gains = conditional_gain(model, held, given=given)
    rates = np.asarray(model.rates_)[-held.n_units :] / held.bin_width
    return _by_unit(held.units.ids, rates, gains)


def _of_arrays(models: Any, rates: Floats) -> dict[str, _Gains]:
    by_name = models if isinstance(models, Mapping) else {"": models}
    gains_of = {}
    for name, each in by_name.items():
        gains = real_array("models", each, "pass the gains of each unit in bits/s")
        if gains.shape != rates.shape or rates.ndim != 1:
            problem = f"have shape {gains.shape} and rates {rates.shape}"
            raise BadArgument("gains", problem, "pass one per unit")
        gains_of[str(name)] = _by_unit([f"{k}" for k in range(rates.size)], rates, gains)
    return gains_of


def _of_results(models: Any) -> dict[str, _Gains]:
    if isinstance(models, np.ndarray):
        raise BadArgument("models", "is an array of gains", "pass rates= too, in Hz for each unit")
    remedy = "fitted models and words, what results.predictions(...) returns, or gains and rates="
    return {
        name: {u.unit: (u.rate_hz, u.gain_bits_per_second, u.stderr) for u in result.units}
        for name, result in named("models", models, PredictionResult, remedy).items()
    }


def _by_unit(ids: Sequence[str], rates: Floats, gains: Floats) -> _Gains:
    """Gains of one split, which have no error."""
    return {
        unit: (float(rate), float(each), math.nan)
        for unit, rate, each in zip(ids, rates, gains, strict=True)
    }


def _name_units(
    ax: Axes, units: Sequence[str], rate: Floats, value: Floats, stderr: Floats
) -> None:
    drawn = np.flatnonzero(~np.isnan(rate).all(axis=0))
    if drawn.size > MOST_NAMED:
        return
    look: dict[str, Any] = {"fontsize": _NAME, "color": "0.4", "ha": "center"}
    names = short_ids(units)
    for n in drawn:
        end = (np.nanmax(rate[:, n]), np.nanmax(value[:, n] + stderr[:, n]))
        ax.annotate(names[n], end, (0.0, 1.5), textcoords="offset points", **look)


def _rate_axis(ax: Axes, rates: Floats) -> None:
    """A logarithmic axis of plain numbers."""
    ax.set_xscale("log")
    if rates.size:  # the models of one unit would fill the axis
        reach = max((rates.max() / rates.min()) ** (0.5 + _MARGIN), math.sqrt(_NARROWEST))
        middle = math.sqrt(rates.max() * rates.min())
        ax.set_xlim(middle / reach, middle * reach)
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 1e3 * low else (1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
