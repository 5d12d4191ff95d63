"""What groups gain over models without: how much, over recordings, when, with how many active."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from ..errors import BadInput
from ..evaluate import Comparison, PairedDifference, Pooled, pool_contrasts
from ..evaluate.paired import both_cells
from ..evaluate.pooling import PooledRecording
from ..evaluate.time_errors import wave_variance
from ..validation import Floats, expect
from ..words import Words
from ._inputs import Compared, comparisons, documented, entitle
from .style import LEGEND, MODEL_COLOURS, OneColour, axes_or_new, literal, one_colour, signed
from .tips import tip

#: Inches of a row of a recording, and around all rows.
LINE, AROUND = 0.28, 0.9
#: Points: the side of the square of a recording that has all the weight, and of the smallest.
_LARGEST, _SMALLEST = 11.0, 2.5
#: Most bars by number of active units; of more, neighbours are put together.
_MOST_BARS = 40
_REMEDY = "compare a model with hidden units with one of pairs, such as RBM with Ising"


@documented('mc.compare(["Ising", "RBM 2"], words)')
def group_gain(
    models: Compared,
    words: Words | ArrayLike | None = None,
    *,
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """What groups gain over models without them, in %, with 95 % intervals; a row per recording.

    It is the planned contrast of groups (:attr:`microcolumn.evaluate.Comparison.groups`) as a share
    of what the model without them gains over independent units. Intervals allow for the choice of
    both models. Of several recordings, the last row is their mean, by random effects over
    animals where these are known (:func:`microcolumn.evaluate.pool_contrasts`).
    """
    listed = [each for each in comparisons(models, words) if has_group_gain(each)]
    if not listed:
        raise BadInput("no gain of groups over pairs is known", _REMEDY)
    colour = one_colour(color, MODEL_COLOURS["RBM"])
    ax = axes_or_new(ax, (2.6, AROUND + LINE * (len(listed) + 1)))
    names = [literal(each.recording) for each in listed]
    for row, compared in enumerate(listed):
        pair = _groups(compared)
        about = {"recording": compared.recording, "model": f"{pair.first} over {pair.second}"}
        _draw_row(ax, row, *percent(compared), about, marker="o", color=colour)
    if all_of_them := pool_contrasts(listed).get("groups"):
        ends = all_of_them.mean.value, all_of_them.low, all_of_them.high
        value, low, high = (100.0 * each for each in ends)
        about = {"recording": "all"}
        _draw_row(ax, len(listed), value, (low, high), about, marker="D", color="black")
        ax.axhline(len(listed) - 0.5, color="0.8", linewidth=0.6)
        names.append("all")
    ax.set_ylim(len(names) - 0.4, -0.7)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.axvline(0.0, color="black", linewidth=0.8, zorder=0)
    ax.spines["left"].set_visible(False)
    ax.margins(x=0.08)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5))
    ax.set_xlabel("gain over models without groups\n(%, 95 % interval)")
    return entitle(ax, title)


@documented("mc.evaluate.pool([mc.evaluate.Estimate(0.1, 0.02, '%')] * 3)")
def forest(
    pooled: Pooled,
    *,
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """An estimate in each recording with its 95 % interval, and the mean of all as a diamond.

    The area of a square is the weight of its recording in the mean; recordings of one animal stand
    together, and weights in per cent to the right. The diamond spans the 95 % interval of the mean,
    and the dashed line goes through its middle.

    Parameters
    ----------
    pooled : Pooled
        What :func:`microcolumn.evaluate.pool` returns, or an entry of what
        :func:`microcolumn.evaluate.pool_contrasts` does.
    color : colour, optional
        Of squares and intervals.
    """
    expect("pooled", pooled, Pooled, "what mc.evaluate.pool returns")
    colour = one_colour(color, "black")
    by_animal = pooled.mean.method == "animals"
    animals = [row.animal for row in pooled.recordings]
    rows = sorted(pooled.recordings, key=lambda row: by_animal and animals.index(row.animal))
    ax = axes_or_new(ax, (3.4, AROUND + LINE * (len(rows) + 1)))
    for place, row in enumerate(rows):
        _draw_square(ax, place, row, pooled, colour)
        if place and by_animal and row.animal != rows[place - 1].animal:
            ax.axhline(place - 0.5, color="0.9", linewidth=0.6, zorder=0)
    low, mean, high = (pooled.scale * e for e in (pooled.low, pooled.mean.value, pooled.high))
    corners = len(rows) + np.array([0.0, -0.3, 0.0, 0.3])
    ax.fill([low, mean, high, mean], corners, color="0.3", linewidth=0)
    ax.axvline(mean, color="0.5", linewidth=0.8, linestyle="--", zorder=0)
    ax.axhline(len(rows) - 0.5, color="0.7", linewidth=0.6, zorder=0)
    names = [f"{row.animal}, {row.recording}" if by_animal else row.recording for row in rows]
    ax.set_yticks(range(len(rows) + 1), [*map(literal, names), "mean"])
    ax.set_ylim(len(rows) + 0.6, -0.6)
    beside = ax.secondary_yaxis("right")
    weights = [f"{100.0 * row.weight:.0f} %" for row in rows]
    beside.set_yticks(range(len(rows)), weights, fontsize=7)
    beside.set_ylabel("weight", fontsize=7)
    ax.tick_params(axis="y", length=0)
    beside.tick_params(length=0)
    ax.spines["left"].set_visible(False)
    beside.spines["right"].set_visible(False)
    ax.axvline(0.0, color="black", linewidth=0.8, zorder=0)
    ax.margins(x=0.05)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5))
    ax.set_xlabel(f"95 % intervals ({pooled.mean.unit})")
    return entitle(ax, title)


@documented('mc.compare(["Ising", "RBM 2"], words)')
def cumulative_gain(
    models: Compared,
    words: Words | ArrayLike | None = None,
    *,
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """What groups gain over models without them, added up over the held-out time.

    A steady gain is a straight line, drift is a bend, and one burst is a step; the line ends at the
    whole gain. Grey is where 95 % of the lines of a steady gain would pass, at any one time. Of
    several comparisons the first is drawn.
    """
    compared = comparisons(models, words)[0]
    pair = _groups(compared)
    share, gain, stderr = gain_in_time(compared)
    colour = one_colour(color, MODEL_COLOURS["RBM"])
    ax = axes_or_new(ax)
    steady = gain[-1] * share
    around = 1.96 * stderr * np.sqrt(share * (1.0 - share))
    percent_of_time = 100.0 * share
    band = ax.fill_between(percent_of_time, steady - around, steady + around)
    band.set(color="0.9", linewidth=0, label="a steady gain, 95 %")
    ax.plot(percent_of_time, steady, color="0.5", linewidth=0.8, linestyle="--")
    label = f"{literal(pair.first)} over {literal(pair.second)}"
    [line] = ax.plot(percent_of_time, gain, color=colour, label=label)
    tip(line, {"held-out time (%)": percent_of_time, "bits/s so far": gain})
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.set(xlim=(0.0, 100.0), xlabel="held-out time (%)", ylabel="gain so far (bits/s)")
    ax.legend(loc="best", **LEGEND)
    return entitle(ax, title)


@documented('mc.compare(["Ising", "RBM 2"], words)')
def gain_by_activity(
    models: Compared,
    words: Words | ArrayLike | None = None,
    *,
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """What groups gain over models without them, by the number of units active in a word.

    Bars add up to the whole gain, and dots are splits. A model cannot gain everywhere: what is more
    probable at one number is less so at others. Of several comparisons the first is drawn.
    """
    by_split = gains_by_activity(comparisons(models, words)[0])
    colour = one_colour(color, MODEL_COLOURS["RBM"])
    width = -(-by_split.shape[1] // _MOST_BARS)
    starts = np.arange(0, by_split.shape[1], width)
    by_split = np.add.reduceat(by_split, starts, axis=1)
    at = starts + 0.5 * (width - 1)
    ax = axes_or_new(ax)
    bars = ax.bar(at, by_split.mean(axis=0), 0.8 * width, color=colour)
    numbers = [f"{k}" if width == 1 else f"{k} to {k + width - 1}" for k in starts]
    tip(bars, {"active units": numbers, "bits/s": by_split.mean(axis=0)})
    if len(by_split) > 1:
        [dots] = ax.plot(np.tile(at, len(by_split)), by_split.ravel(), "o", color="0.15")
        dots.set(markersize=2.0, markerfacecolor="white", markeredgewidth=0.4)
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="active units", ylabel="gain (bits/s)")
    return entitle(ax, title)


def has_group_gain(compared: Comparison) -> bool:
    """Whether groups were compared with models without them that gain something themselves."""
    pair = compared.groups
    return pair is not None and compared.scores[pair.second].bits_per_second > 0.0


def percent(compared: Comparison) -> tuple[float, tuple[float, float]]:
    """The gain of groups and its 95 % interval, % of what the model without them gains."""
    pair = _groups(compared)
    unit = 100.0 / compared.scores[pair.second].bits_per_second
    low, high = pair.interval
    return unit * pair.bits_per_second, (unit * low, unit * high)


def gain_in_time(compared: Comparison) -> tuple[Floats, Floats, float]:
    """Shares of the held-out time, the gain of groups so far, and its error at the end, bits/s.

    Both begin with 0; means over splits. The error is that of the test words.
    """
    pair = _groups(compared)
    both = both_cells(compared.scores[pair.first], compared.scores[pair.second])
    assert both is not None  # or there would be no difference
    cells = both[0].minus(both[1])
    gain, share = (each.mean(axis=0) for each in (cells.gains, cells.shares))
    stderr = math.sqrt(wave_variance(gain - share * gain.sum()))
    passed, so_far = (np.concatenate([[0.0], each.cumsum()]) for each in (share, gain))
    return np.minimum(passed, 1.0), so_far, stderr


def gains_by_activity(compared: Comparison) -> Floats:
    """Gain of groups by number of active units in each split, (n_splits, n_units + 1), bits/s."""
    pair = _groups(compared)
    first, second = (
        {each.split: each.gain_by_active for each in compared.scores[name].splits}
        for name in (pair.first, pair.second)
    )
    splits = sorted(first.keys() & second.keys())
    found = np.zeros((len(splits), max(len(first[split]) for split in splits)))
    for row, split in zip(found, splits, strict=True):
        row[: len(first[split])] = np.subtract(first[split], second[split])
    return found


def _groups(compared: Comparison) -> PairedDifference:
    """The contrast of groups, of which there must be one."""
    if compared.groups is None:
        raise BadInput("no gain of groups over pairs is known", _REMEDY)
    return compared.groups


def _draw_square(
    ax: Axes, place: int, row: PooledRecording, pooled: Pooled, colour: OneColour
) -> None:
    """A square as large as its weight, with the interval of the recording's own error."""
    value, error = pooled.scale * row.value, pooled.scale * row.stderr
    ends = value - 1.96 * error, value + 1.96 * error
    ax.plot(ends, [place, place], color=colour, linewidth=1.0)
    [square] = ax.plot(value, place, "s", color=colour)
    square.set_markersize(max(_SMALLEST, _LARGEST * math.sqrt(row.weight)))
    about = {"recording": row.recording, "animal": row.animal or "-", "weight": row.weight}
    tip(square, about | {pooled.mean.unit: value, "standard error": error})


def _draw_row(
    ax: Axes, row: int, value: float, ends: tuple[float, float], about: dict[str, str], **look: Any
) -> None:
    """A mark with its interval, if that is known, and its number to the right."""
    low, high = ends
    if math.isfinite(low):
        ax.plot(ends, [row, row], color=look["color"], linewidth=1.8)
    [mark] = ax.plot(value, row, markersize=5, linestyle="", **look)
    tip(mark, about | {"gain (%)": value, "from (%)": low, "to (%)": high})
    text = signed(f"{value:+.{0 if abs(value) >= 2.0 else 1}f} %")
    ax.annotate(text, (1.0, row), xycoords=ax.get_yaxis_transform(), va="center", fontsize=7)
