"""A recording written in each format by the format's own library, or byte for byte by hand."""

from __future__ import annotations

import csv
import struct
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

import microcolumn as mc

#: Samples per second of the formats that count samples.
SAMPLING_RATE = 30_000


def small_recording(seed=0, n_units=5, seconds=20.0):
    """Units with depths, layers and qualities; spikes on a grid of samples, one unit silent."""
    rng = np.random.default_rng(seed)
    n_samples = int(seconds * SAMPLING_RATE)
    trains = [np.unique(rng.integers(0, n_samples, 60)) / SAMPLING_RATE for _ in range(n_units)]
    trains[0] = np.arange(0, n_samples, 600 * 20) / SAMPLING_RATE  # on the edges of bins of 20 ms
    trains[-1] = np.empty(0)
    units = mc.Units(
        [str(10 + n) for n in range(n_units)],
        depth_um=np.linspace(100, 1500, n_units),
        layer=(["II/III", "IV", "V/VI"] * n_units)[:n_units],
        quality=(["good", "mua"] * n_units)[:n_units],
    )
    return mc.Recording(trains, units, [[0.0, seconds]])


def write_nwb(recording, path, zarr=False):
    from pynwb import NWBHDF5IO, NWBFile

    file = NWBFile("a simulated recording", "simulated", datetime(2020, 1, 1, tzinfo=UTC))
    units = recording.units
    file.add_unit_column("layer", "cortical layer")
    file.add_unit_column("depth", "depth in micrometres")
    file.add_unit_column("quality", "verdict of the sorting")
    for n, train in enumerate(recording.trains):
        file.add_unit(
            id=int(units.ids[n]),
            spike_times=train,
            layer=units.layer[n],
            depth=float(units.depth_um[n]),
            quality=units.quality[n],
        )
    for start, stop in recording.epochs:
        file.add_epoch(start, stop, tags=["recorded"])
    if zarr:
        from hdmf_zarr import NWBZarrIO

        with NWBZarrIO(str(path), "w") as io:
            io.write(file)
    else:
        with NWBHDF5IO(str(path), "w") as io:
            io.write(file)
    return path


def write_phy(recording, path, templates=False):
    """A folder as phy leaves it; with templates as Kilosort does, where these tell the depths."""
    path.mkdir()
    units = recording.units
    clusters = np.repeat([int(name) for name in units.ids], np.diff(recording.offsets))
    samples = np.round(recording.spike_times * SAMPLING_RATE).astype(np.int64)
    order = np.argsort(samples, kind="stable")
    np.save(path / "spike_times.npy", samples[order])
    np.save(path / "spike_clusters.npy", clusters[order].astype(np.int32))
    (path / "params.py").write_text(f"sample_rate = {SAMPLING_RATE}.\nhp_filtered = False\n")
    if templates:
        shapes = np.zeros((len(units), 4, len(units)), dtype=np.float32)
        shapes[np.arange(len(units)), 2, np.arange(len(units))] = 1.0
        np.save(path / "templates.npy", shapes)
        np.save(path / "spike_templates.npy", clusters[order].astype(np.int32) - int(units.ids[0]))
        np.save(path / "channel_positions.npy", np.c_[np.zeros(len(units)), units.depth_um])
        _write_tsv(path / "cluster_group.tsv", group=units.quality, cluster_id=units.ids)
        _write_tsv(path / "cluster_layer.tsv", layer=units.layer, cluster_id=units.ids)
    else:
        columns = {"depth": units.depth_um, "group": units.quality, "layer": units.layer}
        _write_tsv(path / "cluster_info.tsv", cluster_id=units.ids, **columns)
    return path


def _write_tsv(path, **columns):
    with path.open("w", newline="") as file:
        rows = csv.writer(file, delimiter="\t")
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))


def _cells(values):
    cells = np.empty((1, len(values)), dtype=object)
    for n, value in enumerate(values):
        cells[0, n] = value
    return cells


def write_matlab_v5(recording, path, compressed=True):
    from scipy.io import savemat

    units = recording.units
    savemat(
        path,
        {
            "spike_times": _cells([train[:, None] for train in recording.trains]),
            "unit_ids": np.array([[int(name) for name in units.ids]]),
            "depth_um": units.depth_um[None],
            "layer": _cells(units.layer),
            "quality": _cells(units.quality),
            "duration_s": recording.duration_s,
        },
        do_compression=compressed,
    )
    return path


