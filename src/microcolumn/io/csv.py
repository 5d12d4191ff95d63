"""CSV: one row per spike, with columns for the unit and the time; or a matrix of counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..validation import Floats, is_finite_number
from ._arrays import split_by_unit
from ._clocks import ticks_per_second
from ._columns import DEPTH_COLUMNS, LAYER_COLUMNS, QUALITY_COLUMNS
from ._counts import checked_width
from ._failures import BadFileError
from ._mapping import natural, offer, refuse
from ._matrices import text_matrix
from ._session import Session
from ._tables import UNIT_NAMES, open_table, place_of, plain_name

#: Names of the column of times, as `plain_name` writes them; they may state the unit.
_TIME_NAME = re.compile("(?:(?:spike_)?times?|t)(?:_(s|ms|us|µs))?")
_SAMPLE_NAMES = ("sample", "samples", "sample_index")
#: Columns that describe units, so that they may not change from spike to spike.
_OF_UNITS = {*DEPTH_COLUMNS, *LAYER_COLUMNS, *QUALITY_COLUMNS, "multiunit"}
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+(?:[eE][-+]?\d+)?\s*")
#: Rows held as text at a time; more would not fit the processor's cache.
_CHUNK = 1 << 12


def load(
    path: Path,
    *,
    times: str | None = None,
    units: str | None = None,
    time_unit: str | None = None,
    sampling_rate: float | None = None,
    bin_width: float | None = None,
    units_in: str | None = None,
) -> Session:
    """A table of spikes, or a matrix of counts, separated by commas, semicolons, tabs or spaces.

    Units come in the natural order of their names (``2`` before ``10``), so that words do not
    depend on which unit fires first. Columns such as ``depth``, ``layer`` and ``quality`` must be
    constant within a unit; other columns are kept if they are constant. Decimal commas are read
    where commas do not separate columns.

    Parameters
    ----------
    path : Path
        The file, in UTF-8 or UTF-16, compressed by gzip or not.
    times, units : str, optional
        Columns of the times and of the units; by default ``time`` and ``unit`` or what else these
        are called. In a table without a header, columns are numbered from 1.
    time_unit : {"s", "ms", "us", "samples"}, optional
        Unit of the times. By default the one in the column's name (``time_ms``, ``time (ms)``),
        or else seconds.
    sampling_rate : float, optional
        Samples per second, for times in samples.
    bin_width : float, optional
        Seconds per bin: then the file is a matrix of counts, with or without names of the units
        in its first line.
    units_in : {"rows", "columns"}, optional
        Where units are in a matrix; along its shorter axis by default, in columns if these have
        names.
    """
    of_spikes = {
        "times": times,
        "units": units,
        "time_unit": time_unit,
        "sampling_rate": sampling_rate,
    }
    if bin_width is not None:
        refuse("a matrix of counts, which bin_width= states", **of_spikes)
        return text_matrix(path, checked_width(bin_width), units_in)
    refuse("a table of spikes; a matrix of counts needs bin_width=", units_in=units_in)
    with open_table(path) as (header, rows):
        points = rows.dialect.delimiter != ","  # then a comma is a decimal point
        lines: Iterator[list[str]] = rows
        named = bool(times or units)
        first_line = 2
        if named and all(is_finite_number(_pointed(text, points)) for text in header):
            lines, first_line = chain([header], rows), 1
            header = [str(n) for n in range(1, len(header) + 1)]
        unit, time = _stated_places(header, times, units) if named else _places(header)
        stated = _stated_unit(header[time])
        if stated and time_unit not in (None, stated):
            raise BadFileError(
                f"its column {header[time]!r} is in {stated} but time_unit is {time_unit!r}; "
                "leave time_unit= out"
            )
        per_second = ticks_per_second(time_unit or stated or "s", sampling_rate)
        table = _Table(header, unit, time, first_line, points)
        for chunk in _chunks(lines):
            table.add(chunk)
    return _session(table, per_second)


def _session(table: _Table, per_second: float) -> Session:
    names = sorted(table.codes, key=natural)
    rank = np.empty(len(names), dtype=np.int64)
    rank[[table.codes[name] for name in names]] = np.arange(len(names))
    index = rank[np.concatenate([np.empty(0, dtype=np.int64), *table.units])]
    times = np.concatenate([np.empty(0), *table.times]) / per_second
    columns = {
        name: [_pointed(values[table.codes[unit]], table.points) for unit in names]
        for name, values in table.columns.items()
    }
    varying = ", ".join(map(repr, table.varying))
    notes = (f"not read, since they change within units: {varying}",) if varying else ()
    return Session(names, split_by_unit(times, index, len(names)), columns, notes=notes)


class _Table:
    """Rows so far: unit and time of each spike, and entries of each unit."""

    def __init__(
        self, header: Sequence[str], unit: int, time: int, first_line: int, points: bool
    ) -> None:
        self.header, self.unit, self.time = header, unit, time
        self.first_line, self.points = first_line, points
        self.codes: dict[str, int] = {}
        self.units: list[NDArray[np.int64]] = []
        self.times: list[Floats] = []
        others = [name for name in header if name not in (header[unit], header[time])]
        self.columns: dict[str, dict[int, str]] = {name: {} for name in others}
        self.varying: list[str] = []
        self.n_rows = 0

    def add(self, rows: list[list[str]]) -> None:
        first_line = self.n_rows + self.first_line
        n_fields = len(self.header)
        if set(map(len, rows)) != {n_fields}:
            place, row = next((k, row) for k, row in enumerate(rows) if len(row) != n_fields)
            problem = "is empty; remove it"
            if not _is_blank(row):
                problem = (
                    f"has {len(row)} fields where the header has {n_fields}; complete it, and "
                    "write decimal points, not commas"
                )
            raise BadFileError(f"line {first_line + place} {problem}")
        columns = list(zip(*rows, strict=True))
        names = list(map(str.strip, columns[self.unit]))
        if "" in names:
            raise BadFileError(
                f"line {first_line + names.index('')} names no unit; complete or remove it"
            )
        units = [self.codes.setdefault(name, len(self.codes)) for name in names]
        self.units.append(np.array(units, dtype=np.int64))
        self.times.append(_numbers(columns[self.time], first_line, self.points))
        for place, name in enumerate(self.header):
            if name in self.columns:
                self._describe(name, units, columns[place], first_line)
        self.n_rows += len(rows)

    def _describe(
        self, name: str, units: list[int], entries: tuple[str, ...], first_line: int
    ) -> None:
        """Keep a unit's entry; a column that changes within a unit is refused or dropped."""
        known = self.columns[name]
        for row, (unit, entry) in enumerate(zip(units, entries, strict=True)):
            if known.setdefault(unit, entry) != entry:
                if name.lower() in _OF_UNITS:
                    label = list(self.codes)[unit]
                    raise BadFileError(
                        f"line {first_line + row}: {name} of unit {label!r} is {entry!r} but "
                        f"was {known[unit]!r} before; give each unit one {name}"
                    )
                del self.columns[name]
                self.varying.append(name)
                return


