"""Conditional gain of each unit over its firing rate (the paper's figure 6b)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import ArrayLike

from ..evaluate import PredictionResult, conditional_gain
from ..evaluate._inputs import words_for
from ..models import WordModel
from ..validation import Floats, real_array
from ..words import Words
from ._colours import Colour, looks_of
from ._inputs import (
    check_order,
    check_words,
    entitle,
    named,
    named_word_models,
    one_of,
    only_with_words,
)
from ._laminar import short_ids
from ._tips import tip
from .style import LEGEND, MODEL_COLOURS, axes_or_new, leave_rounding_small, literal

_CHANCE = MODEL_COLOURS["Independent"]
#: Distance of models of one unit, which have the same rate, as a part of the decades drawn.
_APART = 0.012
#: The axis of rates spans at least this factor, and has this part of its length free at each end.
_NARROWEST, _MARGIN = 1.4, 0.05
#: Size of names of units, and the width of a letter of it, points.
_NAME, _LETTER = 5.5, 3.9
#: More units than this are not named; those this near, in parts of the decades, may overlap.
MOST_NAMED, _NEAR = 15, 0.06


class _Gain(NamedTuple):
    """Rate, gain and its error of one unit."""

    rate_hz: float
    bits_per_second: float
    stderr: float


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
        :func:`microcolumn.conditional_gain` returns: bits/s, shape (n_units,).
    words : Words or array_like, shape (n_words, n_units), optional
        Held-out words; the rates are then those that each model was trained at.
    given : {"rest", "past"}
        What models know, as in :func:`microcolumn.conditional_gain`.
    rates : array_like, shape (n_units,), optional
        Firing rate of each unit, Hz, for gains that are arrays.
    color : colour, or mapping of str to colour, optional
        Of all models, or by name.
    title : str, optional
        Of the axes.
    """
    one_of("given", given, ("rest", "past"))
    only_with_words(words, given=given)
    if words is not None and rates is not None:
        raise ValueError("rates are for gains that are arrays; models know their own, leave it out")
    if words is not None:
        check_order(models)
        held = check_words(words)
        found = {
            name: _on_words(name, model, held, given)
            for name, model in named_word_models(models).items()
        }
    elif rates is not None:
        found = _of_arrays(models, real_array("rates", rates, "pass the rate of each unit in Hz"))
    else:
        found = _of_results(models)
    styles = looks_of(list(found), color, models)
    ax = axes_or_new(ax)
    ax.axhline(0.0, color=_CHANCE, linewidth=0.8, zorder=0)
    ax.set_xscale("log")
    places = _side_by_side(found)
    _join_units(ax, found, places)
    _name_units(ax, found)
    for name, look in styles.items():
        drawn = {unit: each for unit, each in found[name].items() if each.rate_hz > 0.0}
        rate, values, errors = np.array(list(drawn.values())).reshape(-1, 3).T
        style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": ""}
        style |= {"markersize": 3.5, "label": literal(name), "elinewidth": 0.8}
        points = ax.errorbar(rate * places[name], values, errors, **style)
        about = {"unit": list(drawn), "model": name, "rate (Hz)": rate, "gain (bits/s)": values}
        tip(points, about | {"standard error": errors})
    ax.set(xlabel="firing rate (Hz)", ylabel="gain (bits/s)")
    drawn_at = [e.rate_hz * places[name] for name, units in found.items() for e in units.values()]
    _plain_ticks(ax, [rate for rate in drawn_at if rate > 0.0], _room_for_names(ax))
    ax.margins(y=0.08)  # for the names of units
    leave_rounding_small(ax)
    if any(found):
        ax.legend(loc="best", **LEGEND)
    return entitle(ax, title)


def _on_words(
    name: str, model: WordModel, words: Words | ArrayLike, given: Literal["rest", "past"]
) -> dict[str, _Gain]:
    """Gains of the newest bin of words by unit, at the rates of the model's training."""
    if not hasattr(model, "rates_"):
        raise ValueError(
            f"{name} was never fitted, so it knows no training rates; pass what "
            "mc.conditional_gain(model, words, baseline=...) returns, and rates="
        )
    held = words_for(model, words, None)
    gains = conditional_gain(model, held, given=given)
    rates = np.asarray(model.rates_)[-held.n_units :] / held.bin_width
    return _by_unit(held.units.ids, rates, gains)


def _of_arrays(models: Any, rates: Floats) -> dict[str, dict[str, _Gain]]:
    """Gains that are arrays, alone or by name, at given rates."""
    by_name = models if isinstance(models, Mapping) else {"": models}
    found = {}
    for name, each in by_name.items():
        gains = real_array("models", each, "pass the gains of each unit in bits/s")
        if gains.shape != rates.shape or rates.ndim != 1:
            raise ValueError(
                f"gains have shape {gains.shape} and rates {rates.shape}; pass one of each per unit"
            )
        found[str(name)] = _by_unit([f"{k}" for k in range(rates.size)], rates, gains)
    return found


