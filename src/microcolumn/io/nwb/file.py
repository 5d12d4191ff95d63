"""NWB files opened by PyNWB, and columns of their tables.

Data stay on disk until they are used; sizes are checked first, and no pickle is opened.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadFile, damaged
from ...safe_text import as_text
from .._remote import Remote
from ..failures import check_claim


def opened(path: Path | Remote) -> tuple[Any, Any]:
    """Content of an NWB file (HDF5) or folder (Zarr), and the object that closes it."""
    if path.is_dir():
        from hdmf_zarr.nwb import NWBZarrIO

        source = NWBZarrIO(str(path), mode="r", load_namespaces=True)
    else:
        from h5py import File
        from pynwb import NWBHDF5IO

        source = NWBHDF5IO(file=File(path, "r"), load_namespaces=True)
    from hdmf.build import ConstructError

    try:
        return source.read(), source
    except BaseException as error:
        source.close()  # HDF5 would take a later file at this path for the one left open
        if not isinstance(error, ConstructError):
            raise
        reason = str(error.args[-1]).partition("\n")[0]  # the text lists the whole file
        remedy = "it is damaged or was not written by an NWB library: export or copy it again"
        raise BadFile(f"it does not follow the NWB schema ({reason:.200})", remedy) from None


def values(path: Path, column: Any, n_rows: int | None = None) -> NDArray[Any]:
    """All entries of a column without an index, shape (n_rows, ...); (n_rows, 1) is made flat."""
    data = column.data
    if "pickle" in _codecs(data):
        raise BadFile(f"column {column.name!r} is pickled", "save numbers or text")
    shape = tuple(np.shape(data))
    dtype = np.dtype(getattr(data, "dtype", object))
    if n_rows is not None and shape[:1] != (n_rows,):
        raise damaged(f"column {column.name!r} has shape {shape} for {n_rows} rows")
    check_claim(path, int(np.prod(shape, dtype=object)) * dtype.itemsize, f"{column.name!r}")
    entries = np.asarray(data[:])
    return entries.ravel() if entries.shape[1:] == (1,) else entries


def is_plain(column: Any) -> bool:
    """Whether a column has one number or text per row and no pickle, which could run code."""
    from h5py import check_string_dtype
    from hdmf.common import DynamicTableRegion, VectorIndex
    from hdmf.common.table import EnumData

    if isinstance(column, VectorIndex | DynamicTableRegion | EnumData):
        return False
    shape = np.shape(column.data)
    if len(shape) != 1 and shape[1:] != (1,):
        return False
    dtype = np.dtype(getattr(column.data, "dtype", object))
    if dtype.kind != "O":
        return dtype.kind in "biufSUT"
    if codecs := _codecs(column.data):
        return "pickle" not in codecs
    return check_string_dtype(dtype) is not None


def _codecs(data: Any) -> list[str]:
    """Names of the filters of an array of Zarr."""
    return [codec.codec_id for codec in getattr(data, "filters", None) or ()]


def plain_columns(
    path: Path, table: Any, names: Collection[str] | None = None
) -> dict[str, list[Any]]:
    """Columns of numbers and text by name; ``names`` names some of them in lower case."""
    columns = {}
    for name in table.colnames:
        if (names is None or name.lower() in names) and is_plain(table[name]):
            entries = values(path, table[name], len(table.id)).tolist()
            columns[str(name)] = [as_text(e) if isinstance(e, bytes) else e for e in entries]
    return columns


def ragged(path: Path, column: Any, n_rows: int) -> tuple[list[NDArray[Any]], int]:
    """Entries of each row of an indexed column, and how many entries follow the last row."""
    name = column.target.name
    if hasattr(column.target, "target"):
        raise BadFile(f"column {name!r} has an index of an index", "export one list per row")
    ends = values(path, column, n_rows)
    n_entries = int(np.shape(column.target.data)[0])
    if ends.ndim != 1 or ends.dtype.kind not in "iu":
        problem = f"the index of {name!r} has dtype {ends.dtype} and shape {ends.shape}"
        raise BadFile(problem, "it needs one whole number per row: export the file again")
    ends = ends.astype(object)  # exact for unsigned numbers of any size
    starts = np.concatenate(([0], ends[:-1])) if n_rows else ends
    bad = np.flatnonzero((ends < starts) | (ends > n_entries))
    if bad.size:
        row = int(bad[0])
        problem = f"runs from {starts[row]} to {ends[row]} of {n_entries}"
        raise damaged(f"row {row} of {name!r} {problem}")
    entries = values(path, column.target)
    rows = [entries[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    return rows, n_entries - (ends[-1] if n_rows else 0)
