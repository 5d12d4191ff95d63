"""Units of one sorting in ALF: their spikes, and all that the files tell of each.

Rows of every ``clusters.*`` file are clusters, counted from 0 as in ``spikes.clusters``; rows of
every ``channels.*`` file are channels. The peak channel of a cluster is ``clusters.channels``,
counted from 0, or ``clusters.peakChannel`` in Steinmetz et al. (Nature 576:266, 2019), counted from
1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadFile
from .._arrays import (
    PickledArrayError,
    check_array,
    check_index,
    check_same_length,
    flat_numbers,
    load_array,
    split_by_unit,
)
from .._columns import as_number
from .folders import Collection, Sorting, columns_of

Column = list[Any]

_MOST_CLUSTERS = 1 << 20
#: Channels' places in the brain, and the heights of channels above the tip.
_PLACES = ("brainLocationIds_ccf_2017", "brainLocation")
_POSITIONS = ("localCoordinates", "sitePositions")


@dataclass(frozen=True, slots=True)
class ProbeUnits:
    """Units of one sorting: the clusters that have spikes, by number."""

    numbers: list[int]
    trains: list[NDArray[Any]]
    columns: dict[str, Column]
    notes: list[str]

    def of_probe(self, probe: str) -> ProbeUnits:
        """The units whose column ``probe`` has this name."""
        kept = [n for n, name in enumerate(self.columns.get("probe", [])) if name == probe]
        return ProbeUnits(
            [self.numbers[n] for n in kept],
            [self.trains[n] for n in kept],
            {name: [column[n] for n in kept] for name, column in self.columns.items()},
            self.notes,
        )


def probe_units(sorting: Sorting) -> ProbeUnits:
    """Units of one sorting with the columns of all files that have one entry per cluster.

    They are called by the attributes of the files. ``depths`` are µm above the tip; what is known
    of channels is that of the peak channel, ``channels.*``.
    """
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
    return ProbeUnits(numbers.tolist(), trains, columns, [*notes, *unread])


def _spikes(files: Collection) -> tuple[NDArray[Any], NDArray[Any]]:
    """Time in seconds and cluster of each spike."""
    found = [files.file("spikes", attribute) for attribute in ("times", "clusters")]
    paths = [path for path in found if path is not None and path.suffix == ".npy"]
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
                columns[name] = _rows(values, numbers, path.name)
        except PickledArrayError:
            notes.append(f"{path.name} is not read: it holds Python objects, which could run code")
    return columns, notes


def _entries(path: Path, attribute: str) -> dict[str, Any]:
    """Columns of one file; none where it holds something else, such as waveforms."""
    if path.suffix != ".npy":
        return {name: column for name, column in columns_of(path).items() if name}
    array = load_array(path, mapped=True)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    return {attribute: array} if array.ndim == 1 and array.dtype.kind in "biufU" else {}


def _rows(values: Any, numbers: NDArray[Any], name: str) -> Column:
    """Entries of the clusters with these numbers."""
    for number in numbers[numbers >= len(values)]:
        raise BadFile(
            f"spikes.clusters names cluster {number} but {name} has {len(values)} rows",
            "they must belong to the same export",
        )
    return _taken(values, numbers.tolist())


def _taken(values: Any, places: Sequence[int]) -> Column:
    """Entries at these places, None where there is none.

    Text stays in its list: an array would give each entry the space of the longest.
    """
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
    rows = [row.get(float(number)) for number in numbers.tolist()]
    columns = {
        name: [None if n is None else column[n] for n in rows]
        for name, column in table.items()
        if name
    }
    if "label" in columns:  # the share of IBL's tests that a unit passes; its name in their NWB
        columns["ibl_quality_score"] = columns["label"]
    return columns, []


def _channel_columns(files: Collection, columns: dict[str, Column]) -> dict[str, Column]:
    """Place in the brain of each unit's peak channel, and its height if units have no depth."""
    peaks = _peaks(columns)
    if peaks is None:
        return {}
    made: dict[str, Column] = {}
    for attribute in _PLACES:
        path = files.file("channels", attribute)
        for name, values in {} if path is None else _entries(path, attribute).items():
            made[f"channels.{name}"] = _taken(values, peaks)
    paths = [files.file("channels", attribute) for attribute in _POSITIONS]
    path = next((path for path in paths if path is not None), None)
    if "depths" not in columns and path is not None:
        made["depths"] = _taken(_heights(path), peaks)
    return made


def _peaks(columns: dict[str, Column]) -> list[int] | None:
    """Peak channel of each unit, counted from 0; None if it is not known."""
    name, first = ("channels", 0) if "channels" in columns else ("peakChannel", 1)
    if name not in columns:
        return None
    numbers = [as_number(value) for value in columns[name]]
    return [-1 if np.isnan(number) else int(number) - first for number in numbers]


def _heights(path: Path) -> NDArray[Any]:
    positions = load_array(path)
    fits = positions.ndim == 2 and positions.shape[1] > 1 and positions.dtype.kind in "iuf"
    check_array(path.name, positions, fits, "the x and y of each channel")
    heights: NDArray[Any] = positions[:, 1]
    return heights
