"""Results of CaImAn in HDF5: deconvolved activity of components as events."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadFile
from ._arrays import check_index
from ._clocks import stated_rate
from ._events import event_session
from ._session import Session
from .failures import check_claim

_TRACES, _ACCEPTED, _RATE = "estimates/S", "estimates/idx_components", "params/data/fr"


def load(path: Path, *, frame_rate: float | None = None, threshold: float = 3.0) -> Session:
    """Components that CaImAn accepted (``idx_components``); all of them if it did not evaluate any.

    A component, known by its row in ``estimates/S`` as counted from 0, is active in a frame where
    its deconvolved value exceeds ``threshold`` times its noise: 1.4826 times the median of its
    values above 0.

    Parameters
    ----------
    path : Path
        The file that ``CNMF.save`` wrote.
    frame_rate : float, optional
        Frames per second; by default ``params/data/fr`` of the file.
    threshold : float
        Noise levels that an event exceeds. With 0 every value above 0 is an event, which suits
        activity that CaImAn deconvolved with a smallest spike ``s_min``.
    """
    import h5py

    with h5py.File(path, "r") as file:
        traces = _numbers(file, _TRACES, path)
        if traces is None or traces.ndim != 2:
            remedy = "deconvolve it in CaImAn (p=1 or 2), or name datasets with times and units"
            raise BadFile(f"it has no deconvolved activity, {_TRACES}", remedy)
        held = _numbers(file, _RATE, path)
        of_file = float(held[()]) if held is not None and held.shape == () else None
        rate, notes = stated_rate(of_file, frame_rate, _RATE, "frame_rate")
        rows, note = _rows(_numbers(file, _ACCEPTED, path), len(traces))
        ids = list(map(str, rows.tolist()))
        cells = (traces[n] for n in rows)
        return event_session(cells, ids, 1.0 / rate, threshold, (*notes, note))


def _rows(accepted: Any, n: int) -> tuple[NDArray[np.int64], str]:
    """Rows of the accepted components, and a note on the others."""
    if accepted is None:  # CaImAn writes a text for what it has not computed
        return np.arange(n), f"CaImAn did not evaluate the {n} components: all are kept"
    index = np.unique(accepted[()])
    if index.dtype.kind == "f" and not index.size:  # an empty list
        index = index.astype(np.int64)
    if index.dtype.kind not in "iu":
        raise BadFile(f"{_ACCEPTED} is of type {index.dtype}", "it needs whole numbers")
    check_index(_ACCEPTED, index, n, "components")
    return index.astype(np.int64), f"components that CaImAn rejected, left out: {n - len(index)}"


def _numbers(file: Any, name: str, path: Path) -> Any:
    """A dataset of numbers, None if there is none under this name."""
    import h5py

    item = file.get(name)
    if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "iuf" or item.shape is None:
        return None
    check_claim(path, item.size * item.dtype.itemsize, name)
    return item
