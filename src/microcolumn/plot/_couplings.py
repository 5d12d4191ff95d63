"""Couplings as a matrix with the biases on its diagonal (docs/method.md, section 7, figure 2)."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from ..models import PopulationModel
from ..units import Units
from ._laminar import bit_layout, mark_window
from .style import SIGNED, axes_or_new

#: Position of the colour bars in units of the axes: left, bottom, width, height.
_COUPLING_BAR, _BIAS_BAR = (1.04, 0.48, 0.045, 0.52), (1.04, 0.0, 0.045, 0.34)


def couplings(
    model: PopulationModel, units: Units | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the couplings J, with the biases b on the diagonal, where J is zero.

    Couplings are coloured from blue (negative) over white (zero) to red (positive); the colour bar
    is pointed if the strongest exceed it. Biases are several times larger and nearly all negative,
    so they are grey and have their own bar.

    The first image of the axes is J, the second one b, each masked where the other is drawn.

    Parameters
    ----------
    model : PopulationModel
        A fitted model; the matrix of one without couplings is white except for the biases.
    units : Units, optional
        The recorded units, drawn from superficial to deep with lines between layers. For windows
        of several bins each lag is a block, the oldest first.
    """
    axes = axes_or_new(ax, (4.6, 3.4))
    found = bit_layout(model, units)
    diagonal = np.eye(found.order.size, dtype=bool)
    drawn = model.J_[np.ix_(found.order, found.order)]
    biases = np.where(diagonal, model.b_[found.order], 0.0)
    strengths = np.abs(drawn[drawn != 0.0])
    # The strongest 1 % of the couplings have the last colour of the scale.
    limit = float(np.quantile(strengths, 0.99)) if strengths.size else 1.0
    colours = np.ma.array(drawn, mask=diagonal)
    signed = axes.imshow(colours, cmap=SIGNED, vmin=-limit, vmax=limit, aspect="equal")
    # Greys start at zero, so that they show strengths as colours do.
    low, high = min(float(model.b_.min()), 0.0), max(float(model.b_.max()), 0.0)
    shades, high = np.ma.array(biases, mask=~diagonal), high if high > low else 1.0
    grey = axes.imshow(shades, cmap="Greys_r", vmin=low, vmax=high, aspect="equal")
    beyond = (bool((drawn < -limit).any()), bool((drawn > limit).any()))
    extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(beyond)
    _bar(axes, signed, _COUPLING_BAR, "coupling J (nats)", extend or "neither")
    _bar(axes, grey, _BIAS_BAR, "bias b (nats)", "neither")
    mark_window(axes, found, along="y")
    mark_window(axes, found, along="x")
    axes.spines[["top", "right"]].set_visible(True)
    return axes


def _bar(
    ax: Axes, image: AxesImage, place: tuple[float, float, float, float], label: str, extend: str
) -> None:
    bar = ax.figure.colorbar(image, cax=ax.inset_axes(place), extend=extend)
    bar.set_label(label)
    bar.locator = MaxNLocator(4, steps=[1, 2, 5, 10])
    bar.outline.set_linewidth(0.5)
    bar.ax.tick_params(length=2, width=0.5)
