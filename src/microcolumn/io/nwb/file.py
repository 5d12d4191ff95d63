"""NWB files opened by PyNWB, with the schemas that they carry; data stay on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._failures import BadFileError


def opened(path: Path) -> tuple[Any, Any]:
    """Content of an NWB file (HDF5) or folder (Zarr), and the object that closes it."""
    if path.is_file() and path.stat().st_size == 0:
        raise BadFileError("it is empty; export or copy it again")
    if path.is_dir():
        from hdmf_zarr.nwb import NWBZarrIO

        source = NWBZarrIO(str(path), mode="r", load_namespaces=True)
    else:
        from pynwb import NWBHDF5IO

        source = NWBHDF5IO(str(path), mode="r", load_namespaces=True)
    try:
        return _content(path, source), source
    except BaseException:  # HDF5 would take a later file at this path for the one left open
        source.close()
        raise


def _content(path: Path, source: Any) -> Any:
    from hdmf.build import ConstructError

    try:
        return source.read()
    except ConstructError as error:  # its text lists the whole file
        reason = str(error.args[-1]).partition("\n")[0]
        raise BadFileError(
            f"it does not follow the NWB schema ({reason:.200}); it is damaged or was not written "
            "by an NWB library: export or copy it again"
        ) from None
    except TypeError:  # raised if an index refers to a column that is not in the file
        lost = _lost_columns(path)
        if not lost:
            raise
        raise BadFileError(
            f"its units have an index of {lost[0]!r} but no column of that name; export or copy "
            "the file again"
        ) from None


def _lost_columns(path: Path) -> list[str]:
    """Columns of units of which an HDF5 file has only the index."""
    import h5py

    if path.is_dir():
        return []
    with h5py.File(path) as file:
        names = list(file.get("units", ()))
    indexed = [name.removesuffix("_index") for name in names if name.endswith("_index")]
    return [name for name in indexed if name not in names]
