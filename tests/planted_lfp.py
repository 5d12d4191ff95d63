"""The local field potential of planted sinks, by numerical integration over disks of current.

A disk of radius r at depth z' that carries the current source density C (µA/mm³) per thickness
dz' gives, on its axis at depth z, the potential C dz' (sqrt((z - z')² + r²) - |z - z'|) / 2σ
(Nicholson & Freeman 1975); with lengths in mm and σ in S/m this is in mV.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from scipy import signal

CONDUCTIVITY_S_PER_M = 0.3


@dataclass(frozen=True)
class Sink:
    """A Gaussian sink with half of its current returning on either side."""

    depth_um: float
    onset_s: float
    size: float = 1.0  # µA/mm³
    width_um: float = 90.0
    rise_s: float = 0.006
    lasts_s: float = 0.030

    def profile(self, depth_um):
        """Current source density at its height, µA/mm³; it sums to zero over depth."""
        bump = lambda centre: np.exp(-0.5 * ((depth_um - centre) / self.width_um) ** 2)  # noqa: E731
        away = 3.0 * self.width_um
        returning = 0.5 * (bump(self.depth_um - away) + bump(self.depth_um + away))
        return self.size * (returning - bump(self.depth_um))

    def course(self, time_s):
        """0 before the onset, 1 at the height, half of that ``rise_s / 2`` after the onset."""
        since = time_s - self.onset_s
        rise = 0.5 - 0.5 * np.cos(np.pi * np.clip(since / self.rise_s, 0.0, 1.0))
        return rise * np.exp(-(np.clip(since / self.lasts_s, 0.0, None) ** 2))


def potential_mv(sinks, depth_um, time_s, radius_um=500.0):
    """Potential after a flash at contacts so deep below the surface, (n_times, n_contacts)."""
    source_um = np.arange(-1500.0, 4000.0, 5.0)
    apart = (np.asarray(depth_um)[:, None] - source_um) / 1e3
    reach = np.sqrt(apart**2 + (radius_um / 1e3) ** 2) - np.abs(apart)
    forward = reach * 5e-3 / (2.0 * CONDUCTIVITY_S_PER_M)
    return sum(np.outer(sink.course(time_s), forward @ sink.profile(source_um)) for sink in sinks)


def planted_lfp(
    sinks,
    depth_um,
    *,
    n_flashes=60,
    noise_mv=0.02,
    rate_hz=1000.0,
    start_s=2.0,
    radius_um=500.0,
    seed=0,
):
    """A recording with a flash every 0.4 s: potential (n_samples, n_contacts) and flash times.

    All contacts share a noise that forgets within 20 ms (the reference electrode's), and each has
    a white one of its own, half as large.
    """
    rng = np.random.default_rng(seed)
    depth_um = np.asarray(depth_um, dtype=float)
    n_apart = round(0.4 * rate_hz)
    n_samples = n_apart * (n_flashes + 1)
    lfp = noise_mv * _slow_noise(rng, n_samples, rate_hz)
    lfp = lfp + 0.5 * noise_mv * rng.normal(size=(n_samples, depth_um.size))
    response = potential_mv(sinks, depth_um, np.arange(n_apart) / rate_hz, radius_um)
    firsts = n_apart // 2 + n_apart * np.arange(n_flashes)
    for first in firsts:
        lfp[first : first + n_apart] += response
    return lfp, start_s + firsts / rate_hz


def _slow_noise(rng, n_samples, rate_hz):
    keep = np.exp(-1.0 / (0.020 * rate_hz))
    steps = np.sqrt(1.0 - keep**2) * rng.normal(size=n_samples)
    return signal.lfilter([1.0], [1.0, -keep], steps)[:, np.newaxis]


def write_flashes(path):
    """An NWB file of 16 contacts with a sink at 730 µm, 40 ms after each of 60 flashes."""
    import pynwb

    depths = np.arange(100.0, 1700.0, 100.0)
    potentials_mv, flashes_s = planted_lfp([Sink(730.0, 0.040)], depths)
    file = pynwb.NWBFile("flashes", "id", datetime(2020, 1, 1, tzinfo=UTC))
    group = file.create_electrode_group("shank", "a shank", "V1", file.create_device("probe"))
    file.add_electrode_column("depth_um", "µm along the probe")
    for depth in depths:
        file.add_electrode(group=group, location="V1", depth_um=depth)
    contacts = file.create_electrode_table_region(list(range(depths.size)), "all contacts")
    sampling = {"rate": 1000.0, "starting_time": 2.0, "electrodes": contacts}
    series = pynwb.ecephys.ElectricalSeries(name="lfp", data=1e-3 * potentials_mv, **sampling)
    potentials = pynwb.ecephys.LFP()
    file.create_processing_module("ecephys", "processed").add(potentials)
    potentials.add_electrical_series(series)
    table = pynwb.epoch.TimeIntervals(name="flashes", description="when the screen lit up")
    for time in flashes_s:
        table.add_row(start_time=time, stop_time=time + 0.1)
    file.add_time_intervals(table)
    with pynwb.NWBHDF5IO(str(path), "w") as io:
        io.write(file)
    return path
