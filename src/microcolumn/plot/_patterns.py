"""Words: observed frequency against model probability, and how many units fire at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ..evaluate import PatternStatistics, Synchrony, counting_bounds
from .style import DASHES, DATA_COLOUR, LEGEND, axes_or_new, literal, looks

#: A symbol for each number of active bits; the last also stands for more.
_MARKERS = ("s", "o", "^", "D", "x")
#: Smaller expected counts are drawn at the left edge: their exact value means little.
LEAST_EXPECTED = 1e-4


def patterns(statistics: Mapping[str, PatternStatistics], *, ax: Axes | None = None) -> Axes:
    """Observed frequency of each word against its probability under one or more models.

    A colour per model and a symbol per number of active bits. Grey: 5 % to 95 % of counting noise
    around the identity. Only words that occurred are drawn, so words expected less than about once
    lie above the band by selection. Expected counts below 1e-4 are drawn at the left edge.

    Parameters
    ----------
    statistics : mapping of str to PatternStatistics
        By name of the model, from :func:`microcolumn.pattern_statistics` on the same words.
    """
    if not statistics:
        raise ValueError("there are no statistics to draw; name at least one model")
    ax = axes_or_new(ax, (3.4, 3.2))
    n_words = min(each.n_words for each in statistics.values())
    least = LEAST_EXPECTED / n_words
    _draw_band(ax, least, n_words)
    _draw_words(ax, statistics, least)
    lowest = min(each.empirical[each.empirical > 0.0].min() for each in statistics.values())
    ax.set(xscale="log", yscale="log", xlim=(least / 2.0, 2.0), ylim=(lowest / 2.0, 2.0))
    ax.set(xlabel="model probability", ylabel="observed frequency")
    _name(ax, statistics)
    return ax


def synchrony(distributions: Mapping[str, Synchrony], *, ax: Axes | None = None) -> Axes:
    """Distribution of the number of active bits, of data and of models.

    Error bars are one standard error: of data from blocks of bins, of sampled words over chains;
    exact sums have none. Numbers that never occurred are not drawn.

    Parameters
    ----------
    distributions : mapping of str to Synchrony
        By name, from :func:`microcolumn.synchrony`; counts of observed words are drawn as black
        points, models as lines.
    """
    if not distributions:
        raise ValueError("there are no distributions to draw; name at least one")
    ax = axes_or_new(ax)
    models = [name for name, each in distributions.items() if each.method != "words"]
    styles = looks(models)
    lines = []  # for the legend, without error bars
    for name, each in distributions.items():
        occurs = np.flatnonzero(each.probability > 0.0)
        if each.method == "words":
            style: dict[str, Any] = {"color": DATA_COLOUR, "marker": "o", "markersize": 3}
            style |= {"linestyle": "", "capsize": 1.5, "zorder": 3}
        else:  # dashes differ, so that a line shows beneath one that equals it
            dash = DASHES[models.index(name) % len(DASHES)]
            style = {"color": styles[name].colour, "linestyle": dash, "linewidth": 1.2}
        errors = np.where(each.stderr[occurs] > 0.0, each.stderr[occurs], np.nan)
        drawn = ax.errorbar(occurs, each.probability[occurs], errors, elinewidth=0.8, **style)
        drawn.set_label(literal(name))
        lines.append(drawn.lines[0])
    highest, lowest = _reach(distributions)
    ax.set(yscale="log", xlim=(-0.5, highest + 0.5), ylim=(lowest, 2.0))
    ax.set(xlabel="active bits k", ylabel="P(k)")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    small = LEGEND | {"fontsize": 6, "handlelength": 1.2, "labelspacing": 0.3}
    ax.legend(lines, [literal(name) for name in distributions], loc="best", **small)
    return ax


def _draw_band(ax: Axes, least: float, n_words: int) -> None:
    """Counting noise around the identity; bounds of zero reach below the axis."""
    p = np.geomspace(least / 2.0, 1.0, 400)
    lower, upper = counting_bounds(p, n_words)
    seen = upper > 0.0  # words of lower probability are not expected to occur at all
    floor = np.maximum(lower[seen], 1e-3 / n_words)
    ax.fill_between(p[seen], floor, upper[seen], color="#D9D9D9", linewidth=0, zorder=0)
    for bound in (lower, upper):
        above = bound > 0.0
        ax.plot(p[above], bound[above], color="black", linewidth=0.5, linestyle="--", zorder=3)
    ax.plot([least / 2.0, 2.0], [least / 2.0, 2.0], color="black", linewidth=0.6, zorder=3)


def _draw_words(ax: Axes, statistics: Mapping[str, PatternStatistics], least: float) -> None:
    """Points of all models in random order, so that none covers another; many spikes below few."""
    styles = looks(statistics)
    listed = list(statistics.values())
    x = np.maximum(np.concatenate([each.model for each in listed]), least)
    y = np.concatenate([each.empirical for each in listed])
    symbol = np.concatenate([_symbols(each) for each in listed])
    tints = np.array([to_rgb(styles[name].tint) for name in statistics])
    colour = np.repeat(tints, [each.model.size for each in listed], axis=0)
    shuffled = np.random.default_rng(0).permutation(x.size)
    for k in reversed(range(len(_MARKERS))):
        chosen = shuffled[symbol[shuffled] == k]
        if chosen.size:
            dots = ax.scatter(x[chosen], y[chosen], s=6, c=colour[chosen], marker=_MARKERS[k])
            dots.set(alpha=0.6, linewidths=0.5 if _MARKERS[k] == "x" else 0.0, zorder=2)
            dots.set_rasterized(x.size > 2000)  # so that vector files stay small


def _symbols(statistics: PatternStatistics) -> NDArray[np.int64]:
    return np.minimum(statistics.n_active, len(_MARKERS) - 1)


def _name(ax: Axes, statistics: Mapping[str, PatternStatistics]) -> None:
    """Legends: models by colour (upper left), numbers of active bits by symbol (lower right)."""
    dot: dict[str, Any] = {"marker": "o", "markersize": 4, "linestyle": ""}
    models = [
        Line2D([], [], color=look.tint, label=literal(name), **dot)
        for name, look in looks(statistics).items()
    ]
    present = np.unique(np.concatenate([_symbols(each) for each in statistics.values()]))
    symbols = [
        Line2D([], [], color="0.3", marker=_MARKERS[k], markersize=3.5, linestyle="", label=label)
        for k, label in ((k, f"{k}+" if k == len(_MARKERS) - 1 else f"{k}") for k in present)
    ]
    tight = {"handletextpad": 0.2, "borderpad": 0.2, "labelspacing": 0.3} | LEGEND
    ax.add_artist(ax.legend(handles=models, loc="upper left", **tight))
    ax.legend(handles=symbols, loc="lower right", title="active", title_fontsize=7, **tight)


def _reach(distributions: Mapping[str, Synchrony]) -> tuple[int, float]:
    """Largest number and lowest probability to draw: those of the data, or else of all."""
    data = [each for each in distributions.values() if each.method == "words"]
    seen = [each.probability for each in data or distributions.values()]
    highest = max(int(np.flatnonzero(p > 0.0)[-1]) for p in seen)
    lowest = min(float(p[p > 0.0].min()) for p in seen)
    return max(1, highest), lowest / 5.0
