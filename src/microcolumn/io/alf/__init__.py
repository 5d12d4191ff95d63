"""ALF folders, as the International Brain Laboratory and Steinmetz et al. (2019) publish them.

Rows of every ``clusters.*`` file are clusters, counted from 0 as in ``spikes.clusters``; rows of
every ``channels.*`` file are channels. The peak channel of a cluster is ``clusters.channels``,
counted from 0, or ``clusters.peakChannel`` in Steinmetz et al. (Nature 576:266, 2019), counted from
1.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...epochs import Epochs
from ...errors import BadFile, BadInput, name_list
from .._arrays import (
    PickledArrayError,
    check_array,
    check_index,
    check_same_length,
    flat_numbers,
    flattened,
    load_array,
    mismatched,
    split_by_unit,
)
from .._columns import as_number
from .._session import Session
from .folders import Collection, Sorting, collection, columns_of, session_folders, sortings

Rows = NDArray[Any]
Column = list[Any]

_MOST_CLUSTERS = 1 << 20
#: Channels' places in the brain, and the heights of channels above the tip.
_PLACES = ("brainLocationIds_ccf_2017", "brainLocation")
_POSITIONS = ("localCoordinates", "sitePositions")


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
    candidates, notes = sortings(path)
    if not candidates:
        raise BadFile("it has no spikes.times.npy", "name the folder of a session or a probe")
    several = len(candidates) > 1
    # Spares reading the others.
    candidates = [each for each in candidates if each.probe == probe] or candidates
    parts = [_probe_units(sorting, several) for sorting in candidates]
    columns = {  # entries that a probe does not have are None
        name: list(chain(*(part.columns.get(name, [None] * len(part.ids)) for part in parts)))
        for name in chain(*(part.columns for part in parts))
    }
    intervals, unknown = named_intervals(path)
    depths = "depths" if "depths" in columns else None
    session = Session(
        ids=list(chain(*(part.ids for part in parts))),
        trains=list(chain(*(part.trains for part in parts))),
        columns=columns,
        depth_column=depths,
        depth_reference=depths and "tip",
        notes=(*notes, *chain(*(part.notes for part in parts)), *unknown),
        intervals=intervals,
    )
    return session if probe is None else _of_probe(session, probe)


def _of_probe(session: Session, probe: str) -> Session:
    """The units of one probe, where one folder may hold several."""
    names = session.columns.get("probe", [])
    kept = [n for n, name in enumerate(names) if name == probe]
    if not kept:
        known = name_list(map(repr, sorted(set(names))))
        raise BadFile(f"there is no unit of probe {probe!r}", f"probes here: {known}")
    columns = {name: [column[n] for n in kept] for name, column in session.columns.items()}
    ids, trains = [session.ids[n] for n in kept], [session.trains[n] for n in kept]
    return replace(session, ids=ids, trains=trains, columns=columns)


def named_intervals(path: Path) -> tuple[dict[str, Epochs], list[str]]:
    """Intervals of a session by name, and notes.

    Names are the objects of files ``object.intervals.npy`` and ``object.table.pqt`` (with columns
    ``intervals_0`` and ``intervals_1``), and the columns of ``_ibl_passivePeriods.intervalsTable``.
    Where a session has several tasks, names that are taken already get that of the task's folder.
    """
    epochs: dict[str, Epochs] = {}
    notes: list[str] = []
    for folder in session_folders(path):
        tasks = sorted(inside for inside in folder.glob("task_*") if inside.is_dir())
        for place in (folder, *tasks):
            _add_intervals(collection(place, folder), epochs, notes)
    return epochs, notes


def _add_intervals(files: Collection, epochs: dict[str, Epochs], notes: list[str]) -> None:
    """Add the intervals of one folder to those that are found, and notes."""
    for name, attribute in sorted(files.files):
        try:
            intervals = _intervals(files, name, attribute)
        except (BadInput, ImportError) as error:
            notes.append(f"intervals of {name} are not known: {error}")
            continue
        for title, rows in intervals.items():
            unique = title if title not in epochs else f"{files.folder.name} {title}"
            good = np.isfinite(rows).all(axis=1) & (rows[:, 0] < rows[:, 1])
            if not good.all():
                notes.append(f"intervals {unique!r} without a start or stop: {(~good).sum()}")
            if good.any():
                epochs[unique] = Epochs.joined(rows[good])


def _intervals(files: Collection, name: str, attribute: str) -> dict[str, Rows]:
    """Rows of start and stop in seconds that one file holds, by name."""
    if attribute not in ("intervals", "intervalsTable", "table"):
        return {}
    path = files.file(name, attribute)
    if path is None:
        return {}
    if path.suffix == ".npy":
        rows = load_array(path) if attribute == "intervals" else np.zeros((0, 2))
        fits = rows.shape[1:] == (2,) and rows.dtype.kind in "iuf"
        check_array(path.name, rows, fits, "rows of start and stop")
        return {name: rows}
    columns = columns_of(path)
    if attribute == "intervalsTable":  # whose first column says which row is the start
        which, *titles = columns or [""]
        sides = list(map(str, columns.get(which, [])))
        titles = titles if sorted(sides) == ["start", "stop"] else []
        by_title = {title: [[columns[title][n] for n in np.argsort(sides)]] for title in titles}
    else:
        edges = [columns.get(edge, []) for edge in ("intervals_0", "intervals_1")]
        by_title = {name: list(map(list, zip(*edges, strict=False)))}
    return {
        title: np.array([list(map(as_number, row)) for row in rows]).reshape(-1, 2)
        for title, rows in by_title.items()
    }


def _probe_units(sorting: Sorting, several: bool) -> Session:
    """Units of one sorting, with columns of all files of clusters and of their peak channels."""
    files = sorting.collection
    times, clusters = _spikes(files)
    numbers = np.flatnonzero(np.bincount(clusters))
    columns, notes = _cluster_columns(files, numbers)
    metrics, unread = _metrics(files, numbers)
    columns = {**metrics, **columns, **_channel_columns(files, columns)}
    if "probes" in columns:
        columns["probe"] = [f"{as_number(probe):g}" for probe in columns["probes"]]
    elif sorting.probe is not None:
        columns["probe"] = [sorting.probe] * len(numbers)
    trains = split_by_unit(times, np.searchsorted(numbers, clusters), len(numbers))
    revisions = Counter(files.revisions.values())
    read = [f"files read in revision {label}: {n}" for label, n in sorted(revisions.items())]
    noted = [f"{sorting.probe}: " * several + note for note in (*read, *notes, *unread)]
    ids = [f"{sorting.probe} " * several + str(number) for number in numbers.tolist()]
    return Session(ids, trains, columns, notes=tuple(noted))


def _spikes(files: Collection) -> tuple[NDArray[Any], NDArray[Any]]:
    """Time in seconds and cluster of each spike."""
    files_of_spikes = [files.file("spikes", attribute) for attribute in ("times", "clusters")]
    paths = [path for path in files_of_spikes if path is not None and path.suffix == ".npy"]
    if len(paths) < 2:
        raise BadFile("it has not both spikes.times.npy and spikes.clusters.npy", "download both")
    times = flat_numbers(load_array(paths[0], mapped=True), paths[0].name)
    clusters = flat_numbers(load_array(paths[1], mapped=True), paths[1].name, whole=True)
    check_same_length(paths[0].name, times, paths[1].name, clusters)
    check_index(paths[1].name, clusters, _MOST_CLUSTERS, "clusters")
    return times, clusters.astype(np.int64)


def _cluster_columns(
    files: Collection, numbers: NDArray[Any]
) -> tuple[dict[str, Column], list[str]]:
    """Entries of each unit in all files of clusters with one entry per cluster; and notes."""
    columns: dict[str, Column] = {}
    notes = []
    for attribute, path in files.of("clusters"):
        if path.suffix == ".pqt" or attribute == "metrics":  # these name their clusters
            continue
        try:
            for name, values in _entries(path, attribute).items():
                for number in numbers[numbers >= len(values)]:
                    problem = f"spikes.clusters has cluster {number} but {path.name} {len(values)}"
                    raise mismatched(f"{problem} rows")
                columns[name] = _entries_at(values, numbers.tolist())
        except PickledArrayError:
            notes.append(f"{path.name} is not read: it holds Python objects, which could run code")
    return columns, notes


def _entries(path: Path, attribute: str) -> dict[str, Any]:
    """Columns of one file; none where it holds something else, such as waveforms."""
    if path.suffix != ".npy":
        return {name: column for name, column in columns_of(path).items() if name}
    array = flattened(load_array(path, mapped=True))
    return {attribute: array} if array.ndim == 1 and array.dtype.kind in "biufU" else {}


def _entries_at(values: Any, places: Sequence[int]) -> Column:
    """Entries at these places, None where there is none."""
    entries = values.tolist() if isinstance(values, np.ndarray) else values
    return [entries[n] if 0 <= n < len(entries) else None for n in places]


def _metrics(files: Collection, numbers: NDArray[Any]) -> tuple[dict[str, Column], list[str]]:
    """Entries of each unit in ``clusters.metrics``, None where it has no row; and notes."""
    path = files.file("clusters", "metrics")
    if path is None:
        return {}, []
    try:
        table = columns_of(path)
    except ImportError as error:
        return {}, [f"quality is not known, since {error}"]
    if "cluster_id" not in table:
        raise BadFile(f"{path.name} has no column cluster_id, so that its rows are unknown")
    row = {as_number(key): n for n, key in enumerate(table["cluster_id"])}
    rows = [row.get(float(number), -1) for number in numbers.tolist()]
    columns = {name: _entries_at(column, rows) for name, column in table.items() if name}
    if "label" in columns:  # the share of IBL's tests that a unit passes; its name in their NWB
        columns["ibl_quality_score"] = columns["label"]
    return columns, []


def _channel_columns(files: Collection, columns: dict[str, Column]) -> dict[str, Column]:
    """Place in the brain of each unit's peak channel, and its height if units have no depth."""
    peaks = _peaks(columns)
    if peaks is None:
        return {}
    made: dict[str, Column] = {}
    channels = dict(files.of("channels"))
    for attribute in filter(channels.get, _PLACES):
        for name, values in _entries(channels[attribute], attribute).items():
            made[f"channels.{name}"] = _entries_at(values, peaks)
    path = next((channels[name] for name in _POSITIONS if name in channels), None)
    if "depths" not in columns and path is not None:
        positions = load_array(path)
        fits = positions.ndim == 2 and positions.shape[1] > 1 and positions.dtype.kind in "iuf"
        check_array(path.name, positions, fits, "the x and y of each channel")
        made["depths"] = _entries_at(positions[:, 1], peaks)
    return made


def _peaks(columns: dict[str, Column]) -> list[int] | None:
    """Peak channel of each unit, counted from 0; None if it is not known."""
    name, first = ("channels", 0) if "channels" in columns else ("peakChannel", 1)
    if name not in columns:
        return None
    numbers = list(map(as_number, columns[name]))
    return [-1 if np.isnan(number) else int(number) - first for number in numbers]
