"""A session as CellExplorer leaves it: spikes, cell metrics and metadata, in both kinds of file."""

from __future__ import annotations

import matlab_files
import numpy as np

TRAINS = [np.array([0.5, 1.25, 9.0]), np.array([2.0, 3.0]), np.array([0.1]), np.array([5.0, 7.5])]
AREAS = ["VISp5", "CA1", "VISp2/3", "CA1"]
SECONDS = 12.5


def contents():
    """Structs by name of file, with the fields that CellExplorer documents."""
    n_units = len(TRAINS)
    numbers = np.arange(1.0, n_units + 1)[None]
    spikes = {
        "times": [train[:, None] for train in TRAINS],
        "ts": [np.round(train[:, None] * 20_000) for train in TRAINS],
        "UID": numbers,
        "cluID": numbers * 3,
        "shankID": np.array([[1.0, 1.0, 2.0, 2.0]]),
        "maxWaveformCh": numbers - 1,
        "maxWaveformCh1": numbers,
        "total": np.array([[float(train.size) for train in TRAINS]]),
        "peakVoltage": numbers * 50,
        "filtWaveform": [np.zeros((1, 48))] * n_units,
        "region": ["HPC"] * n_units,
        "numcells": np.array([[float(n_units)]]),
        "sr": np.array([[20_000.0]]),
        "basename": "rat1",
        "spindices": np.zeros((8, 2)),
        "processinginfo": {"function": "loadSpikes", "version": np.array([[4.0]])},
    }
    metrics = {
        "general": {"basename": "rat1", "cellCount": np.array([[float(n_units)]])},
        "UID": numbers,
        "brainRegion": AREAS,
        "putativeCellType": ["Pyramidal Cell"] * n_units,
        "deepSuperficial": ["Unknown", "Deep", "Cortical", "Superficial"],
        "firingRate": numbers,
        "spikes": {"times": [train[:, None] for train in TRAINS]},
        "tags": {
            "Noise": np.array([[4.0]]),
            "Good": np.array([[1.0, 4.0]]),
            "Mua": np.array([[2.0]]),
        },
    }
    session = {
        "general": {"name": "rat1", "duration": np.array([[SECONDS]])},
        "extracellular": {"sr": np.array([[20_000.0]]), "nChannels": np.array([[4.0]])},
        "epochs": [
            {"name": name, "startTime": np.array([[start]]), "stopTime": np.array([[stop]])}
            for name, start, stop in (("sleep", 0.0, 4.0), ("maze", 4.0, 8.0), ("sleep", 8.0, 12.0))
        ],
    }
    return {"spikes.cellinfo": spikes, "cell_metrics.cellinfo": metrics, "session": session}


def write_cellinfo(folder, version="5", **changes):
    """Write a session; ``changes`` replace a struct, or leave its file out where they are None."""
    folder.mkdir(exist_ok=True)
    for ending, struct in contents().items():
        name = ending.partition(".")[0]
        chosen = changes.get(name, struct)
        if chosen is not None:
            matlab_files.either(version, folder / f"rat1.{ending}.mat", **{name: chosen})
    return folder
