"""An estimate in several recordings with its mean: a forest plot."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from scipy.special import ndtri

from ..evaluate import Pooled
from ..evaluate.pooling import PooledRecording
from ..evaluate.significance import LEVEL
from ..validation import expect
from ._inputs import documented, entitle
from .style import DATA_COLOUR, OneColour, axes_or_new, literal, one_colour
from .tips import tip

#: Inches of a line, and of what is above and below all lines.
LINE, AROUND = 0.2, 0.8
#: Points: the side of the square of a recording that has all the weight, and of the smallest.
_LARGEST, _SMALLEST = 11.0, 2.5


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
    colour = one_colour(color, DATA_COLOUR)
    by_animal = pooled.mean.method == "animals"
    animals = [row.animal for row in pooled.recordings]
    rows = sorted(pooled.recordings, key=lambda row: by_animal and animals.index(row.animal))
    ax = axes_or_new(ax, (3.4, AROUND + LINE * (len(rows) + 1)))
    for place, row in enumerate(rows):
        _draw_row(ax, place, row, pooled, colour)
        if place and by_animal and row.animal != rows[place - 1].animal:
            ax.axhline(place - 0.5, color="0.9", linewidth=0.6, zorder=0)
    _draw_mean(ax, len(rows), pooled)
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


def _draw_row(
    ax: Axes, place: int, row: PooledRecording, pooled: Pooled, colour: OneColour
) -> None:
    """A square as large as its weight, with the interval of the recording's own error."""
    scale = pooled.scale
    value, error = scale * row.value, scale * row.stderr
    ends = [value + error * float(ndtri(share)) for share in (LEVEL / 2.0, 1.0 - LEVEL / 2.0)]
    ax.plot(ends, [place, place], color=colour, linewidth=1.0)
    [square] = ax.plot(value, place, "s", color=colour)
    square.set_markersize(max(_SMALLEST, _LARGEST * math.sqrt(row.weight)))
    about = {"recording": row.recording, "animal": row.animal or "-", "weight": row.weight}
    tip(square, about | {pooled.mean.unit: value, "standard error": error})


def _draw_mean(ax: Axes, place: int, pooled: Pooled) -> None:
    """A diamond that spans the interval of the mean, with a line through its middle."""
    low, mean, high = (pooled.scale * e for e in (pooled.low, pooled.mean.value, pooled.high))
    ax.fill([low, mean, high, mean], place + np.array([0.0, -0.3, 0.0, 0.3]), color="0.3", lw=0)
    ax.axvline(mean, color="0.5", linewidth=0.8, linestyle="--", zorder=0)
    ax.axhline(place - 0.5, color="0.7", linewidth=0.6, zorder=0)
