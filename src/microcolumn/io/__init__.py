"""Readers: one small module per format, each imported only when used."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from ..epochs import Epochs
from ..recording import Recording
from .apart import load_apart
from .failures import BadFileError, explained
from .lfp import LFP
from .nwb.lfp import read_flashes, read_lfp
from .recognise import recognise
from .session import Session, finished

__all__ = ["LFP", "READERS", "read", "read_flashes", "read_lfp"]


class Reader(NamedTuple):
    """A format: its name in sentences, and what reading it takes.

    ``extra`` installs that. ``apart`` is a library that damaged files can crash, for which reason
    it runs in a process of its own.
    """

    title: str
    extra: str | None = None
    apart: str | None = None


#: Readers by name; each is a module here with a function ``load(path, **options) -> Session``.
READERS = {
    "nwb": Reader("NWB", extra="nwb", apart="pynwb"),
    "phy": Reader("a phy or Kilosort folder"),
    "neo": Reader("a format of Neo", extra="neo"),
    "pynapple": Reader("a pynapple file"),
    "spikeinterface": Reader("a SpikeInterface sorting"),
    "matlab": Reader("a MATLAB file", extra="matlab", apart="h5py"),
    "csv": Reader("a table of unit and time"),
    "npz": Reader("NumPy arrays"),
}


def read(
    path: str | Path,
    *,
    reader: str | None = None,
    depth_reference: str | None = None,
    layers: Any = None,
    quality: str | Iterable[str] | None = None,
    epochs: str | Epochs | ArrayLike | None = None,
    **options: Any,
) -> Recording:
    """Read a spike-sorted recording, whatever its format.

    Parameters
    ----------
    path : str or Path
        NWB (HDF5 or Zarr), phy/Kilosort folder, MATLAB file, pynapple NPZ, SpikeInterface folder,
        CSV of unit and time, NPZ, or anything that Neo reads. Recognised by its content, then by
        its extension.
    reader : str, optional
        One of ``microcolumn.io.READERS``, to override that.
    depth_reference : {"surface", "tip", "layer IV", "unstated"}, optional
        What depths are measured from; needed where units have depths, since the field has no
        common zero or direction.
    layers : str, path or mapping, optional
        A CSV file of unit and layer, a mapping of units to layers, boundaries by depth such as
        ``"II/III 650 IV 1000 V/VI"`` (superficial to deep), or a column of the table. Where left
        out, a column
        called ``layer`` or ``cortical_layer`` if there is one.
    quality : str or iterable of str, optional
        Keep units of these qualities, for example ``"good"``; all but ``"noise"`` where left out.
    epochs : str, Epochs or array_like of shape (n_epochs, 2), optional
        Label of the epochs to keep, or the epochs themselves in seconds.
    **options
        Of the format, as in its module: for example ``sampling_rate`` of a phy folder without
        ``params.py``, ``time_unit`` of a CSV or MATLAB file, ``bin_width`` of a count matrix.

    Returns
    -------
    Recording
        Its ``notes`` say what was done to the data.

    Raises
    ------
    ValueError
        One sentence with the file, what is wrong with it and what to do.
    ImportError
        Where the format's library is not installed, with the command that does so.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; check the path")
    name = recognise(path) if reader is None else reader
    if name not in READERS:
        raise ValueError(f"reader is {name!r}; choose one of {', '.join(READERS)}")
    session = _session(name, path, options)
    try:
        return finished(
            session,
            source=f"{READERS[name].title}, {path.name}",
            depth_reference=depth_reference,
            layers=layers,
            quality=quality,
            epochs=epochs,
        )
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def load_here(name: str, path: Path, options: dict[str, Any]) -> Session:
    """What a file holds, found by the reader ``name`` in this process."""
    title, extra, _ = READERS[name]
    with explained(title, extra):
        session: Session = import_module(f".{name}", __name__).load(path, **options)
    return session


def _session(name: str, path: Path, options: dict[str, Any]) -> Session:
    title, _, apart = READERS[name]
    known = list(inspect.signature(import_module(f".{name}", __name__).load).parameters)[1:]
    for option in options:
        if option not in known:
            choices = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"{option!r} is no option of reading {title}; {choices}")
    try:
        return load_here(name, path, options) if apart is None else load_apart(name, path, options)
    except BadFileError as error:
        raise ValueError(f"{path}: {error}") from None
