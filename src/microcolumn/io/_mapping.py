"""Which arrays or columns of a file hold times and units: as the user names them, or the usual."""

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import BadArgument, BadFile, Remedy, advice, name_list
from ..safe_text import as_text
from ..validation import Floats
from ._arrays import check_same_length, flat_numbers, flattened, split_by_unit
from ._clocks import ticks_per_second
from ._columns import DEPTH_COLUMNS, LAYER_COLUMNS, QUALITY_COLUMNS
from ._plates import ELECTRODE_NAMES, WELL_NAMES, check_well
from ._session import Session
from ._tables import UNIT_NAMES, place_of, plain_name

#: Parts of names that times and units go by, the likeliest first.
_TIME_PARTS = ("spike_time", "spiketime", "time", "sample", "stamp", "ts")
_UNIT_PARTS = ("cluster", "unit", "neuron", "cell", "label", "clu", "id")
#: Names of the column of times, as `plain_name` writes them; they may state the unit.
_TIME_NAME = re.compile("(?:(?:spike_)?times?|timestamps?|t)(?:_(s|ms|us|µs|ns))?")
_SAMPLE_NAMES = ("sample", "samples", "sample_index")
#: Columns that describe units, so that they may not change from spike to spike.
_OF_UNITS = {*DEPTH_COLUMNS, *LAYER_COLUMNS, *QUALITY_COLUMNS, "multiunit"}


class Arrays(NamedTuple):
    """Arrays of a file that times and units are chosen from."""

    names: Sequence[str]
    #: Gives the array of a name.
    read: Callable[[str], NDArray[Any]]
    #: What separates the parts of a name, and what a file calls its arrays.
    separator: str
    what: str


def mapped_session(
    arrays: Arrays, times: str | None, units: str | None, per_second: float
) -> Session:
    """Session of arrays with time and unit of each spike, or of a pattern: one array per unit."""
    if times is not None and "*" in times:
        by_unit_name = matching(arrays.names, times, arrays.separator)
        refuse("one array of times per unit", units=units)
        if not by_unit_name:
            raise BadFile(f"nothing is called {times!r}", offer(arrays.names, arrays.what))
        trains = [_times(arrays, name) / per_second for name in by_unit_name.values()]
        return Session(list(by_unit_name), trains)
    chosen = [_full_name(arrays, name) for name in (times, units)]
    ticks = _times(arrays, chosen[0])
    labels = _labels(arrays.read(chosen[1]), chosen[1])
    check_same_length(chosen[0], ticks, chosen[1], labels)
    return Session(*by_unit(ticks / per_second, labels))


def _full_name(arrays: Arrays, name: str | None) -> str:
    wanted = str(name).strip(arrays.separator)
    for known in arrays.names:
        if name is not None and known.strip(arrays.separator) == wanted:
            return known
    problem = f"nothing is called {name!r}" if name is not None else "times and units are not known"
    raise BadFile(problem, offer(arrays.names, arrays.what))


def _times(arrays: Arrays, name: str) -> Floats:
    return flat_numbers(arrays.read(name), name).astype(np.float64)


def matching(names: Sequence[str], pattern: str, separator: str) -> dict[str, str]:
    """Names that match a pattern such as ``unit_*``, by the parts that have a star in it."""
    wanted = pattern.strip(separator).split(separator)
    by_unit_name = {}
    for name in names:
        parts = name.strip(separator).split(separator)
        if len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted)):
            own = (part for part, want in zip(parts, wanted, strict=True) if part != want)
            by_unit_name[separator.join(own)] = name
    return {unit: by_unit_name[unit] for unit in sorted(by_unit_name, key=natural)}


def by_unit(times: Floats, labels: NDArray[Any]) -> tuple[list[str], list[Floats]]:
    """Units in the natural order of their names, and spike times of each."""
    distinct, codes = np.unique(labels, return_inverse=True)
    names = list(map(str, distinct.tolist()))
    trains = split_by_unit(times, codes.ravel(), len(names))
    order = sorted(range(len(names)), key=lambda n: natural(names[n]))
    return [names[n] for n in order], [trains[n] for n in order]


