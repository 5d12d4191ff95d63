"""Matrices of spike counts in MATLAB files, as spike times."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...epochs import Epochs
from ...validation import Floats
from .._counts import Entries, are_counts, checked_width, counts_note, spread, time_axis
from .._failures import BadFileError
from .._limits import check_claim
from .variable import NUMERIC, Variable

#: Names of the width of bins in seconds; in lower case.
_BIN_WIDTHS = ("bin_width", "binwidth", "bin_size", "binsize", "dt")


def bin_width_of(
    fields: Mapping[str, Variable], chosen: Variable, stated: float | None
) -> tuple[float, list[str]]:
    """Seconds per bin, stated by the caller or else by the file, and a note if they differ."""
    widths = (held for name, held in fields.items() if name.lower() in _BIN_WIDTHS)
    numbers = (held for held in widths if held.kind in NUMERIC and set(held.shape) == {1})
    held = next(numbers, None)
    of_file = None if held is None else float(held.read().item())
    width = of_file if stated is None else float(stated)
    if width is None and min(chosen.shape) <= 1:
        raise BadFileError(
            f"{chosen} is one vector of numbers; name a cell array with one vector of spike times "
            "per unit, or a matrix of counts, with variable="
        )
    if width is None:
        raise BadFileError(
            "a matrix of counts does not say how long its bins are; pass bin_width= in seconds"
        )
    checked_width(width, str(held) if stated is None else "bin_width")
    if held is None or of_file == width:
        return width, []
    return width, [f"bins of {width:g} s as stated; {held.name} of the file: {of_file:g}"]


def counted(
    path: Path, chosen: Variable, width: float, units_in: str | None
) -> tuple[list[Floats], Epochs, str]:
    """Spike times of each unit of a count matrix, the epoch of all bins, and a note."""
    axis = time_axis(chosen.shape, units_in, str(chosen))
    n_bins, n_units = chosen.shape[axis], chosen.shape[1 - axis]
    # A sparse matrix may claim any size: allow a bit per bin and eight bytes per unit.
    check_claim(path, n_bins // 8 + n_units * 8, str(chosen))
    *place, counts = _entries(path, chosen)
    bins, units = place[axis], place[1 - axis]
    for bad in np.flatnonzero(~are_counts(counts))[:1]:
        raise BadFileError(
            f"{chosen} has {counts[bad]} for unit {units[bad] + 1} in bin {bins[bad] + 1}, counted "
            "from 1 as MATLAB does; counts are whole numbers from 0 on: name spike times or counts "
            "with variable="
        )
    check_claim(path, int(counts.sum()) * 8, f"the counts in {chosen}")
    trains = spread(bins, units, counts.astype(np.int64), n_units, width)
    note = counts_note(str(chosen), n_units, n_bins, width, axis)
    return trains, Epochs([[0.0, n_bins * width]]), note


def _entries(path: Path, chosen: Variable) -> Entries:
    """Rows, columns and values of the nonzero entries, if the file can hold so many."""
    nothing = np.zeros(0, dtype=np.int64)
    pieces, n_entries = [(nothing, nothing, np.zeros(0))], 0
    for rows, columns, values in chosen.entries():
        n_entries += values.size
        check_claim(path, n_entries * 3 * 8, f"the nonzero part of {chosen}")
        pieces.append((rows, columns, values.astype(np.float64)))
    rows, columns, values = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    return rows, columns, values
