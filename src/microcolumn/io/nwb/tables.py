"""What tables of an NWB file tell: when its units were observed, and where they sit."""

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...epochs import Epochs
from ...errors import BadFile, damaged, name_list, within
from ...safe_text import as_text
from ...validation import Floats
from .._columns import (
    DEPTH_COLUMNS,
    LAYER_COLUMNS,
    NUMBER_COLUMNS,
    PROBE_COLUMNS,
    REGION_COLUMNS,
    columns_named,
)
from .file import is_plain, plain_columns, ragged, values

Rows = list[NDArray[np.int64]]

#: Columns of a table of intervals that say what each is.
_LABEL_COLUMNS = ("tags", "label", "labels", "stimulus_name", "condition", "protocol_type")
#: Tables that say when units were observed, and are not offered beside it.
_OBSERVATION = ("epochs", "invalid_times")
#: Columns that place a unit or electrode along the probe, µm; the last is that of the NWB schema.
POSITION_COLUMNS = (*DEPTH_COLUMNS, "rel_y")
_WANTED = {*POSITION_COLUMNS, *LAYER_COLUMNS, *REGION_COLUMNS, *NUMBER_COLUMNS, *PROBE_COLUMNS}
#: Columns of units that hold the electrode with the largest spikes: by its id, by its row.
_PEAK_IDS = ("peak_channel_id", "peak_electrode_id")
_PEAK_ROWS = ("max_electrode",)
#: µm. Spikes of one neuron are recorded within about this distance; electrodes that span more are
#: those of a whole probe and do not place a unit.
REACH_UM = 200.0


def observed_epochs(path: Path, units: Any, ids: Sequence[str]) -> tuple[Epochs | None, list[str]]:
    """Stretches in which every unit was observed, None if the file does not state it; and notes."""
    if "obs_intervals" not in units.colnames:
        return None, []
    rows, _ = ragged(path, units["obs_intervals"], len(ids))
    stated = [n for n, row in enumerate(rows) if row.size]
    if not stated:
        return None, []
    notes = []
    if len(stated) < len(ids):
        few = f"{len(ids) - len(stated)} of {len(ids)} units have no obs_intervals"
        notes.append(f"{few} and are taken as observed whenever the others were")
    by_unit = {n: _joined(rows[n], f"obs_intervals of unit {ids[n]!r}") for n in stated}
    common = reduce(Epochs.intersect, by_unit.values())
    anyone = Epochs.joined(np.concatenate([rows[n] for n in stated]))
    lost = anyone.duration_s - common.duration_s
    shortest = min(stated, key=lambda n: by_unit[n].duration_s)
    if lost > 0:
        without = anyone.duration_s - by_unit[shortest].duration_s
        notes.append(
            f"{lost:.6g} of {anyone.duration_s:.6g} s, in which only some units were observed, are "
            f"left out; unit {ids[shortest]!r} was not observed for {without:.6g} s"
        )
    return common, notes


def interval_epochs(path: Path, nwb: Any, name: str | None) -> tuple[Epochs | None, list[str]]:
    """Epochs of a table, by default "epochs", with labels, or None without it; and notes."""
    tables = dict(nwb.intervals or {})
    if name is not None and name not in tables:
        raise BadFile(f"it has no intervals {name!r}", f"it has {name_list(sorted(tables))}")
    table = tables.get(name or "epochs")
    if table is None or not len(table.id):
        return None, []
    where = f"table {table.name!r}"
    rows, labels = _rows(path, table), _labels(path, table, _LABEL_COLUMNS)
    epochs = _joined(rows, where, labels)
    lost = "" if labels is None else ", which lost their labels"
    note = f"overlapping rows of {where} were joined{lost}"
    return epochs, [note] * (len(epochs) < len(rows))


def interval_tables(path: Path, nwb: Any) -> tuple[dict[str, Epochs], list[str]]:
    """All other tables of intervals by name, labelled by stimuli; and a note on unread ones."""
    tables, bad = {}, []
    for name, table in sorted((nwb.intervals or {}).items()):
        if name in _OBSERVATION:
            continue
        try:
            tables[str(name)] = _offered(path, table)
        except (KeyError, ValueError):
            bad.append(repr(name))
    notes = [f"tables of intervals that cannot be read: {', '.join(bad)}"] if bad else []
    return {name: epochs for name, epochs in tables.items() if len(epochs)}, notes


