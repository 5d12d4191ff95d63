"""NPZ: the project's own arrays, in one file that any NumPy opens."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..atomic import atomic_write
from ..epochs import Epochs
from ..errors import BadFile, advice, name_list
from ..recording import Recording
from ..safe_text import as_text
from ._arrays import (
    Archive,
    check_array,
    check_index,
    check_same_length,
    flat_numbers,
    load_array,
    split_by_unit,
)
from ._clocks import ticks_per_second
from ._counts import checked_width, matrix_session
from ._mapping import OF_COUNTS, Arrays as Choice, mapped_session, offer, refuse
from ._session import Session

Arrays = Mapping[str, NDArray[Any]]

#: Arrays with one entry per unit that become columns, as do all called ``unit_...``.
_UNIT_COLUMNS = ("depth_um", "layer", "quality", "multiunit", "area", "probe", "global_id")
_NEEDED = ("spike_times", "spike_units", "unit_ids")
_OTHERS = (
    *("duration_s", "epochs", "epoch_labels", "depth_reference"),
    *("resolution_s", "simulated", "animal", "source", "notes", "meta", "label_names", "labels"),
)
#: What files say of a simulation that were saved before ``simulated`` was.
_OLD_SIMULATION = "simulated microcolumn"


def load(
    path: Path,
    *,
    times: str | None = None,
    units: str | None = None,
    time_unit: str | None = None,
    sampling_rate: float | None = None,
    bin_width: float | None = None,
    units_in: str | None = None,
    threshold: float | None = None,
) -> Session:
    """Arrays of one session, or others that the user names.

    The archive holds ``spike_times`` (seconds; in order for each unit), ``spike_units`` (index into
    ``unit_ids``) and ``unit_ids``. Optional are ``depth_um`` with ``depth_reference``, ``layer``,
    ``quality``, ``multiunit``, ``area``, ``probe``, ``global_id`` and any one-dimensional
    ``unit_...`` with one entry per unit; ``epochs`` (n_epochs, 2) in seconds with ``epoch_labels``,
    or ``duration_s``, which may be the time of the last spike; ``label_names`` (n_labels,) and
    ``labels`` (n_labels, n_units) of further labels of the units; ``resolution_s``, ``simulated``,
    ``animal``, ``source``, ``notes``. ``meta`` is not read.

    Parameters
    ----------
    path : Path
        An NPZ file, or one array as NPY: a matrix of counts or a structured array of spikes.
    times, units : str, optional
        Arrays (or fields of a structured one) with the time and the unit of each spike. Without
        ``units``, ``times`` is a pattern such as ``"unit_*"`` of arrays of one unit each.
    time_unit, sampling_rate, bin_width, units_in, threshold
        As for :func:`microcolumn.read`.
    """
    per_second = ticks_per_second(time_unit or "s", sampling_rate)
    arrays = _content(path)
    # Those of an archive are known before its arrays are read.
    shapes = getattr(arrays, "shapes", None) or {n: array.shape for n, array in arrays.items()}
    if bin_width is not None:
        refuse("a matrix of counts", times=times, units=units, time_unit=time_unit)
        name = _matrix_name(shapes)
        counts = arrays[name]
        fits = counts.dtype.kind in "biuf"
        check_array(name, counts, fits, "a matrix of whole numbers, units by bins")
        rows, columns = np.nonzero(counts)
        pieces = [(rows, columns, counts[rows, columns])]
        width = checked_width(bin_width)
        return matrix_session(path, counts.shape, pieces, width, units_in, threshold=threshold)
    refuse("arrays of spikes", OF_COUNTS, units_in=units_in, threshold=threshold)
    if list(map(len, shapes.values())) == [2]:
        raise BadFile("a matrix does not state its bins", advice("pass {bin_width} in seconds"))
    if times is not None or units is not None or not isinstance(arrays, Archive):
        choice = Choice(list(arrays), arrays.__getitem__, ".", "arrays")
        return mapped_session(choice, times, units, per_second)
    return _own_session(arrays, per_second)


def _content(path: Path) -> Arrays:
    """Arrays by name; fields of a structured array in an NPY file are arrays."""
    with path.open("rb") as file:
        if file.read(2) == b"PK":
            return Archive(path)
    array = load_array(path)
    if array.dtype.names is None:
        return {path.stem: array}
    return {name: array[name] for name in array.dtype.names}


def _matrix_name(shapes: Mapping[str, tuple[int, ...]]) -> str:
    """The only matrix among the arrays."""
    matrices = [name for name, shape in shapes.items() if len(shape) == 2]
    if len(matrices) != 1:
        arrays = name_list(f"{name} {shape}" for name, shape in shapes.items())
        problem = f"{len(matrices)} of its arrays are matrices ({arrays})"
        raise BadFile(problem, "save units by bins")
    return matrices[0]


def _own_session(arrays: Archive, per_second: float) -> Session:
    """Session of an archive in the layout of `save`."""
    if arrays.pickled:
        problem = f"{arrays.pickled[0]} holds Python objects, which could run code when opened"
        raise BadFile(problem, "save numbers or text")
    for name in _NEEDED:
        if name not in arrays:
            others = offer(sorted(arrays), "arrays")
            remedy = ("save spike_times, spike_units and unit_ids, or ", *others)
            raise BadFile(f"it has no array {name!r}", remedy)
    ids = list(map(as_text, np.atleast_1d(arrays["unit_ids"]).tolist()))
    columns, left_out = _columns(arrays, len(ids))
    notes, sources = _texts(arrays, "notes"), _texts(arrays, "source")
    simulated = _scalar(arrays, "simulated", "biu", "True or False")
    saved_from = [f"saved from {source}" for source in sources if source]
    return Session(
        ids,
        _trains(arrays, len(ids), per_second),
        columns,
        epochs=_epochs(arrays),
        notes=(*notes, *saved_from, *left_out),
        resolution_s=_scalar(arrays, "resolution_s") or 0.0,
        depth_reference=next(iter(_texts(arrays, "depth_reference")), None),
        simulated=bool(simulated) or any(_OLD_SIMULATION in text for text in notes + sources),
        animal="".join(_texts(arrays, "animal")),
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

    Examples
    --------
    >>> save(mc.Recording([[0.1, 0.4], [0.2]]), "two_units.npz")
    >>> mc.read("two_units.npz").n_units
    2
    """
    units, epochs = recording.units, recording.epochs
    positions = np.arange(recording.n_units, dtype=np.int32)
    arrays: dict[str, Any] = {
        "spike_times": recording.spike_times,
        "spike_units": np.repeat(positions, np.diff(recording.offsets)),
        "unit_ids": np.array(units.ids, dtype=np.str_),
        "epochs": np.column_stack((epochs.starts, epochs.stops)),
        "epoch_labels": None if epochs.labels is None else np.array(epochs.labels, dtype=np.str_),
        **{name: getattr(units, name) for name in ("depth_reference", *_UNIT_COLUMNS)},
        "label_names": np.array([*units.labels], dtype=np.str_) if units.labels else None,
        "labels": np.array([*units.labels.values()], dtype=np.str_) if units.labels else None,
        "resolution_s": recording.resolution_s,
        "simulated": recording.simulated,
        "animal": recording.animal or None,
        "source": recording.source,
        "notes": np.array(recording.notes, dtype=np.str_),
    }
    with atomic_write(path) as file:
        np.savez_compressed(file, **{k: v for k, v in arrays.items() if v is not None})


