"""Where a unit sits, from the electrodes table of an NWB file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._failures import BadFileError
from .._session import DEPTH_COLUMNS, LAYER_COLUMNS, columns_named
from .file import is_plain, plain_columns, ragged, values

Rows = list[NDArray[np.int64]]

#: Columns that place a unit or electrode along the probe, µm: names of depths, then those of the
#: International Brain Laboratory and the Allen Institute, then that of the NWB schema.
POSITION_COLUMNS = (
    *DEPTH_COLUMNS,
    "distance_from_probe_tip_um",
    "probe_vertical_position",
    "rel_y",
)
#: Columns of units that hold the id of the electrode with the largest spikes.
_PEAK_COLUMNS = ("peak_channel_id", "peak_electrode_id")
#: µm. Spikes of one neuron are recorded within about this distance; electrodes that span more are
#: those of a whole probe and do not place a unit.
REACH_UM = 200.0


def electrode_columns(path: Path, nwb: Any, units: Any) -> tuple[dict[str, list[Any]], str]:
    """Columns of the electrodes table with one entry per unit, and a phrase that says how.

    A unit's electrode is the one named as its peak channel, else those of its ``electrodes``,
    else those of its electrode group. Numbers of several electrodes are averaged, since NWB does
    not order them; they are nan if the electrodes are too far apart to place a unit. Text is empty
    unless it is the same for all.
    """
    table = nwb.electrodes
    if "electrodes" in units.colnames:
        column = units["electrodes"]
        table = getattr(column, "target", column).table
    rows, route = (None, "") if table is None else _rows(path, units, table)
    if rows is None:
        return {}, route
    wanted = {*POSITION_COLUMNS, *LAYER_COLUMNS, "location"}
    columns: dict[str, list[Any]] = {}
    for name, entries in plain_columns(path, table, wanted).items():
        array = np.array(entries)
        summary = _position if array.dtype.kind in "iuf" else _common
        columns[name] = [summary(array[chosen]) for chosen in rows]
    return columns, route


def _position(positions: NDArray[Any]) -> float:
    """Mean position of one unit's electrodes, µm; nan where they span too much to place it."""
    known = positions[np.isfinite(positions)].astype(float)
    if known.size == 0 or np.ptp(known) > REACH_UM:
        return float("nan")
    return float(known.mean())


def _common(labels: NDArray[Any]) -> str:
    return str(labels[0]) if len(set(labels.tolist())) == 1 else ""


def _rows(path: Path, units: Any, table: Any) -> tuple[Rows | None, str]:
    """Rows of the electrodes table for each unit, and a phrase that says how they were found."""
    peak = next(columns_named(_PEAK_COLUMNS, units.colnames), None)
    if peak is not None and is_plain(units[peak]):
        ids = values(path, table.id)
        peaks = values(path, units[peak], len(units.id))
        return [np.flatnonzero(ids == electrode) for electrode in peaks], f"by column {peak!r}"
    if "electrodes" in units.colnames:
        return _region(path, units, len(table.id)), "by each unit's electrodes"
    # A Zarr folder pickles references, and opening a pickle can run any code.
    if "electrode_group" in units.colnames and "group_name" in table.colnames and path.is_file():
        groups = values(path, table["group_name"], len(table.id)).astype(str)
        names = [group.name for group in values(path, units["electrode_group"], len(units.id))]
        return [np.flatnonzero(groups == name) for name in names], "by each unit's electrode group"
    return None, ""


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
