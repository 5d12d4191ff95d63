"""Content of a file, and the recording it makes: order, start, depths, layers, quality, epochs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from ..epochs import Epochs, as_epochs, names_epochs
from ..errors import BadArgument, BadFile, Setting, advice, damaged
from ..layers import is_boundaries, layer_labels
from ..recording import Recording
from ..safe_text import shortened
from ..units import DEPTH_REFERENCES, TEXT_COLUMNS, Units
from ..validation import Floats, real_number
from ._columns import (
    DEPTH_COLUMNS,
    LAYER_COLUMNS,
    as_number,
    columns_named,
    depth_reference_of,
    global_ids_of,
    labels_of,
    places_of,
    probes_of,
    quality_of,
)
from ._tables import layer_table

#: Quality of clusters that the spike sorting found to be no unit.
_NOISE = "noise"
#: Characters of a name or label.
_LONGEST = 200
_TRUE, _FALSE = ("true", "1", "1.0", "yes"), ("false", "0", "0.0", "no", "")


@dataclass(frozen=True, slots=True)
class Session:
    """Spike trains in seconds and the table of their units as they are in a file."""

    ids: Sequence[str]
    trains: Sequence[ArrayLike]
    #: Columns of the file's table of units, one entry per unit each.
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    #: Column with depths in µm if the reader knows it; otherwise it is found by its name.
    depth_column: str | None = None
    #: When the units were observed, if the file states it.
    epochs: Epochs | None = None
    notes: tuple[str, ...] = ()
    #: Width of the bins that times come from; 0 for spike times.
    resolution_s: float = 0.0
    #: What depths are measured from, if the file states it, which is rare.
    depth_reference: str | None = None
    #: Whether the file says that its spikes come from a simulation.
    simulated: bool = False
    #: Tables of intervals that the file has beside, by name.
    intervals: Mapping[str, Epochs] = field(default_factory=dict)
    #: The animal, if the file names it.
    animal: str = ""

    def column(self, names: Iterable[str]) -> str | None:
        """The first column whose name is among ``names`` in any case, or None."""
        return next(columns_named(names, self.columns), None)


class Choices(TypedDict, total=False):
    """Choices that every way into a recording offers; see `microcolumn.read`."""

    depth_reference: str | None
    layers: Any
    quality: str | Iterable[str] | None
    epochs: str | list[str] | Epochs | ArrayLike | None
    start: float | None
    group_by: str | Iterable[str]
    match_by: str | None


def to_recording(
    session: Session,
    *,
    source: str,
    depth_reference: str | None = None,
    layers: Any = None,
    quality: str | Iterable[str] | None = None,
    epochs: str | list[str] | Epochs | ArrayLike | None = None,
    start: float | None = None,
    group_by: str | Iterable[str] = "layer",
    match_by: str | None = None,
) -> Recording:
    """Recording of a session; the choices are those of :func:`microcolumn.read`."""
    if not session.ids:
        raise BadFile("there is no unit in it", "check that spikes were sorted and exported")
    for name, column in session.columns.items():
        if len(column) != len(session.ids):
            raise damaged(f"column {name!r} has {len(column)} entries for {len(session.ids)} units")
    units, read = _units(session, depth_reference, layers, group_by, match_by)
    # If the file does not state when units were observed, the caller's epochs do.
    stated = session.epochs
    if stated is None and not names_epochs(epochs):
        stated = None if epochs is None else as_epochs(epochs)
    trains, sorting = in_order(session.trains)
    begins = begun(trains, start, stated)
    notes = list(session.notes)
    if stated is None:
        note = "it is not stated how long was recorded, so the recording ends with the last spike"
        notes.append(f"{note}; state its epochs if it went on")
    notes += read + sorting
    if quality is None:
        quality, noise = _all_but_noise(units)
        notes += noise
    recording = Recording(
        trains,
        units,
        stated if begins is None else begins,
        source=source,
        notes=map(shortened, notes),
        resolution_s=session.resolution_s,
        simulated=session.simulated,
        intervals=session.intervals,
        animal=session.animal,
    )
    recording = recording.with_notes(start_notes(recording, start, stated=stated is not None))
    if epochs is not None:
        recording = recording.restrict(epochs)
    if quality is not None:
        recording = recording.select(quality=quality)
    recording = _with_layers(recording, session, layers)
    _check_lengths(recording)
    return recording


def _units(
    session: Session,
    depth_reference: str | None,
    layers: Any,
    group_by: str | Iterable[str],
    match_by: str | None,
) -> tuple[Units, list[str]]:
    """The table of all units as far as columns tell, and notes on these columns."""
    depths, reference, notes = _depths(session, depth_reference)
    quality, judged = quality_of(session.columns)
    notes += judged
    places, layer = places_of(session.columns), None
    grouping = (group_by,) if isinstance(group_by, str) else tuple(group_by)
    if places is not None:
        what, end = "areas", ", which names no layers"
        if layers is not None or session.column(LAYER_COLUMNS) is not None:
            end = ""
        elif places.layer is not None:
            layer, what, end = places.layer, "areas and layers", ", in terms of the Allen atlas"
        if places.column != "area":
            notes.append(f"{what} come from column {places.column!r}{end}")
    units = Units(
        session.ids,
        depths,
        layer,
        depth_reference=reference,
        quality=quality,
        multiunit=_flags(session),
        area=None if places is None else places.area,
        probe=probes_of(session.columns),
        global_id=global_ids_of(session.columns, match_by),
        labels=labels_of(session.columns, [name for name in grouping if name not in TEXT_COLUMNS]),
        group_by=grouping,
    )
    return units, notes


def _with_layers(recording: Recording, session: Session, layers: Any) -> Recording:
    chosen = session.column(LAYER_COLUMNS) if layers is None else layers
    if chosen is None:
        return recording
    place = {name: n for n, name in enumerate(session.ids)}
    kept = [place[name] for name in recording.units.ids]
    columns = {name: [column[n] for n in kept] for name, column in session.columns.items()}
    source = "layers"
    is_text = isinstance(chosen, str) and (chosen in columns or is_boundaries(chosen))
    if not is_text and isinstance(chosen, str | Path) and Path(chosen).is_file():
        chosen, source = layer_table(Path(chosen)), str(chosen)
    labels = layer_labels(chosen, recording.units, columns, source)
    return recording.with_units(recording.units.with_layers(labels))


def _check_lengths(recording: Recording) -> None:
    """Refuse names and labels that are too long to be any."""
    tables = {"epochs": recording.epochs, **recording.intervals}
    labels = {name: table.labels or () for name, table in tables.items()}
    texts = {**recording.units.columns, **labels, "intervals": list(recording.intervals)}
    texts["animal"] = [recording.animal]
    for column, entries in texts.items():
        longest = max(entries, key=len, default="")
        if len(longest) > _LONGEST:
            problem = f"{longest[:20]!r} and so on, {len(longest):,} characters"
            remedy = f"names have {_LONGEST} at most: shorten them"
            raise BadFile(f"{column[:50]!r} holds {problem}", remedy)


def _all_but_noise(units: Units) -> tuple[list[str] | None, list[str]]:
    """Qualities of all units except noise, None if there is no noise; and a note."""
    qualities = units.quality or ()
    kept = [name for name in qualities if name.lower() != _NOISE]
    if len(kept) == len(qualities):
        return None, []
    if not kept:
        raise BadFile(f"all units are of quality {_NOISE!r}", advice("pass {quality}"))
    n_noise = len(qualities) - len(kept)
    return kept, [f"units of quality 'noise' left out: {n_noise}; name the quality to keep others"]


def _depths(session: Session, stated: str | None) -> tuple[Floats | None, str | None, list[str]]:
    """Depths, None if all are unknown or 0, what they are measured from, and notes."""
    name = session.depth_column or session.column(DEPTH_COLUMNS)
    by_name = name and depth_reference_of(name)
    reference = session.depth_reference or by_name
    if reference is not None and stated not in (None, "unstated", reference):
        who = f"column {name!r}" if session.depth_reference is None else "the file"
        problem = f"is {stated!r} but {who} states {reference!r}"
        raise BadArgument("depth_reference", problem, "leave it out")
    if name is None:
        note = f"depths would be from the {stated}, but units have none"
        return None, stated, [note] * (stated not in (None, "unstated"))
    depths = np.array(list(map(as_number, session.columns[name])))
    if session.depth_reference is not None:
        return depths, reference, []
    if not np.any(np.isfinite(depths) & (depths != 0)):
        return None, stated, [f"column {name!r} holds no depth except 0 and is not used"]
    if by_name is not None:
        return depths, by_name, [f"depths of column {name!r} are above the {by_name} of the probe"]
    if stated is None:
        choices = ", ".join(f"'{key}' ({text})" for key, text in DEPTH_REFERENCES.items())
        problem = f"its units have depths (column {name!r}) whose zero and direction no file states"
        raise BadFile(problem, ("pass ", Setting("depth_reference"), f": {choices}"))
    return depths, stated, []


def _flags(session: Session) -> list[bool] | None:
    name = session.column(("multiunit",))
    if name is None:
        return None
    flags = []
    for unit, entry in zip(session.ids, session.columns[name], strict=True):
        text = str(entry).strip().lower()
        if text not in (*_TRUE, *_FALSE):
            raise BadFile(f"column {name!r} says {entry!r} of unit {unit!r}", "say true or false")
        flags.append(text in _TRUE)
    return flags


def in_order(trains: Sequence[ArrayLike]) -> tuple[list[Any], list[str]]:
    """The trains, sorted where a file has them out of order; and a note if any was."""
    arrays = [np.asarray(train) for train in trains]
    # What else is wrong with a train is said where it is checked.
    plain = [train.ndim == 1 and train.dtype.kind in "iuf" for train in arrays]
    mixed = [p and bool((t[1:] < t[:-1]).any()) for p, t in zip(plain, arrays, strict=True)]
    ordered = [np.sort(t) if late else t for t, late in zip(arrays, mixed, strict=True)]
    return ordered, [f"spike times out of order were sorted (units: {sum(mixed)})"] * any(mixed)


def begun(trains: Sequence[Any], start: float | None, stated: object) -> Epochs | None:
    """The epoch from a ``start`` to the last spike; None if there is none, or epochs are stated."""
    numbers = [t for t in trains if t.ndim == 1 and t.size and t.dtype.kind in "iuf"]
    first = min((float(train[0]) for train in numbers), default=0.0)
    last = max((float(train[-1]) for train in numbers), default=0.0)
    if start is None:
        if stated is None and first < 0:
            remedy = advice("say when the recording began: {start}", start=int(np.floor(first)))
            raise BadFile(f"its first spike is at {first:.10g} s, before 0", remedy)
        return None
    begin = real_number("start", start, "give seconds")
    if stated is not None:
        raise BadFile("it is stated when it was recorded", advice("leave {start} out"))
    if not begin < last:
        problem = f"is {begin:g} s but the last spike is at {last:.10g} s"
        raise BadArgument("start", problem, "give seconds on the clock of the spikes")
    return Epochs([[begin, last]])


def start_notes(recording: Recording, start: float | None, *, stated: bool) -> list[str]:
    """What may be wrong with the start of a recording whose epochs are ``stated`` or not."""
    if stated:
        early = recording.spike_times[recording.spike_times < 0]
        outside = int((recording.epochs.locate(early) < 0).sum())
        return [f"spikes before 0 that lie outside the epochs: {outside}"] * (outside > 0)
    begin = float(recording.epochs.starts[0])
    if start is None and begin > 0:
        note = f"the first spike is at {begin:.6g} s, and the recording is taken to begin there"
        return [f"{note}; state its start if it began elsewhere"]
    return []
