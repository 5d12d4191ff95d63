"""NPZ: the project's own arrays, in one file that any NumPy opens."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..atomic import atomic_write
from ..epochs import Epochs
from ..recording import Recording
from ._arrays import Archive, check_same_length, flat_numbers, split_by_unit
from ._failures import BadFileError
from ._session import Session

Arrays = Mapping[str, NDArray[Any]]

#: Arrays with one entry per unit that become columns, as do all called ``unit_...``.
_UNIT_COLUMNS = ("depth_um", "layer", "quality", "multiunit", "area", "probe")
_NEEDED = ("spike_times", "spike_units", "unit_ids")
_OTHERS = (
    *("duration_s", "epochs", "epoch_labels", "depth_reference"),
    *("resolution_s", "simulated", "source", "notes", "meta"),
)
#: What files say of a simulation that were saved before ``simulated`` was.
_OLD_SIMULATION = "simulated microcolumn"


def load(path: Path) -> Session:
    """Arrays of one session.

    The archive holds ``spike_times`` (seconds; in order for each unit), ``spike_units`` (index into
    ``unit_ids``) and ``unit_ids``. Optional are ``depth_um`` with ``depth_reference``, ``layer``,
    ``quality``, ``multiunit``, ``area``, ``probe`` and any one-dimensional ``unit_...`` with one
    entry per unit; ``epochs`` (n_epochs, 2) in seconds with ``epoch_labels``, or ``duration_s``,
    which may be the time of the last spike; ``resolution_s``, ``simulated``, ``source``, ``notes``.
    ``meta`` is not read.
    """
    arrays = Archive(path)
    if arrays.pickled:
        raise BadFileError(
            f"{arrays.pickled[0]} holds Python objects, which could run code when opened; "
            "save numbers or text"
        )
    for name in _NEEDED:
        if name not in arrays:
            raise BadFileError(
                f"it has no array {name!r} among {', '.join(sorted(arrays)) or 'none'}; "
                "save spike_times, spike_units and unit_ids"
            )
    ids = [str(name) for name in np.atleast_1d(arrays["unit_ids"]).tolist()]
    columns, left_out = _columns(arrays, len(ids))
    told = (*_texts(arrays, "notes"), *_texts(arrays, "source"))
    saved_from = [f"saved from {source}" for source in _texts(arrays, "source") if source]
    return Session(
        ids,
        _trains(arrays, len(ids)),
        columns,
        epochs=_epochs(arrays),
        notes=(*_texts(arrays, "notes"), *saved_from, *left_out),
        resolution_s=_scalar(arrays, "resolution_s") or 0.0,
        depth_reference=next(iter(_texts(arrays, "depth_reference")), None),
        simulated=_flag(arrays, "simulated") or any(_OLD_SIMULATION in text for text in told),
    )


def save(recording: Recording, path: str | Path) -> None:
    """Write a recording to one NPZ file, in one atomic step.

    `microcolumn.read` gives it back with the same spikes, units and epochs; its notes tell where
    the recording came from.

    Parameters
    ----------
    recording : Recording
        The recording.
    path : str or Path
        File to write; one that is there is replaced.
    """
    units, epochs = recording.units, recording.epochs
    positions = np.arange(recording.n_units, dtype=np.int32)
    arrays: dict[str, Any] = {
        "spike_times": recording.spike_times,
        "spike_units": np.repeat(positions, np.diff(recording.offsets)),
        "unit_ids": np.array(units.ids, dtype=np.str_),
        "epochs": np.column_stack((epochs.starts, epochs.stops)),
        "epoch_labels": None if epochs.labels is None else np.array(epochs.labels, dtype=np.str_),
        "depth_um": units.depth_um,
        "depth_reference": units.depth_reference,
        "layer": units.layer,
        "quality": units.quality,
        "multiunit": units.multiunit,
        "area": units.area,
        "probe": units.probe,
        "resolution_s": recording.resolution_s,
        "simulated": recording.simulated,
        "source": recording.source,
        "notes": np.array(recording.notes, dtype=np.str_),
    }
    with atomic_write(path) as file:
        np.savez_compressed(file, **{k: v for k, v in arrays.items() if v is not None})


def _trains(arrays: Arrays, n_units: int) -> list[Any]:
    times = flat_numbers(arrays["spike_times"], "spike_times").astype(np.float64)
    index = flat_numbers(arrays["spike_units"], "spike_units", whole=True)
    check_same_length("spike_times", times, "spike_units", index)
    bad = np.flatnonzero((index < 0) | (index >= n_units))
    if bad.size:
        raise BadFileError(
            f"spike_units[{bad[0]}] is {index[bad[0]]}; the {n_units} units of unit_ids have "
            f"positions from 0 to {n_units - 1}"
        )
    return split_by_unit(times, index, n_units)


def _columns(arrays: Archive, n_units: int) -> tuple[dict[str, list[Any]], list[str]]:
    """Columns of the table of units, and a note about arrays that are none."""
    columns, ignored = {}, []
    for name, shape in arrays.shapes.items():
        if name in _UNIT_COLUMNS and shape != (n_units,):
            raise BadFileError(
                f"{name} has shape {shape} for {n_units} units; it needs one entry per unit"
            )
        if name in _UNIT_COLUMNS or (name.startswith("unit_") and shape == (n_units,)):
            columns[name] = arrays[name].tolist()
        elif name not in (*_NEEDED, *_OTHERS):
            ignored.append(name)
    columns.pop("unit_ids", None)
    return columns, [f"not read: {', '.join(sorted(ignored))}"] if ignored else []


def _epochs(arrays: Arrays) -> Epochs | None:
    if "epochs" in arrays:
        labels = _texts(arrays, "epoch_labels") if "epoch_labels" in arrays else None
        return Epochs(arrays["epochs"], labels)
    duration = _scalar(arrays, "duration_s")
    return None if duration is None else Epochs([[0.0, duration]])


def _scalar(arrays: Arrays, name: str) -> float | None:
    if name not in arrays:
        return None
    value = arrays[name]
    if value.size != 1 or value.dtype.kind not in "iuf":
        raise BadFileError(
            f"{name} has shape {value.shape} and dtype {value.dtype}; it needs one number"
        )
    return float(value.item())


def _flag(arrays: Arrays, name: str) -> bool:
    if name not in arrays:
        return False
    value = arrays[name]
    if value.size != 1 or value.dtype.kind not in "biu":
        raise BadFileError(
            f"{name} has shape {value.shape} and dtype {value.dtype}; it needs True or False"
        )
    return bool(value.item())


def _texts(arrays: Arrays, name: str) -> list[str]:
    return [str(text) for text in arrays[name].ravel().tolist()] if name in arrays else []
