"""Tables with one row per spike, whatever file holds them: their columns, and their session."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation import Floats
from ._arrays import split_by_unit
from ._clocks import ticks_per_second
from ._columns import DEPTH_COLUMNS, LAYER_COLUMNS, QUALITY_COLUMNS
from ._failures import BadFileError, name_list
from ._mapping import natural, offer
from ._session import Session
from ._tables import UNIT_NAMES, place_of, plain_name

#: Names of the column of times, as `plain_name` writes them; they may state the unit.
_TIME_NAME = re.compile("(?:(?:spike_)?times?|t)(?:_(s|ms|us|µs|ns))?")
_SAMPLE_NAMES = ("sample", "samples", "sample_index")
#: Columns that describe units, so that they may not change from spike to spike.
_OF_UNITS = {*DEPTH_COLUMNS, *LAYER_COLUMNS, *QUALITY_COLUMNS, "multiunit"}


class SpikeTable:
    """Rows so far: unit and time of each spike, and entries of each unit.

    ``times`` and ``units`` are the columns that the caller named, if any; ``unit`` and ``time`` are
    their positions, and ``columns`` holds the entries of all others. Errors call a row ``row``.
    """

    def __init__(
        self, header: Sequence[str], times: str | None, units: str | None, row: str, next_row: int
    ) -> None:
        self.unit, self.time = _places(header, times, units)
        self.row, self.next_row = row, next_row
        own = (header[self.unit], header[self.time])
        self.time_name, self.time_unit = own[1], _stated_unit(own[1])
        self.columns: dict[str, dict[int, Any]] = {name: {} for name in header if name not in own}
        self._codes: dict[str, int] = {}
        self._units: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
        self._times: list[Floats] = [np.empty(0)]
        self._left_out: dict[str, list[str]] = {}

    def ticks_per_second(self, time_unit: str | None, sampling_rate: float | None) -> float:
        """How many units of time make a second, as the column or the caller states it."""
        stated = self.time_unit
        if stated and time_unit not in (None, stated):
            raise BadFileError(
                f"its column {self.time_name!r} is in {stated} but time_unit is {time_unit!r}; "
                "leave time_unit= out"
            )
        return ticks_per_second(time_unit or stated or "s", sampling_rate)

    def leave_out(self, name: str, reason: str) -> None:
        """Do not read a column; a note says why."""
        del self.columns[name]
        self._left_out.setdefault(reason, []).append(repr(name))

    def add(
        self, names: Sequence[str], times: Floats, entries: Mapping[str, Sequence[Any]]
    ) -> None:
        """Add rows: units and times of their spikes, and their entries in `columns`."""
        if "" in names:
            raise BadFileError(
                f"{self.row} {self.next_row + names.index('')} names no unit; complete or remove it"
            )
        for bad in np.flatnonzero(~np.isfinite(times))[:1]:
            raise BadFileError(
                f"{self.row} {self.next_row + bad}: time is {times[bad]}; leave out spikes whose "
                "time is unknown"
            )
        units = [self._codes.setdefault(name, len(self._codes)) for name in names]
        self._units.append(np.array(units, dtype=np.int64))
        self._times.append(times)
        for name, column in entries.items():
            self._describe(name, units, column)
        self.next_row += len(units)

    def _describe(self, name: str, units: list[int], entries: Sequence[Any]) -> None:
        """Keep a unit's entry; a column that changes within a unit is refused or left out."""
        known = self.columns[name]
        for row, (unit, entry) in enumerate(zip(units, entries, strict=True)):
            if known.setdefault(unit, entry) != entry:
                if name.lower() in _OF_UNITS:
                    label = list(self._codes)[unit]
                    raise BadFileError(
                        f"{self.row} {self.next_row + row}: {name} of unit {label!r} is {entry!r} "
                        f"but was {known[unit]!r} before; give each unit one {name}"
                    )
                self.leave_out(name, "change within units")
                return

    def session(self, per_second: float) -> Session:
        """The units in the natural order of their names, with times in seconds."""
        names = sorted(self._codes, key=natural)
        codes = [self._codes[name] for name in names]
        times = np.concatenate(self._times) / per_second
        by_code = split_by_unit(times, np.concatenate(self._units), len(names))
        trains = [by_code[code] for code in codes]
        columns = {name: [known[code] for code in codes] for name, known in self.columns.items()}
        notes = [
            f"not read, since they {why}: {name_list(left)}" for why, left in self._left_out.items()
        ]
        return Session(names, trains, columns, notes=tuple(notes))


def _stated_unit(name: str) -> str | None:
    """Unit of time that a column's name states, "" if it states none, None if it is no time."""
    if plain_name(name) in _SAMPLE_NAMES:
        return "samples"
    match = _TIME_NAME.fullmatch(plain_name(name))
    return None if match is None else (match[1] or "").replace("µ", "u")


def _places(header: Sequence[str], times: str | None, units: str | None) -> tuple[int, int]:
    """Positions of the columns of unit and time, those that the caller named or the usual ones."""
    of_time = [place for place, name in enumerate(header) if _stated_unit(name) is not None]
    # If there are both times and samples, times need no sampling rate.
    usual = min(of_time, key=lambda place: _stated_unit(header[place]) == "samples", default=None)
    named = times is not None or units is not None
    choices = (("units", units, place_of(header, UNIT_NAMES)), ("times", times, usual))
    found = []
    for argument, name, place in choices:
        problem = f"{argument}= is missing" if named else "it has no columns 'unit' and 'time'"
        if name is not None:
            place = place_of(header, [plain_name(str(name))])
            problem = f"there is no column {name!r}"
        if place is None:
            raise BadFileError(f"{problem}; {offer(header, 'columns')}")
        found.append(place)
    if not named and len(set(map(plain_name, header))) < len(header):
        raise BadFileError(f"its header {name_list(header)} names a column twice; rename one")
    return found[0], found[1]
