"""ALF folders, as the International Brain Laboratory and Steinmetz et al. (2019) publish them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...epochs import Epochs
from ...errors import BadFile, BadInput, name_list
from .._arrays import check_array, load_array
from .._session import Session
from .folders import Collection, Columns, Sorting, collection, columns_of, session_folders, sortings
from .units import ProbeUnits, probe_units

Rows = NDArray[Any]


def load(path: Path, *, probe: str | None = None) -> Session:
    """Units of a session, of a probe or of a spike sorting in ALF.

    Units are the clusters that have spikes, known by their numbers; where a session has several
    folders of probes, the name of the probe comes before. Depths are µm above the tip of the probe.
    Quality is phy's annotation, or comes from ``clusters.metrics``. Area and layer are those of the
    peak channel in the Allen atlas. Of each file the newest revision is read. Intervals are
    ``trials``, ``spontaneous`` and others by their names.

    Parameters
    ----------
    path : Path
        Folder of a session, its ``alf`` folder, or that of a probe, a sorter or a revision.
    probe : str, optional
        Read this probe alone, for example ``"probe00"``.
    """
    found, notes = sortings(path)
    if not found:
        raise BadFile("it has no spikes.times.npy", "name the folder of a session or a probe")
    several = len(found) > 1
    if any(sorting.probe == probe for sorting in found):  # spares reading the others
        found = [sorting for sorting in found if sorting.probe == probe]
    parts = {sorting: probe_units(sorting) for sorting in found}
    if probe is not None:
        parts = _of_probe(parts, probe)
    for sorting, part in parts.items():
        revisions = Counter(sorting.collection.revisions.values())
        read = [f"files read in revision {label}: {n}" for label, n in sorted(revisions.items())]
        notes += [f"{sorting.probe}: {note}" if several else note for note in (*read, *part.notes)]
    columns = _joined(list(parts.values()))
    intervals, unknown = named_intervals(path)
    depths = "depths" if "depths" in columns else None
    return Session(
        ids=[
            f"{sorting.probe} {number}" if several else str(number)
            for sorting, part in parts.items()
            for number in part.numbers
        ],
        trains=[train for part in parts.values() for train in part.trains],
        columns=columns,
        depth_column=depths,
        depth_reference=depths and "tip",
        notes=(*notes, *unknown),
        intervals=intervals,
    )


def _of_probe(parts: dict[Sorting, ProbeUnits], probe: str) -> dict[Sorting, ProbeUnits]:
    """The units of one probe; they have its name where one folder holds several probes."""
    chosen = {sorting: part.of_probe(probe) for sorting, part in parts.items()}
    if not any(part.numbers for part in chosen.values()):
        names = {name for part in parts.values() for name in part.columns.get("probe", [])}
        known = name_list(map(repr, sorted(names)))
        raise BadFile(f"there is no unit of probe {probe!r}", f"probes here: {known}")
    return chosen


def _joined(parts: Sequence[ProbeUnits]) -> dict[str, list[Any]]:
    """Columns of all probes; entries that a probe does not have are None."""
    names = dict.fromkeys(name for part in parts for name in part.columns)
    return {
        name: [
            entry for part in parts for entry in part.columns.get(name, [None] * len(part.numbers))
        ]
        for name in names
    }


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
        except (BadInput, ImportError) as error:
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
        raise BadFile(f"{path.name} has entries that are no times", "export it again") from None


def _checked(path: Path, rows: Rows) -> Rows:
    fits = rows.shape[1:] == (2,) and rows.dtype.kind in "iuf"
    check_array(path.name, rows, fits, "rows of start and stop")
    return rows
