"""Hidden units of spatiotemporal models as maps of units and time (the paper's figure 6a)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure, SubFigure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from ..models import PopulationModel
from ..units import Units
from ..validation import Floats
from ..words import checked_bin_width
from ._activation import hidden_columns, hidden_title
from ._colours import colour_map
from ._documented import documented
from ._inputs import entitle, positive_nats
from ._laminar import BitLayout, HasUnits, bit_layout, mark_layers
from .style import ColourMap, axes_or_new

#: As many as the paper shows, and most in a row of a page; fewer than five maps do not fill it.
MOST, COLUMNS, _FEWEST_COLUMNS = 18, 9, 5
#: Position of the colour bar of one map in units of the axes: left, bottom, width, height.
_BAR = (1.06, 0.0, 0.06, 0.75)
#: Half of the width of the label of all time axes, inches.
_HALF_LABEL = 1.0


@documented
def hidden_map(
    model: PopulationModel,
    hidden: int,
    units: HasUnits | None = None,
    *,
    bin_width: float | None = None,
    limit: float | None = None,
    cmap: ColourMap | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Weights of one hidden unit onto units (rows, superficial on top) and time (newest right).

    Red is positive, blue negative, white zero, as the colour bar says.

    Parameters
    ----------
    model : RBM or SemiRBM
        A fitted model, of words of one or more bins.
    hidden : int
        Column of W of the hidden unit: 3 for h3.
    bin_width : float, optional
        Seconds; by default that of the model. If neither is known, the time axis counts bins.
    limit : float, optional
        Weight at the ends of the colour scale, nats; by default the largest of this hidden unit.
    title : str, optional
        Of the axes; by default the name of the hidden unit.

    Examples
    --------
    >>> from microcolumn.models import RBM
    >>> from microcolumn.parameters import Parameters
    >>> rbm = RBM.from_parameters(Parameters(b=[0.0] * 4, W=[[1.0], [0.0], [2.0], [3.0]], c=[0.0]))
    >>> ax = hidden_map(rbm, 0, Units("ab"), ax=Figure().subplots())
    >>> ax.images[0].get_array().tolist()  # unit a, then b, oldest bin first
    [[1.0, 2.0], [0.0, 3.0]]
    """
    [column] = hidden_columns(model, [hidden])
    found = bit_layout(model, units)
    width = model.bin_width_ if bin_width is None else checked_bin_width(bin_width)
    largest = float(np.abs(model.W_[:, column]).max()) or 1.0
    most = largest if limit is None else positive_nats("limit", limit)
    colours = colour_map(cmap)
    ax = axes_or_new(ax, (2.2, 1.8))
    image = _draw_map(ax, model.W_[:, column], found, width, most, colours)
    bar = ax.figure.colorbar(image, cax=ax.inset_axes(_BAR))
    bar.ax.set_title("weight\n(nats)", size=6, loc="left")
    bar.ax.tick_params(length=2, width=0.5, labelsize=6)
    bar.outline.set_linewidth(0.5)
    return entitle(ax, hidden_title(model, column) if title is None else title)


def _draw_map(
    ax: Axes,
    weights: Floats,
    found: BitLayout,
    bin_width: float | None,
    limit: float,
    colours: Colormap,
) -> AxesImage:
    """Draw the weights of one hidden unit; without a bin width, time is counted in bins."""
    window, n_units = found.window, found.units.order.size
    by_unit = weights[found.order].reshape(window, n_units).T
    image = ax.imshow(by_unit, cmap=colours, vmin=-limit, vmax=limit, aspect="auto")
    width = 1.0 if bin_width is None else 1e3 * bin_width
    image.set_extent(((0.5 - window) * width, 0.5 * width, n_units - 0.5, -0.5))
    mark_layers(ax, found.units)
    ax.set_xticks([(1 - window) * width, 0.0] if window > 1 else [0.0])
    ax.xaxis.set_major_formatter("{x:.0f}")
    if window > 3:  # labels of narrow bins move inside the axes, so that maps fit side by side
        left, right = ax.get_xticklabels()
        left.set_horizontalalignment("left")
        right.set_horizontalalignment("right")
    ax.set_xlabel("time (bins)" if bin_width is None else "time (ms)")
    ax.spines[:].set_visible(True)
    ax.spines[:].set_linewidth(0.6)
    return image


def hidden_maps(
    model: PopulationModel,
    order: NDArray[np.int64],
    units: Units,
    figure: Figure | SubFigure,
    *,
    bin_width: float,
    columns: int = COLUMNS,
) -> None:
    """Maps of the first 18 of some hidden units in one colour scale, called h0, h1, ... as in W.

    Rows have at most so many columns; below is one label for the time axes of all.
    """
    shown = order[:MOST]
    n_rows = math.ceil(shown.size / columns)
    n_columns = max(math.ceil(shown.size / n_rows), _FEWEST_COLUMNS)
    panels = figure.subplots(n_rows, n_columns, squeeze=False)
    limit = float(np.abs(model.W_[:, shown]).max())
    found, colours = bit_layout(model, units), colour_map(None)
    for place, ax in enumerate(panels.ravel()):
        if place >= shown.size:
            ax.set_axis_off()
            continue
        _draw_map(ax, model.W_[:, shown[place]], found, bin_width, limit, colours)
        ax.set_title(f"h{shown[place]}", pad=2, fontsize=7)
        ax.set_xlabel("")
        if place % n_columns:
            ax.set(yticklabels=[], ylabel="")
            ax.set_yticklabels(["" for _ in ax.get_yticks(minor=True)], minor=True)
        if place // n_columns < n_rows - 1:
            ax.set_xticklabels([])
    half = _HALF_LABEL * figure.dpi / figure.bbox.width
    below = max(half, 0.5 * min(1.0, shown.size / n_columns))  # the middle of the maps
    figure.supxlabel("time before the newest bin (ms)", x=below, fontsize=8)
    n_beside = min(shown.size, n_columns)  # the bar has the same width for one map and for nine
    size: dict[str, Any] = {"aspect": 14 * n_rows, "pad": 0.09 / n_beside}
    size |= {"fraction": 0.27 / n_beside, "ax": panels[:, :n_beside]}
    bar = figure.colorbar(panels[0, 0].images[0], **size)
    bar.set_label("weight (nats)")
    bar.outline.set_linewidth(0.6)
