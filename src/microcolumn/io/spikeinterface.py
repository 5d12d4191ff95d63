"""Sortings of SpikeInterface: objects in memory, and folders, which NumPy reads."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ..epochs import Epochs
from ..errors import BadFile, BadType, damaged
from ..recording import Recording
from ..safe_text import as_text
from ._arrays import PickledArrayError, check_array, check_index, load_array, split_by_unit
from ._clocks import align_segments, joined_trains
from ._containment import files_inside
from ._session import Choices, Session, to_recording

#: Files of a folder that are opened.
_FILES = ("numpysorting_info.json", "spikes.npy", "properties/*.npy")


def from_spikeinterface(sorting: Any, **choices: Unpack[Choices]) -> Recording:
    """Recording of a SpikeInterface sorting.

    Properties with one value per unit become columns of the table of units. Times are those of
    the sorting's clock, or of the recording registered to it. Segments are epochs called
    ``"segment 0"`` and so on; if they overlap, as segments do that all start at 0, each is moved
    to begin 1 s after the one before it ends.

    Parameters
    ----------
    sorting : spikeinterface.core.BaseSorting
        The sorting.
    **choices
        ``depth_reference``, ``layers``, ``quality`` and ``epochs`` as for :func:`microcolumn.read`.

    Examples
    --------
    >>> from spikeinterface import NumpySorting
    >>> sorting = NumpySorting.from_unit_dict({7: np.array([30, 60])}, sampling_frequency=30.0)
    >>> from_spikeinterface(sorting).trains[0].tolist()
    [1.0, 2.0]
    """
    if not hasattr(sorting, "get_unit_spike_train"):
        remedy = "pass a SpikeInterface sorting (of an analyzer, its attribute sorting)"
        raise BadType("sorting", f"is of type {type(sorting).__name__}", remedy)
    segments = range(sorting.get_num_segments())
    times = partial(sorting.get_unit_spike_train, return_times=True)
    by_segment = [
        [np.asarray(times(unit, segment_index=k), dtype=np.float64) for unit in sorting.unit_ids]
        for k in segments
    ]
    stretches = [_stretch(sorting, segment, by_segment[segment]) for segment in segments]
    shifts, placed, notes = _on_one_clock(stretches, stops_known=sorting.has_recording())
    properties = {str(key): sorting.get_property(key) for key in sorting.get_property_keys()}
    columns, left_out = _columns(properties, len(sorting.unit_ids))
    ids, trains = list(map(as_text, sorting.unit_ids)), joined_trains(by_segment, shifts)
    session = Session(ids, trains, columns, epochs=placed, notes=(*notes, *left_out))
    return to_recording(session, source="a SpikeInterface sorting", **choices)


def load(path: Path) -> Session:
    """A folder written by ``sorting.save(folder=...)`` or of a saved ``SortingAnalyzer``.

    Its format is SpikeInterface's ``numpy_folder``. SpikeInterface's own loader unpickles
    properties, which can run any code. So the arrays and the JSON file are read here; properties
    that hold Python objects are left out.
    """
    within = "sorting/" if (path / "sorting").is_dir() else ""
    files_inside(path, *(f"{within}{name}" for name in _FILES))
    folder = path / within
    if not (folder / "numpysorting_info.json").is_file():
        opened = f"{'load' if path.is_dir() else 'read_npz_sorting'}({str(path)!r})"
        sorting = opened + ("" if folder == path else ".sorting")
        missing = "it has no numpysorting_info.json"
        problem = f"{missing}, so it is a save which only SpikeInterface opens"
        remedy = f"if you trust it, use Recording.from_spikeinterface(spikeinterface.{sorting})"
        raise BadFile(problem, remedy)
    rate, ids, n_segments = _info(folder)
    spikes = _spikes(folder, len(ids), n_segments)
    times = spikes["sample_index"] / rate
    segment = spikes["segment_index"].astype(np.int64)
    last = np.zeros(n_segments)
    np.maximum.at(last, segment, times)
    stretches = [(0.0, stop) for stop in last.tolist()]
    shifts, epochs, notes = _on_one_clock(stretches, stops_known=False)
    properties, pickled = _properties(folder / "properties")
    columns, left_out = _columns(properties, len(ids))
    trains = split_by_unit(times + shifts[segment], spikes["unit_index"], len(ids))
    return Session(ids, trains, columns, epochs=epochs, notes=(*notes, *left_out, *pickled))


def _stretch(
    sorting: Any, segment: int, trains: Sequence[NDArray[np.float64]]
) -> tuple[float, float]:
    """Start and stop of a segment on its own clock, seconds."""
    start = float(sorting.sample_index_to_time(0, segment_index=segment))
    if sorting.has_recording():
        last_sample = sorting.get_num_samples(segment_index=segment) - 1
        last = float(sorting.sample_index_to_time(last_sample, segment_index=segment))
        return start, last + 1.0 / sorting.get_sampling_frequency()
    return start, max((float(train[-1]) for train in trains if train.size), default=start)


def _on_one_clock(
    stretches: Sequence[tuple[float, float]], *, stops_known: bool
) -> tuple[NDArray[np.float64], Epochs | None, list[str]]:
    """Shift of each segment (s), segments as epochs where stops are known, and notes."""
    shifts, epochs, notes = align_segments(stretches)
    if not stops_known and len(stretches) > 1:
        notes.append("it is not known how long was recorded, so segments end with the last spike")
    return shifts, epochs if stops_known or len(stretches) > 1 else None, notes


def _info(folder: Path) -> tuple[float, list[str], int]:
    """Sampling rate, unit ids and number of segments in ``numpysorting_info.json``."""
    path = folder / "numpysorting_info.json"
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
        rate, ids = float(info["sampling_frequency"]), list(map(str, info["unit_ids"]))
        n_segments = int(info["num_segments"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise damaged(f"{path.name} lacks rate, units or segments ({error!r})") from None
    if not (0 < rate < np.inf and 1 <= n_segments <= 10_000):  # more would be damage
        raise damaged(f"{path.name} states {rate} samples per second and {n_segments} segments")
    return rate, ids, n_segments


def _spikes(folder: Path, n_units: int, n_segments: int) -> NDArray[Any]:
    """Sample, unit and segment of each spike."""
    path = folder / "spikes.npy"
    if not path.is_file():
        raise damaged("it has no spikes.npy")
    spikes = load_array(path)
    names = ("sample_index", "unit_index", "segment_index")
    fields: Mapping[str, Any] = spikes.dtype.fields or {}
    fits = spikes.ndim == 1 and all(n in fields and fields[n][0].kind in "iu" for n in names)
    check_array("spikes.npy", spikes, fits, f"whole numbers {', '.join(names)} for each spike")
    check_index("unit_index of spikes.npy", spikes["unit_index"], n_units, "units")
    check_index("segment_index of spikes.npy", spikes["segment_index"], n_segments, "segments")
    return spikes


def _properties(folder: Path) -> tuple[dict[str, NDArray[Any]], list[str]]:
    properties, refused = {}, []
    for file in sorted(folder.glob("*.npy")):
        try:
            properties[file.stem] = load_array(file)
        except PickledArrayError:
            refused.append(file.stem)
    note = f"not read, since opening Python objects could run code: {', '.join(refused)}"
    return properties, [note] * bool(refused)


def _columns(
    properties: dict[str, NDArray[Any]], n_units: int
) -> tuple[dict[str, list[Any]], list[str]]:
    """Properties with one value per unit, and a note about the others."""
    fitting = {k: v.tolist() for k, v in properties.items() if np.shape(v) == (n_units,)}
    others = sorted(set(properties) - set(fitting))
    return fitting, [f"not one value per unit, not read: {', '.join(others)}"] if others else []
