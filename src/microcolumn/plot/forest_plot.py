"""An estimate in several recordings with its mean: a forest plot."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.patches import Polygon
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
    rows = _ordered(pooled.recordings) if by_animal else list(pooled.recordings)
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
    for axis in (ax, beside):
        axis.tick_params(axis="y", length=0)
        for side in ("left", "right"):
            if side in axis.spines:
                axis.spines[side].set_visible(False)
    ax.axvline(0.0, color="black", linewidth=0.8, zorder=0)
    ax.margins(x=0.05)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=5))
    ax.set_xlabel(f"95 % intervals ({pooled.mean.unit})")
    return entitle(ax, title)


def _ordered(rows: tuple[PooledRecording, ...]) -> list[PooledRecording]:
    """Recordings of an animal together, animals in the order in which they come."""
    animals = list(dict.fromkeys(row.animal for row in rows))
    return sorted(rows, key=lambda row: animals.index(row.animal))


def _draw_row(
    ax: Axes, place: int, row: PooledRecording, pooled: Pooled, colour: OneColour
) -> None:
    """A square as large as its weight, with the interval of the recording's own error."""
    value, half = (
        pooled.scale * each for each in (row.value, -float(ndtri(LEVEL / 2.0)) * row.stderr)
    )
    ax.plot([value - half, value + half], [place, place], color=colour, linewidth=1.0)
    size = max(_SMALLEST, _LARGEST * math.sqrt(row.weight))
    [square] = ax.plot(value, place, "s", color=colour, markersize=size)
    about = {"recording": row.recording, "animal": row.animal or "-", "weight": row.weight}
    tip(square, about | {pooled.mean.unit: value, "standard error": pooled.scale * row.stderr})


def _draw_mean(ax: Axes, place: int, pooled: Pooled) -> None:
    """A diamond that spans the interval of the mean, with a line through its middle."""
    low, mean, high = (pooled.scale * e for e in (pooled.low, pooled.mean.value, pooled.high))
    corners = [(low, place), (mean, place - 0.3), (high, place), (mean, place + 0.3)]
    ax.add_patch(Polygon(corners, facecolor="0.3", edgecolor="none"))
    ax.update_datalim(corners)
    ax.axvline(mean, color="0.5", linewidth=0.8, linestyle="--", zorder=0)
    ax.axhline(place - 0.5, color="0.7", linewidth=0.6, zorder=0)
