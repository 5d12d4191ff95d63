"""Models compared: ranked with their differences from the best, and by the length of words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle
from statistics import median
from typing import Any, TypeGuard

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from ..errors import BadInput
from ..evaluate import Comparison, ModelScore, WindowResult
from ..validation import expect
from ..words import Words, checked_bin_width
from ._inputs import Compared, comparisons, documented, entitle
from .style import DASHES, ERROR_BARS, LEGEND, Colour, Look, axes_or_new, literal, looks
from .tips import tip

#: Bits/s; a plot of smaller differences would be one of rounding errors.
_SAME = 1e-3
#: How far the axis reaches down, in units of how far it reaches up.
_FARTHEST = 2.0
#: Inches of a line, and of what is above and below all lines.
LINE, AROUND = 0.22, 0.9
_KINDS = "\n\u25cf the paper's family   \u25c7 other kinds"
_REMEDY = "what results.by_window(...) returns"
#: A value and its error that are not ranked_models.
_UNKNOWN = (math.nan, math.nan)


@documented('mc.compare(["Ising", "KPairwise"], words)')
def ranking(
    models: Compared,
    words: Words | ArrayLike | None = None,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Models ranked from the best down, each with its difference from the Ising model.

    The zero is the first Ising model or, without one, the best model. The difference is paired:
    what both models find hard to predict cancels, so that its error bar, one standard error, is
    smaller than those of the scores. Scores in bits/s over independent units stand to the right.
    Discs are of the paper's family, open diamonds of other kinds; a triangle is a model so much
    worse that it is beyond the axis.

    Of several recordings, small marks are the differences in each, per unit since populations
    differ in size, and large marks are medians over recordings, by which models are ranked; to the
    right stands in how many recordings a model is best.

    Models of one name are the same in all comparisons. Those with a spurious mode, or whose score
    is not finite, are left out.
    """
    ranked_models = []
    for compared in comparisons(models, words):
        ranked = [each for each in compared.ranked if math.isfinite(each.bits_per_second)]
        ranked_models += [(compared, ranked)] if ranked else []
    if not ranked_models:
        raise BadInput("there is no model to rank: none has a score", "raise l1")
    specs = {model.name: model.spec for _, models in ranked_models for model in models}
    styles = looks(specs, color, specs)
    ax = axes_or_new(ax, (4.2, AROUND + LINE * len(specs)))
    draw = _draw_one if len(ranked_models) == 1 else _draw_several
    names = draw(ax, ranked_models, styles, zero_of([compared for compared, _ in ranked_models]))
    _label(ax, [literal(name) for name in names])
    if len({spec.is_alternative for spec in specs.values()}) > 1:
        ax.set_xlabel(f"{ax.get_xlabel()}{_KINDS}")
    return entitle(ax, title)


def zero_of(listed: Sequence[Comparison]) -> str | None:
    """Name of the Ising model that differences are from; None where one of them has none."""
    found = [{n for n, each in c.scores.items() if each.spec.model == "Ising"} for c in listed]
    return min(set.intersection(*found), default=None)


_RankedModels = Sequence[tuple[Comparison, list[ModelScore]]]


def _draw_one(
    ax: Axes, ranked_models: _RankedModels, styles: dict[str, Look], zero: str | None
) -> list[str]:
    """Paired differences with their errors; scores to the right."""
    [(compared, ranked)] = ranked_models
    zero = zero or ranked[0].name
    pairs = {m.name: compared.pair(m.name, zero) for m in ranked if m.name != zero}
    values = [pairs[m.name].bits_per_second if m.name in pairs else 0.0 for m in ranked]
    errors = [pairs[m.name].stderr if m.name in pairs else 0.0 for m in ranked]
    ends = [v + np.nan_to_num(error) for v, error in zip(values, errors, strict=True)]
    least = _cut(ax, values, max(ends))
    for place, (model, difference, error) in enumerate(zip(ranked, values, errors, strict=True)):
        mark = _mark(styles[model.name], is_alternative=model.spec.is_alternative)
        bar = None if math.isnan(error) or difference < least else error
        beyond = {"marker": "<"} if difference < least else {}
        at = max(difference, least)
        point = ax.errorbar(at, place, xerr=bar, elinewidth=1.0, capsize=2, **mark | beyond)
        columns = {"model": model.name, "bits/s": model.bits_per_second}
        tip(point, columns | {f"minus {zero}": difference, "standard error": error})
    ax.set_xlabel(f"difference from {literal(zero)} (bits/s)")
    _write_beside(ax, "score (bits/s)", [f"{model.bits_per_second:.2f}" for model in ranked])
    return [model.name for model in ranked]


