"""Groups of spike trains of pynapple, from memory or from its NPZ files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..epochs import Epochs
from ..recording import Recording
from .arrays import check_text
from .claims import check_claim
from .failures import BadFileError
from .session import Session, finished

#: Members of a file of a TsGroup that are no column of its metadata.
_NO_COLUMNS = {"t", "d", "start", "end", "index", "keys", "type", "rate", "_metadata"}


def from_tsgroup(
    group: Any,
    *,
    depth_reference: str | None = None,
    layers: Any = None,
    quality: str | Iterable[str] | None = None,
    epochs: str | Epochs | ArrayLike | None = None,
) -> Recording:
    """Recording of a pynapple group; its metadata is the table of units.

    Parameters
    ----------
    group : pynapple.TsGroup
        One series of spike times per unit; its time support, which includes its ends, becomes the
        epochs.
    depth_reference, layers, quality, epochs
        As for :func:`microcolumn.read`; ``layers`` may name a column of the metadata.

    Examples
    --------
    >>> import pynapple, numpy
    >>> group = pynapple.TsGroup({7: pynapple.Ts(numpy.array([0.1, 0.4]))})
    >>> from_tsgroup(group).units.ids
    ('7',)
    """
    for attribute in ("time_support", "metadata_columns", "keys"):
        if not hasattr(group, attribute):
            raise TypeError(
                f"group is a {type(group).__name__} without {attribute}; pass a TsGroup of "
                "pynapple 0.8.2 or later"
            )
    names = list(group.keys())
    support = group.time_support
    session = Session(
        [str(name) for name in names],
        [np.asarray(group[name].t) for name in names],
        {
            column: np.asarray(group.get_info(column)).tolist()
            for column in group.metadata_columns
            if column != "rate"
        },
        epochs=Epochs(np.column_stack((support.start, support.end))),
    )
    return finished(
        session,
        source="pynapple TsGroup",
        depth_reference=depth_reference,
        layers=layers,
        quality=quality,
        epochs=epochs,
    )


def load(path: Path) -> Session:
    """Units of a TsGroup that pynapple saved.

    Read with NumPy alone. Metadata that pynapple pickled stays closed: opening a pickle may run
    anything. Older versions saved metadata as arrays, which become columns.

    Parameters
    ----------
    path : Path
        An NPZ file.
    """
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        names = {member.filename.removesuffix(".npy") for member in members}
        check_claim(path, sum(member.file_size for member in members), "the archive")
        missing = sorted({"t", "index", "start", "end"} - names)
        if missing:
            raise BadFileError(
                f"it has no array {missing[0]!r} (it has {', '.join(sorted(names)[:10])}), "
                "so it is no TsGroup of pynapple; save the whole group"
            )
        arrays = {}
        pickled = []
        for name in sorted(names - {"d", "type"}):
            array = _array(path, archive, name)
            if array is None:
                pickled.append(name)
            else:
                arrays[name] = array
    if unread := sorted({"t", "index", "start", "end", "keys"} & set(pickled)):
        raise BadFileError(f"array {unread[0]!r} is pickled; save the group again with pynapple")
    keys, trains = _trains(arrays)
    columns = {
        name: array.tolist()
        for name, array in arrays.items()
        if name not in _NO_COLUMNS and array.shape == (len(keys),)
    }
    notes = (
        f"pickled metadata ({', '.join(pickled)}) was not opened, since a pickle may run anything; "
        "if you trust the file, pass pynapple.load_file(path) to Recording.from_pynapple",
    )
    return Session(
        [str(key) for key in keys.tolist()],
        trains,
        columns,
        epochs=_support(arrays["start"], arrays["end"]),
        notes=notes if pickled else (),
    )


def _array(path: Path, archive: zipfile.ZipFile, name: str) -> NDArray[Any] | None:
    """One array of the archive, None if it is pickled; its size is checked before it is made."""
    member = archive.getinfo(f"{name}.npy")
    content = BytesIO(archive.read(member))
    version = np.lib.format.read_magic(content)
    header = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        header = np.lib.format.read_array_header_2_0
    shape, _, dtype = header(content)
    if dtype.hasobject:
        return None
    there = member.file_size - content.tell()
    claimed = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if claimed != there or dtype.itemsize == 0 or any(length < 0 for length in shape):
        raise BadFileError(
            f"array {name!r} of shape {shape} claims {claimed:,} bytes and has {there:,}; "
            "it is damaged: save or copy it again"
        )
    content.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(content, allow_pickle=False)
    check_text(array, repr(name))
    return array


def _trains(arrays: dict[str, NDArray[Any]]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Names of the units, and spike times of each in the order in which the file has them."""
    times, index = arrays["t"], arrays["index"]
    if times.ndim != 1 or times.shape != index.shape or index.dtype.kind not in "iuf":
        raise BadFileError(
            f"'t' has shape {times.shape} and 'index' shape {index.shape} and dtype {index.dtype}; "
            "they need one time and one number of a unit per spike: save the group again"
        )
    keys = arrays["keys"].ravel() if "keys" in arrays else np.unique(index)
    stray = np.flatnonzero(~np.isin(index, keys))
    if stray.size:
        raise BadFileError(
            f"spike {stray[0]} is of unit {index[stray[0]]}, which is not among 'keys'; "
            "save the group again"
        )
    order = np.argsort(index, kind="stable")  # pynapple sorts spikes by time across units
    grouped = index[order]
    starts = np.searchsorted(grouped, keys, side="left")
    stops = np.searchsorted(grouped, keys, side="right")
    in_order = times[order]
    return keys, [in_order[a:b] for a, b in zip(starts, stops, strict=True)]


def _support(starts: NDArray[Any], ends: NDArray[Any]) -> Epochs:
    try:
        return Epochs(np.column_stack((starts, ends)))
    except ValueError as error:
        raise BadFileError(f"time support: {error}") from None
