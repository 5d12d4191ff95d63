"""Two conditions: couplings of one against the other, and changes of rates on the probe."""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from ..evaluate import Contrast
from ..validation import expect, one_of
from ._inputs import documented, entitle
from .hidden import POSITIVE
from .laminar import shank_size
from .shank import draw_signed
from .style import LEGEND, OneColour, axes_or_new, literal, one_colour
from .tips import tip


@documented()
def contrast(
    result: Contrast,
    *,
    of: Literal["couplings", "rates"] = "couplings",
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Couplings in one condition against those in the other, or changes of rates on the probe.

    Pairs whose coupling differs at a false discovery rate of 5 % are coloured; couplings that are
    alike lie on the line. On the probe the area of a dot is the size of the change of a unit's log
    rate, filled where it fires more in the first condition; units that do not clearly differ are
    grey.

    Parameters
    ----------
    result : Contrast
        What :func:`microcolumn.evaluate.contrast` returns.
    of : {"couplings", "rates"}
        What is drawn.
    color : colour, optional
        Of what differs; red by default.

    Examples
    --------
    >>> import microcolumn as mc
    >>> words = mc.simulate.microcolumn(n_units=6, minutes=2).bin()
    >>> result = mc.evaluate.contrast(*words.split(), mc.Ising(l1=1e-3))
    >>> ax = mc.plot.contrast(result, of="rates")
    """
    expect("result", result, Contrast, "what mc.evaluate.contrast(words_a, words_b, model) returns")
    colour = one_colour(color, POSITIVE)
    first, second = map(literal, result.names)
    if one_of("of", of, ("couplings", "rates")) == "rates":
        ax = axes_or_new(ax, shank_size(result.units))
        changes = np.nan_to_num(result.rates.difference.estimate)
        labels = f"more in {first}", f"more in {second}"
        name = "change of the log rate (nats)"
        draw_signed(ax, result.units, changes, result.rates.sure(), colour, labels, name, {})
        return entitle(ax, title)
    ax = axes_or_new(ax, (2.8, 2.6))
    pairs = result.couplings
    values = np.concatenate((pairs.a, pairs.b, [0.0]))
    ends = np.nanmin(values), np.nanmax(values)
    ax.plot(ends, ends, color="black", linewidth=0.8, zorder=1)
    names = np.array([", ".join(label) for label in pairs.labels])
    for sure, shade, label in ((False, "0.55", ""), (True, colour, "differ")):
        chosen = (pairs.sure() == sure) & np.isfinite(pairs.difference.estimate)
        if chosen.any():
            [dots] = ax.plot(pairs.a[chosen], pairs.b[chosen], "o", color=shade, label=label)
            dots.set(markersize=3.0, markeredgewidth=0.0, alpha=0.7, zorder=2 + sure)
            about = {"pair": names[chosen].tolist(), first: pairs.a[chosen]}
            tip(dots, about | {second: pairs.b[chosen]})
    ax.set(xlabel=f"coupling, {first} (nats)", ylabel=f"coupling, {second} (nats)")
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="upper left", handletextpad=0.1, **LEGEND)
    return entitle(ax, title)
