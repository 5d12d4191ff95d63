"""Where layer IV lies: the figure by which a person accepts or corrects it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..plot.laminar import HasUnits, table_of
from ..plot.shank import DEPTH_LABELS
from ..plot.style import literal
from ..survey import LaminarMap
from ..survey.laminar import INITIAL_S
from ..validation import expect
from ._presets import is_narrow
from .captioned import PAGE, CaptionedFigure, captioned
from .conditions import caption

#: Okabe & Ito's green, which differs from the map's red and blue with any colour vision.
_FOUND = "#009E73"


def csd(laminar_map: LaminarMap, units: HasUnits | None = None) -> CaptionedFigure:
    """Potentials and current source density around the flash, with the layers drawn in.

    Left: average potential at each contact. Middle: current source density, sinks in red, with the
    onset of the chosen sink and the other candidates. Right: its profile over the sink's first
    10 ms, and the units.

    Parameters
    ----------
    laminar_map : LaminarMap
        From :func:`microcolumn.survey.layers_from_flashes`.
    units : Units, Words or Recording, optional
        Drawn at their depths, if these are measured from the same reference.

    Examples
    --------
    >>> lfp = mc.io.read_lfp("lfp.nwb", depth_reference="surface")
    >>> flashes_s = mc.io.read_flashes("lfp.nwb", "flashes")
    >>> figure = csd(mc.survey.layers_from_flashes(lfp, flashes_s))
    """
    remedy = "what mc.survey.layers_from_flashes(lfp, flashes_s) returns"
    expect("laminar_map", laminar_map, LaminarMap, remedy)
    table = None if units is None else table_of(units)
    narrow = is_narrow(PAGE)
    size = (PAGE, 6.8 if narrow else 3.6)
    with captioned("", "Current source density and layers", size) as figure:
        potentials, image, profile = _panels(figure, narrow=narrow)
        _potentials(potentials, laminar_map)
        _image(image, laminar_map)
        _profile(profile, laminar_map)
        if table is not None:  # a dot per unit at its depth, at the left edge
            depths = np.asarray(laminar_map.assign(table).depth_um)
            [dots] = profile.plot(np.full(depths.size, 0.06), depths, "o", color="#D55E00")
            dots.set(markersize=2.5, transform=profile.get_yaxis_transform())
        for axes in (potentials, image, profile):
            for edge in (laminar_map.top_um, laminar_map.bottom_um):
                axes.axhline(edge, color="black", linewidth=0.8, linestyle="--")
        right: Any = {"xycoords": profile.get_yaxis_transform(), "annotation_clip": False}
        for name, (upper, lower) in laminar_map.boundaries.items():
            profile.annotate(literal(name), (1.02, 0.5 * (upper + lower)), va="center", **right)
        potentials.set_ylim(laminar_map.cortex_um[::-1])
        for axes in (potentials, image) if narrow else (potentials,):
            axes.set_ylabel(DEPTH_LABELS[laminar_map.depth_reference])
        if laminar_map.notes:
            figure.supxlabel("\n".join(laminar_map.notes), fontsize=6, wrap=True)
        about: Any = {"has_units": units is not None, "narrow": narrow}
        figure.caption = caption("csd", map=laminar_map, initial_ms=1e3 * INITIAL_S, **about)
    return figure


def _panels(figure: Figure, *, narrow: bool) -> Sequence[Axes]:
    """Potentials, current source density and its profile, which in one column stands above."""
    rows, widths = (["pr", "ii"], (1.3, 1.0)) if narrow else (["pir"], (1.0, 1.5, 0.7))
    found = figure.subplot_mosaic("\n".join(rows), sharey=True, width_ratios=widths)
    return [found[name] for name in "pir"]


def _potentials(axes: Axes, laminar_map: LaminarMap) -> None:
    """A trace per contact, or of every few where there are many; negative is down."""
    step = -(-laminar_map.contact_um.size // 24)  # more traces are not readable at this height
    response, depths = laminar_map.response_mv[::step], laminar_map.contact_um[::step]
    largest = float(np.abs(response).max()) or 1.0
    upward = np.sign(laminar_map.cortex_um[0] - laminar_map.cortex_um[1])
    um_per_mv = 1.5 * upward * float(np.median(np.abs(np.diff(depths)))) / largest
    for trace, depth in zip(response, depths, strict=True):
        axes.plot(1e3 * laminar_map.time_s, depth + um_per_mv * trace, color="0.25", linewidth=0.6)
    axes.axvline(0.0, color="0.6", linewidth=0.8, linestyle=":")
    axes.set(
        title=f"Potential, {laminar_map.n_flashes:,} flashes",
        xlabel=f"time from flash (ms)\nlargest deflection {1e3 * largest:.0f} µV",
    )


def _image(axes: Axes, laminar_map: LaminarMap) -> None:
    first = laminar_map.sinks[0]
    # Later sinks may be much larger: the colours follow the one that has to be judged.
    limit = min(2.0 * first.size, float(np.abs(laminar_map.csd).max()))
    # Sinks, which are negative, are red by convention; red and blue differ for all readers.
    shown = (1e3 * laminar_map.time_s, laminar_map.depth_um, laminar_map.csd)
    image = axes.pcolormesh(*shown, cmap="RdBu", vmin=-limit, vmax=limit, shading="nearest")
    image.set_rasterized(True)
    label = "sink  $\\leftarrow$  µA/mm³  $\\rightarrow$  source"
    axes.figure.colorbar(image, ax=axes, extend="both", label=label)
    axes.axvline(0.0, color="0.6", linewidth=0.8, linestyle=":")
    for sink in laminar_map.sinks[1:]:
        axes.plot(1e3 * sink.onset_s, sink.depth_um, "o", color="black", markerfacecolor="none")
    onset = 1e3 * first.onset_s, first.depth_um
    axes.plot(*onset, ">", color=_FOUND, markeredgecolor="black", zorder=3)
    axes.set(
        title=f"Earliest large sink: {1e3 * first.onset_s:.0f} ms, {first.n_sd:.0f} SD",
        xlabel=f"time from flash (ms)\ncurrent source density, {laminar_map.method}",
    )


def _profile(axes: Axes, laminar_map: LaminarMap) -> None:
    since = laminar_map.time_s - laminar_map.latency_s
    initial = laminar_map.csd[:, (since >= 0.0) & (since < INITIAL_S)].mean(axis=1)
    axes.plot(initial, laminar_map.depth_um, color="0.25")
    axes.axvline(0.0, color="0.6", linewidth=0.8)
    axes.axhspan(laminar_map.top_um, laminar_map.bottom_um, color=_FOUND, alpha=0.2, linewidth=0)
    axes.set(title=f"First {1e3 * INITIAL_S:g} ms", xlabel="µA/mm³")
