"""Scores of models: bars, differences from one model, growth with the window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ..evaluate import Comparison, ModelScore, PairedDifference, WindowResult
from ..evaluate._significance import FEWEST_SPLITS, claimed_stderr, corrected_stderr, p_text
from ..formatting import counted
from ..models import ModelSpec
from ..models._spec import CLASSES, INDEPENDENT, OBJECTIVES
from .style import (
    ERROR_BARS,
    LEGEND,
    LEGEND_RIGHT,
    Look,
    axes_or_new,
    leave_rounding_small,
    literal,
    looks,
)

#: Part of the space of a recording that is filled with bars.
_FILLED = 0.8


def scores(compared: Comparison | Sequence[Comparison], *, ax: Axes | None = None) -> Axes:
    """Bars of the excess log-likelihood of each model over independent units, the zero line.

    Error bars are one standard error: from blocks of bins for fitted models compared by
    :func:`microcolumn.compare` and for one split; otherwise that of the mean over splits, corrected
    for the words that splits share.

    Parameters
    ----------
    compared : Comparison or sequence of Comparison
        From :func:`microcolumn.compare` or ``results.comparison(...)``; several are drawn as
        groups of bars.
    """
    listed, specs = _drawn(compared)
    if not specs:
        raise ValueError("there is no score to draw; compare a model other than Independent")
    ax = axes_or_new(ax, (4.6, 2.6))
    width = _FILLED / len(specs)
    for k, (name, look) in enumerate(looks(specs, specs).items()):
        drawn = [
            (at, pair.bits_per_second, pair.stderr)
            for at, each in enumerate(listed)
            if name in each.scores
            for pair in [each.pair(name, INDEPENDENT)]
        ]
        at, values, errors = (np.array(column) for column in zip(*drawn, strict=True))
        style: dict[str, Any] = {"color": look.colour, "hatch": look.hatch, "linewidth": 0.6}
        style["edgecolor"] = "white" if look.hatch else look.colour
        style["error_kw"] = {"elinewidth": 0.8, "capsize": min(2.0, 12.0 * width)}
        x = at + _offset(k, len(specs))
        ax.bar(x, values, width, yerr=errors, label=literal(name), **style)
    _draw_zero(ax)
    ax.set_ylabel("excess log-likelihood\n(bits/s)")
    _name_groups(ax, listed)
    ax.legend(**LEGEND_RIGHT)
    return ax


def differences(
    compared: Comparison | Sequence[Comparison],
    reference: str = "Ising",
    *,
    ax: Axes | None = None,
) -> Axes:
    """Each model's score minus that of one of them, paired over splits, with p-values.

    Error bars are one standard error of the paired difference, from which the p-value follows; it
    is corrected for the number of pairs, and left out where there are fewer than three splits. See
    :class:`~microcolumn.evaluate.PairedDifference`.

    Parameters
    ----------
    compared : Comparison or sequence of Comparison
        As in :func:`scores`; the place of one without the reference stays empty.
    reference : str
        Name of the model that is subtracted.
    """
    listed, specs = _drawn(compared)
    names = [name for name in specs if name != reference]
    if reference not in specs or not names:
        raise ValueError(
            f"no model is compared with {reference!r}; name another one as reference, "
            f"of {', '.join(specs)}"
        )
    ax = axes_or_new(ax, (4.6, 2.6))
    # A p-value needs this part of the width of the axes, or it is written upwards.
    upright = _FILLED / len(names) / (len(listed) + 0.2) < 0.12
    styles = looks(specs, specs)
    for at, each in enumerate(listed):
        for k, name in enumerate(names):
            if {name, reference} <= set(each.scores):
                x = at + _offset(k, len(names))
                _draw_difference(ax, x, each.pair(name, reference), styles[name], upright=upright)
    _draw_zero(ax)
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + (0.4 if upright else 0.14) * (high - low))  # for the p-values
    ax.set_ylabel(f"difference from\n{literal(reference)} (bits/s)")
    _name_groups(ax, listed)
    points = [Line2D([], [], label=literal(name), **_point(styles[name])) for name in names]
    ax.legend(handles=points, **LEGEND_RIGHT)
    return ax


def windows(
    result: WindowResult, *, bin_width: float | None = None, ax: Axes | None = None
) -> Axes:
    """Score per unit against the number of bins per word, a line per model.

    Error bars are one standard error, as in :func:`scores`.

    Parameters
    ----------
    result : WindowResult
        From ``results.by_window(...)``; missing results and false modes are gaps.
    bin_width : float, optional
        Seconds per bin; if given, an axis above shows the length of words.
    """
    ax = axes_or_new(ax)
    styles = looks(result.models)
    for k, (name, found) in enumerate(result.models.items()):
        look = styles[name]
        # Models are side by side, so that error bars do not overlap.
        at = np.array(result.windows) + 0.07 * (k - (len(result.models) - 1) / 2)
        ranked = [None if each is None or each.has_false_mode else each for each in found]
        values = np.array([math.nan if each is None else each.per_neuron for each in ranked])
        errors = np.array([_stderr_per_neuron(each, result.test_to_train) for each in ranked])
        style = {"color": look.colour, "linestyle": look.dash, "marker": look.marker}
        ax.errorbar(at, values, errors, markersize=3, label=literal(name), **style, **ERROR_BARS)
    if len(result.windows) <= 12:
        ax.set_xticks(result.windows)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="bins per word", ylabel="excess log-likelihood\nper unit (bits/s)")
    ax.legend(loc="best", **LEGEND)
    if bin_width is not None:
        ms = 1e3 * bin_width
        both = (lambda n: np.multiply(n, ms), lambda t: np.divide(t, ms))
        ax.secondary_xaxis("top", functions=both).set_xlabel("length of a word (ms)")
    return ax


def _drawn(
    compared: Comparison | Sequence[Comparison],
) -> tuple[list[Comparison], dict[str, ModelSpec]]:
    """Comparisons as a list, and all models except independent ones, by class, objective, size."""
    listed = [compared] if isinstance(compared, Comparison) else list(compared)
    found = {model.name: model.spec for each in listed for model in each.models}
    order = {
        name: (CLASSES.index(spec.model), OBJECTIVES.index(spec.objective), spec.n_hidden)
        for name, spec in found.items()
        if spec.model != INDEPENDENT
    }
    return listed, {name: found[name] for name in sorted(order, key=order.__getitem__)}


def _offset(k: int, n: int) -> float:
    """Distance from the middle of a group to bar ``k`` of ``n``."""
    return _FILLED * ((k + 0.5) / n - 0.5)


def _point(look: Look) -> dict[str, Any]:
    return {"color": look.colour, "marker": look.marker, "markersize": 4, "linestyle": ""}


def _draw_difference(
    ax: Axes, x: float, pair: PairedDifference, look: Look, *, upright: bool
) -> None:
    """A point with its error bar and, if there are enough splits, its p-value above."""
    ax.errorbar(x, pair.bits_per_second, pair.stderr, elinewidth=0.8, capsize=2, **_point(look))
    if pair.n_splits < FEWEST_SPLITS:
        return
    top = pair.bits_per_second + (0.0 if math.isnan(pair.stderr) else pair.stderr)
    text = p_text(pair.p_holm).replace(" = ", "=").replace(" < ", "<")
    place: dict[str, Any] = {"xytext": (0, 4), "textcoords": "offset points", "ha": "center"}
    ax.annotate(text, (x, top), rotation=90 if upright else 0, fontsize=5.5, va="bottom", **place)


def _name_groups(ax: Axes, listed: Sequence[Comparison]) -> None:
    """Name recordings below their bars; outside of a study there is none."""
    names = [
        f"{literal(each.recording)}\n{counted(each.n_units, 'unit')}" if each.recording else ""
        for each in listed
    ]
    names = [name.replace(" (simulated)", "\n(simulated)") for name in names]
    ax.set_xlim(-0.6, len(names) - 0.4)
    ax.set_xticks(range(len(names)), names)
    ax.tick_params(axis="x", length=0)
    letters = len(names) * max(len(line) for name in names for line in name.split("\n"))
    if len(names) > 6 or letters > 40:  # they would overlap
        ax.tick_params(axis="x", rotation=45)
        for label in ax.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")


def _draw_zero(ax: Axes) -> None:
    """A line at zero instead of the lower edge."""
    leave_rounding_small(ax)
    ax.spines["bottom"].set_visible(False)
    ax.axhline(0.0, color="black", linewidth=0.8, clip_on=False)


def _stderr_per_neuron(result: ModelScore | None, test_to_train: float) -> float:
    """Error of a mean over splits, bits/s per recorded unit."""
    if result is None:
        return math.nan
    corrected = corrected_stderr([s.bits_per_second for s in result.splits], test_to_train)
    error = claimed_stderr(corrected, result.block_stderr, result.n_splits)
    return error / result.n_units