def _draw_several(
    ax: Axes, ranked_models: _RankedModels, styles: dict[str, Look], zero: str | None
) -> list[str]:
    """Differences per unit in each recording; in how many a model is best to the right."""
    found: dict[str, list[tuple[str, float]]] = {}
    for compared, ranked in ranked_models:
        reference = compared.scores[zero] if zero else ranked[0]
        for model in ranked:
            difference = model.per_neuron - reference.per_neuron
            found.setdefault(model.name, []).append((compared.recording, difference))
    best = [ranked[0].name for _, ranked in ranked_models]
    alternatives = {
        model.name: model.spec.is_alternative for _, ranked in ranked_models for model in ranked
    }
    middle = {name: median(value for _, value in values) for name, values in found.items()}
    names = sorted(middle, key=lambda name: -middle[name])
    highest = max(value for values in found.values() for _, value in values)
    least = _cut(ax, list(middle.values()), highest)
    for place, name in enumerate(names):
        recordings, values = zip(*found[name], strict=True)
        mark = _mark(styles[name], is_alternative=alternatives[name])
        single = ax.plot(values, [place] * len(values), alpha=0.5, **mark | {"markersize": 2.5})[0]
        tip(single, {"model": name, "recording": recordings, "bits/s per unit": values})
        beyond = {"marker": "<"} if middle[name] < least else {}
        [large] = ax.plot(max(middle[name], least), place, **mark | {"markersize": 6} | beyond)
        tip(large, {"model": name, "median, bits/s per unit": middle[name]})
    what = literal(zero) if zero else "the best\nof each recording"
    ax.set_xlabel(f"difference from {what} (bits/s per unit)")
    counts = [f"{best.count(name)} of {len(found[name])}" for name in names]
    _write_beside(ax, "best in", counts)
    return names


def _cut(ax: Axes, values: Sequence[float], highest: float) -> float:
    """Where the axis begins, so that far worse models do not squeeze the differences that count."""
    least = -_FARTHEST * highest
    if highest <= 0.0 or min(values) >= least:
        return -math.inf
    ax.set_xlim(1.15 * least, 1.15 * highest)
    return least


def _mark(look: Look, *, is_alternative: bool) -> dict[str, Any]:
    """A disc for the paper's family, an open diamond for others."""
    face = "white" if is_alternative else look.colour
    marks = {"marker": "D" if is_alternative else "o", "markersize": 4 if is_alternative else 5}
    return {"color": look.colour, "markerfacecolor": face, "linestyle": "", **marks}


def _write_beside(ax: Axes, title: str, texts: list[str]) -> None:
    """Put text to the right of each line, and what it says beside all of them."""
    beside = ax.secondary_yaxis("right")
    beside.set_yticks(range(len(texts)), texts, fontsize=7)
    beside.set_ylabel(title, fontsize=7)
    beside.tick_params(length=0)
    beside.spines["right"].set_visible(False)


