"""Layers from the field potential: layer IV has the earliest large sink after a flash.

In the current source density after a full-field flash, this sink is the input from the thalamus to
layer IV (Mitzdorf 1985; docs/method.md, section 8). The other layers follow by depth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy import interpolate, ndimage

from ..errors import BadArgument, BadInput
from ..io import LFP
from ..layers import LayerBoundaries, layer_labels
from ..notebook import AsText
from ..units import DEPTH_REFERENCES, Units, downwards
from ..validation import Floats, real_array, real_number
from ._csd import MIN_DEPTHS, current_source_density, flash_response

#: Labels from superficial to deep.
LAYERS = ("II/III", "IV", "V/VI")
#: The depth of a sink is that of its first 10 ms, before activity has spread to other layers.
INITIAL_S = 0.010
#: Sinks closer than this are the same sink: layer IV is about twice as thick.
_SAME_SINK_UM = 150.0
#: Shorter dips are noise: synaptic currents last longer.
_MIN_DURATION_S = 0.003


@dataclass(frozen=True, slots=True)
class Sink:
    """A large sink after the flash."""

    depth_um: float  # where its first 10 ms are strongest
    onset_s: float  # when it becomes large, from the flash
    size: float  # mean over its first 10 ms at its centre, µA/mm³
    n_sd: float  # the same in standard deviations of the noise there


@dataclass(frozen=True, slots=True)
class SinkSearch:
    """The current source density of the cortex, in which sinks are searched."""

    time_s: Floats  # from the flash, (n_times,)
    below_um: Floats  # distances downward, increasing: down times depths, (n_depths,)
    down: float  # 1 if larger depths are deeper, else -1
    csd: Floats  # µA/mm³, sinks negative, (n_depths, n_times)
    noise: Floats  # standard deviation of csd without a flash, (n_depths,)
    rate_hz: float

    def sinks(self, search_s: tuple[float, float], min_share: float, min_sd: float) -> list[Sink]:
        """All large sinks, earliest first; at least one, or an error."""
        if not (0.0 <= min_share <= 1.0 and 0.0 <= min_sd < np.inf):
            remedy = "pass a share from 0 to 1 and a finite number of standard deviations"
            raise BadArgument("min_share", f"is {min_share} and min_sd {min_sd}", remedy)
        limits = real_array("search_s", search_s, "pass (start, stop) in seconds from the flash")
        start, stop = limits if limits.shape == (2,) else (np.nan, np.nan)
        sought = (self.time_s >= start) & (self.time_s <= stop)
        if not sought.any():
            problem = f"is {search_s}, not in {self.time_s[0]:g} to {self.time_s[-1]:g} s"
            raise BadArgument("search_s", problem, "pass (start, stop) in seconds from the flash")
        size = np.where(sought, -self.csd, 0.0)
        threshold = np.maximum(min_share * size.max(), min_sd * self.noise)
        regions, n_regions = ndimage.label((size > 0.0) & (size >= threshold[:, np.newaxis]))
        min_samples = max(1, round(_MIN_DURATION_S * self.rate_hz))
        sinks = []
        for k, place in enumerate(ndimage.find_objects(regions, n_regions), start=1):
            onset = place[1].start
            rows = np.flatnonzero(regions[:, onset] == k)
            row = int(rows[np.argmin(self._profile(onset)[rows])])
            # A dip that turns into a source within 10 ms is an artefact.
            if place[1].stop - onset >= min_samples and self._profile(onset)[row] < 0.0:
                sinks.append(self._sink(onset, row))
        if not sinks:
            raise self._nothing(size, search_s, min_sd)
        distinct: list[Sink] = []
        for sink in sorted(sinks, key=lambda sink: sink.onset_s):
            if all(abs(sink.depth_um - other.depth_um) > _SAME_SINK_UM for other in distinct):
                distinct.append(sink)
        return distinct

    def _sink(self, onset: int, row: int) -> Sink:
        """The sink that becomes large at this sample and row."""
        profile = self._profile(onset)
        # Down the slope to the nearest minimum: a later sink elsewhere may be larger.
        while (first := max(row - 1, 0)) + np.argmin(profile[first : row + 2]) != row:
            row = first + int(np.argmin(profile[first : row + 2]))
        depths, values = self._between_contacts(onset, max(row - 1, 0), row + 2)
        depth_um, onset_s = float(depths[np.argmin(values)]), float(self.time_s[onset])
        size, noise = float(-values.min()), float(self.noise[row])
        return Sink(depth_um, onset_s, size, n_sd=size / noise if noise > 0.0 else np.inf)

    def extent(
        self, sink: Sink, thickness_um: float | None, cortex_um: Floats
    ) -> tuple[tuple[float, float], list[str]]:
        """Limits of layer IV around the sink, and notes on what is doubtful about them."""
        notes = []
        depths, values = self._between_contacts(int(np.argmin(np.abs(self.time_s - sink.onset_s))))
        if sink.depth_um in (depths[0], depths[-1]):
            notes.append("the sink lies at the end of the probe; its centre may lie beyond")
        if thickness_um is not None:
            half = 0.5 * real_number("layer_iv_thickness_um", thickness_um, "pass it in µm")
            limits = (sink.depth_um - half, sink.depth_um + half)
            if not (half > 0.0 and cortex_um[0] < limits[0] and limits[1] < cortex_um[1]):
                remedy = "around the sink it must be positive and stay inside the cortex"
                raise BadArgument("layer_iv_thickness_um", f"is {thickness_um}", remedy)
            return limits, notes
        weak = np.flatnonzero(-values < 0.5 * sink.size)
        centre = int(np.searchsorted(depths, sink.depth_um))
        above, beneath = weak[weak < centre], weak[weak > centre]
        if not (above.size and beneath.size):
            notes.append("the sink goes on to the end of the probe, which bounds layer IV here")
        top = depths[above[-1]] if above.size else cortex_um[0]
        bottom = depths[beneath[0]] if beneath.size else cortex_um[1]
        return (float(max(top, cortex_um[0])), float(min(bottom, cortex_um[1]))), notes

    def _profile(self, onset: int) -> Floats:
        """Mean current source density over a sink's first 10 ms, shape (n_depths,)."""
        n_samples = max(1, round(INITIAL_S * self.rate_hz))
        profile: Floats = self.csd[:, onset : onset + n_samples].mean(axis=1)
        return profile

    def _between_contacts(
        self, onset: int, first: int = 0, stop: int | None = None
    ) -> tuple[Floats, Floats]:
        """Depths every µm from one row to another, and the profile there by a cubic spline."""
        spline = interpolate.CubicSpline(self.below_um, self._profile(onset))
        ends = self.below_um[first:stop]
        depths = np.linspace(ends[0], ends[-1], max(2, round(np.ptp(ends))) + 1)
        return depths, spline(depths)

    def _nothing(self, size: Floats, search_s: tuple[float, float], min_sd: float) -> BadInput:
        relative = size / np.maximum(self.noise, np.finfo(float).tiny)[:, np.newaxis]
        row, column = np.unravel_index(int(np.argmax(relative)), relative.shape)
        return BadInput(
            f"no sink between {1e3 * search_s[0]:g} and {1e3 * search_s[1]:g} ms after the flash "
            f"reaches {min_sd:g} standard deviations of the noise for {1e3 * _MIN_DURATION_S:g} "
            f"ms (the strongest, at {1e3 * self.time_s[column]:.0f} ms and a depth of "
            f"{self.down * self.below_um[row]:.0f} µm, reaches {relative[row, column]:.1f})",
            "average more flashes, lower min_sd, or assign layers by known depths",
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LaminarMap(AsText):
    """Where layer IV lies on the probe, and the evidence (:func:`layers_from_flashes`).

    Depths are measured from ``depth_reference``, in order from superficial to deep: with
    ``"tip"`` the numbers decrease.

    Attributes
    ----------
    depth_um, time_s : ndarray, shapes (n_depths,) and (n_times,)
        Depths of the rows of ``csd``, and times from the flash.
    csd : ndarray, shape (n_depths, n_times)
        Current source density, µA/mm³, sinks negative.
    contact_um, response_mv : ndarray, shapes (n_contacts,) and (n_contacts, n_times)
        Depths of the contacts, and the average potential around the flash.
    depth_reference : str
        What depths are measured from.
    sinks : tuple of Sink
        The candidates, earliest first; the first one was taken as layer IV.
    centre_um, top_um, bottom_um : float
        Centre and limits of layer IV.
    cortex_um : (float, float)
        Upper limit of layer II/III and lower limit of layer V/VI.
    n_flashes, method : int and str
        Flashes averaged, and method of the current source density.
    notes : tuple of str
        What to consider before accepting the map.
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
        """Onset of the first sink, seconds after the flash."""
        return self.sinks[0].onset_s

    @property
    def boundaries(self) -> dict[str, tuple[float, float]]:
        """Upper and lower limit of each layer in µm."""
        return dict(zip(LAYERS, pairwise(self.layers.edges_um.tolist()), strict=True))

    @property
    def layers(self) -> LayerBoundaries:
        """The same for ``microcolumn.read(layers=...)``; outside the cortex the label is ``""``."""
        edges = [self.cortex_um[0], self.top_um, self.bottom_um, self.cortex_um[1]]
        return LayerBoundaries(("", *LAYERS, ""), np.array(edges), self.depth_reference)

    def __str__(self) -> str:
        lines = [
            f"layer IV from {self.top_um:.0f} to {self.bottom_um:.0f} µm, centre "
            f"{self.centre_um:.0f} ({DEPTH_REFERENCES[self.depth_reference]})"
        ]
        for k, sink in enumerate(self.sinks):
            name = "later" if k else "earliest large"
            after = "" if k else f"after {self.n_flashes} flashes "
            when = f"{name} sink {sink.onset_s * 1e3:.0f} ms {after}at {sink.depth_um:.0f} µm"
            lines.append(f"{when}, {sink.n_sd:.0f} standard deviations")
        return "\n".join((*lines, *self.notes))

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
        """The map with layer IV set by hand; limits that are not given move with the centre."""

        def given(name: str, value: float | None, default: float) -> float:
            return default if value is None else real_number(name, value, "pass a depth in µm")

        centre = given("centre_um", centre_um, self.centre_um)
        moved = centre - self.centre_um
        top = given("top_um", top_um, self.top_um + moved)
        bottom = given("bottom_um", bottom_um, self.bottom_um + moved)
        down = downwards(self.depth_reference)
        upper, lower = self.cortex_um
        order = down * np.array([upper, top, centre, bottom, lower])
        if not (np.diff(order) > 0.0).all():
            problem = f"layer IV from {top:g} to {bottom:g} µm around {centre:g} µm is out of order"
            raise BadInput(problem, f"go from superficial to deep, from {upper:g} to {lower:g} µm")
        note = f"layer IV set by hand from {top:.0f} to {bottom:.0f} µm"
        return replace(
            self, centre_um=centre, top_um=top, bottom_um=bottom, notes=(*self.notes, note)
        )


def layers_from_flashes(
    lfp: LFP,
    flashes_s: ArrayLike,
    *,
    around_s: tuple[float, float] = (-0.05, 0.2),
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
    average with alternating signs, which also has fluctuations slower than the time before.

    Parameters
    ----------
    lfp : LFP
        Potentials of a linear probe.
    flashes_s : array_like, shape (n_flashes,)
        Times of the flashes in seconds, on the clock of the LFP.
    around_s, search_s : (float, float)
        Seconds from the flash that are averaged and shown, and in which sinks are searched.
    min_share, min_sd : float
        Least size of a large sink, as a share of the largest and in standard deviations of the
        noise.
    layer_iv_thickness_um : float, optional
        Thickness of layer IV around the sink's centre; by default layer IV ends where the first
        10 ms of the sink fall to half of their size.
    cortex_um : (float, float), optional
        Upper and lower limit of the cortex; sinks outside are ignored and depths outside get no
        label. By default the outermost contacts and one spacing beyond.
    method, smoothing_um
        As for `current_source_density`.

    Returns
    -------
    LaminarMap
        Look at its ``figures.csd`` before accepting it.

    Examples
    --------
    >>> lfp = mc.io.read_lfp("lfp.nwb", depth_reference="surface")
    >>> flashes_s = mc.io.read_flashes("lfp.nwb", "flashes")
    >>> round(layers_from_flashes(lfp, flashes_s).centre_um, -2)
    700.0
    """
    response = flash_response(lfp, flashes_s, around_s)
    n_times = response.time_s.size
    # One call for both, so that a method with cross-validation treats signal and noise alike.
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
        problem = f"is {cortex} and holds {inside.sum()} depths of the current source density"
        remedy = f"it needs {MIN_DEPTHS}, on the scale of the contacts"
        raise BadArgument("cortex_um", problem, remedy)
    rate_hz = lfp.sampling_rate_hz
    search = SinkSearch(
        response.time_s, down * depth_um[inside], down, csd[inside], noise[inside], rate_hz
    )
    all_sinks = search.sinks(search_s, min_share, min_sd)
    sinks = tuple(replace(sink, depth_um=down * sink.depth_um) for sink in all_sinks)
    limits, notes = search.extent(all_sinks[0], layer_iv_thickness_um, below)
    if sinks[0].onset_s - search_s[0] < 1.0 / rate_hz:
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
        remedy = "pass its upper, then its lower limit in µm, on the scale of the contacts"
        raise BadArgument("cortex_um", f"is {cortex_um}", remedy)
    return float(limits[0]), float(limits[1])
