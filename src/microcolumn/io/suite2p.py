"""Folders of suite2p: deconvolved traces of cells as events.

``ops.npy`` and ``stat.npy`` are pickles, which could run code, and stay closed. The frame rate is
found in ``ops.npy`` by listing the instructions of the pickle, none of which is carried out.
"""

from io import BytesIO
from pathlib import Path
from pickletools import genops

import numpy as np
from numpy.typing import NDArray

from ..errors import BadFile, name_list
from ._arrays import check_array, check_same_length, load_array
from ._clocks import stated_rate
from ._columns import as_number
from ._containment import check_inside, files_inside
from ._events import event_session
from ._session import Session

_TRACES, _CELLS = "spks.npy", "iscell.npy"
#: Pickles with the settings, older and newer, and the name of the frame rate in them.
_SETTINGS, _RATE = ("ops.npy", "settings.npy"), "fs"
#: Bytes of a pickle that are looked at; suite2p writes its settings first.
_PICKLE_BYTES = 1 << 20
#: Instructions of a pickle with a number, and those between a name and its value.
_NUMBERS = ("BINFLOAT", "FLOAT", "BININT", "BININT1", "BININT2", "INT", "LONG1")
_BETWEEN = ("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "FRAME")


def load(path: Path, *, frame_rate: float | None = None, threshold: float = 3.0) -> Session:
    """Cells of one plane; those that ``iscell.npy`` says are none are left out.

    A cell, known by its row in ``spks.npy``, is active in a frame where its deconvolved value
    exceeds ``threshold`` times its noise: 1.4826 times the median of its values above 0.

    Parameters
    ----------
    path : Path
        The folder of a plane, such as ``suite2p/plane0``, or one that has a single plane.
    frame_rate : float, optional
        Frames per second of the plane; by default what ``ops.npy`` says, where that is a plain
        number.
    threshold : float
        Noise levels that an event exceeds. With 0 every value above 0 is an event.
    """
    plane = _plane(path)
    files_inside(plane, _TRACES, _CELLS, *_SETTINGS)
    where = next((name for name in _SETTINGS if (plane / name).is_file()), _SETTINGS[0])
    of_file = _pickled_number(plane / where, _RATE)
    rate, notes = stated_rate(of_file, frame_rate, where, "frame_rate")
    traces = load_array(plane / _TRACES, mapped=True)
    fits = traces.ndim == 2 and traces.dtype.kind in "fiu"
    check_array(_TRACES, traces, fits, "one row of numbers per cell")
    cells = np.arange(len(traces))
    if (plane / _CELLS).is_file():
        is_cell = _first_column(load_array(plane / _CELLS))
        check_same_length(_TRACES, traces, _CELLS, is_cell)
        cells = np.flatnonzero(is_cell)
        left_out = len(traces) - cells.size
        notes += [f"no cells by {_CELLS}, left out: {left_out} of {len(traces)}"] * (left_out > 0)
    ids = list(map(str, cells.tolist()))
    return event_session((traces[n] for n in cells), ids, 1.0 / rate, threshold, notes)


def _plane(path: Path) -> Path:
    """The folder with the traces: this one, or the only one in it."""
    if (path / _TRACES).is_file():
        return path
    planes = sorted(file.parent for file in path.glob(f"*/{_TRACES}"))
    if len(planes) == 1:
        check_inside(planes[0], path)
        return planes[0]
    names = name_list(plane.name for plane in planes)
    problem = f"it holds several planes: {names}" if planes else f"it has no {_TRACES}"
    raise BadFile(problem, "name the folder of one plane, such as suite2p/plane0")


def _first_column(array: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Whether each region is a cell; the second column of the file is a probability."""
    fits = array.ndim in (1, 2) and array.size > 0 and array.dtype.kind in "biuf"
    check_array(_CELLS, array, fits, "a row per region, first whether it is a cell")
    return np.asarray(array.reshape(len(array), -1)[:, 0] == 1)


def _pickled_number(path: Path, name: str) -> float | None:
    """The number that follows a name in a pickled dictionary, None if none does."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        head = file.read(10)
        file.seek(len(head) + int.from_bytes(head[8:], "little"))  # the header of the array
        pickle = BytesIO(file.read(_PICKLE_BYTES))
    before = None
    try:
        for instruction, value, _ in genops(pickle):
            if before == name and instruction.name in _NUMBERS:
                return as_number(value)
            if instruction.name not in _BETWEEN:
                before = value
    except ValueError:  # it is cut off here, or damaged
        return None
    return None
