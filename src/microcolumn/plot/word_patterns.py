"""Words: model probability against observed frequency, by rank, and how many units fire at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator
from numpy.typing import ArrayLike, NDArray

from ..errors import BadArgument
from ..evaluate import (
    PatternStatistics,
    Synchrony,
    counting_bounds,
    pattern_statistics,
    synchrony as synchrony_of,
)
from ..evaluate.inputs import words_for
from ..models import WordModel
from ..packing import unique_rows
from ..units import Units
from ..words import Words, as_words
from ._inputs import check_order, check_words, documented, entitle, measured, named, named_models
from .laminar import HasUnits, table_of
from .style import DASHES, DATA_COLOUR, LEGEND, Colour, axes_or_new, literal, looks
from .tips import tip

#: Words that a model expects less often than this, in counts, are below the axis.
LEAST_EXPECTED = 0.01
#: Words are jittered by up to this many counts to either side.
_JITTER = 0.3
#: More points than this are a picture in vector files, which so stay small.
MOST_POINTS = 1000
#: Numbers of active bits of which each has a marker, or error bars with caps, of its own.
_MOST_MARKERS = 30

_Known = WordModel | PatternStatistics


@documented("model, words")
def patterns(
    models: _Known | Sequence[_Known] | Mapping[str, _Known],
    words: Words | ArrayLike | None = None,
    *,
    units: HasUnits | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Probability of each word under one or more models against its observed frequency.

    A point per word. Grey, between dashed lines: 5 % to 95 % of counting noise around the
    identity. Only words that occurred are drawn, so those seen once or twice lie below the
    identity by selection, and words expected less than 0.01 times are below the axis.

    Parameters
    ----------
    models : WordModel or PatternStatistics, or sequence or mapping of them
        Fitted models and their names; or, without ``words``, what
        :func:`microcolumn.evaluate.pattern_statistics` returns on the same words.
    units : Units, Words or Recording, optional
        Recorded units; with them, pages say which units are active in a word. By default those of
        ``words``.
    """
    made_by = "mc.evaluate.pattern_statistics(model, words)"
    statistics = measured(models, words, PatternStatistics, made_by, pattern_statistics, WordModel)
    if units is None and isinstance(words, Words):
        units = words.units
    table = None if units is None else _table(units, statistics)
    styles = looks(list(statistics), color, models)
    ax = axes_or_new(ax, (2.8, 3.6))
    n_words = min(each.n_words for each in statistics.values())
    _draw_band(ax, n_words)
    n_points = sum(each.model.size for each in statistics.values())
    for k, (name, each) in enumerate(statistics.items()):
        moved = np.random.default_rng(k).uniform(-_JITTER, _JITTER, each.model.size) / each.n_words
        [dots] = ax.plot(each.empirical + moved, each.model, ".", alpha=0.6)
        dots.set_color(styles[name].tint)
        dots.set(markersize=3.0, markeredgewidth=0.0, rasterized=n_points > MOST_POINTS)
        dots.set_label(literal(name))
        tip(dots, {"model": name} | _tip_columns(each, table))
    ax.set(xscale="log", yscale="log")
    ax.set(xlim=(0.6 / n_words, 1.0), ylim=(LEAST_EXPECTED / n_words, 1.0))
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):  # few enough labels for a narrow panel, on both alike
        axis.set_major_locator(LogLocator(numticks=20))
        axis.minorticks_off()  # over many decades a mere fringe
    ax.set(xlabel="observed frequency", ylabel="model probability")
    if any(statistics):
        ax.legend(loc="upper left", markerscale=2.0, **_TIGHT)
    return entitle(ax, title)