def _trains(arrays: Arrays, n_units: int, per_second: float) -> list[Any]:
    times = flat_numbers(arrays["spike_times"], "spike_times") / per_second
    index = flat_numbers(arrays["spike_units"], "spike_units", whole=True)
    check_same_length("spike_times", times, "spike_units", index)
    check_index("spike_units", index, n_units, "units")
    return split_by_unit(times, index, n_units)


def _columns(arrays: Archive, n_units: int) -> tuple[dict[str, list[Any]], list[str]]:
    """Columns of the table of units, and a note about arrays that are none."""
    columns, ignored = {}, []
    for name, shape in arrays.shapes.items():
        if name in _UNIT_COLUMNS and shape != (n_units,):
            raise BadFile(f"{name} has shape {shape} for {n_units} units", "it needs one per unit")
        if name in _UNIT_COLUMNS or (name.startswith("unit_") and shape == (n_units,)):
            columns[name] = arrays[name].tolist()
        elif name not in (*_NEEDED, *_OTHERS):
            ignored.append(name)
    columns.pop("unit_ids", None)
    if "labels" in arrays and "label_names" in arrays:
        names, labels = _texts(arrays, "label_names"), arrays["labels"]
        if labels.shape != (len(names), n_units):
            problem = f"labels has shape {labels.shape} for {len(names)} names, {n_units} units"
            raise BadFile(problem, "it needs a row per name and a column per unit")
        columns |= {name: list(map(as_text, row)) for name, row in zip(names, labels, strict=True)}
    return columns, [f"not read: {', '.join(sorted(ignored))}"] if ignored else []


def _epochs(arrays: Arrays) -> Epochs | None:
    if "epochs" in arrays:
        labels = _texts(arrays, "epoch_labels") if "epoch_labels" in arrays else None
        return Epochs(arrays["epochs"], labels)
    duration = _scalar(arrays, "duration_s")
    return None if duration is None else Epochs([[0.0, duration]])


def _scalar(
    arrays: Arrays, name: str, kinds: str = "iuf", needed: str = "one number"
) -> float | None:
    if name not in arrays:
        return None
    value = arrays[name]
    check_array(name, value, value.size == 1 and value.dtype.kind in kinds, needed)
    return float(value.item())


def _texts(arrays: Arrays, name: str) -> list[str]:
    return list(map(as_text, arrays[name].ravel().tolist())) if name in arrays else []
