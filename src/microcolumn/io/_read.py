"""Reading a recording of any format: the readers by name, and the way from path to recording."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from ..epochs import Epochs
from ..recording import Recording
from ._containment import check_contained, check_kind
from ._failures import BadFileError, as_bad_file
from ._recognise import recognise
from ._session import Session, to_recording


class Reader(NamedTuple):
    """A format: its name in sentences, the extra that installs its library, and its sandbox.

    ``sandboxed`` names compiled libraries that a damaged file can crash; a format that has some is
    read in a process of its own.
    """

    title: str
    extra: str | None = None
    sandboxed: tuple[str, ...] = ()


#: Readers by name; each is a module here with a function ``load(path, **options) -> Session``.
READERS = {
    "nwb": Reader("NWB", extra="nwb", sandboxed=("pynwb",)),
    "phy": Reader("a phy or Kilosort folder"),
    "neo": Reader("a format of Neo", extra="neo"),
    "pynapple": Reader("a pynapple file"),
    "spikeinterface": Reader("a SpikeInterface sorting"),
    "matlab": Reader("a MATLAB file", extra="matlab", sandboxed=("scipy.io", "h5py")),
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
    epochs: str | list[str] | Epochs | ArrayLike | None = None,
    **options: Any,
) -> Recording:
    """Read a spike-sorted recording of any format.

    Parameters
    ----------
    path : str or Path
        NWB (HDF5 or Zarr), phy/Kilosort folder, MATLAB file, pynapple NPZ, SpikeInterface folder,
        CSV of unit and time, NPZ, or anything that Neo reads. The format is recognised by the
        content, then by the extension.
    reader : str, optional
        One of ``microcolumn.io.READERS``, if the format is not recognised.
    depth_reference : {"surface", "tip", "layer IV", "unstated"}, optional
        What depths are measured from. Required if units have depths and neither the file nor the
        name of their column tells, since the field has no common zero or direction.
    layers : str, path or mapping, optional
        A CSV file of unit and layer, a mapping of units to layers, boundaries by depth such as
        ``"II/III 650 IV 1000 V/VI"`` (superficial to deep), or a column of the table. By default
        the column called ``layer`` or ``cortical_layer``, else what the regions of the Allen atlas
        in columns such as ``location`` tell.
    quality : str or iterable of str, optional
        Keep units of these qualities, for example ``"good"``. By default all except ``"noise"``.
    epochs : str, list of str, Epochs or array_like of shape (n_epochs, 2), optional
        Names of the epochs to keep, labels or tables of intervals such as ``"spontaneous"`` (see
        :meth:`Recording.restrict <microcolumn.Recording.restrict>`), or epochs in seconds.
    **options
        Options of the format, listed in its module: for example ``sampling_rate`` of a phy folder
        without ``params.py``, ``time_unit`` of a CSV or MATLAB file, ``bin_width`` of a count
        matrix.

    Returns
    -------
    Recording
        Its ``notes`` say what was done to the data.

    Raises
    ------
    ValueError
        One sentence with the file, what is wrong with it and what to do.
    ImportError
        If the format's library is not installed, with the command that installs it.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; check the path")
    try:
        check_kind(path)
    except BadFileError as error:
        raise ValueError(f"{path}: {error}") from None
    name = recognise(path) if reader is None else reader
    if name not in READERS:
        raise ValueError(f"reader is {name!r}; choose one of {', '.join(READERS)}")
    _check_options(name, options)
    try:
        return to_recording(
            _session(name, path, options),
            source=f"{READERS[name].title}, {path.name}",
            depth_reference=depth_reference,
            layers=layers,
            quality=quality,
            epochs=epochs,
        )
    except ValueError as error:  # a BadFileError or what is wrong with the recording
        raise ValueError(f"{path}: {error}") from None


def _check_options(name: str, options: dict[str, Any]) -> None:
    known = list(inspect.signature(import_module(f".{name}", __package__).load).parameters)[1:]
    for option in options:
        if option not in known:
            choices = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"{option!r} is no option of reading {READERS[name].title}; {choices}")


def _session(name: str, path: Path, options: dict[str, Any]) -> Session:
    load = partial(_load, name, options)
    if not READERS[name].sandboxed:
        return load(path)
    from ._sandbox import load_sandboxed

    return load_sandboxed(load, path, READERS[name].sandboxed)


def _load(name: str, options: dict[str, Any], path: Path) -> Session:
    """Content of a file, read in this process."""
    title, extra, _ = READERS[name]
    with as_bad_file(title, extra):
        check_contained(path)
        session: Session = import_module(f".{name}", __package__).load(path, **options)
    return session
