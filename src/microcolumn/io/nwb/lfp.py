"""The local field potential and flash times in NWB files."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import BadFile, BadInput, in_file, name_list
from ...units import check_depth_reference
from ...validation import Floats, real_array
from .._containment import check_contained, check_kind
from .._lfp import LFP
from ..failures import as_bad_file, check_claim
from .file import opened, plain_columns, values
from .tables import POSITION_COLUMNS


def read_lfp(
    path: str | Path,
    *,
    depth_reference: str,
    series: str | None = None,
    depth_column: str | None = None,
    group: str | None = None,
) -> LFP:
    """Open an ``ElectricalSeries`` of an NWB file (HDF5 or Zarr).

    Parameters
    ----------
    path : str or Path
        The NWB file.
    depth_reference : {"surface", "tip", "layer IV"}
        What the depths of the contacts are measured from; files do not say.
    series : str, optional
        Name of the series; required if the file holds several.
    depth_column : str, optional
        Column of the electrodes table with the depths in µm; required unless exactly one has a
        usual name (``depth_um``, ``depth``, ``rel_y``, ...).
    group : str, optional
        Name of the electrode group (the probe or shank); required if the series spans several.

    Returns
    -------
    LFP
        Keeps the file open, so use it in a ``with`` block; times are those of the file.

    Examples
    --------
    >>> read_lfp("lfp.nwb", depth_reference="surface").depth_um.size
    16
    """
    check_depth_reference(depth_reference, f"the LFP of {path}")
    file, source = _opened(path)
    try:
        with _as_bad_file(path):
            potentials = _series(file, series)
            where = f"series {potentials.name!r}"
            electrodes = _electrodes(Path(path), potentials, where)
            column = _depth_column(electrodes, depth_column, where)
            channels = _channels_of_group(electrodes, group, where)
            rate, start = _sampling(potentials, where, Path(path))
            by_channel = potentials.channel_conversion
            scale = 1.0 if by_channel is None else by_channel[:]
        return LFP(
            potentials.data,
            rate,
            np.asarray(electrodes[column]),
            depth_reference,
            start_s=start,
            # NWB: volts = data * conversion * channel_conversion + offset.
            gain_mv=1e3 * potentials.conversion * np.asarray(scale),
            offset_mv=np.array(1e3 * potentials.offset),
            source=f"{where} of {path}",
            _file=source,
        ).take(channels)
    except BaseException:
        source.close()
        raise


def read_flashes(
    path: str | Path,
    table: str,
    *,
    column: str = "start_time",
    where: Mapping[str, object] | None = None,
) -> Floats:
    """Flash times in seconds from a table of intervals of an NWB file.

    Parameters
    ----------
    path : str or Path
        The NWB file.
    table : str
        Name of the ``TimeIntervals`` table.
    column : str
        Column with the times.
    where : mapping of str to value, optional
        Only rows that hold these values in these columns, such as ``{"stimulus": "flash"}``.

    Returns
    -------
    ndarray, shape (n_flashes,)
        In the order of the table.

    Examples
    --------
    >>> read_flashes("lfp.nwb", "flashes").size
    60
    """
    file, source = _opened(path)
    with contextlib.closing(source), _as_bad_file(path):
        tables = file.intervals or {}
        if table not in tables:
            raise BadFile(f"there is no table {table!r}", f"the file has {_names(tables)}")
        rows = plain_columns(Path(path), tables[table])
    for name in (column, *(where or {})):
        if name not in rows:
            raise BadInput(f"{path}: {table!r} has no column {name!r}", f"it has {_names(rows)}")
    wanted = (where or {}).items()
    kept = (n for n in range(len(rows[column])) if all(rows[name][n] == v for name, v in wanted))
    times = [rows[column][n] for n in kept]
    return real_array(f"column {column!r} of {path}", times, "pick a column of times")


@contextlib.contextmanager
def _as_bad_file(path: str | Path) -> Iterator[None]:
    with in_file(path), as_bad_file("NWB", "nwb"):
        yield


def _opened(path: str | Path) -> tuple[Any, Any]:
    with in_file(path):
        check_kind(Path(path))
    with _as_bad_file(path):
        check_contained(Path(path))
        return opened(Path(path))


def _series(file: Any, name: str | None) -> Any:
    """The only electrical series of that name in the file."""
    from pynwb import ecephys

    series = (item for item in file.objects.values() if isinstance(item, ecephys.ElectricalSeries))
    # Series of spike events are snippets around spikes.
    candidates = [item for item in series if not isinstance(item, ecephys.SpikeEventSeries)]
    chosen = [item for item in candidates if name in (None, item.name)]
    if len(chosen) > 1:  # raw data too: the container called LFP tells which is meant
        chosen = [item for item in chosen if isinstance(item.parent, ecephys.LFP)] or chosen
    if len(chosen) == 1:
        return chosen[0]
    wanted = "electrical series" if name is None else f"electrical series {name!r}"
    remedy = f"pick one with series= from {_names(sorted(item.name for item in candidates))}"
    raise BadFile(f"the file has {len(chosen) or 'no'} {wanted}", remedy)


def _electrodes(path: Path, series: Any, where: str) -> dict[str, list[Any]]:
    """Columns of the electrodes table, one entry per channel."""
    rows, table = values(path, series.electrodes), series.electrodes.table
    n_channels = series.data.shape[1] if len(series.data.shape) == 2 else 1
    columns = plain_columns(path, table)
    if len(rows) != n_channels or not all(0 <= row < len(table.id) for row in rows.tolist()):
        sizes = f"{n_channels} channels for {len(rows)} rows of {len(table.id)} electrodes"
        remedy = "each channel needs an electrode, with time along the first axis"
        raise BadFile(f"{where}: {sizes}", remedy)
    return {name: [column[row] for row in rows] for name, column in columns.items()}


def _sampling(series: Any, where: str, path: Path) -> tuple[float, float]:
    """Samples per second and time of the first sample, which must be evenly spaced."""
    if series.rate is not None:
        return float(series.rate), float(series.starting_time)
    if path.is_file():
        check_claim(path, 8 * series.timestamps.shape[0], f"the timestamps of {where}")
    times = np.asarray(series.timestamps, dtype=np.float64)
    if times.size < 2 or not np.isfinite(times).all() or times[-1] <= times[0]:
        raise BadFile(f"{where} has no increasing finite timestamps", "repair them or state a rate")
    period = (times[-1] - times[0]) / (times.size - 1)
    off = np.abs(times - (times[0] + period * np.arange(times.size)))
    # Corrected clocks drift a little; latencies are read to a few milliseconds.
    if off.max() > max(0.5 * period, 1e-3):
        worst = int(np.argmax(np.abs(np.diff(times) - period)))
        problem = f"timestamps of {where} are uneven, worst at {times[worst]:g} s"
        raise BadFile(problem, "pass the stretch with the flashes as an array")
    return float(1.0 / period), float(times[0])


def _depth_column(electrodes: dict[str, list[Any]], column: str | None, where: str) -> str:
    known = [name for name in electrodes if name.lower() in POSITION_COLUMNS]
    if column is None and len(known) == 1:
        return known[0]
    if column is None or column not in electrodes:
        problem = "depth_column is not stated" if column is None else f"no column {column!r}"
        remedy = f"name the column that holds depths in µm, from {_names(electrodes)}"
        raise BadFile(f"{problem} for the electrodes of {where}", remedy)
    return column


def _channels_of_group(
    electrodes: dict[str, list[Any]], group: str | None, where: str
) -> list[int]:
    names = electrodes.get("group_name", [])
    if group is None and len(set(names)) == 1:
        group = names[0]
    if group not in names:
        problem = f"spans {len(set(names))} groups" if group is None else f"has no group {group!r}"
        raise BadFile(f"{where} {problem} of electrodes", f"pick one with group=: {_names(names)}")
    return [place for place, name in enumerate(names) if name == group]


def _names(names: Iterable[object]) -> str:
    """Distinct names for a sentence."""
    return name_list(repr(str(name)) for name in dict.fromkeys(names))
