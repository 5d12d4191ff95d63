"""When words lie in which basins of a model's energy."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import BadInput
from ..evaluate import Basins, basins as find_basins
from ..models import PopulationModel
from ..validation import expect, whole_number
from ..words import Words
from ._inputs import check_fitted, check_words, documented, entitle
from .style import Colour, axes_or_new, by_name, literal
from .time import COLOURS
from .tips import tip

#: Height of a row where rows are 1 apart, letters of a row's name, inches of a row.
_HEIGHT, _LETTERS, _LINE = 0.85, 24, 0.28


@documented("mc.Ising().fit(words), words")
def basins(
    source: Basins | PopulationModel,
    words: Words | ArrayLike | None = None,
    *,
    most: int = 8,
    n_stretches: int = 100,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how often words lie in each basin of the energy, over time.

    A row is a basin, named by the units that are active at its minimum; its height is the share of
    the words of each stretch of time, relative to the largest of the row, which stands on the
    right. The basin of silence is left out unless there is no other.

    Parameters
    ----------
    source : Basins or PopulationModel
        From :func:`microcolumn.evaluate.basins`, or a fitted model whose basins are sought.
    words : Words or array_like, shape (n_words, n_units), optional
        With a model: words in time order.
    most : int
        Basins drawn at most, those with most words.
    n_stretches : int
        Stretches of equally many words.
    color : colour, or mapping of str to colour, optional
        Of all basins, or by their units, such as ``{"3 7": "red"}``.
    """
    if not isinstance(source, Basins):
        remedy = "pass a fitted model with an energy, or what mc.evaluate.basins returns"
        source = expect("source", source, PopulationModel, remedy)
        if words is None:
            raise BadInput("basins are those of words", "pass words in time order, too")
        source = find_basins(check_fitted(source), check_words(words))
    some = np.flatnonzero(source.minima.any(axis=1))[: whole_number("most", most, least=1)]
    some = some if some.size else np.zeros(1, dtype=np.intp)
    names = [source.units[k] for k in some]
    colours = by_name(names, COLOURS, color)
    ax = axes_or_new(ax, (4.2, 0.8 + _LINE * max(some.size, 3)))
    shares = source.over_time(n_stretches)[:, some]
    firsts = [part[0] for part in np.array_split(source.times_s, len(shares))]
    edges = np.append(firsts, source.times_s[-1])
    for row, (name, share) in enumerate(zip(names, shares.T, strict=True)):
        base, largest = some.size - 1 - row, share.max()
        heights = base + _HEIGHT * share / largest
        ax.stairs(heights, edges, baseline=base, fill=True, color=colours[name], linewidth=0)
        ax.axhline(base, color="0.7", linewidth=0.4, zorder=0)
        percent = "100" if largest > 0.994 else f"{100.0 * largest:.2g}"
        label, middle = f"up to {percent} %", base + 0.5 * _HEIGHT
        ax.text(1.015, middle, label, size=6, va="center", transform=ax.get_yaxis_transform())
        [mark] = ax.plot(edges.mean(), middle, "o", alpha=0.0)
        tip(mark, {"units": name, "share of words": float(source.occupancy[some[row]])})
    short = [n if len(n) <= _LETTERS else f"{n[: _LETTERS - 1]}…" for n in names]
    ax.set_yticks(some.size - 1 - np.arange(some.size) + 0.5 * _HEIGHT, list(map(literal, short)))
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="time (s)", ylim=(-0.05, some.size), xlim=(edges[0], edges[-1]))
    return entitle(ax, title)
