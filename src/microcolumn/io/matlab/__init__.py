"""Reader of MATLAB files: a cell array of spike times, or a matrix of spike counts.

Any version: v4, v5 to v7, and v7.3, which is HDF5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...epochs import Epochs
from ...units import DEPTH_REFERENCES
from .._failures import BadFileError
from .._session import Session
from .counts import are_counts, bin_width_of, counted
from .v4 import variables_v4
from .v5 import variables_v5
from .v73 import variables_v73
from .variable import NUMERIC, Variable

#: A variable that may hold spikes, after the fields that stand beside it in a struct.
_Found = tuple[Mapping[str, Variable], Variable]

_HDF5 = b"\x89HDF\r\n\x1a\n"
#: Names of spike times, the likeliest first; in lower case.
_TIMES = ("times", "spike_times", "spiketimes", "timestamps", "spikes", "spiketrains", "ts")
_IDS = ("unit_ids", "ids", "uid", "unit_id", "id")
_DURATIONS = ("duration_s", "duration")
_NO_COLUMNS = (*_DURATIONS, "epochs", "depth_reference")
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6}


def load(
    path: Path,
    *,
    variable: str | None = None,
    time_unit: str | None = None,
    sampling_rate: float | None = None,
    bin_width: float | None = None,
    units_in: str | None = None,
) -> Session:
    """Spike trains, and what else the file says about each unit.

    Parameters
    ----------
    path : Path
        The file. Spike times stand in a cell array with one vector per unit, alone, in a struct
        (``spikes.times``), or as a field of an array of structs. Or they are counts: a matrix
        with one column (or row) per unit, whose longer axis is time, dense or sparse.
    variable : str, optional
        Which variable, ``"spikes"`` or ``"spikes.times"``; needed where several may be meant.
    time_unit : {"s", "ms", "us", "samples"}, optional
        Of spike times; seconds where left out.
    sampling_rate : float, optional
        Samples per second, for times in samples.
    bin_width : float, optional
        Seconds per bin of a count matrix; where left out, the file's ``bin_width`` or ``dt``.
    units_in : {"rows", "columns"}, optional
        Where units are in a count matrix; where left out, along the shorter axis.

    Returns
    -------
    Session
        Other variables with one entry per unit, such as ``depth`` and ``layer``, are its columns;
        ``unit_ids`` or ``UID`` name the units, which are otherwise numbered from 1 as MATLAB
        counts: unit ``"1"`` is ``spikes{1}``; ``duration`` or rows of start and stop in
        ``epochs``, in the unit of spike times, or ``duration_s`` say when they were observed;
        ``depth_reference`` says what depths are measured from.
    """
    per_second = _per_second(time_unit, sampling_rate)
    with _opened(path) as variables:
        fields, chosen, notes = _chosen(variables, variable)
        if chosen.kind == "cell":
            _refuse(chosen, "spike times", bin_width=bin_width, units_in=units_in)
            trains, resolution_s, epochs = _trains(chosen, per_second), 0.0, None
        else:
            _refuse(chosen, "spike counts", time_unit=time_unit)
            resolution_s, told = bin_width_of(fields, chosen, bin_width)
            trains, epochs, note = counted(path, chosen, resolution_s, units_in)
            notes = [*notes, *told, note]
        columns = _columns(fields, chosen, len(trains))
        epochs = _epochs(fields, per_second) or epochs
        depth_reference = _depth_reference(fields)
    return Session(
        ids=_ids(columns, len(trains)),
        trains=trains,
        columns=columns,
        epochs=epochs,
        notes=tuple(notes),
        resolution_s=resolution_s,
        depth_reference=depth_reference,
    )


def _per_second(time_unit: str | None, sampling_rate: float | None) -> float:
    """How many units of time make a second."""
    if time_unit not in (None, "samples", *_PER_SECOND):
        raise BadFileError(f"time_unit is {time_unit!r}; choose 's', 'ms', 'us' or 'samples'")
    if time_unit != "samples":
        if sampling_rate is not None:
            raise BadFileError("sampling_rate is given without time_unit='samples'; pass both")
        return _PER_SECOND[time_unit or "s"]
    if sampling_rate is None or not 0 < float(sampling_rate) < np.inf:
        raise BadFileError(
            f"sampling_rate is {sampling_rate}; times in samples need samples per second"
        )
    return float(sampling_rate)


def _refuse(chosen: Variable, what: str, **options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadFileError(f"{name} does not apply to {chosen}, which holds {what}; omit it")


@contextmanager
def _opened(path: Path) -> Iterator[list[Variable]]:
    """Variables of a file of any version; they can be read until the block ends."""
    with path.open("rb") as file:
        head = file.read(520)
    if not head:
        raise BadFileError("it is empty; export or copy it again")
    if head.startswith((b"MATLAB 7.3", _HDF5)) or head[512:] == _HDF5:
        import h5py

        try:
            hdf5 = h5py.File(path, "r")
        except OSError:
            raise BadFileError("its HDF5 part is damaged; export or copy it again") from None
        with hdf5:
            yield variables_v73(hdf5, path)
    elif head.startswith(b"MATLAB 5.0") or head[126:128] in (b"IM", b"MI"):
        yield variables_v5(path)
    else:
        yield variables_v4(path)


def _chosen(
    variables: Sequence[Variable], name: str | None
) -> tuple[Mapping[str, Variable], Variable, list[str]]:
    """The variable with spikes, those that stand beside it by name, and notes."""
    beside = {held.name: held for held in variables}
    if name is not None:
        top, _, field = name.partition(".")
        if top not in beside:
            raise BadFileError(f"there is no variable {name!r}; it holds {_listed(variables)}")
        if beside[top].kind != "struct":
            return beside, _checked(beside[top]), []
        fields = beside[top].read()
        chosen = fields.get(field) if field else _field_with_times(fields)
        if chosen is None:
            raise BadFileError(
                f"no field of {top} holds spikes under that name; name one with variable=: "
                f"{_listed(list(fields.values()))}"
            )
        return {**beside, **fields}, _checked(chosen), []
    likely = _likely(_plausible(variables))
    if len(likely) != 1:
        problem = "several variables may hold" if likely else "no variable holds"
        listed = _listed([chosen for _, chosen in likely] or variables)
        raise BadFileError(
            f"{problem} spikes as one vector of times per cell or as a matrix of counts; "
            f"name one with variable=: {listed}"
        )
    fields, chosen = likely[0]
    return {**beside, **fields}, chosen, [f"spikes are those of variable {chosen}"]


def _likely(found: list[_Found]) -> list[_Found]:
    """Cells before matrices, usual names before others; matrices of counts before others."""
    cells = [pair for pair in found if pair[1].kind == "cell"]
    named = [pair for pair in cells if pair[1].name.lower().rpartition(".")[2] in _TIMES]
    if cells or len(found) < 2:
        return named or cells or found
    return [
        pair
        for pair in found
        if pair[1].kind == "sparse"
        or all(are_counts(values).all() for *_, values in pair[1].entries())
    ]


def _plausible(variables: Sequence[Variable]) -> list[_Found]:
    """Variables that may hold spikes, each with the fields that stand beside it."""
    found: list[_Found] = []
    for held in variables:
        if held.kind == "struct":
            fields = held.read()
            chosen = _field_with_times(fields)
            if chosen is not None:
                found.append((fields, chosen))
        elif _may_hold_spikes(held):
            found.append(({}, held))
    return found


def _field_with_times(fields: Mapping[str, Variable]) -> Variable | None:
    by_name = {name.lower(): held for name, held in fields.items()}
    candidates = (by_name[name] for name in _TIMES if name in by_name)
    return next((held for held in candidates if _may_hold_spikes(held)), None)


def _may_hold_spikes(held: Variable) -> bool:
    if held.is_empty:
        return held.kind == "cell" and held.name.lower().rpartition(".")[2] in _TIMES
    if held.kind == "cell":
        return held.is_vector and all(
            cell.kind in NUMERIC and (cell.is_empty or cell.is_vector) for cell in held.read()
        )
    is_matrix = len(held.shape) == 2 and min(held.shape) > 1
    if held.name.lower() == "epochs" or not is_matrix:
        return False
    return held.kind == "sparse" or held.kind in NUMERIC


def _checked(chosen: Variable) -> Variable:
    """The variable that the caller named, if spikes can be in it."""
    if chosen.kind in ("cell", "sparse") or (chosen.kind in NUMERIC and len(chosen.shape) == 2):
        return chosen
    chosen.read()  # which says so where only MATLAB can open it
    raise BadFileError(
        f"{chosen} is neither a cell array of spike times nor a matrix of counts; "
        "name another with variable="
    )


def _listed(variables: Sequence[Variable]) -> str:
    more = f" and {len(variables) - 12} more" if len(variables) > 12 else ""
    return (", ".join(str(held) for held in variables[:12]) or "no variable") + more


def _trains(chosen: Variable, per_second: float) -> list[NDArray[np.float64]]:
    """Spike times of each cell in seconds."""
    if chosen.is_empty:
        raise BadFileError(
            f"{chosen} has no cells, thus no units; check that spikes were sorted and exported, or "
            "name another with variable="
        )
    if not chosen.is_vector:
        raise BadFileError(
            f"{chosen} has several rows and columns of cells, perhaps trials; "
            "save one vector of spike times per unit"
        )
    trains = []
    for cell in chosen.read():
        if cell.kind not in NUMERIC or not (cell.is_empty or cell.is_vector):
            raise BadFileError(f"{cell} is not a vector of spike times; save one per unit")
        times = np.zeros(0) if cell.is_empty else np.asarray(cell.read(), dtype=np.float64)
        trains.append(times.ravel() / per_second)
    return trains


def _columns(
    fields: Mapping[str, Variable], chosen: Variable, n_units: int
) -> dict[str, Sequence[Any]]:
    """Variables with one entry per unit."""
    columns: dict[str, Sequence[Any]] = {}
    for name, held in fields.items():
        if held.name == chosen.name or name.lower() in _NO_COLUMNS:
            continue
        entries = _entries(held, n_units)
        if entries is not None:
            columns[name] = entries
    return columns


def _ids(columns: dict[str, Sequence[Any]], n_units: int) -> list[str]:
    """Names of the units, whose column is taken out; numbers from 1 where there is none."""
    column = next((name for name in columns if name.lower() in _IDS), None)
    return [str(name) for name in (columns.pop(column) if column else range(1, n_units + 1))]


def _entries(held: Variable, n_units: int) -> list[Any] | None:
    """One text or number per unit, or None where a variable is something else."""
    if held.kind == "char" and held.shape[0] == n_units:
        rows: list[Any] = held.read()
        return rows if len(rows) == n_units else [""] * n_units
    if not held.is_vector or int(np.prod(held.shape, dtype=object)) != n_units:
        return None
    if held.kind in NUMERIC:
        return _plain(np.asarray(held.read()).ravel())
    if held.kind != "cell":
        return None
    entries: list[Any] = []
    for cell in held.read():
        one = [""] if cell.is_empty and cell.kind == "char" else _entries(cell, 1)
        if one is None:
            return None
        entries.extend(one)
    return entries


def _plain(values: NDArray[Any]) -> list[Any]:
    """Numbers of Python, whole ones without a decimal point."""
    return [
        int(value) if isinstance(value, float) and value.is_integer() else value
        for value in values.tolist()
    ]


def _epochs(fields: Mapping[str, Variable], per_second: float) -> Epochs | None:
    """When units were observed, as far as the file says, in the unit of its spike times."""
    by_name = {name.lower(): held for name, held in fields.items() if held.kind in NUMERIC}
    held = by_name.get("epochs")
    if held is not None and len(held.shape) == 2 and held.shape[1] == 2:
        return _stated(Epochs, np.asarray(held.read(), dtype=np.float64) / per_second, held)
    for name in _DURATIONS:
        held = by_name.get(name)
        if held is not None and set(held.shape) == {1}:
            length = float(held.read().item())
            seconds = length if name == "duration_s" else length / per_second
            return _stated(Epochs, np.array([[0.0, seconds]]), held)
    return None


def _depth_reference(fields: Mapping[str, Variable]) -> str | None:
    held = fields.get("depth_reference")
    if held is None or held.kind != "char" or held.shape[0] != 1:
        return None
    text = "".join(held.read())
    return text if text in DEPTH_REFERENCES else None


def _stated(
    make: Callable[[NDArray[np.float64]], Epochs], intervals: NDArray[np.float64], held: Variable
) -> Epochs:
    try:
        return make(intervals)
    except ValueError as error:
        raise BadFileError(f"{held} is not usable: {error}") from None
