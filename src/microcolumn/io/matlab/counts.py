"""Matrices of spike counts in MATLAB files, as spike times."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...epochs import Epochs
from ...validation import Floats
from .._failures import BadFileError
from .._limits import check_claim
from .variable import NUMERIC, Entries, Numbers, Variable

#: Names of the width of bins in seconds; in lower case.
_BIN_WIDTHS = ("bin_width", "binwidth", "bin_size", "binsize", "dt")
#: Seconds: a bin wider than a day is in another unit.
_WIDEST = 86400.0


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
        raise BadFileError("a matrix of counts does not say how long its bins are; pass bin_width")
    if not 0 < width <= _WIDEST:
        where = held if stated is None else "bin_width"
        raise BadFileError(
            f"{where} is {width}; bins need a width in seconds from 0 to {_WIDEST:g}"
        )
    if held is None or of_file == width:
        return width, []
    return width, [f"bins of {width:g} s as stated; {held.name} of the file: {of_file:g}"]


def counted(
    path: Path, chosen: Variable, width: float, units_in: str | None
) -> tuple[list[Floats], Epochs, str]:
    """Spike times of each unit of a count matrix, the epoch of all bins, and a note.

    The k spikes of a bin are spread evenly inside it: spike j of bin i is at
    ``(i + (j + 0.5) / k) * width``.
    """
    time_axis = _time_axis(chosen, units_in)
    n_bins, n_units = chosen.shape[time_axis], chosen.shape[1 - time_axis]
    # A sparse matrix may claim any size: allow a bit per bin and eight bytes per unit.
    check_claim(path, n_bins // 8 + n_units * 8, str(chosen))
    *place, counts = _entries(path, chosen)
    bins, units = place[time_axis], place[1 - time_axis]
    for bad in np.flatnonzero(~are_counts(counts))[:1]:
        raise BadFileError(
            f"{chosen} has {counts[bad]} for unit {units[bad] + 1} in bin {bins[bad] + 1}, counted "
            "from 1 as MATLAB does; counts are whole numbers from 0 on: name spike times or counts "
            "with variable="
        )
    check_claim(path, int(counts.sum()) * 8, f"the counts in {chosen}")
    trains = _spread(bins, units, counts.astype(np.int64), n_units, width)
    axis = ("rows", "columns")[1 - time_axis]
    note = (
        f"{chosen} holds counts of {n_units} units ({axis}) in {n_bins} bins of {width:g} s; "
        "spikes are spread evenly in their bins"
    )
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


def _time_axis(chosen: Variable, units_in: str | None) -> int:
    if units_in not in (None, "rows", "columns"):
        raise BadFileError(f"units_in is {units_in!r}; choose 'rows' or 'columns'")
    if units_in is None and chosen.shape[0] == chosen.shape[1]:
        raise BadFileError(
            f"{chosen} is square, so that its axis of time is not known; "
            "pass units_in='rows' or units_in='columns'"
        )
    if units_in is None:
        return int(np.argmax(chosen.shape))
    return 1 if units_in == "rows" else 0


def are_counts(values: Numbers) -> NDArray[np.bool_]:
    """Whether each value is a whole number from 0 on."""
    return np.asarray(np.isfinite(values) & (values >= 0) & (values == np.floor(values)))


def _spread(
    bins: Numbers, units: Numbers, counts: Numbers, n_units: int, width: float
) -> list[Floats]:
    """Times in seconds of each unit's spikes, from its nonzero bins."""
    order = np.lexsort((bins, units))
    bins, units, counts = bins[order], units[order], counts[order]
    which = np.repeat(np.arange(counts.size), counts)
    rank = np.arange(which.size) - np.repeat(np.cumsum(counts) - counts, counts)
    times = (bins[which] + (rank + 0.5) / counts[which]) * width
    return np.split(times, np.searchsorted(units[which], np.arange(1, n_units)))
