"""Weights as maps: couplings with biases beside them, hidden units over units and time.

They are the paper's figures 2 and 6a (docs/method.md, section 7).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ..errors import BadInput
from ..models import PopulationModel
from ..units import Units
from ..validation import Floats, positive_number
from ..words import checked_bin_width
from ._inputs import documented, entitle, fitted_model
from .hidden import THRESHOLD, draw_bars
from .laminar import BitLayout, HasUnits, bit_layout, drop_names, mark_layers, mark_window
from .style import ColourMap, axes_or_new, colour_map, round_below, signed
from .time import hidden_columns, hidden_title

#: As many as the paper shows, and most in a row of a page; fewer than five maps do not fill it.
MOST, COLUMNS, _FEWEST_COLUMNS = 18, 9, 5
#: Position of the colour bar of one map in units of the axes: left, bottom, width, height.
_BAR = (1.06, 0.0, 0.06, 0.75)
#: Position of the biases and of the colour bar in units of the axes: left, bottom, width, height.
_BIASES, _COUPLING_BAR = (1.04, 0.0, 0.14, 1.0), (1.27, 0.15, 0.045, 0.7)
#: Colour of the diagonal, where nothing is: no unit is coupled with itself.
_NOTHING = "#E6E6E6"
#: What an end of a scale must be.
_NATS = "give a positive number of nats"


@documented()
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
    layout = bit_layout(model, units)
    width = model.bin_width_ if bin_width is None else checked_bin_width(bin_width)
    largest = float(np.abs(model.W_[:, column]).max()) or 1.0
    most = largest if limit is None else positive_number("limit", limit, _NATS)
    scale: dict[str, Any] = {"cmap": colour_map(cmap), "vmin": -most, "vmax": most}
    ax = axes_or_new(ax, (2.2, 1.8))
    image = _draw_map(ax, model.W_[:, column], layout, width, **scale)
    _colour_bar(ax, image, _BAR, "weight\n(nats)")
    return entitle(ax, hidden_title(model, column) if title is None else title)


def _draw_map(
    ax: Axes, weights: Floats, layout: BitLayout, bin_width: float | None, **colours: Any
) -> AxesImage:
    """Draw the weights of one hidden unit; without a bin width, time is counted in bins."""
    window, n_units = layout.window, layout.units.order.size
    by_unit = weights[layout.order].reshape(window, n_units).T
    image = ax.imshow(by_unit, aspect="auto", **colours)
    width = 1.0 if bin_width is None else 1e3 * bin_width
    image.set_extent(((0.5 - window) * width, 0.5 * width, n_units - 0.5, -0.5))
    mark_layers(ax, layout.units)
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

    Rows have at most so many columns; those at the bottom have the time axes of all.
    """
    shown = order[:MOST]
    n_rows = math.ceil(shown.size / columns)
    n_columns = max(math.ceil(shown.size / n_rows), _FEWEST_COLUMNS)
    panels = figure.subplots(n_rows, n_columns, squeeze=False)
    limit = float(np.abs(model.W_[:, shown]).max())
    scale: dict[str, Any] = {"cmap": colour_map(None), "vmin": -limit, "vmax": limit}
    layout = bit_layout(model, units)
    for place, ax in enumerate(panels.ravel()):
        if place >= shown.size:
            ax.set_axis_off()
            continue
        _draw_map(ax, model.W_[:, shown[place]], layout, bin_width, **scale)
        ax.set_title(f"h{shown[place]}", pad=2, fontsize=7)
        ax.xaxis.label.set_size(7)
        if place % n_columns:
            drop_names(ax)
        if place // n_columns < n_rows - 1:
            ax.set(xticklabels=[], xlabel="")
    n_beside = min(shown.size, n_columns)  # the bar has the same width for one map and for nine
    size: dict[str, Any] = {"aspect": 14 * n_rows, "pad": 0.09 / n_beside}
    size |= {"fraction": 0.27 / n_beside, "ax": panels[:, :n_beside]}
    bar = figure.colorbar(panels[0, 0].images[0], **size)
    bar.set_label("weight (nats)")
    bar.outline.set_linewidth(0.6)


