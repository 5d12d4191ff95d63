"""Epochs: the stretches of time in which a recording's units were observed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import BadArgument, BadInput
from .tables import AsTable
from .validation import Floats, real_array, texts

#: Seconds. Times are compared with edges to the nanosecond: a spike that lies less than half a
#: nanosecond from an edge lies on it. Times that went through milliseconds, samples or decimals
#: then land where the original did.
HALF_NANOSECOND = 0.5e-9
#: Seconds. Rows of a table of intervals with a shorter gap are one epoch: frames of a movie.
_GAP_S = 1e-3


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Epochs(AsTable):
    """Stretches of time in order and without overlap.

    A spike on the end of an epoch lies in it, unless the next epoch begins there; an epoch without
    length holds nothing.

    Parameters
    ----------
    intervals : array_like, shape (n_epochs, 2)
        Start and stop of each epoch, seconds.
    labels : iterable of str, optional
        What each epoch is, for example ``"movie"``.

    Examples
    --------
    >>> epochs = Epochs([[0.0, 60.0], [90.0, 100.0]], labels=["movie", "dark"])
    >>> epochs.duration_s, epochs.labelled("dark").starts
    (70.0, array([90.]))
    """

    _columns = (("start_s", "starts"), ("stop_s", "stops"), ("label", "labels"))

    starts: Floats
    stops: Floats
    labels: tuple[str, ...] | None

    def __init__(self, intervals: ArrayLike, labels: Iterable[str] | None = None) -> None:
        edges = _checked_intervals(intervals)
        names = None
        if labels is not None:
            names = texts("labels", labels, "pass one per epoch")
            if len(names) != len(edges):
                problem = f"has {len(names)} entries for {len(edges)} epochs"
                raise BadArgument("labels", problem, "pass one each")
        edges.flags.writeable = False
        object.__setattr__(self, "starts", edges[:, 0])
        object.__setattr__(self, "stops", edges[:, 1])
        object.__setattr__(self, "labels", names)

    @classmethod
    def joined(
        cls, intervals: ArrayLike, gap_s: float = 0.0, labels: Sequence[str] | None = None
    ) -> Epochs:
        """Epochs of any intervals: sorted, and those that overlap made one.

        Intervals with a gap below ``gap_s`` between them are made one, too. Labels are lost where
        any two are made one.
        """
        edges = real_array("intervals", intervals, "pass rows of start and stop in seconds")
        edges = edges.reshape(-1, 2)
        order = np.argsort(edges[:, 0], kind="stable")
        edges = edges[order]
        latest = np.maximum.accumulate(edges[:, 1])
        first = np.append(0, np.flatnonzero(~(edges[1:, 0] < latest[:-1] + gap_s)) + 1)
        if len(first) >= len(edges):
            return cls(edges, None if labels is None else [labels[n] for n in order])
        last = np.append(first[1:], len(edges)) - 1
        return cls(np.column_stack((edges[first, 0], latest[last])))

    @property
    def duration_s(self) -> float:
        """Seconds in all epochs together."""
        return float((self.stops - self.starts).sum())

    def __len__(self) -> int:
        return int(self.starts.size)

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return zip(self.starts.tolist(), self.stops.tolist(), strict=True)

    def __repr__(self) -> str:
        return f"Epochs({len(self)} of {self.duration_s:g} s together)"

    def labelled(self, label: str) -> Epochs:
        """The epochs of one label."""
        chosen = [place for place, name in enumerate(self.labels or ()) if name == label]
        if not chosen:
            known = ", ".join(map(repr, sorted(set(self.labels or ())))) or "none"
            raise BadInput(f"no epoch is labelled {label!r}", f"labels here: {known}")
        return Epochs(np.column_stack((self.starts, self.stops))[chosen], [label] * len(chosen))

    def intersect(self, other: Epochs) -> Epochs:
        """Stretches that lie in an epoch of both; labels are those of the first that has some.

        Epochs that only touch stay apart.
        """
        first = np.searchsorted(other.stops, self.starts, side="right")
        behind = np.searchsorted(other.starts, self.stops, side="left")
        shared = np.maximum(behind - first, 0)
        mine = np.repeat(np.arange(len(self)), shared)
        theirs = np.arange(shared.sum()) - np.repeat(np.cumsum(shared) - shared, shared)
        theirs += first[mine]
        starts = np.maximum(self.starts[mine], other.starts[theirs])
        stops = np.minimum(self.stops[mine], other.stops[theirs])
        names, places = (other.labels, theirs) if self.labels is None else (self.labels, mine)
        labels = None if names is None else [names[place] for place in places]
        return Epochs(np.column_stack((starts, stops)), labels)

    def locate(self, times_s: Floats) -> NDArray[np.int64]:
        """Epoch of each time, shape (n_times,), -1 outside all; edges to the nanosecond."""
        lasting = np.flatnonzero(self.stops > self.starts)
        before = np.searchsorted(self.starts[lasting], times_s + HALF_NANOSECOND, side="right")
        place = np.append(-1, lasting)[before]
        inside = place >= 0
        inside[inside] = times_s[inside] - HALF_NANOSECOND <= self.stops[place[inside]]
        return np.where(inside, place, -1)


def as_epochs(epochs: Epochs | ArrayLike) -> Epochs:
    """Epochs as they are, or those with the given starts and stops."""
    return epochs if isinstance(epochs, Epochs) else Epochs(epochs)


def names_epochs(epochs: Any) -> TypeGuard[str | list[str]]:
    """Whether epochs are given by one name or by several."""
    several = isinstance(epochs, list | tuple) and len(epochs) > 0
    return isinstance(epochs, str) or (several and all(isinstance(each, str) for each in epochs))


def named_epochs(names: str | Iterable[str], own: Epochs, tables: Mapping[str, Epochs]) -> Epochs:
    """Epochs by one name or several, labelled by them.

    A name is a label of ``own``, a table (without ``_presentations`` too), or a label in any table.
    """
    chosen = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    by_name = {name: _epochs_called(name, own, tables) for name in chosen}
    rows = np.concatenate([np.column_stack((each.starts, each.stops)) for each in by_name.values()])
    labels = [name for name, each in by_name.items() for _ in range(len(each))]
    return Epochs.joined(rows, labels=labels)


def _epochs_called(name: str, own: Epochs, tables: Mapping[str, Epochs]) -> Epochs:
    if name in (own.labels or ()):
        return own.labelled(name)
    table = tables.get(name, tables.get(f"{name}_presentations"))
    parts = [each.labelled(name) for each in tables.values() if name in (each.labels or ())]
    parts = parts if table is None else [table]
    if parts:
        rows = [np.column_stack((part.starts, part.stops)) for part in parts]
        return Epochs.joined(np.concatenate(rows), gap_s=_GAP_S)
    labels = ", ".join(map(repr, sorted(set(own.labels or ())))) or "none"
    offered = f"; tables of intervals: {', '.join(map(repr, list(tables)[:10]))}" if tables else ""
    raise BadInput(f"no epoch is labelled {name!r}", f"labels here: {labels}{offered}")


def _checked_intervals(intervals: ArrayLike) -> Floats:
    edges = real_array("intervals", intervals, "pass rows of start and stop in seconds")
    if edges.size == 0:
        edges = edges.reshape(0, 2)
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise BadArgument("intervals", f"has shape {edges.shape}", "pass rows of start and stop")
    bad = np.flatnonzero(~(np.isfinite(edges).all(axis=1) & (edges[:, 0] <= edges[:, 1])))
    if bad.size:
        problem = f"epoch {bad[0]} runs from {edges[bad[0], 0]} to {edges[bad[0], 1]} s"
        raise BadInput(problem, "an epoch needs a finite start that does not come after its stop")
    behind = np.flatnonzero(edges[1:, 0] < edges[:-1, 1])
    if behind.size:
        k = behind[0]
        mine, before = edges[k + 1, 0], edges[k, 1]
        problem = f"epoch {k + 1} starts at {mine} s, before epoch {k} ends at {before} s"
        raise BadInput(problem, "epochs must be in order and not overlap")
    return edges
