"""Spike trains out of Neo, and the step from there to a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...epochs import Epochs
from ..failures import BadFileError
from ..session import Session

Floats = NDArray[np.float64]

#: Annotations that name a unit whose train has no name.
_NAMES = ("unit_name", "unit_id", "id")
#: Seconds from a spike on the very end of a segment to the end of the epoch: Neo's segments
#: include their end, epochs do not.
_AFTER_LAST_SPIKE = 1e-9


@dataclass(frozen=True, slots=True)
class Train:
    """A spike train of one segment.

    Attributes
    ----------
    name : str
        Of its unit.
    times : ndarray of float64, shape (n_spikes,)
        Seconds.
    start, stop : float
        When the unit was observed, seconds.
    columns : mapping of str to scalars
        What else is known about the unit.
    """

    name: str
    times: Floats
    start: float
    stop: float
    columns: Mapping[str, Any]


def trains_of(trains: Iterable[Any]) -> list[Train]:
    """Trains of `neo.SpikeTrain` objects, or of proxies of them."""
    import neo

    found = []
    for position, item in enumerate(trains):
        train = item.load() if hasattr(item, "load") else item
        if not isinstance(train, neo.SpikeTrain):
            raise TypeError(
                f"trains[{position}] is of type {type(train).__name__}; pass a neo.Block, a "
                "neo.Segment or a list of neo.SpikeTrain"
            )
        columns = scalars(train.annotations)
        names = [train.name, *(columns.get(key) for key in _NAMES)]
        name = next((str(name) for name in names if name not in (None, "")), str(position))
        found.append(
            Train(
                name,
                np.asarray(train.rescale("s").magnitude, dtype=np.float64),
                float(train.t_start.rescale("s")),
                float(train.t_stop.rescale("s")),
                columns,
            )
        )
    return found


def scalars(annotations: Mapping[str, Any]) -> dict[str, Any]:
    """Annotations that are one number or text; lengths in µm, other quantities as they are."""
    import quantities as pq

    found: dict[str, Any] = {}
    for name, value in annotations.items():
        if isinstance(value, pq.Quantity) and value.size == 1:
            is_length = value.dimensionality.simplified == pq.m.dimensionality
            plain = value.rescale("um") if is_length else value
            found[name] = float(plain.magnitude.item())
        elif isinstance(value, np.generic):
            found[name] = value.item()
        elif isinstance(value, str | bool | int | float):
            found[name] = value
    return found


def session_of(
    segments: Sequence[Sequence[Train]],
    *,
    ids: Iterable[Any] | None = None,
    notes: Iterable[str] = (),
    naming: str = "pass ids=",
) -> Session:
    """Session of segments, each an epoch, whose trains are joined unit by unit.

    Parameters
    ----------
    segments : sequence of sequence of Train
        Units must be the same in all of them, in any order.
    ids : iterable, optional
        Names of the units in the order of the first segment, instead of their own.
    notes : iterable of str
        Sentences about what was done before.
    naming : str
        What to do where two units have the same name.
    """
    names = [train.name for train in segments[0]] if segments else []
    by_name = [_by_name(trains, k, naming, ids) for k, trains in enumerate(segments)]
    keys = list(by_name[0]) if by_name else []
    for k, trains in enumerate(by_name):
        strange = sorted(map(str, set(keys) ^ set(trains)))
        if strange:
            raise BadFileError(
                f"unit {strange[0]!r} is not in both segment 0 and segment {k}; "
                "choose one segment, or give all segments the same units"
            )
    columns = dict.fromkeys(key for train in (segments or [[]])[0] for key in train.columns)
    epochs, ends = _epochs(segments)
    return Session(
        ids=[str(name) for name in (names if ids is None else ids)],
        trains=[np.concatenate([trains[key].times for trains in by_name]) for key in keys],
        columns={name: [by_name[0][key].columns.get(name) for key in keys] for name in columns},
        epochs=epochs,
        notes=(*notes, *ends),
    )


def _by_name(
    trains: Sequence[Train], segment: int, naming: str, ids: Iterable[Any] | None
) -> dict[str | int, Train]:
    """Trains of a segment by name, or by position where the caller names them."""
    if ids is not None:
        return dict(enumerate(trains))
    found: dict[str | int, Train] = {}
    for train in trains:
        if train.name in found:
            raise BadFileError(
                f"two spike trains of segment {segment} are called {train.name!r}; {naming}"
            )
        found[train.name] = train
    return found


def _epochs(segments: Sequence[Sequence[Train]]) -> tuple[Epochs | None, list[str]]:
    """The time that all trains of a segment share, for each segment."""
    spans, notes = [], []
    for k, trains in enumerate(segments):
        if not trains:
            return None, []
        starts, stops = ([getattr(t, edge) for t in trains] for edge in ("start", "stop"))
        start, stop = max(starts), min(stops)
        if not stop > start:
            raise BadFileError(
                f"the spike trains of segment {k} share no time: one starts at {start:.10g} s, "
                f"one stops at {stop:.10g} s; repair t_start and t_stop"
            )
        if start > min(starts) or stop < max(stops):
            notes.append(
                f"trains of segment {k} do not cover the same time; what all share is taken, "
                f"{start:.10g} to {stop:.10g} s"
            )
        if any(t.times.size and t.times[-1] == stop for t in trains):
            stop += _AFTER_LAST_SPIKE
        spans.append((start, stop))
    for k, (before, after) in enumerate(pairwise(spans)):
        if after[0] + _AFTER_LAST_SPIKE < before[1]:
            raise BadFileError(
                f"segment {k + 1} starts at {after[0]:.10g} s, before segment {k} stops at "
                f"{before[1]:.10g} s, so that they share no clock; choose one segment"
            )
        spans[k] = (before[0], min(before[1], after[0]))
    if not spans:
        return None, notes
    labels = [f"segment {k}" for k in range(len(spans))] if len(spans) > 1 else None
    return Epochs(spans, labels), notes