def _of_results(models: Any) -> dict[str, dict[str, _Gain]]:
    if isinstance(models, np.ndarray):
        raise ValueError(
            "models is an array of gains; pass rates= too, the rate of each unit in Hz"
        )
    remedy = "fitted models and words, what results.predictions(...) returns, or gains and rates="
    return {
        name: {
            unit.unit: _Gain(unit.rate_hz, unit.gain_bits_per_second, unit.stderr)
            for unit in result.units
        }
        for name, result in named("models", models, PredictionResult, remedy).items()
    }


def _by_unit(ids: Sequence[str], rates: Floats, gains: Floats) -> dict[str, _Gain]:
    """Gains of one split, which have no error."""
    return {
        unit: _Gain(float(rate), float(each), math.nan)
        for unit, rate, each in zip(ids, rates, gains, strict=True)
    }


def _side_by_side(found: Mapping[str, Mapping[str, _Gain]]) -> dict[str, float]:
    """What each model's rates are multiplied by, so that the models of a unit can be told apart."""
    rates = [each.rate_hz for units in found.values() for each in units.values() if each.rate_hz]
    decades = max(0.3, math.log10(max(rates) / min(rates))) if rates else 0.3
    middle = (len(found) - 1) / 2
    return {name: 10.0 ** (_APART * decades * (k - middle)) for k, name in enumerate(found)}


def _join_units(
    ax: Axes, found: Mapping[str, Mapping[str, _Gain]], places: Mapping[str, float]
) -> None:
    """A grey line through the models of each unit."""
    units = dict.fromkeys(unit for each in found.values() for unit in each)
    lines = [
        [
            (each[unit].rate_hz * places[name], each[unit].bits_per_second)
            for name, each in found.items()
            if unit in each and each[unit].rate_hz > 0.0
        ]
        for unit in units
    ]
    joined = LineCollection([line for line in lines if len(line) > 1], colors="0.6", linewidths=0.7)
    ax.add_collection(joined, autolim=False)


def _name_units(ax: Axes, found: Mapping[str, Mapping[str, _Gain]]) -> None:
    """Small names of few units, above their points, or below where another unit is above them."""
    units = dict.fromkeys(unit for each in found.values() for unit in each)
    spans: dict[str, tuple[float, float, float]] = {}  # rate, lower and upper end
    for unit in units:
        known = [each[unit] for each in found.values() if unit in each]
        ends = [(each.bits_per_second, float(np.nan_to_num(each.stderr))) for each in known]
        if known[0].rate_hz > 0.0:
            low, high = min(y - error for y, error in ends), max(y + error for y, error in ends)
            spans[unit] = (known[0].rate_hz, low, high)
    if not 0 < len(spans) <= MOST_NAMED:
        return
    rates = [rate for rate, _, _ in spans.values()]
    near = _NEAR * max(0.3, math.log10(max(rates) / min(rates)))
    names = dict(zip(units, short_ids(list(units), 8), strict=True))
    for unit, (rate, low, high) in spans.items():
        below = any(
            abs(math.log10(rate / other)) < near and high < its_high
            for other, _, its_high in spans.values()
        )
        place: dict[str, Any] = {"xytext": (0.0, -1.5 if below else 1.5), "ha": "center"}
        place |= {"textcoords": "offset points", "va": "top" if below else "bottom"}
        at = (rate, low if below else high)
        ax.annotate(names[unit], at, fontsize=_NAME, color="0.4", **place)


def _room_for_names(ax: Axes) -> float:
    """Part of the axis of rates to leave free at each end, so that names stay inside."""
    longest = max((len(text.get_text()) for text in ax.texts), default=0)
    half = longest * _LETTER / 2 / (ax.get_window_extent().width / ax.figure.dpi * 72.0)
    return max(_MARGIN, half / (1.0 - 2.0 * half))


def _plain_ticks(ax: Axes, rates: Sequence[float], margin: float) -> None:
    """Label rates with plain numbers, more of them on an axis of few decades."""
    if rates:  # the models of one unit would fill the axis
        half = max((max(rates) / min(rates)) ** (0.5 + margin), math.sqrt(_NARROWEST))
        middle = math.sqrt(max(rates) * min(rates))
        ax.set_xlim(middle / half, middle * half)
    low, high = ax.get_xlim()
    decades = np.log10(high / low)
    subs = [1.0, 2.0, 5.0] if decades < 3.0 else [1.0]
    if decades < 1.0:
        subs += [1.5, 3.0, 4.0, 7.0]
    if decades < 0.6:
        subs += [2.5, 3.5, 4.5, 6.0, 8.0]
    ax.xaxis.set_major_locator(LogLocator(subs=subs))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
