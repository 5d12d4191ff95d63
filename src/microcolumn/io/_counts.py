"""Matrices of spike counts, units by bins, in text and in arrays, as spike times."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..epochs import Epochs
from ..errors import BadFile, advice
from ..validation import Floats, one_of
from ._columns import as_number
from ._events import event_session
from ._session import Session
from ._tables import check_fields, is_blank, open_table, plain_name
from .failures import check_claim

Numbers = NDArray[Any]
#: Rows, columns and values of some entries of a matrix.
Entries = tuple[Numbers, Numbers, Numbers]
#: Seconds: a bin wider than a day is in another unit.
_WIDEST = 86400.0
#: Fields held as text at a time.
_FIELDS = 1 << 20
#: Names of a column that numbers the bins or tells their times, as `plain_name` writes them.
_INDEX_NAMES = ("", "index", "bin", "bins", "time", "time_s", "time_ms", "t")


def checked_width(width: float, where: str = "bin_width") -> float:
    """Seconds per bin; errors call the number ``where``."""
    if not 0 < width <= _WIDEST:
        raise BadFile(f"{where} is {width}", f"bins need a width in seconds from 0 to {_WIDEST:g}")
    return float(width)


def _time_axis(shape: tuple[int, ...], units_in: str | None, title: str) -> int:
    """Axis of time of a matrix called ``title``: the longer one, unless units are stated to be."""
    if units_in is not None:
        return 1 if one_of("units_in", units_in, ("rows", "columns")) == "rows" else 0
    if shape[0] == shape[1]:
        problem = f"{title} is square, so that its axis of time is not known"
        raise BadFile(problem, advice("pass {units_in:rows} or {units_in:columns}"))
    return int(np.argmax(shape))


def are_counts(values: Numbers) -> NDArray[np.bool_]:
    """Whether each value is a whole number from 0 on."""
    return np.asarray(np.isfinite(values) & (values >= 0) & (values == np.floor(values)))


def spread(
    bins: Numbers, units: Numbers, counts: Numbers, n_units: int, width: float
) -> list[Floats]:
    """Times (s) by unit: spike j of the k in bin i is at ``(i + (j + 0.5) / k) * width``."""
    order = np.lexsort((bins, units))
    bins, units, counts = bins[order], units[order], counts[order]
    which = np.repeat(np.arange(counts.size), counts)
    rank = np.arange(which.size) - np.repeat(np.cumsum(counts) - counts, counts)
    times = (bins[which] + (rank + 0.5) / counts[which]) * width
    return np.split(times, np.searchsorted(units[which], np.arange(1, n_units)))


def matrix_session(
    path: Path,
    shape: tuple[int, ...],
    pieces: Iterable[Entries],
    width: float,
    units_in: str | None,
    ids: Sequence[str] | None = None,
    title: str = "",
    threshold: float | None = None,
) -> Session:
    """Session of the nonzero entries of a matrix, in pieces; ``ids`` name its columns.

    Errors call it ``title``, by default after its size. Values are counts, or with a ``threshold``
    deconvolved, of which `event_session` makes events.
    """
    title = title or f"the matrix of {shape[0]} rows and {shape[1]} columns"
    axis = _time_axis(shape, units_in, title)
    n_bins, n_units = shape[axis], shape[1 - axis]
    # A sparse matrix may claim any size: allow a bit per bin and eight bytes per unit.
    check_claim(path, n_bins // 8 + n_units * 8, title)
    nothing = np.zeros(0, dtype=np.int64)
    entries, n_entries = [(nothing, nothing, np.zeros(0))], 0
    for rows, columns, values in pieces:
        n_entries += values.size
        check_claim(path, n_entries * 3 * 8, f"the nonzero part of {title}")
        entries.append((rows, columns, values.astype(np.float64)))
    *place, counts = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    names = list(map(str, range(n_units) if axis == 1 or ids is None else ids))
    if threshold is not None:
        check_claim(path, n_bins * n_units * 8, title)
        traces = np.zeros((n_units, n_bins))
        traces[place[1 - axis], place[axis]] = counts
        return event_session(traces, names, width, threshold)
    for bad in np.flatnonzero(~are_counts(counts))[:1]:
        where = f"row {place[0][bad] + 1} and column {place[1][bad] + 1}"
        remedy = "counts are whole numbers from 0 on; for deconvolved values pass {threshold}"
        raise BadFile(f"{title} has {counts[bad]:.6g} in {where}", advice(remedy, threshold=3))
    check_claim(path, int(counts.sum()) * 8, f"the counts in {title}")
    trains = spread(place[axis], place[1 - axis], counts.astype(np.int64), n_units, width)
    which = f"{n_units} units ({('rows', 'columns')[1 - axis]}) in {n_bins} bins of {width:g} s"
    note = f"{title} holds counts of {which}; spikes are spread evenly in their bins"
    epochs = Epochs([[0.0, n_bins * width]])
    return Session(names, trains, epochs=epochs, notes=(note,), resolution_s=width)


def text_matrix(path: Path, width: float, units_in: str | None, threshold: float | None) -> Session:
    """Session of a table of counts or deconvolved values; its first line may name the units."""
    with open_table(path, is_matrix=True) as (header, rows):
        numbers = np.array(list(map(as_number, header)))
        of_cells = [text.lower() == "nan" or not np.isnan(as_number(text)) for text in header]
        named = not (are_counts(numbers) if threshold is None else np.array(of_cells)).all()
        lines = rows if named else chain([header], rows)
        skipped = int(named and plain_name(header[0]) in _INDEX_NAMES)
        pieces, n_rows = _entries(lines, len(header), skipped, 1 + named)
    shape = (n_rows, len(header) - skipped)
    if named and units_in is None:
        if shape[1] > shape[0]:
            problem = f"its axis of time is unknown: {shape[0]} rows, {shape[1]} named columns"
            raise BadFile(problem, advice("pass {units_in:rows} or {units_in:columns}"))
        units_in = "columns"
    ids = header[skipped:] if named else None
    return matrix_session(path, shape, pieces, width, units_in, ids, threshold=threshold)


def _entries(
    lines: Iterator[list[str]], n_fields: int, skipped: int, first_line: int
) -> tuple[list[Entries], int]:
    """Nonzero entries of a table without its first ``skipped`` columns, and its number of rows."""
    pieces: list[Entries] = []
    n_rows = 0
    while chunk := list(islice(lines, max(1, _FIELDS // n_fields))):
        filled = [row for row in chunk if not is_blank(row)]
        check_fields(filled, n_fields, first_line + n_rows)
        values = np.array([list(map(as_number, row[skipped:])) for row in filled])
        values = values.reshape(len(filled), n_fields - skipped)
        rows, columns = np.nonzero(values)
        pieces.append((rows + n_rows, columns, values[rows, columns]))
        n_rows += len(filled)
    return pieces, n_rows