def write_matlab_v73(recording, path):
    """As MATLAB lays it out: a header of 512 bytes, cells as references, characters as numbers."""
    import h5py

    units = recording.units
    with h5py.File(path, "w", userblock_size=512) as file:
        references = file.create_group("#refs#")

        def put(group, name, values, kind, empty=False):
            data = group.create_dataset(name, data=values)
            data.attrs["MATLAB_class"] = np.bytes_(kind)
            if empty:
                data.attrs["MATLAB_empty"] = np.uint8(1)
            return data

        def put_cells(name, values):
            cells = np.empty((len(values), 1), dtype=h5py.ref_dtype)
            for n, value in enumerate(values):
                if isinstance(value, str):
                    letters = np.array([[ord(letter)] for letter in value], dtype=np.uint16)
                    cell = put(references, f"{name}{n}", letters, "char")
                elif value.size:
                    cell = put(references, f"{name}{n}", value[None], "double")
                else:  # an empty array is stored as its size
                    size = np.zeros(2, dtype=np.uint64)
                    cell = put(references, f"{name}{n}", size, "double", empty=True)
                cells[n, 0] = cell.ref
            put(file, name, cells, "cell")

        put_cells("spike_times", recording.trains)
        put_cells("layer", units.layer)
        put_cells("quality", units.quality)
        put(file, "unit_ids", np.array([[float(name)] for name in units.ids]), "double")
        put(file, "depth_um", units.depth_um[:, None], "double")
        put(file, "duration_s", np.array([[recording.duration_s]]), "double")
    with Path(path).open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + b" " * 8)
        file.write(struct.pack("<H2s", 0x0200, b"IM"))
    return path


def write_csv(recording, path):
    units = recording.units
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["unit", "time", "depth", "layer", "quality"])
        for n, train in enumerate(recording.trains):
            labels = (units.depth_um[n], units.layer[n], units.quality[n])
            rows.writerows((units.ids[n], repr(time), *labels) for time in train.tolist())
    return path


def write_parquet(recording, path, **options):
    """The table of the CSV, in Parquet or in Feather by the extension; options are of pandas."""
    import pandas

    text = write_csv(recording, path.with_suffix(".csv"))
    table = pandas.read_csv(text)
    (table.to_feather if path.suffix == ".feather" else table.to_parquet)(path, **options)
    text.unlink()
    return path


def write_npz(recording, path):
    units = recording.units
    np.savez(
        path,
        spike_times=recording.spike_times,
        spike_units=np.repeat(np.arange(len(units)), np.diff(recording.offsets)),
        unit_ids=np.array(units.ids),
        duration_s=recording.duration_s,
        depth_um=units.depth_um,
        layer=np.array(units.layer),
        quality=np.array(units.quality),
    )
    return path


def write_nex(recording, path):
    """NeuroExplorer: a header of 544 bytes, one of 208 per train, then ticks of four bytes."""
    trains = recording.trains
    n_ticks = round(recording.duration_s * SAMPLING_RATE)
    place = 544 + 208 * len(trains)
    header = struct.pack("<4si256sdiii", b"NEX1", 104, b"", SAMPLING_RATE, 0, n_ticks, len(trains))
    blocks, data = [header.ljust(544, b"\0")], []
    for name, train in zip(recording.units.ids, trains, strict=True):
        ticks = np.round(train * SAMPLING_RATE).astype("<i4").tobytes()
        entry = struct.pack("<ii64sii", 0, 100, name.encode(), place, train.size)
        blocks.append(entry.ljust(208, b"\0"))
        data.append(ticks)
        place += len(ticks)
    path.write_bytes(b"".join(blocks + data))
    return path


def write_pynapple(recording, path):
    recording.to_pynapple().save(str(path))
    return path


def neo_trains(recording):
    import neo
    import quantities

    units = recording.units
    return [
        neo.SpikeTrain(
            train * 1e3 * quantities.ms,
            t_start=0.0 * quantities.s,
            t_stop=recording.epochs.stops[-1] * quantities.s,
            name=units.ids[n],
            depth=float(units.depth_um[n]),
            layer=units.layer[n],
            quality=units.quality[n],
        )
        for n, train in enumerate(recording.trains)
    ]


def sorting(recording):
    from spikeinterface.core import NumpySorting

    units = recording.units
    made = NumpySorting.from_unit_dict(
        {
            name: np.round(train * SAMPLING_RATE).astype(np.int64)
            for name, train in zip(units.ids, recording.trains, strict=True)
        },
        SAMPLING_RATE,
    )
    made.set_property("depth", units.depth_um)
    made.set_property("layer", np.array(units.layer))
    made.set_property("quality", np.array(units.quality))
    return made


def write_spikeinterface(recording, path):
    sorting(recording).save(folder=path)
    return path