def _chunks(reader: Iterator[list[str]]) -> Iterator[list[list[str]]]:
    """Rows by the thousands; blank lines at the end of the file are no rows."""
    rows = list(islice(reader, _CHUNK))
    while rows:
        following = list(islice(reader, _CHUNK))
        while not following and rows and _is_blank(rows[-1]):
            rows.pop()
        if rows:
            yield rows
        rows = following


def _is_blank(row: list[str]) -> bool:
    return not "".join(row).strip()


def _places(header: list[str]) -> tuple[int, int]:
    """Positions of the columns of unit and time, or an error about the header."""
    names = [plain_name(name) for name in header]
    unit = place_of(header, UNIT_NAMES)
    times = [place for place, name in enumerate(header) if _stated_unit(name) is not None]
    # If there are both times and samples, times need no sampling rate.
    time = min(times, key=lambda place: names[place] in _SAMPLE_NAMES, default=None)
    if unit is not None and time is not None:
        if len(set(names)) < len(names):
            raise BadFileError(f"its header {', '.join(header)} names a column twice; rename one")
        return unit, time
    if header and all(map(is_finite_number, header[1:2] or header)):
        raise BadFileError(
            "it has no header; add 'unit,time' as its first line, or number its columns from 1 "
            "(times='2' units='1'); a matrix of counts needs bin_width="
        )
    raise BadFileError(f"it has no columns 'unit' and 'time'; {offer(header, 'columns')}")


def _stated_places(header: list[str], times: str | None, units: str | None) -> tuple[int, int]:
    """Positions of the columns of unit and time of which the caller named at least one."""
    found = []
    for argument, name, usual in (
        ("units", units, place_of(header, UNIT_NAMES)),
        (
            "times",
            times,
            next((k for k, n in enumerate(header) if _stated_unit(n) is not None), None),
        ),
    ):
        place = usual if name is None else place_of(header, [plain_name(str(name))])
        if place is None:
            asked = (
                f"there is no column {name!r}" if name is not None else f"{argument}= is missing"
            )
            raise BadFileError(f"{asked}; {offer(header, 'columns')}")
        found.append(place)
    return found[0], found[1]


def _stated_unit(name: str) -> str | None:
    """Unit of time that a column's name states, "" if it states none, None if it is no time."""
    if plain_name(name) in _SAMPLE_NAMES:
        return "samples"
    match = _TIME_NAME.fullmatch(plain_name(name))
    return None if match is None else (match[1] or "").replace("µ", "u")


def _pointed(text: str, points: bool) -> str:
    """A number with a decimal point in place of its comma, if commas are decimal ``points``."""
    return text.replace(",", ".") if points and _DECIMAL_COMMA.fullmatch(text) else text


def _numbers(texts: Sequence[str], first_line: int, points: bool) -> Floats:
    try:
        times = np.array(list(map(float, texts)))
    except ValueError:
        texts = [_pointed(text, points) for text in texts]
        place = next((k for k, text in enumerate(texts) if not _is_number(text)), None)
        if place is not None:
            text = texts[place]
            comma = _DECIMAL_COMMA.fullmatch(text)
            remedy = "write decimal points, not commas" if comma else "correct or remove it"
            raise BadFileError(
                f"line {first_line + place}: time {text[:50]!r} is not a number; {remedy}"
            ) from None
        times = np.array(list(map(float, texts)))
    bad = np.flatnonzero(~np.isfinite(times))
    if bad.size:
        raise BadFileError(
            f"line {first_line + bad[0]}: time is {texts[bad[0]].strip()[:50]}; "
            "leave out spikes whose time is unknown"
        )
    return times


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
