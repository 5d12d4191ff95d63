"""NWB files with planted units, written by PyNWB."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

EPOCHS = [[0.0, 1.0], [1.5, 3.0]]
IDS = [7, 3, 12, 5]


def spike_trains():
    """Spikes on a 30 kHz grid, some on edges of 20 ms bins, and a silent unit."""
    rng = np.random.default_rng(2)
    samples = [np.unique(rng.integers(0, 90_000, 200)) for _ in range(3)]
    samples[0] = np.unique(np.concatenate((samples[0], np.arange(0, 90_000, 600))))
    return [samples[0] / 30_000, np.array([]), samples[1] / 30_000, samples[2] / 30_000]


TRAINS = spike_trains()


def empty_file():
    return pynwb.NWBFile(
        session_description="planted",
        identifier="planted",
        session_start_time=datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
    )


def with_electrodes(nwb, n_electrodes=8, *, groups=1, **columns):
    """Electrodes with ids 100, 101, ... spread evenly over groups."""
    device = nwb.create_device("probe")
    shanks = [
        nwb.create_electrode_group(f"shank{n}", "planted", "V1", device) for n in range(groups)
    ]
    for n in range(n_electrodes):
        nwb.add_electrode(location="V1", group=shanks[n * groups // n_electrodes], id=100 + n)
    for name, data in columns.items():
        nwb.add_electrode_column(name, "planted", data=data)
    return shanks


def with_units(nwb, trains=None, ids=IDS, **columns):
    """Units; ``columns`` have one entry each, those NWB knows of by their own names."""
    known = {"obs_intervals", "electrodes", "electrode_group"}
    for name in set(columns) - known:
        nwb.add_unit_column(name, "planted")
    for n, train in enumerate(TRAINS if trains is None else trains):
        entries = {name: column[n] for name, column in columns.items()}
        nwb.add_unit(spike_times=train, id=ids[n], **entries)


def written(nwb, path):
    with pynwb.NWBHDF5IO(str(path), "w") as file:
        file.write(nwb)
    return path


def write_full(path):
    """A file with electrodes, quality, observed intervals and labelled epochs."""
    nwb = empty_file()
    with_electrodes(nwb, rel_y=np.arange(8) * 20.0, layer=["II"] * 2 + ["IV"] * 3 + ["V"] * 3)
    with_units(
        nwb,
        quality=["good", "mua", "good", "noise"],
        snr=[4.0, 2.0, 3.0, 1.0],
        electrodes=[[0], [1, 2], [3, 4], [5, 6, 7]],
        obs_intervals=[[[0.0, 3.0]]] * 4,
    )
    nwb.add_epoch(*EPOCHS[0], ["movie", "first"])
    nwb.add_epoch(*EPOCHS[1], ["dark"])
    return written(nwb, path)


def write_zarr(source, path):
    """The same file as a Zarr folder."""
    zarr = pytest.importorskip("hdmf_zarr.nwb")
    with pynwb.NWBHDF5IO(str(source), "r") as file, zarr.NWBZarrIO(str(path), "w") as target:
        target.export(src_io=file, write_args={"link_data": False})
    return path
