"""Large sinks in a current source density: their onsets, depths and extents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import interpolate, ndimage

from ..validation import Floats, real_array, real_number

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
            raise ValueError(
                f"min_share is {min_share} and min_sd {min_sd}; pass a share from 0 to 1 and a "
                "finite number of standard deviations"
            )
        limits = real_array("search_s", search_s, "pass (start, stop) in seconds from the flash")
        start, stop = limits if limits.shape == (2,) else (np.nan, np.nan)
        sought = (self.time_s >= start) & (self.time_s <= stop)
        if not sought.any():
            raise ValueError(
                f"search_s is {search_s} and the response runs from {self.time_s[0]:g} to "
                f"{self.time_s[-1]:g} s; pass (start, stop) in seconds from the flash"
            )
        size = np.where(sought, -self.csd, 0.0)
        threshold = np.maximum(min_share * size.max(), min_sd * self.noise)
        regions, n_regions = ndimage.label((size > 0.0) & (size >= threshold[:, np.newaxis]))
        min_samples = max(1, round(_MIN_DURATION_S * self.rate_hz))
        found = []
        for k, place in enumerate(ndimage.find_objects(regions, n_regions), start=1):
            onset = place[1].start
            rows = np.flatnonzero(regions[:, onset] == k)
            row = int(rows[np.argmin(self._profile(onset)[rows])])
            # A dip that turns into a source within 10 ms is an artefact.
            if place[1].stop - onset >= min_samples and self._profile(onset)[row] < 0.0:
                found.append(self._sink(onset, row))
        if not found:
            raise ValueError(self._nothing(size, search_s, min_sd))
        distinct: list[Sink] = []
        for sink in sorted(found, key=lambda sink: sink.onset_s):
            if all(abs(sink.depth_um - other.depth_um) > _SAME_SINK_UM for other in distinct):
                distinct.append(sink)
        return distinct

    def _sink(self, onset: int, row: int) -> Sink:
        """The sink that becomes large at this sample and row."""
        profile = self._profile(onset)
        # Down the slope to the nearest minimum: a later sink elsewhere may be larger.
        while (lower := _lowest_neighbour(profile, row)) != row:
            row = lower
        depths, values = self._between_contacts(onset, max(row - 1, 0), row + 2)
        size = float(-values.min())
        noise = float(self.noise[row])
        return Sink(
            depth_um=float(depths[np.argmin(values)]),
            onset_s=float(self.time_s[onset]),
            size=size,
            n_sd=size / noise if noise > 0.0 else np.inf,
        )

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
                raise ValueError(
                    f"layer_iv_thickness_um is {thickness_um}; around the sink it must be "
                    "positive and stay inside the cortex"
                )
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

    def _nothing(self, size: Floats, search_s: tuple[float, float], min_sd: float) -> str:
        relative = size / np.maximum(self.noise, np.finfo(float).tiny)[:, np.newaxis]
        row, column = np.unravel_index(int(np.argmax(relative)), relative.shape)
        return (
            f"no sink between {1e3 * search_s[0]:g} and {1e3 * search_s[1]:g} ms after the flash "
            f"reaches {min_sd:g} standard deviations of the noise for {1e3 * _MIN_DURATION_S:g} "
            f"ms (the strongest, at {1e3 * self.time_s[column]:.0f} ms and a depth of "
            f"{self.down * self.below_um[row]:.0f} µm, reaches {relative[row, column]:.1f}); "
            "average more flashes, lower min_sd, or assign layers by known depths"
        )


def _lowest_neighbour(profile: Floats, row: int) -> int:
    first = max(row - 1, 0)
    return first + int(np.argmin(profile[first : row + 2]))
