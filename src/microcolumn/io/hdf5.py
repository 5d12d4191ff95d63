"""HDF5 files of any layout, whose datasets of times and units the user names."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadFile
from ._clocks import ticks_per_second
from ._mapping import Arrays, mapped_session
from ._session import Session
from .failures import check_claim

#: Datasets and columns that are looked at, at most.
_MOST_NAMES = 100_000


def load(
    path: Path,
    *,
    times: str | None = None,
    units: str | None = None,
    time_unit: str | None = None,
    sampling_rate: float | None = None,
) -> Session:
    """Times and units of all spikes.

    Parameters
    ----------
    times, units : str
        Datasets with the time and the unit of each spike, such as ``/spikes/times``, or columns of
        a dataset of several, such as ``/spikes/table/time``. Without ``units``, ``times`` is a
        pattern such as ``/units/*/times`` of datasets with the times of one unit each.
    path, time_unit, sampling_rate
        As for :func:`microcolumn.read`.
    """
    import h5py

    per_second = ticks_per_second(time_unit or "s", sampling_rate)
    with h5py.File(path, "r") as file:
        vectors = _vectors(file)
        arrays = Arrays(
            list(vectors), lambda name: _values(path, name, *vectors[name]), "/", "datasets"
        )
        return mapped_session(arrays, times, units, per_second)


def _vectors(file: Any) -> dict[str, tuple[Any, str | None]]:
    """Datasets of one axis, and their columns, by path."""
    import h5py

    vectors: dict[str, tuple[Any, str | None]] = {}

    def visit(name: str, item: Any) -> bool | None:
        if isinstance(item, h5py.Dataset) and item.shape and max(item.shape) == item.size:
            for column in item.dtype.names or (None,):
                vectors[f"/{name}" if column is None else f"/{name}/{column}"] = item, column
        return True if len(vectors) > _MOST_NAMES else None

    file.visititems(visit)
    return vectors


def _values(path: Path, name: str, item: Any, column: str | None) -> NDArray[Any]:
    """Numbers or text of a dataset, if the file can hold as many as it claims."""
    import h5py

    dtype = item.dtype if column is None else item.dtype[column]
    if dtype.kind not in "biufS" and h5py.check_string_dtype(dtype) is None:
        raise BadFile(f"{name} is of type {dtype}", "name a dataset of numbers or text")
    check_claim(path, item.size * item.dtype.itemsize, name)
    return np.asarray(item[()] if column is None else item[column]).ravel()
