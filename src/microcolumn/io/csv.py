"""CSV: one row per spike, with columns for the unit and the time; or a matrix of counts."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from ..errors import BadFile, advice
from ..validation import Floats, is_finite_number
from ._clocks import whole_epoch
from ._counts import checked_width, text_matrix
from ._mapping import OF_COUNTS, SpikeTable, refuse
from ._plates import SpikeList, is_spike_list
from ._session import Session
from ._tables import check_fields, is_blank, open_table

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
    threshold: float | None = None,
    well: str | None = None,
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
    time_unit : {"s", "ms", "us", "ns", "samples"}, optional
        Unit of the times. By default the one in the column's name (``time_ms``, ``time (ms)``),
        or else seconds.
    bin_width : float, optional
        Seconds per bin: then the file is a matrix of counts, with or without names of the units
        in its first line.
    threshold : float, optional
        Noise levels: then the matrix holds deconvolved values of imaged cells, and a cell is active
        in a bin, which is a frame, where its value exceeds ``threshold`` times its noise, 1.4826
        times the median of its values above 0.
    well : str, optional
        Well of a plate, from a column of wells or the electrodes of a spike list of Axion's AxIS;
        required if there are several, since each is a recording of its own. Without a column of
        units, those are the electrodes, marked as multiunits.
    sampling_rate, units_in
        As for :func:`microcolumn.read`; units are in columns if these have names.
    """
    if bin_width is not None:
        counts = "a matrix of counts, which bin_width states"
        refuse(counts, times=times, units=units, time_unit=time_unit, sampling_rate=sampling_rate)
        refuse(counts, well=well)
        return text_matrix(path, checked_width(bin_width), units_in, threshold)
    refuse("a table of spikes", OF_COUNTS, units_in=units_in, threshold=threshold)
    with open_table(path) as (header, rows):
        points = rows.dialect.delimiter != ","  # then a comma is a decimal point
        lines: Iterator[list[str]] = rows
        first_line = 2
        plate = SpikeList(len(header), rows) if is_spike_list(header) else None
        if plate is not None:
            refuse("a spike list of AxIS", times=times, units=units, time_unit=time_unit)
            header, lines = [*plate.header], iter(plate)
        numbers = [is_finite_number(_pointed(text, points)) for text in header]
        if times is None and units is None and all(numbers[1:2] or numbers):
            remedy = (
                "add 'unit,time' as its first line, or number its columns from 1 ({times:2} "
                "{units:1}); a matrix of counts needs {bin_width}"
            )
            raise BadFile("it has no header", advice(remedy))
        if all(numbers):
            lines, first_line = chain([header], rows), 1
            header = list(map(str, range(1, len(header) + 1)))
        table = SpikeTable(header, times, units, "line", first_line, well)
        per_second = table.ticks_per_second(time_unit, sampling_rate)
        for chunk in _chunks(lines):
            check_fields(chunk, len(header), table.next_row)
            columns = list(zip(*chunk, strict=True))
            table.add(
                list(map(str.strip, columns[table.unit])),
                _numbers(columns[table.time], table.next_row, points),
                {name: columns[n] for n, name in enumerate(header) if name in table.columns},
            )
    for known in table.columns.values():
        known.update({unit: _pointed(entry, points) for unit, entry in known.items()})
    session = table.session(per_second)
    if plate is None or plate.duration_s is None:
        return session
    epochs, notes = whole_epoch(plate.duration_s, session.trains, "the section that AxIS ran")
    notes.append(f"AxIS states that a section of {plate.duration_s:g} s was run")
    return replace(session, epochs=epochs, notes=(*session.notes, *notes))


def _chunks(reader: Iterator[list[str]]) -> Iterator[list[list[str]]]:
    """Rows by the thousands; blank lines at the end of the file are no rows."""
    rows = list(islice(reader, _CHUNK))
    while rows:
        following = list(islice(reader, _CHUNK))
        while not following and rows and is_blank(rows[-1]):
            rows.pop()
        if rows:
            yield rows
        rows = following


def _pointed(text: str, points: bool) -> str:
    """A number with a decimal point in place of its comma, if commas are decimal ``points``."""
    return text.replace(",", ".") if points and _DECIMAL_COMMA.fullmatch(text) else text


def _numbers(texts: Sequence[str], first_line: int, points: bool) -> Floats:
    with suppress(ValueError):
        return np.array(list(map(float, texts)))
    numbers = []
    for line, text in enumerate((_pointed(text, points) for text in texts), first_line):
        try:
            numbers.append(float(text))
        except ValueError:
            comma = _DECIMAL_COMMA.fullmatch(text)
            remedy = "write decimal points, not commas" if comma else "correct or remove it"
            raise BadFile(f"line {line}: time {text[:50]!r} is not a number", remedy) from None
    return np.array(numbers)
