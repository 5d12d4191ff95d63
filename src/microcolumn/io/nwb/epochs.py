"""When units of an NWB file were observed: obs_intervals, tables of intervals, invalid times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...epochs import Epochs
from ...safe_text import as_text
from ...validation import Floats
from .._failures import BadFileError, name_list, naming
from .file import is_plain, ragged, values

#: Columns of a table of intervals that say what each is.
_LABEL_COLUMNS = ("tags", "label", "labels", "stimulus_name", "condition", "protocol_type")
#: Tables that say when units were observed, and are not offered beside it.
_OBSERVATION = ("epochs", "invalid_times")


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
        notes.append(
            f"{len(ids) - len(stated)} of {len(ids)} units have no obs_intervals and are taken as "
            "observed whenever the others were"
        )
    by_unit = {n: _joined(rows[n], f"obs_intervals of unit {ids[n]!r}") for n in stated}
    common = by_unit[stated[0]]
    for epochs in by_unit.values():
        common = common.intersect(epochs)
    anyone = Epochs.joined(np.concatenate([rows[n] for n in stated]))
    lost = anyone.duration_s - common.duration_s
    shortest = min(stated, key=lambda n: by_unit[n].duration_s)
    if lost > 0:
        notes.append(
            f"units were observed at different times: {lost:.6g} of {anyone.duration_s:.6g} s are "
            f"left out, in which only some units were observed; unit {ids[shortest]!r} was not "
            f"observed for {anyone.duration_s - by_unit[shortest].duration_s:.6g} s"
        )
    if common.duration_s == 0:
        raise BadFileError(
            f"at no moment were all {len(ids)} units observed (obs_intervals; unit "
            f"{ids[shortest]!r} least, {by_unit[shortest].duration_s:.6g} s); pass "
            "ignore_obs_intervals=True to take them as observed all the time"
        )
    return common, notes


def interval_epochs(path: Path, nwb: Any, name: str | None) -> tuple[Epochs | None, list[str]]:
    """Epochs of a table of intervals with their labels, None if there is none; and notes.

    The table called ``name`` must exist; by default it is ``"epochs"``.
    """
    tables = dict(nwb.intervals or {})
    if name is not None and name not in tables:
        raise BadFileError(
            f"it has no table of intervals {name!r}; there is {name_list(sorted(tables))}"
        )
    table = tables.get(name or "epochs")
    if table is None or not len(table.id):
        return None, []
    where = f"table {table.name!r}"
    rows = _rows(path, table)
    labels = _labels(path, table, _LABEL_COLUMNS)
    order = np.argsort(rows[:, 0], kind="stable")
    rows = rows[order]
    if not np.any(rows[1:, 0] < rows[:-1, 1]):
        with naming(where):
            return Epochs(rows, None if labels is None else [labels[n] for n in order]), []
    lost = "" if labels is None else ", which lost their labels"
    return _joined(rows, where), [f"overlapping rows of {where} were joined{lost}"]


def interval_tables(path: Path, nwb: Any) -> tuple[dict[str, Epochs], list[str]]:
    """All other tables of intervals by name, and a note on those that cannot be read.

    Their labels are the names of stimuli, if there are some.
    """
    found, bad = {}, []
    for name, table in sorted((nwb.intervals or {}).items()):
        if name in _OBSERVATION:
            continue
        try:
            epochs = _offered(path, table)
        except (BadFileError, KeyError, ValueError):
            bad.append(repr(name))
            continue
        if len(epochs):
            found[str(name)] = epochs
    return found, [f"tables of intervals that cannot be read: {', '.join(bad)}"] if bad else []


def _offered(path: Path, table: Any) -> Epochs:
    """The rows of a table with a finite start and stop; labels are lost where rows overlap."""
    rows, labels = _rows(path, table), _labels(path, table, ("stimulus_name", *_LABEL_COLUMNS))
    lasting = np.isfinite(rows).all(axis=1) & (rows[:, 0] < rows[:, 1])
    order = np.flatnonzero(lasting)[np.argsort(rows[lasting, 0], kind="stable")]
    rows = rows[order]
    if np.any(rows[1:, 0] < rows[:-1, 1]):
        return Epochs.joined(rows)
    return Epochs(rows, None if labels is None else [labels[n] for n in order])


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
        return [as_text(label) for label in values(path, column, len(table.id)).tolist()]
    if hasattr(column, "target") and is_plain(column.target):
        rows, _ = ragged(path, column, len(table.id))
        return [", ".join(as_text(label) for label in row.tolist()) for row in rows]
    return None


def _joined(intervals: ArrayLike, where: str) -> Epochs:
    with naming(where):
        return Epochs.joined(intervals)
