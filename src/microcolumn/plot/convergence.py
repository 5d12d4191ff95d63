"""Annealed importance sampling as it approaches log Z (the paper's figure S1)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..models import PopulationModel
from ..partition import annealing_convergence
from ..partition.convergence import Convergence
from ..validation import Floats, expect, real_number
from ._inputs import check_fitted, documented, entitle
from .style import (
    DATA_COLOUR,
    ERROR_BARS,
    LEGEND_RIGHT,
    MODEL_COLOURS,
    OneColour,
    axes_or_new,
    literal,
    one_colour,
)
from .tips import tip

#: Largest tolerated error of a partition function, bits per word (docs/method.md, section 7).
TOLERANCE_BITS = 0.02
_CHAINS, _MEAN, _KNOWN = "#B8B8B8", MODEL_COLOURS["Ising"], MODEL_COLOURS["SemiRBM"]
#: Chains of one run are jittered by up to this many doublings to either side.
_JITTER = 0.3
#: Part of the chains at either end that does not determine the axis.
_OUTERMOST = 0.001
#: Bits in a nat.
BITS = 1.0 / math.log(2.0)


@documented("model")
def annealing(
    convergence: Convergence | PopulationModel,
    *,
    reference: float | None = None,
    name: str = "exact",
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Estimates of log2 Z by single chains and by all chains together, against annealing steps.

    A small dot per chain, jittered sideways; large points are log2 of the chains' mean weight with
    its standard error. The reference is a line. :func:`annealing_error` enlarges what is near it.
    The axis holds all but the outermost chains, at most one in a thousand at either end.

    Parameters
    ----------
    convergence : Convergence or PopulationModel
        From :func:`~microcolumn.partition.annealing_convergence`, or a fitted model to anneal,
        which takes seconds for a few dozen units.
    reference : float, optional
        log Z to compare with, nats; by default the exact value, if it is known.
    name : str
        Name of the reference.
    color : colour, optional
        Of the estimates.
    """
    convergence, known, colour = _checked(convergence, reference, name, color)
    ax = axes_or_new(ax, (5.0, 2.6))
    steps, chains = np.array(convergence.n_steps), convergence.log_weights * BITS
    octaves = np.random.default_rng(0).uniform(-_JITTER, _JITTER, chains.shape)
    x = (steps[:, None] * 2.0**octaves).ravel()
    [dots] = ax.plot(x, chains.ravel(), ".", color=_CHAINS, zorder=1)
    dots.set(markersize=1.8, markeredgewidth=0, rasterized=True)  # thousands of points
    ax.plot([], [], ".", color=_CHAINS, markersize=4, markeredgewidth=0, label="single chains")
    if known is not None:
        ax.axhline(known * BITS, color=_KNOWN, linewidth=1.0, label=literal(name), zorder=2)
    _draw_estimates(ax, convergence, 0.0, colour, linestyle="")  # a line would cover the reference
    _leave_outermost_out(ax, chains)
    ax.set_ylabel("log$_2$ Z (bits)")
    ax.legend(**LEGEND_RIGHT)
    return entitle(ax, title)


@documented("model")
def annealing_error(
    convergence: Convergence | PopulationModel,
    *,
    reference: float | None = None,
    name: str = "exact",
    color: OneColour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Error of the estimate of log2 Z against annealing steps, on the scale of 0.02 bits.

    Estimates minus the reference with their standard errors, and the tolerance of 0.02 bits,
    dashed. Runs other than the last with errors above five tolerances may be outside the axis.

    Parameters
    ----------
    convergence, reference, name, color
        As in :func:`annealing`; without an exact value, the reference is the last estimate.
    """
    convergence, known, colour = _checked(convergence, reference, name, color)
    ax = axes_or_new(ax, (5.0, 2.6))
    if known is None:
        known, name = float(convergence.estimates[-1]), "last run"
    ax.axhline(0.0, color=_KNOWN, linewidth=1.0, label=literal(name), zorder=2)
    for sign, label in ((-1, None), (1, f"± {TOLERANCE_BITS} bits")):
        line = ax.axhline(sign * TOLERANCE_BITS, color=DATA_COLOUR, label=label, zorder=2)
        line.set(linewidth=0.6, linestyle=(0, (4, 3)))
    _draw_estimates(ax, convergence, known, colour, linestyle="-")
    reach = (np.abs(convergence.estimates - known) + convergence.stderrs) * BITS
    near = reach[reach <= 5 * TOLERANCE_BITS]
    most = 1.15 * max(1.5 * TOLERANCE_BITS, reach[-1], near.max(initial=0.0))
    ax.set_ylim(-most, most)
    ax.set_ylabel(f"log$_2$ Z \N{MINUS SIGN} {literal(name)} (bits)")
    ax.legend(**LEGEND_RIGHT)
    return entitle(ax, title)


def _checked(
    source: Any, reference: float | None, name: Any, color: Any
) -> tuple[Convergence, float | None, OneColour]:
    """The runs that were given, or those of a model; the reference, by default exact; a colour."""
    known = None
    if reference is not None:
        known = real_number("reference", reference, "give log Z in nats")
    expect("name", name, str, "what the reference is called")
    colour = one_colour(color, _MEAN)
    if isinstance(source, PopulationModel):
        rates = getattr(check_fitted(source), "rates_", None)
        source = annealing_convergence(source.parameters_, rates=rates)
    remedy = "a fitted model, or what mc.partition.annealing_convergence(parameters) returns"
    runs = expect("convergence", source, Convergence, remedy)
    return runs, runs.exact if known is None else known, colour


def _leave_outermost_out(ax: Axes, chains: Floats) -> None:
    """Let all but the outermost chains determine the axis; estimates and the reference stay."""
    ends = [_OUTERMOST, 1.0 - _OUTERMOST]
    inner = np.quantile(chains[np.isfinite(chains)], ends, method="closest_observation")
    others = [np.asarray(line.get_ydata(), dtype=np.float64) for line in ax.lines[1:]]
    shown = np.concatenate([inner, *others])
    low, high = shown.min(), shown.max()
    margin = 0.05 * (high - low) or 0.5
    ax.set_ylim(low - margin, high + margin)


def _draw_estimates(
    ax: Axes, convergence: Convergence, zero: float, color: OneColour, *, linestyle: str
) -> None:
    """Mean weights minus ``zero`` with their errors; given in nats, drawn in bits."""
    steps = np.array(convergence.n_steps)
    values, errors = (convergence.estimates - zero) * BITS, convergence.stderrs * BITS
    style = {"color": color, "linestyle": linestyle, "linewidth": 1.0, **ERROR_BARS}
    style |= {"marker": "o", "markersize": 2.5}
    label = f"mean of {convergence.n_chains} chains"
    points = ax.errorbar(steps, values, errors, label=label, zorder=3, **style)
    columns = {"annealing steps": steps, "log2 Z (bits)": convergence.estimates * BITS}
    columns |= {"minus the reference": values} if zero else {}
    tip(points, columns | {"standard error": errors})
    ax.set_xscale("log", base=2)
    shown = steps[:: -(-len(steps) // 6)]
    ax.set_xticks(shown, [f"{n}" for n in shown])
    ax.set(xlim=(steps[0] / 2**0.7, steps[-1] * 2**0.7), xlabel="annealing steps")
