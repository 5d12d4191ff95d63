"""Couplings as a matrix, with the biases beside it (docs/method.md, section 7, figure 2)."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from ..models import PopulationModel
from ..parameters import Floats
from ._colours import colour_map
from ._documented import documented
from ._hidden import THRESHOLD, draw_bars
from ._inputs import entitle, fitted_model, positive_nats
from ._laminar import BitLayout, HasUnits, bit_layout, mark_window
from .style import ColourMap, axes_or_new, round_below, signed

#: Position of the biases and of the colour bar in units of the axes: left, bottom, width, height.
_BIASES, _BAR = (1.04, 0.0, 0.14, 1.0), (1.27, 0.15, 0.045, 0.7)
#: Colour of the diagonal, where nothing is: no unit is coupled with itself.
_NOTHING = "#E6E6E6"


@documented
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
        raise ValueError(
            f"{type(model).__name__} has no couplings; pass an Ising, KPairwise or SemiRBM model"
        )
    found = bit_layout(model, units)
    drawn = model.J_[np.ix_(found.order, found.order)]
    most = coupling_limit(model) if limit is None else positive_nats("limit", limit)
    colours = colour_map(cmap).with_extremes(bad=_NOTHING)
    axes = axes_or_new(ax, (4.8, 3.4))
    shown = np.ma.array(drawn, mask=np.eye(found.order.size, dtype=bool))
    image = axes.imshow(shown, cmap=colours, vmin=-most, vmax=most, aspect="equal")
    _colour_bar(axes, image, drawn, most)
    mark_window(axes, found, along="y")
    mark_window(axes, found, along="x")
    axes.spines[["top", "right"]].set_visible(True)
    axes.set_xlabel(signs(model), size=7)
    _draw_biases(axes, model.b_[found.order], found)
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


def _colour_bar(ax: Axes, image: AxesImage, drawn: Floats, limit: float) -> None:
    """A colour bar that is pointed at an end that a coupling exceeds."""
    beyond = (bool((drawn < -limit).any()), bool((drawn > limit).any()))
    extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(beyond)
    bar = ax.figure.colorbar(image, cax=ax.inset_axes(_BAR), extend=extend or "neither")
    bar.ax.set_title("coupling\nJ (nats)", size=7, loc="left")
    bar.locator = MaxNLocator(5, steps=[1, 2, 5, 10])
    bar.outline.set_linewidth(0.5)
    bar.ax.tick_params(length=2, width=0.5, labelsize=7)


def _draw_biases(ax: Axes, b: Floats, found: BitLayout) -> None:
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
