"""NWB files with the columns of public archives, exact in names, shapes and types.

Each is written as its archive writes it: Allen Visual Coding and Visual Behavior (AllenSDK),
OpenScope, the International Brain Laboratory (IBL-to-nwb, old and new), Steinmetz et al. (DANDI
000017), and the pipeline of the Allen Institute for Neural Dynamics.
"""

from __future__ import annotations

import numpy as np
import pytest
from planted_nwb import empty_file, written

pynwb = pytest.importorskip("pynwb")

#: Seconds: three units on the first probe and three on the second.
TRAINS = [np.arange(0.05 + 0.01 * n, 20.0, 0.4 + 0.05 * n) for n in range(6)]
SPONTANEOUS = [[0.0, 5.0], [12.0, 15.0]]


def _probes(nwb, names, devices=None):
    groups = []
    for name, device in zip(names, devices or names, strict=True):
        one = nwb.create_device(device)
        groups.append(nwb.create_electrode_group(name, "planted", "Unknown", one))
    return groups


def _electrodes(nwb, groups, locations, first_id=0, **columns):
    """Sites of each probe in turn, from the tip up; ``columns`` by name, one entry per site."""
    n_sites = len(locations) // len(groups)
    for n, location in enumerate(locations):
        place = {"x": 7000.0 + n, "y": 1000.0 - n, "z": 5000.0}
        nwb.add_electrode(
            **place, location=location, group=groups[n // n_sites], id=first_id + n, filtering="AP"
        )
    for name, data in columns.items():
        nwb.add_electrode_column(name, "planted", data=data)


def _units(nwb, columns, **own):
    """Units; ``own`` are columns of the NWB schema, one entry per unit."""
    for n, train in enumerate(TRAINS):
        nwb.add_unit(spike_times=train, id=900 + n, **{k: v[n] for k, v in own.items()})
    for name, data in columns.items():
        nwb.add_unit_column(name, "planted", data=data)


def _presentations(nwb, name, rows, **columns):
    table = pynwb.epoch.TimeIntervals(name=f"{name}_presentations", description="planted")
    table.add_column("stimulus_name", "planted")
    for column in columns:
        table.add_column(column, "planted")
    for n, (start, stop) in enumerate(rows):
        more = {column: data[n] for column, data in columns.items()}
        table.add_row(
            start_time=start,
            stop_time=stop,
            stimulus_name=name,
            tags=["stimulus_time_interval"],
            **more,
        )
    nwb.add_time_intervals(table)


def _allen(path, locations, **electrode_columns):
    """The AllenSDK's layout: the peak channel by id, heights on the electrodes."""
    nwb = empty_file()
    groups = _probes(nwb, ["probeA", "probeB"])
    n = len(locations)
    _electrodes(
        nwb,
        groups,
        locations,
        850_000_000,
        probe_vertical_position=[20 * (k // 2 % (n // 4) + 1) for k in range(n)],
        probe_horizontal_position=[43, 11] * (n // 2),
        probe_id=[733744647] * (n // 2) + [733744649] * (n // 2),
        local_index=list(range(n // 2)) * 2,
        valid_data=[True] * n,
        **electrode_columns,
    )
    half = n // 2
    peaks = [850_000_000 + k for k in (0, 3, 5, half, half + 3, half + 5)]
    columns = {
        "peak_channel_id": peaks,
        "quality": ["good", "good", "noise", "good", "noise", "good"],
        "cluster_id": list(range(6)),
        "local_index": list(range(6)),
        "snr": np.linspace(1.0, 3.0, 6),
        "isi_violations": np.linspace(0.0, 0.5, 6),
        "firing_rate": [2.0] * 6,
    }
    _units(nwb, columns)
    frames = 15.0 + np.arange(121) / 30
    _presentations(nwb, "spontaneous", SPONTANEOUS)
    _presentations(nwb, "natural_movie_one", np.column_stack((frames[:-1], frames[1:])))
    flashes = np.arange(5.0, 12.0, 2.0)
    _presentations(
        nwb, "flashes", np.column_stack((flashes, flashes + 0.25)), color=["1.0", "-1.0"] * 2
    )
    nwb.add_invalid_time_interval(3.0, 3.5, ["EcephysSession", "739448407", "stimulus"])
    return written(nwb, path)


def visual_coding(path):
    """DANDI 000021: areas without layers."""
    return _allen(path, ["VISp"] * 8 + ["CA1"] * 4 + ["LP"] * 4)


def visual_behavior(path):
    """DANDI 000713: the same, with a newer column of channels."""
    locations = ["VISl"] * 8 + ["grey"] * 8
    return _allen(path, locations, probe_channel_number=list(range(8)) * 2)


def openscope(path):
    """DANDI 000253: locations carry the layer."""
    first = ["VISp6a", "VISp6a", "VISp5", "VISp5", "VISp4", "VISp2/3", "VISp2/3", "root"]
    second = ["CA1", "CA1", "DG-mo", "VISam6b", "VISam5", "VISam1", "LP", "root"]
    return _allen(path, first + second)


def ibl(path, *, names=True):
    """DANDI 000409 of 2026: regions by name (before: by acronym), 32 electrodes, the peak first."""
    nwb = empty_file()
    groups = _probes(nwb, ["NeuropixelsProbe00", "NeuropixelsProbe01"])
    n_sites = 40
    regions = {
        "VISp6a": "Primary visual area layer 6a",
        "VISp5": "Primary visual area layer 5",
        "VISp2/3": "Primary visual area layer 2/3",
        "CA1": "Field CA1",
    }
    acronyms = (["VISp6a"] * 14 + ["VISp5"] * 13 + ["VISp2/3"] * 13) + ["CA1"] * n_sites
    rel_y = 20.0 * (np.arange(2 * n_sites) % n_sites // 2)
    _electrodes(
        nwb,
        groups,
        [regions[a] if names else a for a in acronyms],
        beryl_location=[a.rstrip("123456ab/") if a != "CA1" else a for a in acronyms],
        cosmos_location=["Isocortex"] * n_sites + ["HPF"] * n_sites,
        rel_x=[16.0, 48.0] * n_sites,
        rel_y=rel_y,
    )
    peaks = [2, 20, 38, 42, 50, 78]

    def nearest(peak):
        sites = np.arange(n_sites) + n_sites * (peak // n_sites)
        return sites[np.argsort(np.abs(sites - peak), kind="stable")][:32].tolist()

    columns = {
        "unit_name": [f"probe0{n // 3}_{n % 3}" for n in range(6)],
        "probe_name": ["Probe00"] * 3 + ["Probe01"] * 3,
        "distance_from_probe_tip_um": rel_y[peaks] + 3.0,
        "ibl_quality_score": [1.0, 2 / 3, 1.0, 1 / 3, 0.0, 2 / 3],
        "kilosort2_label": ["good", "good", "mua", "mua", "noise", "good"],
        "presence_ratio": [1.0] * 6,
    }
    _units(nwb, columns, electrodes=[nearest(peak) for peak in peaks])
    pointing = {} if names else {"table": nwb.electrodes}  # rows as numbers, or as a region
    nwb.add_unit_column("max_electrode", "planted", data=peaks, **pointing)
    nwb.add_epoch_column("protocol_type", "planted")
    nwb.add_epoch(0.0, 12.0, protocol_type="task")
    nwb.add_epoch(12.0, 20.0, protocol_type="passive")
    nwb.add_trial(1.0, 2.0)
    nwb.add_trial(3.0, np.nan)
    return written(nwb, path)


def ibl_old(path):
    """DANDI 000409 of 2024: regions, depths and scores on the units alone, no electrodes."""
    nwb = empty_file()
    columns = {
        "probe_name": ["probe00"] * 3 + ["probe01"] * 3,
        "maximum_amplitude_channel": [4, 60, 200, 4, 60, 200],
        "mean_relative_depth": [40.0, 600.0, 2000.0, 40.0, 600.0, 2000.0],
        "label": [1.0, 2 / 3, 1 / 3, 1.0, 0.0, 1.0],
        "ks2_label": ["good", "mua", "good", "good", "noise", "good"],
        "allen_location": ["VISp6b", "VISp5", "VISp1", "CA1", "ENTl2/3", "PIR1"],
        "beryl_location": ["VISp", "VISp", "VISp", "CA1", "ENTl", "PIR"],
        "cosmos_location": ["Isocortex"] * 3 + ["HPF", "HPF", "OLF"],
    }
    _units(nwb, columns)
    return written(nwb, path)


def steinmetz(path):
    """DANDI 000017: columns of shape (n, 1), peak channels counted from 1, 50 electrodes a unit."""
    nwb = empty_file()
    groups = _probes(nwb, ["Probe1", "Probe2"], ["0", "1"])
    n_sites = 60
    _electrodes(
        nwb,
        groups,
        ["VISp"] * 30 + ["CA1"] * 30 + ["MOs"] * 60,
        ccf_ap=np.arange(120.0),
        ccf_dv=np.arange(120.0),
        ccf_lr=np.arange(120.0),
        site_id=np.tile(np.arange(n_sites), 2),
        site_position=np.column_stack(
            (np.tile([43.0, 11.0], 60), np.tile(np.arange(60) * 10.0, 2))
        ),
    )
    peaks = [5, 20, 59, 60, 90, 119]  # rows of the table

    def sites(peak):
        own = np.arange(n_sites) + n_sites * (peak // n_sites)
        return own[np.argsort(np.abs(own - peak), kind="stable")][:50].tolist()

    columns = {
        "cluster_depths": 10.0 * np.array([[5], [20], [59], [1], [30], [59]]),
        "peak_channel": np.array(peaks)[:, None] + 1,
        "phy_annotations": [2, 1, 3, 2, 0, 3],
        "waveform_duration": np.full((6, 1), 12),
        "sampling_rate": [30000.0] * 6,
    }
    own = {
        "electrodes": [sites(peak) for peak in peaks],
        "electrode_group": [groups[n // 3] for n in range(6)],
    }
    _units(nwb, columns, **own)
    table = pynwb.epoch.TimeIntervals(name="spontaneous", description="planted")
    for start, stop in SPONTANEOUS:
        table.add_row(start_time=start, stop_time=stop)
    nwb.add_time_intervals(table)
    for start in (6.0, 8.0):
        nwb.add_trial(start, start + 1.5)
    return written(nwb, path)


def aind(path):
    """The pipeline of the Allen Institute for Neural Dynamics: a classifier, and checks."""
    nwb = empty_file()
    groups = _probes(nwb, ["ProbeA", "ProbeB"])
    _electrodes(nwb, groups, ["unknown"] * 8, rel_y=[0.0, 20.0, 40.0, 60.0] * 2)
    columns = {
        "device_name": ["ProbeA"] * 3 + ["ProbeB"] * 3,
        "default_qc": ["True", "False", "True", "True", "False", "True"],
        "decoder_label": ["sua", "sua", "mua", "noise", "noise", "sua"],
        "depth": [10.0, 20.0, 30.0, 10.0, 20.0, 30.0],
    }
    _units(nwb, columns, electrodes=[[n] for n in range(6)])
    return written(nwb, path)
