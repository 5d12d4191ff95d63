"""Groups of spike trains of pynapple, from memory or from its NPZ files."""

from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ..epochs import Epochs
from ..errors import BadFile, BadType, damaged, name_list, within
from ..recording import Recording
from ..safe_text import as_text
from ._arrays import Archive, split_by_unit
from ._session import Choices, Session, to_recording

#: Members that the reader uses; files of older versions have no keys.
_NEEDED = ("t", "index", "start", "end", "keys")
#: Members of a file of a TsGroup that are no column of its metadata.
_NO_COLUMNS = {"t", "d", "start", "end", "index", "keys", "type", "rate", "_metadata"}


def from_pynapple(group: Any, **choices: Unpack[Choices]) -> Recording:
    """Recording of a pynapple group; its metadata is the table of units.

    Parameters
    ----------
    group : pynapple.TsGroup
        One series of spike times per unit; its time support, which includes its ends, becomes the
        epochs.
    **choices
        ``depth_reference``, ``layers``, ``quality`` and ``epochs`` as for :func:`microcolumn.read`;
        ``layers`` may name a column of the metadata.

    Examples
    --------
    >>> import pynapple, numpy
    >>> group = pynapple.TsGroup({7: pynapple.Ts(numpy.array([0.1, 0.4]))})
    >>> from_pynapple(group).units.ids
    ('7',)
    """
    for attribute in ("time_support", "metadata_columns", "keys"):
        if not hasattr(group, attribute):
            problem = f"is a {type(group).__name__} without {attribute}"
            raise BadType("group", problem, "pass a TsGroup of pynapple 0.8.2 or later")
    names = list(group.keys())
    support = group.time_support
    described = (column for column in group.metadata_columns if column != "rate")
    columns = {column: np.asarray(group.get_info(column)).tolist() for column in described}
    stated = set(columns.pop("depth_reference", ())) - {"unstated"}
    reference = stated.pop() if len(stated) == 1 else None
    ids, trains = list(map(as_text, names)), [np.asarray(group[name].t) for name in names]
    epochs = Epochs(np.column_stack((support.start, support.end)))
    session = Session(ids, trains, columns, epochs=epochs, depth_reference=reference)
    return to_recording(session, source="pynapple TsGroup", **choices)


def to_pynapple(recording: Recording) -> Any:
    """A recording as a pynapple group; see :meth:`microcolumn.Recording.to_pynapple`.

    >>> to_pynapple(Recording([[0.1, 0.4]])).get_info("id").tolist()
    ['0']
    """
    try:
        import pynapple
    except ImportError:
        raise ImportError("to_pynapple needs pynapple: pip install pynapple") from None
    rows, ids = recording.units.to_rows(), recording.units.ids
    # Keys of a group are whole numbers. It sorts them, and its metadata goes by position.
    named = all(each.isdecimal() and str(int(each)) == each for each in ids)
    keys = list(map(int, ids)) if named else list(range(len(ids)))
    order = np.argsort(keys, kind="stable").tolist()
    metadata = {name: [rows[n][name] for n in order] for name in rows[0]}
    if recording.units.depth_um is not None:
        metadata["depth_reference"] = [recording.units.depth_reference] * len(ids)
    support = pynapple.IntervalSet(recording.epochs.starts, recording.epochs.stops)
    trains = {keys[n]: pynapple.Ts(recording.trains[n], time_support=support) for n in order}
    return pynapple.TsGroup(trains, time_support=support, metadata=metadata)


def load(path: Path) -> Session:
    """Units of a TsGroup that pynapple saved.

    NumPy reads them. Metadata that pynapple pickled is not opened, since a pickle can run any
    code. Older versions saved metadata as arrays, which become columns.
    """
    arrays = Archive(path)
    for name in _NEEDED:
        if name in arrays.pickled:
            raise damaged(f"array {name!r} is pickled")
        if name not in arrays and name != "keys":
            problem = f"it has no array {name!r} as a TsGroup has (but {name_list(sorted(arrays))})"
            raise BadFile(problem, "save the whole group")
    closed = sorted(set(arrays.pickled) - {"d", "type"})
    keys, trains = _trains(arrays)
    columns = {
        name: arrays[name].tolist()
        for name, shape in arrays.shapes.items()
        if name not in _NO_COLUMNS and shape == (len(keys),)
    }
    notes = (
        f"pickled metadata ({', '.join(closed)}) was not opened, since a pickle may run anything; "
        "if you trust the file, pass pynapple.load_file(path) to Recording.from_pynapple",
    )
    with within("time support"):
        support = Epochs(np.column_stack((arrays["start"], arrays["end"])))
    ids = list(map(as_text, keys.tolist()))
    return Session(ids, trains, columns, epochs=support, notes=notes if closed else ())


def _trains(arrays: Archive) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Names of the units, and spike times of each in the order in which the file has them."""
    times, index = arrays["t"], arrays["index"]
    if times.ndim != 1 or times.shape != index.shape or index.dtype.kind not in "iuf":
        problem = f"t has shape {times.shape}, index {index.shape} and dtype {index.dtype}"
        raise BadFile(problem, "they need one number per spike: save the group again")
    keys = arrays["keys"].ravel() if "keys" in arrays else np.unique(index)
    unknown = np.flatnonzero(~np.isin(index, keys))
    if unknown.size:
        raise damaged(f"spike {unknown[0]} is of unit {index[unknown[0]]}, not one of 'keys'")
    sorter = np.argsort(keys)
    place = sorter[np.searchsorted(keys, index, sorter=sorter)]
    return keys, split_by_unit(times, place, len(keys))
