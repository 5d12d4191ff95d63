"""Reading a recording of any format: the readers by name, and the way from path to recording."""

import inspect
from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..binning import UnitOfTimeError
from ..epochs import Epochs
from ..errors import BadFile, BadInput, BadType, advice, in_file
from ..recording import Recording
from ..validation import kind_of, one_of
from ._containment import check_kind, is_hdf5
from ._readers import READERS
from ._recognise import recognise
from ._remote import is_url, open_remote
from ._session import Session, to_recording
from .sandbox import read_checked

#: How a remedy states the unit of spike times.
_UNIT_OF_TIME = advice("{time_unit:ms}, or 'samples' with a {sampling_rate}")


def read(
    path: str | Path,
    *,
    reader: str | None = None,
    depth_reference: str | None = None,
    layers: Any = None,
    quality: str | Iterable[str] | None = None,
    epochs: str | list[str] | Epochs | ArrayLike | None = None,
    start: float | None = None,
    group_by: str | Iterable[str] = "layer",
    match_by: str | None = None,
    **options: Any,
) -> Recording:
    """Read a spike-sorted recording of any format.

    Parameters
    ----------
    path : str or Path
        NWB (HDF5 or Zarr), phy/Kilosort or ALF folder, CellExplorer or Klusters session, T-files of
        MClust, MATLAB file, pynapple NPZ, SpikeInterface or suite2p folder, results of CaImAn,
        table of unit and time (CSV, Parquet or Feather), NPZ, or anything that Neo reads. The
        format is recognised by the content, then by the extension. Of an HDF5 file behind a URL,
        the parts that are needed are fetched.
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
    start : float, optional
        When the recording began, in seconds on the clock of its spikes, if the file does not state
        it: before 0 for spikes aligned to an event, or late on a clock that ran before.
    group_by : str or iterable of str
        Labels by which units are drawn and tested, ``"cell_type"`` for example: ``"layer"``,
        ``"area"``, ``"probe"``, ``"quality"`` or columns of the file's table of units.
    match_by : str, optional
        Column of the table of units with the names of cells that were followed over recordings,
        empty or -1 for units that were not; see
        :meth:`Units.matched <microcolumn.units.Units.matched>`. By default ``global_id``.
    **options
        Options of the format, listed in its module. Several have ``time_unit`` (``"s"``, the
        default, ``"ms"``, ``"0.1 ms"``, ``"us"``, ``"ns"`` or ``"samples"``), ``sampling_rate``
        (samples per second) and, for matrices of counts, ``bin_width`` (seconds) and ``units_in``
        (``"rows"`` or ``"columns"``; the shorter axis by default), and for matrices of deconvolved
        values of imaged cells ``threshold`` (an event is a value above so many times the noise,
        1.4826 times the median of the cell's values above 0). In tables, HDF5, MATLAB files and
        archives of arrays of any layout, ``times`` and ``units`` name the times of all spikes and
        the unit of each: ``times="spiketime", units="cluster", time_unit="ms"``.

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

    Examples
    --------
    >>> read("session.npz").bin(0.020)
    Words(6 units, 3,000 bins of 20 ms, ...
    """
    if not isinstance(path, str | PathLike):
        remedy = "pass that of a file; for a TsGroup there is Recording.from_pynapple(group)"
        raise BadType("path", f"is {kind_of(path)}", remedy)
    mapped = any(options.get(name) is not None for name in ("times", "units"))
    with in_file(path):
        place = _place(path)
        name = recognise(place, mapped=mapped) if reader is None else reader
    one_of("reader", name, READERS)
    known = _options_of(name)
    for option in options:
        if option not in known:
            problem = f"{option!r} is no option of reading {READERS[name].title}"
            own = [*inspect.signature(read).parameters][1:-1]
            raise BadInput(problem, f"choose from {', '.join([*own, *known])}")
    with in_file(path):
        chosen = READERS[name]
        load = partial(_load_of(name), **options)
        try:
            return to_recording(
                read_checked(load, place, chosen),
                source=f"{chosen.title}, {place.name}",
                depth_reference=depth_reference,
                layers=layers,
                quality=quality,
                epochs=epochs,
                start=start,
                group_by=group_by,
                match_by=match_by,
            )
        except UnitOfTimeError as error:
            if "time_unit" in known:
                error.remedy = (f"{error.remedy}, or state their unit: ", *_UNIT_OF_TIME)
            raise


@cache
def option_names() -> tuple[str, ...]:
    """Options of :func:`read`, those of all formats included."""
    own = tuple(inspect.signature(read).parameters)[1:-1]
    return tuple(dict.fromkeys([*own, *(each for name in READERS for each in _options_of(name))]))


def _options_of(name: str) -> list[str]:
    return list(inspect.signature(_load_of(name)).parameters)[1:]


def _load_of(name: str) -> Callable[..., Session]:
    load: Callable[..., Session] = import_module(f".{name}", __package__).load
    return load


def _place(path: str | Path) -> Any:
    """A file or folder, or a file behind a URL, which has what readers use of a path."""
    if str(path).lower().endswith(".lindi.json"):
        raise BadFile("LINDI descriptions are not read", "name the HDF5 file itself or its URL")
    if not is_url(path):
        check_kind(Path(path))
        return Path(path)
    place = open_remote(str(path))
    if not is_hdf5(place):
        raise BadFile("only HDF5 files are read from a URL", "download it first")
    return place