@documented("model, words")
def synchrony(
    models: WordModel | Synchrony | Sequence[WordModel | Synchrony] | Mapping[str, Any],
    words: Words | ArrayLike | None = None,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Distribution of the number of active bits, of data and of models.

    Error bars are one standard error: of data over time, of sampled words over chains;
    exact sums have none. Numbers that never occurred are not drawn.

    Parameters
    ----------
    models : WordModel or Synchrony, or sequence or mapping of them
        Fitted models and their names, which are lines; or, without ``words``, what
        :func:`microcolumn.evaluate.synchrony` returns. Counts of observed words are black points.
    words : Words or array_like, shape (n_words, n_units), optional
        Observed words, drawn as ``"data"``.
    """
    distributions = _distributions(models, words)
    names = [name for name, each in distributions.items() if each.method != "words"]
    styles = looks(names, color, models)
    ax = axes_or_new(ax)
    lines = []  # for the legend, without error bars
    for name, each in distributions.items():
        occurs = np.flatnonzero(each.probability > 0.0)
        if each.method == "words":
            style: dict[str, Any] = {"color": DATA_COLOUR, "marker": "o", "linestyle": ""}
            few = occurs.size <= _MOST_MARKERS
            style |= {"markersize": 3 if few else 1.8, "capsize": 1.5 * few, "zorder": 3}
        else:  # dashes differ, so that a line shows beneath one that equals it
            dash = DASHES[names.index(name) % len(DASHES)]
            style = {"color": styles[name].colour, "linestyle": dash, "linewidth": 1.2}
        errors = np.where(each.stderr[occurs] > 0.0, each.stderr[occurs], np.nan)
        style["errorevery"] = 1 if each.method == "words" else -(-occurs.size // _MOST_MARKERS)
        drawn = ax.errorbar(occurs, each.probability[occurs], errors, elinewidth=0.8, **style)
        drawn.set_label(literal(name))
        drawn.lines[0].set_clip_on(each.method != "words")  # a point on the edge is seen whole
        lines.append(drawn.lines[0])
    highest, lowest = _reach(distributions)
    ax.set(yscale="log", xlim=(-0.5, highest + 0.5), ylim=(lowest, 1.0))
    ax.set(xlabel="active bits k", ylabel="P(k)")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if any(distributions):
        small = _TIGHT | {"fontsize": 6, "handlelength": 1.6}
        ax.legend(lines, [literal(name) for name in distributions], loc="best", **small)
    return entitle(ax, title)


@documented("model, words")
def zipf(
    models: WordModel | Sequence[WordModel] | Mapping[str, WordModel],
    words: Words | ArrayLike,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Frequency of words by rank, of data and of as many words drawn from models.

    A straight line, Zipf's law, also comes about where units merely share a drive.

    Parameters
    ----------
    models : WordModel, or sequence or mapping of them
        Fitted models and their names, which are lines.
    words : Words or array_like, shape (n_words, n_units)
        Observed words, black points.
    """
    check_order(models)
    by_name, held = named_models(models, WordModel), as_words(check_words(words))
    for model in by_name.values():
        words_for(model, held, None)  # else a model of other units would be drawn beside them
    styles = looks(list(by_name), color, models)
    ax = axes_or_new(ax)
    shares = np.sort(held.counts)[::-1] / held.counts.sum()
    rank = np.arange(1, shares.size + 1)
    ax.plot(rank, shares, "o", color=DATA_COLOUR, markersize=2.0, label="data", rasterized=True)
    for k, (name, model) in enumerate(by_name.items()):
        drawn, index = unique_rows(model.sample(held.n_bins))
        shares = np.sort(np.bincount(index, minlength=len(drawn)))[::-1] / held.n_bins
        [line] = ax.plot(np.arange(1, shares.size + 1), shares, label=literal(name), linewidth=1.2)
        line.set(color=styles[name].colour, linestyle=DASHES[k % len(DASHES)])
    ax.set(xscale="log", yscale="log", xlabel="rank of the word", ylabel="frequency")
    ax.legend(loc="upper right", **_TIGHT)
    return entitle(ax, title)


#: Legends that leave space for points.
_TIGHT: dict[str, Any] = {"handletextpad": 0.4, "borderpad": 0.2, "labelspacing": 0.3} | LEGEND


def _distributions(models: Any, words: Any) -> dict[str, Synchrony]:
    """Distributions as they were given, or of the words, as "data", and of the models."""
    if words is not None:
        check_order(models)
        by_name, held = named_models(models, WordModel), check_words(words)
        for model in by_name.values():
            words_for(model, held, None)  # else a model of other units would be drawn beside them
        return {name: synchrony_of(each) for name, each in {"data": held, **by_name}.items()}
    if isinstance(models, Synchrony):
        return {"data" if models.method == "words" else "": models}
    remedy = "fitted models and words, or what mc.evaluate.synchrony(...) returns"
    return named("models", models, Synchrony, remedy)


def _table(units: HasUnits, statistics: Mapping[str, PatternStatistics]) -> Units:
    """The table of units, of which the bits of all words must be whole bins."""
    table = table_of(units)
    for n_bits in (each.X.shape[1] for each in statistics.values()):
        if n_bits % max(len(table), 1):
            problem = f"has {len(table)} entries and the words {n_bits} bits"
            raise BadArgument("units", problem, "pass the units of the words")
    return table


def _draw_band(ax: Axes, n_words: int) -> None:
    """Counting noise around the identity; bounds of zero reach beyond the axis."""
    p = np.geomspace(LEAST_EXPECTED / n_words, 1.0, 400)
    lower, upper = counting_bounds(p, n_words)
    seen = upper > 0.0  # words of lower probability are not expected to occur at all
    floor = np.maximum(lower[seen], 1e-3 / n_words)
    ax.fill_betweenx(p[seen], floor, upper[seen], color="#DDDDDD", linewidth=0, zorder=0)
    for bound in (lower, upper):
        above = bound > 0.0
        ax.plot(bound[above], p[above], color="black", linewidth=0.4, linestyle="--", zorder=2.5)
    ax.plot([p[0], 1.0], [p[0], 1.0], color="black", linewidth=0.6, zorder=2.5)


def _tip_columns(each: PatternStatistics, units: Units | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "active": each.n_active,
        "times seen": each.empirical * each.n_words,
        "times expected": each.model * each.n_words,
    }
    if units is None:
        return found
    names = bit_names(units, each.X.shape[1])
    return {"active units": [", ".join(names[word == 1]) or "none" for word in each.X]} | found


def bit_names(units: Units, n_bits: int) -> NDArray[Any]:
    """Names of the units of at least so many bits; of windows, followed by their lag in bins."""
    n_lags = -(-n_bits // len(units))
    lags = [f" ({lag})" if lag else "" for lag in range(1 - n_lags, 1)]
    return np.array([f"{unit}{lag}" for lag in lags for unit in units.ids], dtype=object)


def _reach(distributions: Mapping[str, Synchrony]) -> tuple[int, float]:
    """Largest number and lowest probability to draw: those of the data, or else of all."""
    data = [each for each in distributions.values() if each.method == "words"]
    seen = [each.probability for each in data or distributions.values()]
    highest = max(int(np.flatnonzero(p > 0.0)[-1]) for p in seen)
    lowest = min(float(p[p > 0.0].min()) for p in seen)
    return max(1, highest), lowest / 5.0