@documented()
def couplings(
    model: PopulationModel,
    units: HasUnits | None = None,
    *,
    limit: float | None = None,
    cmap: ColourMap | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the couplings J as a matrix, with the biases b as bars beside it.

    Couplings are coloured from blue (negative) over white (zero) to red (positive); the colour bar
    is pointed if the strongest exceed it. Below is the share of pairs with a positive and with a
    negative coupling.

    Parameters
    ----------
    model : Ising, KPairwise or SemiRBM
        A fitted model with couplings.
    limit : float, optional
        Coupling at the ends of the colour scale, nats; by default that of the strongest hundredth.
        Give two models the same to compare them.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from microcolumn import Ising
    >>> from microcolumn.parameters import Parameters
    >>> ising = Ising.from_parameters(Parameters(b=[-2.0, -1.0], J=[[0.0, 0.5], [0.5, 0.0]]))
    >>> ax = couplings(ising, limit=1.0, ax=Figure().subplots())
    >>> ax.get_xlabel()
    '1 pair: 100 % positive, 0 % negative'
    """
    fitted_model(model, "one fitted Ising, KPairwise or SemiRBM")
    if model.parameters_.J is None:
        raise BadInput(f"{type(model).__name__} has no couplings", "pass an Ising or a SemiRBM")
    layout = bit_layout(model, units)
    drawn = model.J_[np.ix_(layout.order, layout.order)]
    most = coupling_limit(model) if limit is None else positive_number("limit", limit, _NATS)
    colours = colour_map(cmap).with_extremes(bad=_NOTHING)
    axes = axes_or_new(ax, (4.8, 3.4))
    shown = np.ma.array(drawn, mask=np.eye(layout.order.size, dtype=bool))
    image = axes.imshow(shown, cmap=colours, vmin=-most, vmax=most, aspect="equal")
    beyond = bool((drawn < -most).any()), bool((drawn > most).any())
    extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(beyond)
    _colour_bar(axes, image, _COUPLING_BAR, "coupling\nJ (nats)", extend=extend or "neither")
    mark_window(axes, layout, along="y")
    mark_window(axes, layout, along="x")
    axes.spines[["top", "right"]].set_visible(True)
    axes.set_xlabel(signs(model), size=7)
    _draw_biases(axes, model.b_[layout.order])
    return entitle(axes, title)


def coupling_limit(*models: PopulationModel) -> float:
    """The coupling, nats, that the strongest 1 % of all couplings of some models exceed."""
    strengths = np.concatenate([np.abs(model.J_[model.J_ != 0.0]) for model in models])
    return float(np.quantile(strengths, 0.99)) if strengths.size else 1.0


def signs(model: PopulationModel) -> str:
    """How many pairs have a positive and a negative coupling, in per cent of all pairs."""
    J = model.J_
    n_pairs = J.shape[0] * (J.shape[0] - 1) // 2
    if not n_pairs:
        return "no pairs"
    up, down = (round(50.0 * np.count_nonzero(which) / n_pairs) for which in (J > 0, J < 0))
    pairs = f"{n_pairs:,} pair{'s' * (n_pairs != 1)}"
    return f"{pairs}: {up} % positive, {down} % negative"


def _colour_bar(ax: Axes, image: AxesImage, place: Any, title: str, **options: Any) -> None:
    bar = ax.figure.colorbar(image, cax=ax.inset_axes(place), **options)
    bar.ax.set_title(title, size=6, loc="left")
    bar.locator = MaxNLocator(5, steps=[1, 2, 5, 10])
    bar.ax.tick_params(length=2, width=0.5, labelsize=6)
    bar.outline.set_linewidth(0.5)


def _draw_biases(ax: Axes, b: Floats) -> None:
    """A bar for the bias of each row, beside the matrix."""
    beside = ax.inset_axes(_BIASES)
    draw_bars(beside, 0.0, b, THRESHOLD)
    beside.axvline(0.0, color="black", linewidth=0.4)
    low, high = min(float(b.min()), 0.0), max(float(b.max()), 0.0)
    low, high = (low, high) if low < high else (-1.0, 0.0)
    end = round_below(max(-low, high)) * (1.0 if high > -low else -1.0)
    ticks = sorted([0.0, end])
    beside.set_xticks(ticks, [signed(f"{tick:g}") for tick in ticks])
    beside.set(xlim=(low, high), ylim=ax.get_ylim(), yticks=[])
    beside.set_title("bias b\n(nats)", size=6, pad=2)
    beside.tick_params(length=2, width=0.5, labelsize=6, pad=1.5)
    beside.spines[["top", "right", "left"]].set_visible(False)
    beside.spines["bottom"].set_linewidth(0.5)
