"""Moments of pairs and triplets of units, those of a model against those of the data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import ArrayLike

from ..evaluate import Moments, adequacy
from ..models import WordModel
from ..validation import one_of
from ..words import Words
from ._inputs import documented, entitle, measured
from .laminar import HasUnits, table_of
from .style import LEGEND, Colour, axes_or_new, literal, looks, signed
from .tips import tip
from .word_patterns import MOST_POINTS, bit_names

_NAMES = {"pairs": "covariance of a pair", "triplets": "third moment of a triplet"}


@documented("model, words")
def moments(
    models: WordModel | Moments | Sequence[WordModel | Moments] | Mapping[str, WordModel | Moments],
    words: Words | ArrayLike | None = None,
    *,
    of: Literal["pairs", "triplets"] = "triplets",
    units: HasUnits | None = None,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Moments of pairs or triplets of units under models against those of held-out words.

    A covariance says how much more often two units are active together than by their rates, a third
    central moment how much more often three are than by their rates and pairs. Points of a perfect
    model scatter around the line by the noise of the words; the slope of its points through zero,
    to which that noise does not count, is 1.

    Parameters
    ----------
    models : WordModel or Moments, or sequence or mapping of them
        Fitted models and their names; or, without ``words``, moments of
        :func:`microcolumn.evaluate.adequacy` of the same words.
    of : {"pairs", "triplets"}
        Pairs of the 60 most active units, or triplets of the 24 most active.
    units : Units, Words or Recording, optional
        Recorded units, by which pages name points; by default those of ``words``.
    """
    one_of("of", of, _NAMES)
    made_by = "mc.evaluate.adequacy(model, words).moments[...]"
    found = measured(
        models, words, Moments, made_by, lambda m, x: adequacy(m, x).moments[of], WordModel
    )
    if units is None and isinstance(words, Words):
        units = words.units
    table = None if units is None else table_of(units)
    styles = looks(list(found), color, models)
    ax = axes_or_new(ax, (2.8, 2.6))
    values = np.concatenate([[0.0], *(v for m in found.values() for v in (m.observed, m.model))])
    ends = float(values.min()), float(values.max())
    ax.plot(ends, ends, color="black", linewidth=0.8, zorder=1)
    ax.axhline(0.0, color="0.8", linewidth=0.6, zorder=0)
    n_points = sum(each.observed.size for each in found.values())
    size = float(np.clip(900.0 / max(n_points, 1), 1.5, 4.0))
    for name, each in found.items():
        slope = "" if np.isnan(each.slope) else f"slope {each.slope:.2f}"
        [dots] = ax.plot(each.observed, each.model, "o", color=styles[name].tint, alpha=0.5)
        dots.set(markersize=size, markeredgewidth=0.0, rasterized=n_points > MOST_POINTS)
        dots.set_label(", ".join(filter(None, (literal(name), slope))))
        about = {"model": name, "observed": each.observed, "by the model": each.model}
        if table is not None:
            ids = bit_names(table, int(each.bits.max(initial=0)) + 1)
            about = {of: [", ".join(ids[bits]) for bits in each.bits]} | about
        tip(dots, about)
    power = 3 * math.floor(math.log10(max(np.abs(ends).max(), 1e-300)) / 3.0)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=5))
        axis.set_major_formatter(FuncFormatter(lambda value, _: signed(f"{value / 10.0**power:g}")))
    unit = f" ($10^{{{power}}}$)" if power else ""
    ax.set(xlabel=f"{_NAMES[of]}, data{unit}", ylabel=f"model{unit}")
    ax.legend(loc="upper left", markerscale=3.0 / size, handletextpad=0.1, **LEGEND)
    return entitle(ax, title)
