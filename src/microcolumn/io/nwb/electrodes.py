"""Where a unit sits, from the electrodes table of an NWB file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._columns import (
    DEPTH_COLUMNS,
    LAYER_COLUMNS,
    NUMBER_COLUMNS,
    PROBE_COLUMNS,
    REGION_COLUMNS,
    columns_named,
)
from .._failures import BadFileError
from .file import plain_columns, ragged, values

Rows = list[NDArray[np.int64]]

#: Columns that place a unit or electrode along the probe, µm; the last is that of the NWB schema.
POSITION_COLUMNS = (*DEPTH_COLUMNS, "rel_y")
_WANTED = {*POSITION_COLUMNS, *LAYER_COLUMNS, *REGION_COLUMNS, *NUMBER_COLUMNS, *PROBE_COLUMNS}
#: Columns of units that hold the electrode with the largest spikes: by its id, by its row.
_PEAK_IDS = ("peak_channel_id", "peak_electrode_id")
_PEAK_ROWS = ("max_electrode",)
#: µm. Spikes of one neuron are recorded within about this distance; electrodes that span more are
#: those of a whole probe and do not place a unit.
REACH_UM = 200.0


def electrode_columns(path: Path, nwb: Any, units: Any) -> tuple[dict[str, list[Any]], str]:
    """Columns of the electrodes table with one entry per unit, and a phrase that says how.

    A unit's electrode is the one named as its peak, else those of its ``electrodes``, else those of
    its electrode group. Positions of several electrodes are averaged, since NWB does not order
    them; they are nan if the electrodes are too far apart to place a unit. Other entries are empty
    unless they are the same for all.
    """
    table = nwb.electrodes
    if "electrodes" in units.colnames:
        column = units["electrodes"]
        table = getattr(column, "target", column).table
    rows, route = (None, "") if table is None else _rows(path, units, table)
    if rows is None:
        return {}, route
    columns: dict[str, list[Any]] = {}
    for name, entries in plain_columns(path, table, _WANTED).items():
        array = np.array(entries)
        placing = name.lower() in POSITION_COLUMNS and array.dtype.kind in "iuf"
        summary = _position if placing else _common
        columns[name] = [summary(array[chosen]) for chosen in rows]
    return columns, route


def probe_column(path: Path, nwb: Any, units: Any, groups: list[str] | None) -> list[str] | None:
    """Probe of each unit, by ``groups``, those of its electrodes, or by its electrode group.

    A group that has a device of its own is a probe; groups that share one are the shanks or
    tetrodes of one probe, which has the device's name.
    """
    if groups is None:
        groups = _group_names(path, units)
    if groups is None:
        return None
    devices = {
        name: getattr(group.device, "name", name)
        for name, group in (nwb.electrode_groups or {}).items()
    }
    shared = Counter(devices.values())
    return [
        devices[name] if name in devices and shared[devices[name]] > 1 else name for name in groups
    ]


def _group_names(path: Path, units: Any) -> list[str] | None:
    """Name of each unit's electrode group, None if there is none.

    A Zarr folder pickles references, and opening a pickle can run any code.
    """
    if "electrode_group" not in units.colnames or not path.is_file():
        return None
    return [group.name for group in values(path, units["electrode_group"], len(units.id))]


def _position(positions: NDArray[Any]) -> float:
    """Mean position of one unit's electrodes, µm; nan where they span too much to place it."""
    known = positions[np.isfinite(positions)].astype(float)
    if known.size == 0 or np.ptp(known) > REACH_UM:
        return float("nan")
    return float(known.mean())


def _common(labels: NDArray[Any]) -> str:
    """The entry of one unit's electrodes, empty if they differ."""
    return str(labels[0]) if len(set(labels.tolist())) == 1 else ""


def _rows(path: Path, units: Any, table: Any) -> tuple[Rows | None, str]:
    """Rows of the electrodes table for each unit, and a phrase that says how they were found."""
    for peak in columns_named((*_PEAK_IDS, *_PEAK_ROWS), units.colnames):
        if _has_numbers(units[peak]):
            by_id = peak.lower() in _PEAK_IDS
            places = values(path, table.id) if by_id else np.arange(len(table.id))
            peaks = values(path, units[peak], len(units.id))
            return [np.flatnonzero(places == one) for one in peaks], f"by column {peak!r}"
    if "electrodes" in units.colnames:
        rows = _region(path, units, len(table.id))
        if _starts_with_peak(path, units, rows):
            return [chosen[:1] for chosen in rows], "by column 'peak_channel'"
        return rows, "by each unit's electrodes"
    names = _group_names(path, units) if "group_name" in table.colnames else None
    if names is not None:
        groups = values(path, table["group_name"], len(table.id)).astype(str)
        return [np.flatnonzero(groups == name) for name in names], "by each unit's electrode group"
    return None, ""


def _starts_with_peak(path: Path, units: Any, rows: Rows) -> bool:
    """Whether each unit's ``electrodes`` begin with its ``peak_channel``, counted from 0 or 1.

    Steinmetz et al. count it from 1 through the electrodes of all probes.
    """
    peak = next(columns_named(("peak_channel",), units.colnames), None)
    if peak is None or not _has_numbers(units[peak]) or not all(chosen.size for chosen in rows):
        return False
    peaks = values(path, units[peak], len(rows))
    first = np.array([chosen[0] for chosen in rows])
    return any(np.array_equal(peaks - k, first) for k in (0, 1))


def _has_numbers(column: Any) -> bool:
    """Whether a column has one number per row; one that points to rows of a table has."""
    kind = np.dtype(getattr(column.data, "dtype", object)).kind
    return kind in "iuf" and not hasattr(column, "target")


def _region(path: Path, units: Any, n_electrodes: int) -> Rows:
    column = units["electrodes"]
    if hasattr(column, "target"):
        rows, _ = ragged(path, column, len(units.id))
    else:
        rows = list(values(path, column, len(units.id)).reshape(-1, 1))
    for unit, chosen in enumerate(rows):
        exist = chosen.dtype.kind in "iu" and np.all((chosen >= 0) & (chosen < n_electrodes))
        if chosen.size and not exist:
            raise BadFileError(
                f"row {unit} of column 'electrodes' points outside the {n_electrodes} rows of the "
                "electrodes table; export the file again"
            )
    return [chosen.astype(np.int64) for chosen in rows]
