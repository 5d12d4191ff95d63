"""Matrices of spike counts in text files and NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import check_array
from ._columns import as_number
from ._counts import Entries, are_counts, counted, time_axis
from ._failures import BadFileError
from ._session import Session
from ._tables import check_fields, is_blank, open_table, plain_name

#: Fields held as text at a time.
_FIELDS = 1 << 20
#: Names of a column that numbers the bins or tells their times, as `plain_name` writes them.
_INDEX_NAMES = ("", "index", "bin", "bins", "time", "time_s", "time_ms", "t")


def matrix_session(
    path: Path,
    shape: tuple[int, int],
    pieces: Iterable[Entries],
    width: float,
    units_in: str | None,
    ids: Sequence[str] | None = None,
) -> Session:
    """Session of the nonzero entries of a matrix, in pieces, with bins of ``width`` seconds.

    ``ids`` are names of the columns; units are numbered where there are none.
    """
    title = f"the matrix of {shape[0]} rows and {shape[1]} columns"
    axis = time_axis(shape, units_in, title)
    trains, epochs, note = counted(path, title, shape, pieces, axis, width)
    names = ids if axis == 0 and ids is not None else range(len(trains))
    ids = [str(name) for name in names]
    return Session(ids, trains, epochs=epochs, notes=(note,), resolution_s=width)


def array_matrix(
    path: Path, array: NDArray[Any], width: float, units_in: str | None, name: str
) -> Session:
    """Session of an array of counts, called ``name``."""
    fits = array.ndim == 2 and array.dtype.kind in "biuf"
    check_array(name, array, fits, "a matrix of whole numbers, units by bins")
    rows, columns = np.nonzero(array)
    values = array[rows, columns].astype(np.float64)
    return matrix_session(path, array.shape, [(rows, columns, values)], width, units_in)


def text_matrix(path: Path, width: float, units_in: str | None) -> Session:
    """Session of a table of counts, with or without names of the units in its first line."""
    with open_table(path, is_matrix=True) as (header, rows):
        named = not all(map(_is_count, header))
        lines = rows if named else chain([header], rows)
        skipped = int(named and plain_name(header[0]) in _INDEX_NAMES)
        pieces, n_rows = _entries(lines, len(header), skipped, 1 + named)
    shape = (n_rows, len(header) - skipped)
    if named and units_in is None:
        if shape[1] > shape[0]:
            raise BadFileError(
                f"it has {shape[0]} rows and {shape[1]} named columns, so that its axis of time is "
                "not known; pass units_in='rows' or units_in='columns'"
            )
        units_in = "columns"
    ids = header[skipped:] if named else None
    return matrix_session(path, shape, pieces, width, units_in, ids)


def _entries(
    lines: Iterator[list[str]], n_fields: int, skipped: int, first_line: int
) -> tuple[list[Entries], int]:
    """Nonzero entries of a table without its first ``skipped`` columns, and its number of rows."""
    pieces: list[Entries] = []
    n_rows = 0
    while chunk := list(islice(lines, max(1, _FIELDS // n_fields))):
        filled = [row for row in chunk if not is_blank(row)]
        check_fields(filled, n_fields, first_line + n_rows)
        values = np.array([[as_number(text) for text in row[skipped:]] for row in filled])
        values = values.reshape(len(filled), n_fields - skipped)
        rows, columns = np.nonzero(values)
        pieces.append((rows + n_rows, columns, values[rows, columns]))
        n_rows += len(filled)
    return pieces, n_rows


def _is_count(text: str) -> bool:
    return bool(are_counts(np.array(as_number(text))))
