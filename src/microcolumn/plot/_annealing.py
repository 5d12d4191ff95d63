"""Annealed importance sampling as it approaches log Z (the paper's figure S1)."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes

from ..partition._convergence import Convergence
from ._inputs import entitle, expect
from ._tips import tip
from .style import DATA_COLOUR, ERROR_BARS, LEGEND_RIGHT, MODEL_COLOURS, axes_or_new, literal

#: Largest tolerated error of a partition function, bits per word (docs/method.md, section 7).
TOLERANCE_BITS = 0.02
_CHAINS, _MEAN, _KNOWN = "#B8B8B8", MODEL_COLOURS["Ising"], MODEL_COLOURS["SemiRBM"]
#: Chains of one run are jittered by up to this many doublings to either side.
_JITTER = 0.3
_REMEDY = "what mc.partition.annealing_convergence(parameters) returns"
#: Bits in a nat.
BITS = 1.0 / math.log(2.0)


def annealing(
    convergence: Convergence,
    *,
    reference: float | None = None,
    name: str = "exact",
    color: str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Estimates of log2 Z by single chains and by all chains together, against annealing steps.

    A small dot per chain, jittered sideways; large points are log2 of the chains' mean weight with
    its standard error. The reference is a line. :func:`annealing_error` enlarges what is near it.

    Parameters
    ----------
    convergence : Convergence
        From :func:`~microcolumn.partition.annealing_convergence`.
    reference : float, optional
        log Z to compare with, nats; by default the exact value, if it is known.
    name : str
        Name of the reference.
    color : colour, optional
        Of the estimates.
    title : str, optional
        Of the axes.
    """
    expect("convergence", convergence, Convergence, _REMEDY)
    ax = axes_or_new(ax, (5.0, 2.6))
    steps, chains = np.array(convergence.n_steps), convergence.log_weights * BITS
    octaves = np.random.default_rng(0).uniform(-_JITTER, _JITTER, chains.shape)
    x = (steps[:, None] * 2.0**octaves).ravel()
    [dots] = ax.plot(x, chains.ravel(), ".", color=_CHAINS, label="single chains", zorder=1)
    dots.set(markersize=1.8, markeredgewidth=0, rasterized=True)  # thousands of points
    known = convergence.exact if reference is None else reference
    if known is not None:
        ax.axhline(known * BITS, color=_KNOWN, linewidth=1.0, label=literal(name), zorder=2)
    _draw_estimates(ax, convergence, 0.0, color, linestyle="")  # a line would cover the reference
    ax.set_ylabel(r"$\log_2 Z$ (bits)")
    ax.legend(**LEGEND_RIGHT)
    return entitle(ax, title)


def annealing_error(
    convergence: Convergence,
    *,
    reference: float | None = None,
    name: str = "exact",
    color: str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Error of the estimate of log2 Z against annealing steps, on the scale of 0.02 bits.

    Estimates minus the reference with their standard errors, and the tolerance of 0.02 bits,
    dashed. Runs other than the last with errors above five tolerances may be outside the axis.

    Parameters
    ----------
    convergence, reference, name, color, title
        As in :func:`annealing`; without an exact value, the reference is the last estimate.
    """
    expect("convergence", convergence, Convergence, _REMEDY)
    ax = axes_or_new(ax, (5.0, 2.6))
    if reference is None:
        reference = convergence.exact
    if reference is None:
        reference, name = float(convergence.estimates[-1]), "last run"
    ax.axhline(0.0, color=_KNOWN, linewidth=1.0, label=literal(name), zorder=2)
    for sign, label in ((-1, None), (1, f"± {TOLERANCE_BITS} bits")):
        line = ax.axhline(sign * TOLERANCE_BITS, color=DATA_COLOUR, label=label, zorder=2)
        line.set(linewidth=0.6, linestyle=(0, (4, 3)))
    _draw_estimates(ax, convergence, reference, color, linestyle="-")
    reach = (np.abs(convergence.estimates - reference) + convergence.stderrs) * BITS
    near = reach[reach <= 5 * TOLERANCE_BITS]
    most = 1.15 * max(1.5 * TOLERANCE_BITS, reach[-1], near.max(initial=0.0))
    ax.set_ylim(-most, most)
    ax.set_ylabel(rf"$\log_2 Z$ $-$ {literal(name)} (bits)")
    ax.legend(**LEGEND_RIGHT)
    return entitle(ax, title)


def _draw_estimates(
    ax: Axes, convergence: Convergence, zero: float, color: str | None, *, linestyle: str
) -> None:
    """Mean weights minus ``zero`` with their errors; given in nats, drawn in bits."""
    steps = np.array(convergence.n_steps)
    values, errors = (convergence.estimates - zero) * BITS, convergence.stderrs * BITS
    style = {"color": color or _MEAN, "linestyle": linestyle, "linewidth": 1.0, **ERROR_BARS}
    style |= {"marker": "o", "markersize": 2.5}
    label = f"mean of {convergence.n_chains} chains"
    points = ax.errorbar(steps, values, errors, label=label, zorder=3, **style)
    told = {"annealing steps": steps, "log2 Z (bits)": convergence.estimates * BITS}
    told |= {"minus the reference": values} if zero else {}
    tip(points, told | {"standard error": errors})
    ax.set_xscale("log", base=2)
    shown = steps[:: -(-len(steps) // 6)]
    ax.set_xticks(shown, [f"{n}" for n in shown])
    ax.set(xlim=(steps[0] / 2**0.7, steps[-1] * 2**0.7), xlabel="annealing steps")