def natural(name: str) -> tuple[list[Any], str]:
    """Key that sorts runs of digits by their value and everything else as text."""
    parts: list[Any] = re.split("([0-9]+)", name)
    values = [digits.lstrip("0") for digits in parts[1::2]]
    parts[1::2] = [(len(value), value) for value in values]
    return parts, name


def offer(names: Sequence[str], what: str, listed_names: Sequence[object] | None = None) -> Remedy:
    """Advice to name times and units among the ``what`` of a file, listed as ``listed_names``."""
    time, unit = _likeliest(names, _TIME_PARTS), _likeliest(names, _UNIT_PARTS)
    if time is None or unit is None or time == unit:
        time, unit = "...", "..."
    chosen = advice(" {times} {units}", times=time, units=unit)
    listed = f" ({what}: {name_list(listed_names or names)})"
    return (f"name the {what} of times and of units, for example", *chosen, listed)


#: What to do with an option of counts that is given for spikes.
OF_COUNTS = advice("leave it out, or state the {bin_width} of a matrix of counts")


def refuse(content: str, remedy: Remedy = "leave it out", **options: Any) -> None:
    """Refuse options that were given and do not apply to ``content``."""
    for name in (name for name, value in options.items() if value is not None):
        raise BadArgument(name, f"does not apply to {content}", remedy)


def _likeliest(names: Sequence[str], parts: Sequence[str]) -> str | None:
    candidates = (name for part in parts for name in names if part in name.lower())
    return next(candidates, None)


def _labels(units: NDArray[Any], name: str) -> NDArray[Any]:
    """Names of units: text, or whole numbers, which files may hold as floating-point numbers."""
    flat = flattened(units)
    if flat.ndim == 1 and flat.dtype.kind in "USO":
        return np.array(list(map(as_text, flat.tolist())), dtype=np.str_)
    numbers = flat_numbers(flat, name)
    if numbers.dtype.kind != "f":
        return numbers
    bad = np.flatnonzero(~np.isfinite(numbers) | (numbers != np.trunc(numbers)))
    if bad.size:
        problem = f"{name} holds {numbers[bad[0]]}, which names no unit"
        raise BadFile(problem, advice("name whole numbers or text with {units}"))
    return numbers.astype(np.int64)


