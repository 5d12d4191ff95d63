"""Words: model probability against observed frequency, and how many units fire at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
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
from ..units import Units
from ..validation import Floats
from ..words import Words
from ._inputs import check_order, check_words, documented, entitle, measured, named, named_models
from .laminar import HasUnits, table_of
from .style import DASHES, DATA_COLOUR, LEGEND, Colour, Look, axes_or_new, literal, looks
from .tips import tip

#: Words that a model expects less often than this, in counts, are below the axis.
LEAST_EXPECTED = 0.01
#: Words are jittered by up to this many counts to either side, each model in a part of its own.
_JITTER = 0.3
#: A group of words has at least this many, except for the words without a spike.
_FEWEST = 5
#: More points than this are a picture in vector files, which so stay small.
_MOST_POINTS = 1000
#: Numbers of active bits of which each has a marker, or error bars with caps, of its own.
_MOST_MARKERS = 30

Given = (
    WordModel
    | PatternStatistics
    | Sequence[WordModel | PatternStatistics]
    | Mapping[str, WordModel]
    | Mapping[str, PatternStatistics]
)


@documented("model, words")
def patterns(
    models: Given,
    words: Words | ArrayLike | None = None,
    *,
    units: HasUnits | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Probability of each word under one or more models against its observed frequency.

    A light point per word; large points are medians over words of similar frequency, with bars
    from the lower to the upper quartile: the model whose medians are closer to the identity
    describes the words better. Grey, between dashed lines: 5 % to 95 % of counting noise around
    the identity. Only words that occurred are drawn, so those seen once or twice lie below the
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
    statistics = _statistics(models, words)
    if units is None and isinstance(words, Words):
        units = words.units
    table = None if units is None else _table(units, statistics)
    styles = looks(list(statistics), color, models)
    ax = axes_or_new(ax, (2.8, 3.6))
    n_words = min(each.n_words for each in statistics.values())
    _draw_band(ax, n_words)
    n_points = sum(each.model.size for each in statistics.values())
    for k, (name, each) in enumerate(statistics.items()):
        part = (k / len(statistics), (k + 1) / len(statistics))
        cloud = _draw_points(ax, each, styles[name], part, rasterized=n_points > _MOST_POINTS)
        tip(cloud, {"model": name} | _tip_columns(each, table))
    for name, each in statistics.items():
        _draw_medians(ax, each, name, styles[name])
    ax.set(xscale="log", yscale="log")
    ax.set(xlim=(0.6 / n_words, 1.0), ylim=(LEAST_EXPECTED / n_words, 1.0))
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):  # few enough labels for a narrow panel, on both alike
        axis.set_major_locator(LogLocator(numticks=20))
        axis.minorticks_off()  # over many decades a mere fringe
    ax.set(xlabel="observed frequency", ylabel="model probability")
    if any(statistics):
        ax.legend(loc="upper left", **_TIGHT)
    return entitle(ax, title)


@documented("model, words")
def pattern_ratios(
    models: Given,
    words: Words | ArrayLike | None = None,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """How far each model is off, for words with few and with many active bits.

    Median over distinct words of log2(model probability / observed frequency), with bars from the
    lower to the upper quartile, against the number of active bits; -1 is half of the observed
    frequency. The largest numbers of active bits are one group, so that it has at least five words.
    Words that occur once, as most with many active bits do, lie below 0 by selection, even under
    the right model: models are to be compared with each other, not with 0. A model that is more
    than twice as far off as the next one leaves the axis.

    Parameters
    ----------
    models, words
        As in :func:`patterns`.
    """
    statistics = _statistics(models, words)
    styles = looks(list(statistics), color, models)
    ax = axes_or_new(ax)
    ax.axhline(0.0, color="black", linewidth=0.6, zorder=1)
    last = min(_last_group(each.n_active) for each in statistics.values())
    most = max(int(each.n_active.max()) for each in statistics.values())
    lowest = []
    for k, (name, look) in enumerate(styles.items()):
        each = statistics[name]
        group = np.minimum(each.n_active, last)
        numbers = np.unique(group)
        quartiles = np.array([_quartiles(log_ratio(each)[group == number]) for number in numbers])
        at = numbers + 0.5 * ((k + 0.5) / len(statistics) - 0.5)
        _draw_quartiles(ax, at, quartiles, name, look)
        lowest.append(float(quartiles.min()))
    if len(lowest) > 1 and min(lowest) < 2.0 * sorted(lowest)[1]:
        ax.set_ylim(bottom=1.3 * sorted(lowest)[1])
    grouped = f" ({last}: {last} or more)" if last < most else ""
    ax.set(xlim=(-0.6, last + 0.6), xlabel=f"active bits{grouped}")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylabel("log$_2$ (model /\nobserved)")
    if any(statistics):
        ax.legend(loc="lower left", **_TIGHT)
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


def log_ratio(statistics: PatternStatistics) -> Floats:
    """log2(model probability / observed frequency) of each word; -inf where that underflows."""
    with np.errstate(divide="ignore"):
        return np.log2(statistics.model) - np.log2(statistics.empirical)


#: Legends that leave space for points.
_TIGHT: dict[str, Any] = {"handletextpad": 0.4, "borderpad": 0.2, "labelspacing": 0.3} | LEGEND


def _statistics(models: Any, words: Any) -> dict[str, PatternStatistics]:
    made_by = "mc.evaluate.pattern_statistics(model, words)"
    return measured(models, words, PatternStatistics, made_by, pattern_statistics, WordModel)


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
    for each in statistics.values():
        if each.X.shape[1] % max(len(table), 1):
            raise BadArgument(
                "units",
                f"has {len(table)} entries and the words {each.X.shape[1]} bits",
                "pass the units of the words",
            )
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


def _draw_points(
    ax: Axes, each: PatternStatistics, look: Look, part: tuple[float, float], *, rasterized: bool
) -> Line2D:
    """A light point per word, jittered sideways within a part of its count."""
    low, high = (_JITTER * (2.0 * end - 1.0) for end in part)
    moved = np.random.default_rng(0).uniform(low, high, each.model.size) / each.n_words
    [dots] = ax.plot(each.empirical + moved, each.model, ".", color=look.tint, alpha=0.3, zorder=2)
    dots.set(markersize=3.0, markeredgewidth=0.0, rasterized=rasterized)
    return dots


def _tip_columns(each: PatternStatistics, units: Units | None) -> dict[str, Any]:
    """What is known of each word; of windows, units are followed by their lag in bins."""
    columns: dict[str, Any] = {
        "active": each.n_active,
        "times seen": each.empirical * each.n_words,
        "times expected": each.model * each.n_words,
    }
    if units is None:
        return columns
    n_lags = each.X.shape[1] // len(units)
    lags = [f" ({lag})" if lag else "" for lag in range(1 - n_lags, 1)]
    names = np.array([f"{unit}{lag}" for lag in lags for unit in units.ids], dtype=object)
    return {"active units": [", ".join(names[word == 1]) or "none" for word in each.X]} | columns


def _draw_medians(ax: Axes, each: PatternStatistics, name: str, look: Look) -> None:
    """Median and quartiles of the probability of words of similar frequency."""
    group = frequency_groups(each.empirical * each.n_words)
    numbers = np.unique(group)
    at = [np.exp(np.log(each.empirical[group == k]).mean()) for k in numbers]
    quartiles = np.array([_quartiles(each.model[group == k]) for k in numbers])
    _draw_quartiles(ax, np.array(at), quartiles, name, look)


def frequency_groups(counts: Floats) -> NDArray[np.int64]:
    """Group of each word by its count: 1, 2, 3 to 5, 6 to 11, ... twice as many each time."""
    edges = np.array([1.5, *(3.0 * 2.0 ** np.arange(60.0) - 0.5)])
    edges[1] = 2.5
    return np.searchsorted(edges, counts)


def _quartiles(values: Floats) -> tuple[float, float, float]:
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], method="inverted_cdf")
    return float(low), float(middle), float(high)


def _draw_quartiles(ax: Axes, at: Floats, quartiles: Floats, name: str, look: Look) -> None:
    """Medians, joined by a thin line, with bars from the lower to the upper quartile."""
    low, middle, high = quartiles.T
    ax.vlines(at, low, high, color=look.colour, linewidth=0.9, zorder=3)
    style: dict[str, Any] = {"marker": look.marker, "markersize": 3.5, "linewidth": 0.8}
    style |= {"markeredgecolor": "white", "markeredgewidth": 0.4, "zorder": 4}
    style["markevery"] = -(-at.size // _MOST_MARKERS)
    ax.plot(at, middle, color=look.colour, label=literal(name), **style)


def _last_group(n_active: NDArray[np.int64]) -> int:
    """Largest number of active bits that has, with all larger ones, enough words."""
    at_least = np.bincount(n_active)[::-1].cumsum()[::-1]
    return int(np.flatnonzero(at_least >= min(_FEWEST, n_active.size))[-1])


def _reach(distributions: Mapping[str, Synchrony]) -> tuple[int, float]:
    """Largest number and lowest probability to draw: those of the data, or else of all."""
    data = [each for each in distributions.values() if each.method == "words"]
    seen = [each.probability for each in data or distributions.values()]
    highest = max(int(np.flatnonzero(p > 0.0)[-1]) for p in seen)
    lowest = min(float(p[p > 0.0].min()) for p in seen)
    return max(1, highest), lowest / 5.0
