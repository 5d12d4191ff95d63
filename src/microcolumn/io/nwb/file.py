"""NWB files opened through PyNWB, with the schemas they carry and with data still on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..failures import BadFileError


def opened(path: Path) -> tuple[Any, Any]:
    """The contents of an NWB file (HDF5) or folder (Zarr), and what closes it."""
    source = _backend(path)(str(path), mode="r", load_namespaces=True)
    try:
        return _content(source), source
    except BaseException:  # an open file would also hide what is written to its path later
        source.close()
        raise


def _backend(path: Path) -> Any:
    if path.is_dir():
        from hdmf_zarr.nwb import NWBZarrIO

        return NWBZarrIO
    from pynwb import NWBHDF5IO

    return NWBHDF5IO


def _content(source: Any) -> Any:
    from hdmf.build import ConstructError

    try:
        return source.read()
    except ConstructError as error:  # its own text is a listing of the whole file
        reason = str(error.args[-1]).partition("\n")[0]
        raise BadFileError(
            f"it does not follow the NWB schema ({reason:.200}); it is damaged or was not written "
            "by an NWB library: export or copy it again"
        ) from None
