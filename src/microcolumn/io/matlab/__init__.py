"""MATLAB files of any version: a cell array of spike times, or a matrix of spike counts.

SciPy reads versions up to 7, h5py reads version 7.3, which is HDF5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...epochs import Epochs
from ...units import DEPTH_REFERENCES
from .._clocks import ticks_per_second
from .._containment import is_hdf5
from .._counts import checked_width, counted, time_axis
from .._failures import BadFileError, naming
from .._mapping import refuse
from .._session import Session
from .choice import choose, mapped
from .v7 import variables_v7
from .v73 import variables_v73
from .variable import NUMERIC, Variable

_IDS = ("unit_ids", "ids", "uid", "unit_id", "id")
_NO_COLUMNS = ("duration_s", "duration", "epochs", "depth_reference")
#: Names of the width of bins in seconds; in lower case.
_BIN_WIDTHS = ("bin_width", "binwidth", "bin_size", "binsize", "dt")


def load(
    path: Path,
    *,
    times: str | None = None,
    units: str | None = None,
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
        The file. Spike times are in a cell array with one vector per unit: a variable, a field of
        a struct (``spikes.times``), or a field of an array of structs. Or they are counts: a
        dense or sparse matrix with one column (or row) per unit, whose longer axis is time.
    times, units : str, optional
        Variables or fields of structs with the time and the unit of each spike, such as
        ``"spikes.times"``. Without ``units``, ``times`` is a pattern such as ``"unit_*"`` of
        variables with the times of one unit each.
    variable : str, optional
        Which variable, ``"spikes"`` or ``"spikes.times"``; required if several may be meant.
    bin_width : float, optional
        Seconds per bin of a count matrix; the file's ``bin_width`` or ``dt`` by default.
    time_unit, sampling_rate, units_in
        As for :func:`microcolumn.read`.

    Returns
    -------
    Session
        Other variables with one entry per unit, such as ``depth`` and ``layer``, are its columns.
        ``unit_ids`` or ``UID`` name the units; without them units are numbered from 1 as MATLAB
        counts: unit ``"1"`` is ``spikes{1}``. ``duration`` or rows of start and stop in
        ``epochs``, in the unit of spike times, or ``duration_s`` state when units were observed;
        ``depth_reference`` states what depths are measured from.
    """
    per_second = ticks_per_second(time_unit or "s", sampling_rate)
    with opened(path) as variables:
        if times is not None or units is not None:
            others = {"variable": variable, "bin_width": bin_width, "units_in": units_in}
            refuse("times and units that are named", **others)
            return mapped(variables, times, units, per_second)
        fields, chosen, notes = choose(variables, variable)
        if chosen.kind == "cell":
            refuse(f"{chosen}, which holds spike times", bin_width=bin_width, units_in=units_in)
            trains, resolution_s, epochs = _trains(chosen, per_second), 0.0, None
        else:
            refuse(f"{chosen}, which holds spike counts", time_unit=time_unit)
            resolution_s, width_notes = _bin_width_of(fields, chosen, bin_width)
            axis, title = time_axis(chosen.shape, units_in, str(chosen)), str(chosen)
            found = counted(path, title, chosen.shape, chosen.entries(), axis, resolution_s)
            trains, epochs, note = found
            notes = [*notes, *width_notes, note]
        columns = _columns(fields, chosen, len(trains))
        epochs = _epochs(fields, per_second) or epochs
        depth_reference = _depth_reference(fields)
    column = next((name for name in columns if name.lower() in _IDS), None)
    ids = range(1, len(trains) + 1) if column is None else columns.pop(column)
    return Session(
        ids=[str(name) for name in ids],
        trains=trains,
        columns=columns,
        epochs=epochs,
        notes=tuple(notes),
        resolution_s=resolution_s,
        depth_reference=depth_reference,
    )


@contextmanager
def opened(path: Path) -> Iterator[list[Variable]]:
    """Variables of a file of any version; they can be read until the block ends."""
    with path.open("rb") as file:
        head = file.read(10)
    if not head:
        raise BadFileError("it is empty; export or copy it again")
    if head != b"MATLAB 7.3" and not is_hdf5(path):
        yield variables_v7(path)
        return
    import h5py

    try:
        hdf5 = h5py.File(path, "r")
    except OSError:
        raise BadFileError("its HDF5 part is damaged; export or copy it again") from None
    with hdf5:
        yield variables_v73(hdf5, path)


def _bin_width_of(
    fields: Mapping[str, Variable], chosen: Variable, stated: float | None
) -> tuple[float, list[str]]:
    """Seconds per bin, stated by the caller or else by the file, and a note if they differ."""
    widths = (held for name, held in fields.items() if name.lower() in _BIN_WIDTHS)
    numbers = (held for held in widths if held.kind in NUMERIC and set(held.shape) == {1})
    held = next(numbers, None)
    of_file = None if held is None else float(held.read().item())
    width = of_file if stated is None else float(stated)
    if width is None and min(chosen.shape) <= 1:
        raise BadFileError(
            f"{chosen} is one vector of numbers; name a cell array with one vector of spike times "
            "per unit, or a matrix of counts, with variable="
        )
    if width is None:
        raise BadFileError(
            "a matrix of counts does not say how long its bins are; pass bin_width= in seconds"
        )
    checked_width(width, str(held) if stated is None else "bin_width")
    if held is None or of_file == width:
        return width, []
    return width, [f"bins of {width:g} s as stated; {held.name} of the file: {of_file:g}"]


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
    entries = {
        name: entries_of(held, n_units)
        for name, held in fields.items()
        if held.name != chosen.name and name.lower() not in _NO_COLUMNS
    }
    return {name: column for name, column in entries.items() if column is not None}


def entries_of(held: Variable, n_units: int) -> list[Any] | None:
    """One text or number per unit, or None if the variable is something else."""
    if held.kind == "char" and held.shape[0] == n_units:
        rows: list[Any] = held.read()
        return rows if len(rows) == n_units else [""] * n_units
    if not held.is_vector or int(np.prod(held.shape, dtype=object)) != n_units:
        return None
    if held.kind in NUMERIC:
        values = held.read()
        numbers = values.toarray() if isinstance(values, sparse.coo_array) else values
        # whole numbers without a decimal point
        return [int(x) if float(x).is_integer() else x for x in numbers.ravel().tolist()]
    if held.kind != "cell":
        return None
    entries: list[Any] = []
    for cell in held.read():
        one = [""] if cell.is_empty and cell.kind == "char" else entries_of(cell, 1)
        if one is None:
            return None
        entries.extend(one)
    return entries


def _epochs(fields: Mapping[str, Variable], per_second: float) -> Epochs | None:
    """When units were observed, if the file states it."""
    by_name = {name.lower(): held for name, held in fields.items() if held.kind in NUMERIC}
    for name, scale in (("epochs", per_second), ("duration_s", 1.0), ("duration", per_second)):
        held = by_name.get(name)
        if held is None or held.shape[1:] != ((2,) if name == "epochs" else (1,)):
            continue
        seconds = np.asarray(held.read(), dtype=np.float64) / scale
        with naming(f"{held} is not usable"):
            return Epochs(seconds if name == "epochs" else [[0.0, seconds.item()]])
    return None


def _depth_reference(fields: Mapping[str, Variable]) -> str | None:
    held = fields.get("depth_reference")
    if held is None or held.kind != "char" or held.shape[0] != 1:
        return None
    text = "".join(held.read())
    return text if text in DEPTH_REFERENCES else None
