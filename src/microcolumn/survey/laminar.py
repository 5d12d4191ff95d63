"""Layers from physiology: layer IV is where a flash first draws a large current into cells.

In the current source density after a full-field flash, the earliest large sink marks the input
from the thalamus to layer IV (Mitzdorf 1985; METHOD section 8). The other layers follow by depth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ..binary import Floats, real_array, real_number
from ..io import LFP
from ..layers import LayerBoundaries, layer_labels
from ..units import DEPTH_REFERENCES, Units, downwards
from .csd import MIN_DEPTHS, current_source_density, flash_response
from .sinks import Sink, SinkSearch

#: Labels from superficial to deep.
LAYERS = ("II/III", "IV", "V/VI")


@dataclass(frozen=True, slots=True, eq=False)
class LaminarMap:
    """Where layer IV lies on the probe, and the evidence.

    Depths are measured from ``depth_reference``, in order from superficial to deep: with
    ``"tip"`` the numbers decrease.

    Attributes
    ----------
    depth_um : ndarray, shape (n_depths,)
        Depths of ``csd``.
    time_s : ndarray, shape (n_times,)
        From the flash.
    csd : ndarray, shape (n_depths, n_times)
        Current source density, µA/mm³, sinks negative.
    contact_um : ndarray, shape (n_contacts,)
        Depths of ``response_mv``.
    response_mv : ndarray, shape (n_contacts, n_times)
        Average potential around the flash.
    depth_reference : str
        What depths are measured from.
    sinks : tuple of Sink
        The candidates, earliest first; the first one was taken as layer IV.
    centre_um, top_um, bottom_um : float
        Centre and limits of layer IV.
    cortex_um : (float, float)
        Upper limit of layer II/III and lower limit of layer V/VI.
    n_flashes : int
        Flashes averaged.
    method : str
        Elephant's method.
    notes : tuple of str
        What a person should know before accepting the map.
    """

    depth_um: Floats
    time_s: Floats
    csd: Floats
    contact_um: Floats
    response_mv: Floats
    depth_reference: str
    sinks: tuple[Sink, ...]
    centre_um: float
    top_um: float
    bottom_um: float
    cortex_um: tuple[float, float]
    n_flashes: int
    method: str
    notes: tuple[str, ...]

    @property
    def latency_s(self) -> float:
        """Onset of the sink that was found, seconds after the flash."""
        return self.sinks[0].onset_s

    @property
    def boundaries(self) -> dict[str, tuple[float, float]]:
        """Upper and lower limit of each layer in µm."""
        edges = (self.cortex_um[0], self.top_um, self.bottom_um, self.cortex_um[1])
        return dict(zip(LAYERS, pairwise(edges), strict=True))

    @property
    def layers(self) -> LayerBoundaries:
        """The same for ``microcolumn.read(layers=...)``; outside the cortex the label is ``""``."""
        edges = [self.cortex_um[0], self.top_um, self.bottom_um, self.cortex_um[1]]
        return LayerBoundaries(("", *LAYERS, ""), np.array(edges), self.depth_reference)

    def __str__(self) -> str:
        first = self.sinks[0]
        lines = [
            f"layer IV from {self.top_um:.0f} to {self.bottom_um:.0f} µm, centre "
            f"{self.centre_um:.0f} ({DEPTH_REFERENCES[self.depth_reference]})",
            f"earliest large sink {first.onset_s * 1e3:.0f} ms after {self.n_flashes} flashes at "
            f"{first.depth_um:.0f} µm, {first.n_sd:.0f} standard deviations",
            *(
                f"later sink {sink.onset_s * 1e3:.0f} ms at {sink.depth_um:.0f} µm, "
                f"{sink.n_sd:.0f} standard deviations"
                for sink in self.sinks[1:]
            ),
            *self.notes,
        ]
        return "\n".join(lines)

    def label(self, depth_um: ArrayLike) -> tuple[str, ...]:
        """Layer at each depth; ``""`` outside the cortex and where the depth is NaN."""
        return self.layers.label(np.atleast_1d(real_array("depth_um", depth_um, "pass µm")))

    def assign(self, units: Units) -> Units:
        """The same units with layer labels by their depths."""
        return units.with_layers(layer_labels(self.layers, units))

    def corrected(
        self,
        centre_um: float | None = None,
        top_um: float | None = None,
        bottom_um: float | None = None,
    ) -> LaminarMap:
        """The map with layer IV where a person puts it.

        Parameters
        ----------
        centre_um : float, optional
            New centre; limits that are not given move along with it.
        top_um, bottom_um : float, optional
            New limits.
        """
        remedy = "pass a depth in µm"
        centre = self.centre_um
        if centre_um is not None:
            centre = real_number("centre_um", centre_um, remedy)
        moved = centre - self.centre_um
        top = self.top_um + moved if top_um is None else real_number("top_um", top_um, remedy)
        bottom = self.bottom_um + moved
        if bottom_um is not None:
            bottom = real_number("bottom_um", bottom_um, remedy)
        down = downwards(self.depth_reference)
        upper, lower = self.cortex_um
        order = down * np.array([upper, top, centre, bottom, lower])
        if not (np.diff(order) > 0.0).all():
            raise ValueError(
                f"layer IV from {top:g} to {bottom:g} µm around {centre:g} µm is out of order in "
                f"a cortex from {upper:g} to {lower:g} µm; go from superficial to deep"
            )
        note = f"layer IV set by hand from {top:.0f} to {bottom:.0f} µm"
        return replace(
            self, centre_um=centre, top_um=top, bottom_um=bottom, notes=(*self.notes, note)
        )


def layers_from_flashes(
    lfp: LFP,
    flashes_s: ArrayLike,
    *,
    window: tuple[float, float] = (-0.05, 0.2),
    search_s: tuple[float, float] = (0.02, 0.1),
    min_share: float = 0.3,
    min_sd: float = 5.0,
    layer_iv_thickness_um: float | None = None,
    cortex_um: tuple[float, float] | None = None,
    method: str | None = None,
    smoothing_um: float = 50.0,
) -> LaminarMap:
    """Locate layer IV by the earliest large sink after full-field flashes.

    A sink is large where it exceeds both a share of the largest sink and a multiple of the noise.
    The noise at each depth is the larger of two standard deviations: before the flash, and of the
    average with alternating signs, which also holds fluctuations slower than the time before.

    Parameters
    ----------
    lfp : LFP
        Potentials of a linear probe.
    flashes_s : array_like, shape (n_flashes,)
        Times of the flashes in seconds, on the clock of the LFP.
    window : (float, float)
        Seconds from the flash that are averaged and shown.
    search_s : (float, float)
        Seconds from the flash in which sinks are sought.
    min_share : float
        Share of the largest sink that a large sink has.
    min_sd : float
        Standard deviations of the noise that a large sink has.
    layer_iv_thickness_um : float, optional
        Thickness of layer IV around the sink's centre; where left out, layer IV ends where the
        sink's first 10 ms have half of their size.
    cortex_um : (float, float), optional
        Upper and lower limit of the cortex; sinks outside are ignored and depths outside get no
        label. Where left out: the outermost contacts and one spacing beyond.
    method, smoothing_um
        As for `current_source_density`.

    Returns
    -------
    LaminarMap
        Look at ``figures.csd`` of it before accepting it.
    """
    response = flash_response(lfp, flashes_s, window)
    n_times = response.time_s.size
    # One call for both, so that a method that adapts treats signal and noise alike.
    both = np.hstack([response.mean_mv, response.plus_minus_mv])
    depth_um, csd, chosen = current_source_density(
        both, response.depth_um, method=method, smoothing_um=smoothing_um
    )
    csd, plus_minus = csd[:, :n_times], csd[:, n_times:]
    before = csd[:, response.time_s < 0.0]
    noise = np.sqrt(np.maximum((before**2).mean(axis=1), (plus_minus**2).mean(axis=1)))
    down = downwards(lfp.depth_reference)
    cortex = _cortex(cortex_um, response.depth_um, down)
    below = down * np.array(cortex)
    inside = (down * depth_um >= below[0]) & (down * depth_um <= below[1])
    if inside.sum() < MIN_DEPTHS:
        raise ValueError(
            f"cortex_um is {cortex} and holds {inside.sum()} depths of the current source "
            f"density; it needs {MIN_DEPTHS}, on the scale of the contacts"
        )
    search = SinkSearch(
        response.time_s,
        down * depth_um[inside],
        down,
        csd[inside],
        noise[inside],
        lfp.sampling_rate_hz,
    )
    found = search.sinks(search_s, min_share, min_sd)
    sinks = tuple(replace(sink, depth_um=down * sink.depth_um) for sink in found)
    limits, notes = search.extent(found[0], layer_iv_thickness_um, below)
    if sinks[0].onset_s - search_s[0] < 1.0 / lfp.sampling_rate_hz:
        notes.append("the sink was there when the search began; look at earlier times")
    return LaminarMap(
        depth_um,
        response.time_s,
        csd,
        response.depth_um,
        response.mean_mv,
        lfp.depth_reference,
        sinks,
        sinks[0].depth_um,
        down * limits[0],
        down * limits[1],
        cortex,
        response.n_flashes,
        chosen,
        (*response.notes, *notes),
    )


def _cortex(
    cortex_um: tuple[float, float] | None, contact_um: Floats, down: float
) -> tuple[float, float]:
    if cortex_um is None:
        spacing = (contact_um[-1] - contact_um[0]) / (contact_um.size - 1)
        return float(contact_um[0] - spacing), float(contact_um[-1] + spacing)
    limits = real_array("cortex_um", cortex_um, "pass its upper and lower limit in µm")
    if limits.shape != (2,) or not down * limits[0] < down * limits[1]:
        raise ValueError(
            f"cortex_um is {cortex_um}; pass its upper, then its lower limit in µm, on the "
            "scale of the contacts"
        )
    return float(limits[0]), float(limits[1])
