"""How scores grow with the number of bins per word, and how the gain over the Ising model does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ..evaluate import ModelScore, WindowResult
from ..evaluate._significance import claimed_stderr, corrected_stderr
from ..words import checked_bin_width
from ._inputs import documented, entitle, expect
from ._tips import tip
from .style import DASHES, LEGEND, Colour, Look, axes_or_new, literal, looks_of, match_type

_REMEDY = "what results.by_window(...) returns"


@documented
def windows(
    result: WindowResult,
    *,
    bin_width: float | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Score per unit against the number of bins per word, a line per model.

    Bands are one standard error to either side, as in :func:`scores`.

    Parameters
    ----------
    result : WindowResult
        From ``results.by_window(...)``; missing results and false modes are gaps.
    bin_width : float, optional
        Seconds per bin; if given, an axis above shows the length of words.
    """
    expect("result", result, WindowResult, _REMEDY)
    width = None if bin_width is None else checked_bin_width(bin_width)
    styles = _looks(result, color)
    ax = axes_or_new(ax)
    for name, look in styles.items():
        ranked = [each if _is_ranked(each) else None for each in result.models[name]]
        values = [math.nan if each is None else each.per_neuron for each in ranked]
        errors = [_stderr_per_neuron(each, result.test_to_train) for each in ranked]
        _draw(ax, result.windows, values, errors, name, look)
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, 0.0), high)
    ax.set_ylabel("excess log-likelihood\nper unit (bits/s)")
    _count_bins(ax, result.windows, width)
    return entitle(ax, title)


@documented
def window_gains(
    result: WindowResult,
    *,
    bin_width: float | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Score per unit minus that of the Ising model, against the number of bins per word.

    Paired by split: dots are splits, bands one standard error of their mean to either side; see
    :meth:`~microcolumn.evaluate.WindowResult.gains`.

    Parameters
    ----------
    result, bin_width
        As in :func:`windows`; the result needs an Ising model and another one.
    """
    expect("result", result, WindowResult, _REMEDY)
    reference = result.reference
    if reference is None:
        raise ValueError("the result has no Ising model beside others; draw it with windows")
    width = None if bin_width is None else checked_bin_width(bin_width)
    styles = _looks(result, color)
    ax = axes_or_new(ax)
    for name, pairs in result.gains().items():
        if name not in styles:
            continue
        values = [math.nan if pair is None else pair.bits_per_second for pair in pairs]
        errors = [math.nan if pair is None else pair.stderr for pair in pairs]
        _draw(ax, result.windows, values, errors, name, styles[name])
        _draw_splits(ax, result, name, styles[name])
    if reference in styles:
        zero = {"color": styles[reference].colour, "linestyle": styles[reference].dash}
        ax.axhline(0.0, linewidth=0.8, zorder=1, **zero)
    ax.set_ylabel(f"gain over {literal(reference)}\nper unit (bits/s)")
    _count_bins(ax, result.windows, width)
    return entitle(ax, title)


def _is_ranked(result: ModelScore | None) -> bool:
    """Whether there is a score, and one that speaks for the model."""
    return result is not None and not result.has_false_mode


def _looks(result: WindowResult, color: Colour | None) -> dict[str, Look]:
    """How each model that has a score is drawn: dashes let a line be seen beneath another."""
    found = looks_of(list(result.models), color)
    dashes = dict(zip(found, cycle(DASHES)))
    return {
        name: look._replace(dash=dashes[name])
        for name, look in found.items()
        if any(map(_is_ranked, result.models[name]))
    }


def _draw(
    ax: Axes,
    at: Sequence[int],
    values: Sequence[float],
    errors: Sequence[float],
    name: str,
    look: Look,
) -> None:
    """A line with points and a band; a point alone, which no band shows, has an error bar."""
    y, error = np.array(values), np.array(errors)
    style = {"color": look.colour, "linestyle": look.dash, "marker": look.marker}
    [line] = ax.plot(at, y, markersize=3, label=literal(name), **style)
    about = {"bins per word": at, "bits/s per unit": values, "standard error": errors}
    tip(line, {"model": name} | about)
    ax.fill_between(at, y - error, y + error, color=look.colour, alpha=0.18, linewidth=0)
    known = np.isfinite(y)
    alone = known & ~np.append(known[1:], False) & ~np.append(False, known[:-1])
    ax.vlines(np.array(at)[alone], (y - error)[alone], (y + error)[alone], color=look.colour)


def _draw_splits(ax: Axes, result: WindowResult, name: str, look: Look) -> None:
    """Difference from the reference in each split, as dots."""
    found = zip(
        result.windows, result.models[name], result.models[f"{result.reference}"], strict=True
    )
    dots = [
        (window, (model.by_split[split] - ising.by_split[split]) / model.n_units)
        for window, model, ising in found
        if model and ising and _is_ranked(model) and _is_ranked(ising)
        for split in sorted(model.by_split.keys() & ising.by_split.keys())
        if model.n_splits > 1
    ]
    if dots:
        [drawn] = ax.plot(*zip(*dots, strict=True), "o", color=look.colour, zorder=1.9)
        drawn.set(markersize=2.2, markerfacecolor="white", markeredgewidth=0.5)


def _count_bins(ax: Axes, windows: Sequence[int], bin_width: float | None) -> None:
    """Name the bins per word, and above the length of words; a legend of the models."""
    if len(windows) <= 12:
        ax.set_xticks(windows)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("bins per word")
    ax.legend(loc="best", **LEGEND)
    if bin_width is not None:
        ms = 1e3 * bin_width
        both = (lambda n: np.multiply(n, ms), lambda t: np.divide(t, ms))
        above = ax.secondary_xaxis("top", functions=both)
        above.set_xlabel("length of a word (ms)")
        match_type(above, ax.xaxis)
        if len(windows) <= 12:
            above.set_xticks([ms * n for n in windows], [f"{ms * n:.3g}" for n in windows])


def _stderr_per_neuron(result: ModelScore | None, test_to_train: float) -> float:
    """Error of a mean over splits, bits/s per recorded unit."""
    if result is None:
        return math.nan
    corrected = corrected_stderr([s.bits_per_second for s in result.splits], test_to_train)
    error = claimed_stderr(corrected, result.block_stderr, result.n_splits)
    return error / result.n_units
