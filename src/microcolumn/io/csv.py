"""CSV: one row per spike, with columns for the unit and the time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation import Floats, is_finite_number
from ._arrays import split_by_unit
from ._clocks import ticks_per_second
from ._columns import DEPTH_COLUMNS, LAYER_COLUMNS, QUALITY_COLUMNS
from ._failures import BadFileError
from ._session import Session
from ._tables import UNIT_NAMES, open_table, place_of, plain_name

#: Names of the column of times, as `plain_name` writes them; they may state the unit.
_TIME_NAME = re.compile("(?:(?:spike_)?times?|t)(?:_(s|ms|us|µs))?")
_SAMPLE_NAMES = ("sample", "samples", "sample_index")
#: Columns that describe units, so that they may not change from spike to spike.
_OF_UNITS = {*DEPTH_COLUMNS, *LAYER_COLUMNS, *QUALITY_COLUMNS, "multiunit"}
#: Rows held as text at a time; more would not fit the processor's cache.
_CHUNK = 1 << 12


def load(
    path: Path, *, time_unit: str | None = None, sampling_rate: float | None = None
) -> Session:
    """A table of spikes with a header, separated by commas, semicolons or tabs.

    Units come in the natural order of their names (``2`` before ``10``), so that words do not
    depend on which unit fires first. Columns such as ``depth``, ``layer`` and ``quality`` must be
    constant within a unit; other columns are kept if they are constant.

    Parameters
    ----------
    path : Path
        The file, in UTF-8.
    time_unit : {"s", "ms", "us", "samples"}, optional
        Unit of the times. By default the one in the column's name (``time_ms``, ``time (ms)``),
        or else seconds.
    sampling_rate : float, optional
        Samples per second, for times in samples.
    """
    with open_table(path) as (header, rows):
        unit, time = _places(header)
        stated = _stated_unit(header[time])
        if stated and time_unit not in (None, stated):
            raise BadFileError(
                f"its column {header[time]!r} is in {stated} but time_unit is {time_unit!r}; "
                "leave time_unit out"
            )
        per_second = ticks_per_second(time_unit or stated or "s", sampling_rate)
        table = _Table(header, unit, time)
        for chunk in _chunks(rows):
            table.add(chunk)
    names = sorted(table.codes, key=_natural)
    rank = np.empty(len(names), dtype=np.int64)
    rank[[table.codes[name] for name in names]] = np.arange(len(names))
    index = rank[np.concatenate([np.empty(0, dtype=np.int64), *table.units])]
    times = np.concatenate([np.empty(0), *table.times]) / per_second
    _check_order(times, index, names)
    columns = {
        name: [values[table.codes[unit_name]] for unit_name in names]
        for name, values in table.columns.items()
    }
    varying = ", ".join(map(repr, table.varying))
    notes = (f"not read, since they change within units: {varying}",) if varying else ()
    return Session(names, split_by_unit(times, index, len(names)), columns, notes=notes)


class _Table:
    """Rows so far: unit and time of each spike, and entries of each unit."""

    def __init__(self, header: Sequence[str], unit: int, time: int) -> None:
        self.header, self.unit, self.time = header, unit, time
        self.codes: dict[str, int] = {}
        self.units: list[NDArray[np.int64]] = []
        self.times: list[Floats] = []
        others = [name for name in header if name not in (header[unit], header[time])]
        self.columns: dict[str, dict[int, str]] = {name: {} for name in others}
        self.varying: list[str] = []
        self.n_rows = 0

    def add(self, rows: list[list[str]]) -> None:
        first_line = self.n_rows + 2
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
        self.times.append(_numbers(columns[self.time], first_line))
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
        raise BadFileError("it has no header; add 'unit,time' as its first line")
    raise BadFileError(
        f"its header is {', '.join(header)[:200]!r}; it needs a column 'unit' and a column 'time', "
        "separated by commas, semicolons or tabs"
    )


def _stated_unit(name: str) -> str | None:
    """Unit of time that a column's name states, "" if it states none, None if it is no time."""
    if plain_name(name) in _SAMPLE_NAMES:
        return "samples"
    match = _TIME_NAME.fullmatch(plain_name(name))
    return None if match is None else (match[1] or "").replace("µ", "u")


def _numbers(texts: Sequence[str], first_line: int) -> Floats:
    try:
        times = np.array(list(map(float, texts)))
    except ValueError:
        place, text = next((k, t) for k, t in enumerate(texts) if not is_finite_number(t))
        comma = re.fullmatch(r"\s*-?\d+,\d+\s*", text)
        remedy = "write decimal points, not commas" if comma else "correct or remove it"
        raise BadFileError(
            f"line {first_line + place}: time {text[:50]!r} is not a number; {remedy}"
        ) from None
    bad = np.flatnonzero(~(np.isfinite(times) & (times >= 0)))
    if bad.size:
        remedy = "leave out spikes whose time is unknown"
        if times[bad[0]] < 0:
            remedy = "shift times so that the recording does not begin before 0"
        raise BadFileError(
            f"line {first_line + bad[0]}: time is {texts[bad[0]].strip()[:50]}; {remedy}"
        )
    return times


def _check_order(times: Floats, index: NDArray[np.int64], names: Sequence[str]) -> None:
    """Refuse a spike that comes after a later one of its unit, by its line."""
    order = np.argsort(index, kind="stable")
    behind = (np.diff(times[order]) < 0) & (np.diff(index[order]) == 0)
    if behind.any():
        row = int(order[1:][behind].min())
        raise BadFileError(
            f"line {row + 2}: unit {names[index[row]]!r} fires at {times[row]:.10g} s, before its "
            "spike in an earlier line; sort the rows by time"
        )


def _natural(name: str) -> tuple[list[Any], str]:
    """Key that sorts runs of digits by their value and everything else as text."""
    parts: list[Any] = re.split("([0-9]+)", name)
    values = [digits.lstrip("0") for digits in parts[1::2]]
    parts[1::2] = [(len(value), value) for value in values]
    return parts, name
