"""A recording as arrays of times and units under names that no reader knows, and as counts."""

from __future__ import annotations

import gzip

import h5py
import matlab_files
import numpy as np

#: How the arrays are named to the reader, and the bins of the counts.
MAPPED, COUNTED = {"times": "t", "units": "k"}, {"bin_width": 0.02}


def _flat(recording):
    ids = np.array([int(name) for name in recording.units.ids])
    order = np.argsort(recording.spike_times, kind="stable")
    return recording.spike_times[order], np.repeat(ids, np.diff(recording.offsets))[order]


def write_hdf5(recording, path):
    times, units = _flat(recording)
    with h5py.File(path, "w") as file:
        file.create_dataset("t", data=times, compression="gzip", chunks=(64,))
        file["k"] = units
        file["other"] = [name.encode() for name in recording.units.layer]
    return path


def write_compound(recording, path):
    times, units = _flat(recording)
    table = np.zeros(times.size, dtype=[("t", "f8"), ("k", "S4")])
    table["t"], table["k"] = times, [str(unit).encode() for unit in units]
    np.save(path, table)
    return path


def write_mat(recording, path, version="7"):
    times, units = _flat(recording)
    return matlab_files.either(version, path, t=times, k=units * 1.0)


def write_npz(recording, path):
    times, units = _flat(recording)
    np.savez(path, t=times, k=units, other=np.zeros((3, 3)))
    return path


def write_table(recording, path, packed=False):
    rows = zip(*(array.tolist() for array in _flat(recording)), strict=True)
    lines = [f"{time!r};{unit}".replace(".", ",") for time, unit in rows]
    text = "\n".join(["t;k", *lines, ""]).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    return path


def _counts(recording):
    edges = np.arange(0, recording.duration_s + 1e-9, COUNTED["bin_width"])
    return np.array([np.histogram(train, edges)[0] for train in recording.trains]).T


def write_counts(recording, path):
    if path.suffix == ".npy":
        np.save(path, _counts(recording).astype(np.uint8))
    else:
        np.savetxt(
            path, _counts(recording), "%d", delimiter=",", header=",".join("abcde"), comments=""
        )
    return path
