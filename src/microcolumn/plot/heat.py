"""Heat capacity of a model and of fits to fewer units, beside flat models."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from ..evaluate import HeatCapacity
from ..validation import expect
from ._inputs import documented, entitle
from .style import LEGEND_RIGHT, OneColour, axes_or_new, looks, one_colour

_FLAT = "#777777"


@documented("mc.evaluate.heat_capacity(mc.Ising().fit(words), words)")
def heat_capacity(
    result: HeatCapacity,
    *,
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Heat capacity per unit over temperature, smaller populations lighter; dashed, flat models.

    Where the dashed lines rise with the population as the solid ones do, the peak says no more than
    that units are correlated.

    Parameters
    ----------
    result : HeatCapacity
        What :func:`microcolumn.evaluate.heat_capacity` returns.
    color : colour, optional
        Of the model.
    """
    expect("result", result, HeatCapacity, "what mc.evaluate.heat_capacity(model, words) returns")
    colours = one_colour(color, looks([result.model])[result.model].colour), _FLAT
    ax = axes_or_new(ax, (4.2, 2.6))
    for k, n in enumerate(result.sizes):
        strength = 0.3 + 0.7 * (k + 1) / result.sizes.size  # the rest is white
        own, grey = (1.0 - strength * (1.0 - np.array(to_rgb(each))) for each in colours)
        ax.plot(result.temperatures, result.per_unit[k], color=own, label=f"{n} units")
        ax.plot(result.temperatures, result.flat[k], "--", color=grey, linewidth=1.0)
    ax.plot([], [], "--", color=_FLAT, linewidth=1.0, label="flat")
    ax.axvline(1.0, color="0.8", linewidth=0.8, zorder=0)
    ax.set(xlabel="temperature", ylabel="heat capacity per unit ($k_B$)")
    ax.set_ylim(bottom=0.0)
    ax.legend(**LEGEND_RIGHT)
    return entitle(ax, title)