def _offered(path: Path, table: Any) -> Epochs:
    """The rows of a table with a finite start and stop; labels are lost where rows overlap."""
    rows, labels = _rows(path, table), _labels(path, table, ("stimulus_name", *_LABEL_COLUMNS))
    lasting = np.flatnonzero(np.isfinite(rows).all(axis=1) & (rows[:, 0] < rows[:, 1]))
    kept = None if labels is None else [labels[n] for n in lasting]
    return Epochs.joined(rows[lasting], labels=kept)


def valid_epochs(
    path: Path, nwb: Any, epochs: Epochs | None, trains: Sequence[NDArray[Any]]
) -> tuple[Epochs | None, list[str]]:
    """The epochs, or the time from 0 to the last spike, without ``invalid_times``; and notes."""
    table = nwb.invalid_times
    if table is None or not len(table.id):
        return epochs, []
    bad = _joined(_rows(path, table), "table 'invalid_times'")
    if epochs is None:  # times that are not finite are refused later
        last = (np.max(train, initial=0.0, where=np.isfinite(train)) for train in trains)
        epochs = Epochs([[0.0, max(last, default=0.0)]])
    opens = np.append(-np.finfo(float).max, bad.stops)
    closes = np.append(bad.starts, np.finfo(float).max)
    valid = epochs.intersect(Epochs(np.column_stack((opens, closes))))
    lost = epochs.duration_s - valid.duration_s
    return valid, [f"{lost:.6g} s of invalid_times are left out"]


def _rows(path: Path, table: Any) -> Floats:
    """Start and stop of each interval, seconds, shape (n_intervals, 2)."""
    sides = [values(path, table[side], len(table.id)) for side in ("start_time", "stop_time")]
    return np.column_stack(sides).astype(np.float64)


def _labels(path: Path, table: Any, columns: Sequence[str]) -> list[str] | None:
    name = next((name for name in columns if name in table.colnames), None)
    if name is None:
        return None
    column = table[name]
    if is_plain(column):
        return list(map(as_text, values(path, column, len(table.id)).tolist()))
    if hasattr(column, "target") and is_plain(column.target):
        rows, _ = ragged(path, column, len(table.id))
        return [", ".join(map(as_text, row.tolist())) for row in rows]
    return None


def _joined(intervals: ArrayLike, where: str, labels: Sequence[str] | None = None) -> Epochs:
    with within(where):
        return Epochs.joined(intervals, labels=labels)


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
    rows, route = (None, "") if table is None else _electrode_rows(path, units, table)
    if rows is None:
        return {}, route
    columns = plain_columns(path, table, _WANTED)
    for name, entries in columns.items():
        array = np.array(entries)
        placing = name.lower() in POSITION_COLUMNS and array.dtype.kind in "iuf"
        summary = _position if placing else _common
        columns[name] = [summary(array[chosen]) for chosen in rows]
    return columns, route


def probe_column(path: Path, nwb: Any, units: Any, groups: list[str] | None) -> list[str] | None:
    """Probe of each unit: its group of electrodes, or the device that several groups share."""
    names = _group_names(path, units) if groups is None else groups
    known = (nwb.electrode_groups or {}).items()
    devices = {name: getattr(group.device, "name", name) for name, group in known}
    sizes = Counter(devices.values())
    shared = {name: device for name, device in devices.items() if sizes[device] > 1}
    return None if names is None else [shared.get(name, name) for name in names]


def _group_names(path: Path, units: Any) -> list[str] | None:
    """Name of each unit's electrode group; None if there is none, or in Zarr, which pickles it."""
    if "electrode_group" not in units.colnames or not path.is_file():
        return None
    return [group.name for group in values(path, units["electrode_group"], len(units.id))]


def _position(positions: NDArray[Any]) -> float:
    """Mean position of one unit's electrodes, µm; nan where they span too much to place it."""
    known = positions[np.isfinite(positions)].astype(float)
    return float(known.mean()) if known.size and np.ptp(known) <= REACH_UM else np.nan


def _common(labels: NDArray[Any]) -> str:
    """The entry of one unit's electrodes, empty if they differ."""
    return str(labels[0]) if len(set(labels.tolist())) == 1 else ""


def _electrode_rows(path: Path, units: Any, table: Any) -> tuple[Rows | None, str]:
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
    """Whether ``electrodes`` begin with the ``peak_channel``, counted from 0 or 1."""
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
            raise damaged(f"row {unit} of 'electrodes' points outside its {n_electrodes} rows")
    return [chosen.astype(np.int64) for chosen in rows]