class SpikeTable:
    """Rows so far: unit and time of each spike, and entries of each unit.

    ``times`` and ``units`` are the columns that the caller named, if any; ``unit`` and ``time`` are
    their positions, and ``columns`` holds the entries of all others. Errors call a row ``row``.
    Of a plate only the spikes of one ``well`` are kept.
    """

    def __init__(
        self,
        header: Sequence[str],
        times: str | None,
        units: str | None,
        row: str,
        next_row: int,
        well: str | None = None,
    ) -> None:
        self.unit, self.time = _places(header, times, units)
        self.row, self.next_row = row, next_row
        own = (header[self.unit], header[self.time])
        self.time_name, self.time_unit = own[1], _stated_unit(own[1])
        self._of_electrodes = units is None and plain_name(own[0]) in ELECTRODE_NAMES
        self.columns: dict[str, dict[str, Any]] = {name: {} for name in header if name not in own}
        self._well = None if well is None else str(well)
        self._wells: dict[str, None] = {}  # in the order of the rows
        place = place_of(header, WELL_NAMES)
        self._well_column = None if place is None else header[place]
        self._codes: dict[str, int] = {}
        #: Codes of units and times, of the rows that were added together.
        self._spikes = [(np.empty(0, dtype=np.int64), np.empty(0))]
        self._left_out: dict[str, list[str]] = {}

    def ticks_per_second(self, time_unit: str | None, sampling_rate: float | None) -> float:
        """How many units of time make a second, as the column or the caller states it."""
        stated = self.time_unit
        if stated and time_unit not in (None, stated):
            problem = f"its column {self.time_name!r} is in {stated} but time_unit is {time_unit!r}"
            raise BadFile(problem, advice("leave {time_unit} out"))
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
            place = self.next_row + names.index("")
            raise BadFile(f"{self.row} {place} names no unit", "complete or remove it")
        for bad in np.flatnonzero(~np.isfinite(times))[:1]:
            problem = f"{self.row} {self.next_row + bad}: time is {times[bad]}"
            raise BadFile(problem, "leave out spikes whose time is unknown")
        first_row, self.next_row = self.next_row, self.next_row + len(names)
        if self._well_column in entries:
            names, times, entries = self._of_well(names, times, entries)
        codes = [self._codes.setdefault(name, len(self._codes)) for name in names]
        self._spikes.append((np.array(codes, dtype=np.int64), times))
        for name, column in entries.items():
            self._describe(name, names, column, first_row)

    def _of_well(
        self, names: Sequence[str], times: Floats, entries: Mapping[str, Sequence[Any]]
    ) -> tuple[list[str], Floats, dict[str, list[Any]]]:
        """The rows of the well that is kept, without the column of wells."""
        wells = [str(entry).strip() for entry in entries[str(self._well_column)]]
        self._wells.update(dict.fromkeys(wells))
        own = next(iter(self._wells), None) if self._well is None else self._well
        mine = [well == own for well in wells]
        columns = {name: list(compress(column, mine)) for name, column in entries.items()}
        del columns[str(self._well_column)]
        return list(compress(names, mine)), times[np.array(mine, dtype=bool)], columns

    def _describe(
        self, name: str, units: Sequence[str], entries: Sequence[Any], first_row: int
    ) -> None:
        """Keep a unit's entry; a column that changes within a unit is refused or left out."""
        known = self.columns[name]
        for row, (unit, entry) in enumerate(zip(units, entries, strict=True)):
            if known.setdefault(unit, entry) != entry:
                if name.lower() in _OF_UNITS:
                    where = f"{self.row} {first_row + row}: {name} of unit {unit!r}"
                    problem = f"{where} is {entry!r} but was {known[unit]!r} before"
                    raise BadFile(problem, f"give each unit one {name}")
                self.leave_out(name, "change within units")
                return

    def session(self, per_second: float) -> Session:
        """The units in the natural order of their names, with times in seconds."""
        names = sorted(self._codes, key=natural)
        codes, times = map(np.concatenate, zip(*self._spikes, strict=True))
        by_code = split_by_unit(times / per_second, codes, len(names))
        trains = [by_code[self._codes[unit]] for unit in names]
        notes = check_well(self._wells, self._well)
        self.columns.pop(str(self._well_column), None)
        columns = {name: [known[unit] for unit in names] for name, known in self.columns.items()}
        if self._of_electrodes:
            columns.setdefault("multiunit", [True] * len(names))
            notes.append("units are electrodes, whose spikes were not sorted: multiunits")
        left_out = {why: name_list(names) for why, names in self._left_out.items()}
        notes += [f"not read, since they {why}: {left}" for why, left in left_out.items()]
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
    unit = place_of(header, (*UNIT_NAMES, *ELECTRODE_NAMES))
    choices = (("units", units, unit), ("times", times, usual))
    places = []
    for argument, name, place in choices:
        problem = f"{argument}= is missing" if named else "it has no columns 'unit' and 'time'"
        if name is not None:
            place = place_of(header, [plain_name(str(name))])
            problem = f"there is no column {name!r}"
        if place is None:
            raise BadFile(problem, offer(header, "columns"))
        places.append(place)
    if not named and len(set(map(plain_name, header))) < len(header):
        raise BadFile(f"its header {name_list(header)} names a column twice", "rename one")
    return places[0], places[1]
