"""Named intervals of an ALF session: what was shown or done, and when."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...epochs import Epochs
from .._arrays import check_array, load_array
from .._failures import BadFileError
from .folders import Collection, Columns, collection, columns_of, session_folders

Rows = NDArray[Any]


def named_intervals(path: Path) -> tuple[dict[str, Epochs], list[str]]:
    """Intervals of a session by name, and notes.

    Names are the objects of files ``object.intervals.npy`` and ``object.table.pqt`` (with columns
    ``intervals_0`` and ``intervals_1``), and the columns of ``_ibl_passivePeriods.intervalsTable``.
    Where a session has several tasks, names that are taken already get that of the task's folder.
    """
    found: dict[str, Epochs] = {}
    notes: list[str] = []
    for folder in session_folders(path):
        tasks = sorted(inside for inside in folder.glob("task_*") if inside.is_dir())
        for place in (folder, *tasks):
            _add_intervals(collection(place, folder), found, notes)
    return found, notes


def _add_intervals(files: Collection, found: dict[str, Epochs], notes: list[str]) -> None:
    """Add the intervals of one folder to those that are found, and notes."""
    for name, attribute in sorted(files.files):
        try:
            intervals = _intervals(files, name, attribute)
        except (BadFileError, ImportError) as error:
            notes.append(f"intervals of {name} are not known: {error}")
            continue
        for title, rows in intervals.items():
            unique = title if title not in found else f"{files.folder.name} {title}"
            good = np.isfinite(rows).all(axis=1) & (rows[:, 0] < rows[:, 1])
            if not good.all():
                notes.append(f"intervals {unique!r} without a start or stop: {(~good).sum()}")
            if good.any():
                found[unique] = Epochs.joined(rows[good])


def _intervals(files: Collection, name: str, attribute: str) -> dict[str, Rows]:
    """Rows of start and stop in seconds that one file holds, by name."""
    if attribute not in ("intervals", "intervalsTable", "table"):
        return {}
    path = files.file(name, attribute)
    if path is None:
        return {}
    if path.suffix == ".npy":
        return {name: _checked(path, load_array(path))} if attribute == "intervals" else {}
    columns = columns_of(path)
    if attribute == "intervalsTable":
        return {
            title: _checked(path, np.array([_numbers(path, column)]))
            for title, column in _periods(columns).items()
        }
    sides = [columns[side] for side in ("intervals_0", "intervals_1") if side in columns]
    if len(sides) < 2:
        return {}
    return {name: _checked(path, np.array([_numbers(path, side) for side in sides]).T)}


def _periods(columns: Columns) -> Columns:
    """Start and stop by name, from a table whose first column says which row is which."""
    which, *titles = columns or [""]
    sides = [str(side) for side in columns.get(which, [])]
    if sorted(sides) != ["start", "stop"]:
        return {}
    first = sides.index("start")
    return {title: (columns[title][first], columns[title][1 - first]) for title in titles}


def _numbers(path: Path, column: Any) -> list[float]:
    """Entries of a table as numbers; those that are missing are nan."""
    try:
        return [np.nan if entry in (None, "") else float(entry) for entry in column]
    except (TypeError, ValueError):
        raise BadFileError(f"{path.name} has entries that are no times; export it again") from None


def _checked(path: Path, rows: Rows) -> Rows:
    fits = rows.shape[1:] == (2,) and rows.dtype.kind in "iuf"
    check_array(path.name, rows, fits, "rows of start and stop")
    return rows
