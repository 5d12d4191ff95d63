"""NWB files, HDF5 or Zarr, through PyNWB."""

from contextlib import closing
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...epochs import Epochs
from ...errors import BadFile, advice, damaged, name_list
from ...layers import as_labels
from .._clocks import ticks_per_second
from .._columns import LAYER_COLUMNS, PROBE_COLUMNS, columns_named
from .._session import Session
from .file import opened, plain_columns, ragged, values
from .tables import (
    POSITION_COLUMNS,
    REACH_UM,
    electrode_columns,
    interval_epochs,
    interval_tables,
    observed_epochs,
    probe_column,
    valid_epochs,
)


def load(
    path: Path,
    *,
    table: str | None = None,
    intervals: str | None = None,
    ignore_obs_intervals: bool = False,
    time_unit: str | None = None,
    sampling_rate: float | None = None,
) -> Session:
    """Units of an NWB file with their places, their quality and the time of their observation.

    Epochs are the stretches in which every unit was observed (``obs_intervals``), within the rows
    of the ``epochs`` table and outside those of ``invalid_times``, if the file has these tables.
    Other tables of intervals are offered by name: ``epochs="spontaneous"``.

    Parameters
    ----------
    path : Path
        File (HDF5) or folder (Zarr).
    table : str, optional
        Name of the table of units, for files with several.
    intervals : str, optional
        Table of intervals to take epochs from, for example ``"trials"``; by default ``"epochs"``.
    ignore_obs_intervals : bool
        Whether to take all units as observed all the time.
    time_unit : {"s", "ms", "us", "ns", "samples"}, optional
        Unit of spike times where they are not in seconds as NWB requires; intervals always are.
    sampling_rate : float, optional
        As for :func:`microcolumn.read`.
    """
    per_second = ticks_per_second(time_unit or "s", sampling_rate)
    nwb, file = opened(path)
    with closing(file):
        units, notes = _units_table(nwb, table)
        ids = list(map(str, values(path, units.id).tolist()))
        trains, behind = _trains(path, units, len(ids))
        if per_second != 1.0:
            trains = [train / per_second for train in trains]
        if behind:
            notes += [f"{behind:,} spike times after those of the last unit belong to no unit"]
        columns = plain_columns(path, units)
        depth_column, placed = _placed(path, nwb, units, columns)
        observed, seen = (None, []) if ignore_obs_intervals else observed_epochs(path, units, ids)
        stated, labelled = interval_epochs(path, nwb, intervals)
        # Epochs that the file does not have restrict nothing.
        known = [epochs for epochs in (stated, observed) if epochs is not None]
        common = reduce(Epochs.intersect, known) if known else None
        epochs, valid = valid_epochs(path, nwb, common, trains)
        tables, unread = interval_tables(path, nwb)
        animal = as_labels([getattr(nwb.subject, "subject_id", None)])[0]
    if epochs is not None and epochs.duration_s < 1e-6:  # nothing but the ends of epochs
        remedy = "pass {intervals} (another table) or {ignore_obs_intervals}"
        problem = "no time is left by its epochs, obs_intervals and invalid_times"
        raise BadFile(problem, advice(remedy, ignore_obs_intervals=True))
    notes += [*placed, *seen, *labelled, *valid, *unread]
    about: dict[str, Any] = {"notes": tuple(notes), "intervals": tables, "animal": animal}
    return Session(ids, trains, columns, depth_column, epochs, **about)


def _units_table(nwb: Any, name: str | None) -> tuple[Any, list[str]]:
    """The table of units, which may be anywhere in the file, and notes."""
    from pynwb.misc import Units

    if name is None and nwb.units is not None:
        return nwb.units, []
    tables = [item for item in nwb.objects.values() if isinstance(item, Units)]
    chosen = [item for item in tables if name in (None, item.name)]
    if len(chosen) == 1:
        parent = getattr(chosen[0].parent, "name", "the file")
        return chosen[0], [f"units come from table {chosen[0].name!r} of {parent!r}"]
    if tables:
        names = name_list(sorted(repr(item.name) for item in tables))
        raise BadFile(f"it has tables of units {names}", advice("pass one of them as {table}"))
    held = [*nwb.acquisition.values(), *nwb.processing.values(), *nwb.intervals.values()]
    kinds = name_list(f"{type(item).__name__} {item.name!r}" for item in held)
    problem = f"it has no table of units (other data: {kinds})"
    raise BadFile(problem, "sort its spikes and export them, or name the file that holds them")


def _trains(path: Path, units: Any, n_units: int) -> tuple[list[NDArray[Any]], int]:
    """Spike times of each unit, and the number of those that belong to no unit."""
    if n_units == 0:
        return [], 0
    if "spike_times" not in units.colnames:
        problem = f"its units have no spike_times (columns: {name_list(units.colnames)})"
        raise BadFile(problem, "export the sorted spikes")
    column = units["spike_times"]
    if not hasattr(column, "target"):
        problem = "spike_times has no index, so that it is unknown which unit a spike belongs to"
        raise BadFile(problem, "export the file again with PyNWB or MatNWB")
    data = column.target.data
    # Zarr fills a missing chunk with zeros, so that all its spikes would be at 0.
    lost = getattr(data, "nchunks", 0) - getattr(data, "nchunks_initialized", 0)
    if lost > 0:
        raise damaged(f"{lost} chunks of its spike_times are not there")
    return ragged(path, column, n_units)


def _placed(
    path: Path, nwb: Any, units: Any, columns: dict[str, list[Any]]
) -> tuple[str | None, list[str]]:
    """The column of depths, and notes; adds columns of the electrodes table to ``columns``."""
    on_electrodes, route = electrode_columns(path, nwb, units)
    columns.update({f"electrodes.{name}": column for name, column in on_electrodes.items()})
    if not any(columns_named(PROBE_COLUMNS, columns)):
        probes = probe_column(path, nwb, units, on_electrodes.get("group_name"))
        columns.update({} if probes is None else {"probe": probes})
    notes = []
    layer = next(columns_named(LAYER_COLUMNS, on_electrodes), None)
    if layer is not None and not any(columns_named(LAYER_COLUMNS, columns)):
        columns["layer"] = on_electrodes[layer]
        notes.append(f"layers come from column {layer!r} of the electrodes table, {route}")
    own, depth = _depth_column(columns), _depth_column(on_electrodes)
    if own is not None or depth is None:
        return own, notes
    unplaced = int(np.isnan(on_electrodes[depth]).sum())
    notes.append(
        f"depths come from column {depth!r} of the electrodes table, {route}"
        + " (the mean of several)" * (not route.startswith("by column"))
        + f"; {unplaced} units have none there, or electrodes that span more than {REACH_UM:g} µm"
        * (unplaced > 0)
    )
    return f"electrodes.{depth}", notes


def _depth_column(columns: dict[str, list[Any]]) -> str | None:
    """The first column with a name of positions that holds any number except 0."""
    for name in columns_named(POSITION_COLUMNS, columns):
        numbers = np.array(columns[name])
        if numbers.dtype.kind in "iuf" and np.any(np.isfinite(numbers) & (numbers != 0)):
            return name
    return None