def _label(ax: Axes, names: list[str]) -> None:
    """Names to the left, a line at zero."""
    ax.set_yticks(np.arange(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.axvline(0.0, color="0.6", linewidth=0.8, zorder=0)
    if ax.get_autoscalex_on():
        ax.margins(x=0.08)
    if max(map(abs, ax.dataLim.intervalx)) < _SAME:
        ax.set_xlim(-1.0, 0.1)
    for side in ("left", "top", "right"):
        ax.spines[side].set_visible(False)


@documented('mc.study.open("study.db").by_window("cells")')
def windows(
    result: WindowResult,
    *,
    bin_width: float | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Score per unit against the number of bins per word, a line per model.

    Error bars are one standard error, as in :func:`scores`.

    Parameters
    ----------
    result : WindowResult
        From ``results.by_window(...)``; missing results and spurious modes are gaps.
    bin_width : float, optional
        Seconds per bin, which the axis says if it is given.
    """
    expect("result", result, WindowResult, _REMEDY)
    width = None if bin_width is None else checked_bin_width(bin_width)
    styles = _looks(result, color)
    ax = axes_or_new(ax)
    for name, look in styles.items():
        points = [
            (each.per_neuron, each.stderr / each.n_units) if _is_ranked(each) else _UNKNOWN
            for each in result.models[name]
        ]
        _draw(ax, result.windows, points, name, look)
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, 0.0), high)
    ax.set_ylabel("log-likelihood gain\nper unit (bits/s)")
    _count_bins(ax, result.windows, width)
    return entitle(ax, title)


@documented('mc.study.open("study.db").by_window("cells")')
def window_gains(
    result: WindowResult,
    *,
    bin_width: float | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Score per unit minus that of the Ising model, against the number of bins per word.

    Paired by split: dots are splits, error bars one standard error of their mean; see
    :meth:`~microcolumn.evaluate.WindowResult.gains`.

    Parameters
    ----------
    result, bin_width
        As in :func:`windows`; the result needs an Ising model and another one.
    """
    expect("result", result, WindowResult, _REMEDY)
    reference = result.reference
    if reference is None:
        raise BadInput("the result has no Ising model beside others", "draw it with windows")
    width = None if bin_width is None else checked_bin_width(bin_width)
    styles = _looks(result, color)
    ax = axes_or_new(ax)
    for name, pairs in result.gains().items():
        if name in styles:
            points = [(p.bits_per_second, p.stderr) if p else _UNKNOWN for p in pairs]
            _draw(ax, result.windows, points, name, styles[name])
            _draw_splits(ax, result, name, styles[name])
    if reference in styles:
        zero = {"color": styles[reference].colour, "linestyle": styles[reference].dash}
        ax.axhline(0.0, linewidth=0.8, zorder=1, **zero)
    ax.set_ylabel(f"gain over {literal(reference)}\nper unit (bits/s)")
    _count_bins(ax, result.windows, width)
    return entitle(ax, title)


def _is_ranked(result: ModelScore | None) -> TypeGuard[ModelScore]:
    """Whether there is a score, and one that speaks for the model."""
    return result is not None and not result.has_spurious_mode


def _looks(result: WindowResult, color: Colour | None) -> dict[str, Look]:
    """How each model that has a score is drawn: dashes let a line be seen beneath another."""
    by_name = looks(result.models, color)
    dashes = dict(zip(by_name, cycle(DASHES)))
    return {
        name: look._replace(dash=dashes[name])
        for name, look in by_name.items()
        if any(map(_is_ranked, result.models[name]))
    }


def _draw(
    ax: Axes, at: Sequence[int], points: Sequence[tuple[float, float]], name: str, look: Look
) -> None:
    """A line with points and their error bars."""
    y, error = np.array(points).T
    style = {"color": look.colour, "linestyle": look.dash, "marker": look.marker}
    [line] = ax.plot(at, y, markersize=3, label=literal(name), **style)
    about = {"bins per word": at, "bits/s per unit": y, "standard error": error}
    tip(line, {"model": name} | about)
    ax.errorbar(at, y, error, fmt="none", ecolor=look.colour, **ERROR_BARS)


def _draw_splits(ax: Axes, result: WindowResult, name: str, look: Look) -> None:
    """Difference from the reference in each split, as dots."""
    columns = zip(
        result.windows, result.models[name], result.models[f"{result.reference}"], strict=True
    )
    dots = [
        (window, (model.by_split[split] - ising.by_split[split]) / model.n_units)
        for window, model, ising in columns
        if _is_ranked(model) and _is_ranked(ising)
        for split in sorted(model.by_split.keys() & ising.by_split.keys())
        if model.n_splits > 1
    ]
    if dots:
        [drawn] = ax.plot(*zip(*dots, strict=True), "o", color=look.colour, zorder=1.9)
        drawn.set(markersize=2.2, markerfacecolor="white", markeredgewidth=0.5)


def _count_bins(ax: Axes, windows: Sequence[int], bin_width: float | None) -> None:
    """Name the bins per word and how long they are; a legend of the models."""
    if len(windows) <= 12:
        ax.set_xticks(windows)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(f"bins{'' if bin_width is None else f' of {1e3 * bin_width:g} ms'} per word")
    ax.legend(loc="best", **LEGEND)
