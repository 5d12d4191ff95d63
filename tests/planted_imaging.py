"""Deconvolved traces with known events, in the folders of suite2p and the files of CaImAn."""

from __future__ import annotations

import h5py
import numpy as np

FRAME_RATE = 30.0


def traces(recording, frame_rate=FRAME_RATE, seed=0):
    """A value of 20 in each frame with a spike, above noise that is 0 in half of the frames."""
    rng = np.random.default_rng(seed)
    n_frames = round(recording.duration_s * frame_rate)
    made = np.maximum(rng.normal(0.0, 1.0, (len(recording.units), n_frames)), 0.0)
    for row, train in zip(made, recording.trains, strict=True):
        row[(train * frame_rate).astype(int)] = 20.0
    return made


def write_suite2p(recording, folder, **settings):
    """The folder of a plane; ``ops.npy`` and ``stat.npy`` are pickled as suite2p does it."""
    folder.mkdir(parents=True)
    values = traces(recording).astype(np.float32)
    np.save(folder / "spks.npy", values)
    np.save(folder / "F.npy", values + 100)
    is_cell = np.column_stack([np.ones(len(values)), np.full(len(values), 0.9)])
    is_cell[1] = 0.0, 0.2
    np.save(folder / "iscell.npy", is_cell)
    ops = {"suite2p_version": "0.14.4", "nplanes": 1, "tau": 1.0, "fs": FRAME_RATE, "do_bidi": True}
    np.save(folder / "ops.npy", {**ops, "meanImg": np.ones((32, 32)), **settings})
    np.save(folder / "stat.npy", np.array([{"npix": 9, "med": (3, 4)}] * len(values)))
    return folder


def write_caiman(recording, path, **changed):
    """A file as ``CNMF.save`` writes it: nested dictionaries, with a text for what is missing."""
    made = traces(recording)
    estimates = {
        "A/data": np.ones(9),
        "A/indices": np.arange(9),
        "A/indptr": np.array([0, 9]),
        "A/shape": np.array([9, 1]),
        "C": made * 2,
        "S": made,
        "F_dff": "NoneType",
        "idx_components": np.array([0, 2, 3, 4]),
        "idx_components_bad": np.array([1]),
    }
    with h5py.File(path, "w") as file:
        file["dview"] = "NoneType"
        file["skip_refinement"] = False
        file["remove_very_bad_comps"] = False
        file["params/data/fr"] = FRAME_RATE
        file["params/data/decay_time"] = 0.4
        for name, value in (estimates | changed).items():
            if value is not None:
                file[f"estimates/{name}"] = value
    return path


def write_deconvolved(recording, path):
    made = traces(recording)
    if path.suffix == ".npy":
        np.save(path, made)
    else:
        names = ",".join(f"c{n}" for n in range(len(made)))
        np.savetxt(path, made.T, "%.4f", delimiter=",", header=names, comments="")
    return path
