"""Spike trains of Neo, and the session that they make."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...epochs import Epochs
from ...errors import BadArgument, BadFile, BadType, Remedy
from ...validation import Floats, listed
from .._clocks import align_segments, joined_trains
from .._session import Session

#: Annotations that name a unit whose train has no name.
_NAMES = ("unit_name", "unit_id", "id")


@dataclass(frozen=True, slots=True)
class Train:
    """A unit's spike train in one segment, in seconds, and the unit's scalar annotations."""

    name: str
    times: Floats
    start: float
    stop: float
    columns: Mapping[str, Any]


def trains_of(trains: Iterable[Any]) -> list[Train]:
    """Trains of `neo.SpikeTrain` objects, or of proxies of them."""
    import neo

    kept_trains = []
    for position, item in enumerate(trains):
        train = item.load() if hasattr(item, "load") else item
        if not isinstance(train, neo.SpikeTrain):
            remedy = "pass a neo.Block, a neo.Segment or a list of neo.SpikeTrain"
            raise BadType(f"trains[{position}]", f"is of type {type(train).__name__}", remedy)
        columns = scalars(train.annotations)
        names = [train.name, *(columns.get(key) for key in _NAMES)]
        name = next((str(name) for name in names if name not in (None, "")), str(position))
        times = np.asarray(train.rescale("s").magnitude, dtype=np.float64)
        start, stop = (float(edge.rescale("s")) for edge in (train.t_start, train.t_stop))
        kept_trains.append(Train(name, times, start, stop, columns))
    return kept_trains


def scalars(annotations: Mapping[str, Any]) -> dict[str, Any]:
    """Annotations that are one number or text; lengths in µm, other quantities as they are."""
    import quantities as pq

    by_name: dict[str, Any] = {}
    for name, value in annotations.items():
        if isinstance(value, pq.Quantity) and value.size == 1:
            is_length = value.dimensionality.simplified == pq.m.dimensionality
            plain = value.rescale("um") if is_length else value
            by_name[name] = float(plain.magnitude.item())
        elif isinstance(value, np.generic):
            by_name[name] = value.item()
        elif isinstance(value, str | bool | int | float):
            by_name[name] = value
    return by_name


def session_of(
    segments: Sequence[Sequence[Train]],
    *,
    ids: Iterable[Any] | None = None,
    notes: Iterable[str] = (),
    naming: Remedy = "pass ids=",
) -> Session:
    """Session of segments, each an epoch, with trains joined by unit; ``ids`` renames units."""
    by_name = _by_name(segments, naming, renamed=ids is not None)
    units = list(by_name[0]) if by_name else []
    names = units if ids is None else list(map(str, listed("ids", ids, "pass one name per unit")))
    if len(names) != len(units):
        problem = f"has {len(names)} names for {len(units)} units"
        raise BadArgument("ids", problem, "pass one per spike train of a segment")
    for k, trains in enumerate(by_name):
        strange = sorted(set(units) ^ set(trains))
        if strange:
            problem = f"unit {strange[0]!r} is not in both segment 0 and segment {k}"
            raise BadFile(problem, "choose one segment, or give all segments the same units")
    columns = dict.fromkeys(key for train in (segments or [[]])[0] for key in train.columns)
    table = {name: [by_name[0][unit].columns.get(name) for unit in units] for name in columns}
    shifts, epochs, placed = _placed(segments)
    joined = joined_trains([[trains[unit].times for unit in units] for trains in by_name], shifts)
    return Session(names, joined, table, epochs=epochs, notes=(*notes, *placed))


def _by_name(
    segments: Sequence[Sequence[Train]], naming: Remedy, *, renamed: bool
) -> list[dict[str, Train]]:
    """Trains of each segment by name, or by place if names are shared and will be replaced."""
    names = [[train.name for train in trains] for trains in segments]
    for k, of_segment in enumerate(names):
        if len(set(of_segment)) < len(of_segment):
            by_place = [{str(n): each for n, each in enumerate(trains)} for trains in segments]
            if renamed and all(other == names[0] for other in names):
                return by_place
            twice = next(name for name in of_segment if of_segment.count(name) > 1)
            problem = f"two spike trains of segment {k} are called {twice!r}"
            raise BadFile(problem, "name the trains" if renamed else naming)
    return [{train.name: train for train in trains} for trains in segments]


def _placed(segments: Sequence[Sequence[Train]]) -> tuple[Floats, Epochs | None, list[str]]:
    """Seconds to add to times of each segment, the time that all its trains share, and notes."""
    shared, covered, notes = [], [], []
    for k, trains in enumerate(segments):
        if not trains:
            return np.zeros(len(segments)), None, []
        starts, stops = ([getattr(t, edge) for t in trains] for edge in ("start", "stop"))
        start, stop = max(starts), min(stops)
        if not stop > start:
            problem = f"one starts at {start:.10g} s, one stops at {stop:.10g} s"
            raise BadFile(f"trains of segment {k} share no time: {problem}", "repair their times")
        if start > min(starts) or stop < max(stops):
            shares = f"{start:.10g} to {stop:.10g} s"
            notes.append(f"trains of segment {k} cover different times; all share {shares}")
        shared.append((start, stop))
        covered.append((min(starts), max(stops)))
    shifts, epochs, moved = align_segments(covered, shared, labelled=len(shared) > 1)
    return shifts, epochs if shared else None, [*notes, *moved]
