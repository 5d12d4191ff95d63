"""Matrices of spike counts, units by bins, as spike times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation import Floats
from ._failures import BadFileError

Numbers = NDArray[Any]
#: Rows, columns and values of some entries of a matrix.
Entries = tuple[Numbers, Numbers, Numbers]
#: Seconds: a bin wider than a day is in another unit.
_WIDEST = 86400.0


def checked_width(width: float, where: str = "bin_width") -> float:
    """Seconds per bin; errors call the number ``where``."""
    if not 0 < width <= _WIDEST:
        raise BadFileError(
            f"{where} is {width}; bins need a width in seconds from 0 to {_WIDEST:g}"
        )
    return float(width)


def time_axis(shape: tuple[int, ...], units_in: str | None, title: str) -> int:
    """Axis of time of a matrix called ``title``: the longer one, unless units are stated to be."""
    if units_in not in (None, "rows", "columns"):
        raise BadFileError(f"units_in is {units_in!r}; choose 'rows' or 'columns'")
    if units_in is None and shape[0] == shape[1]:
        raise BadFileError(
            f"{title} is square, so that its axis of time is not known; "
            "pass units_in='rows' or units_in='columns'"
        )
    if units_in is None:
        return int(np.argmax(shape))
    return 1 if units_in == "rows" else 0


def are_counts(values: Numbers) -> NDArray[np.bool_]:
    """Whether each value is a whole number from 0 on."""
    return np.asarray(np.isfinite(values) & (values >= 0) & (values == np.floor(values)))


def spread(
    bins: Numbers, units: Numbers, counts: Numbers, n_units: int, width: float
) -> list[Floats]:
    """Times in seconds of each unit's spikes, from its nonzero bins.

    The k spikes of a bin are spread evenly inside it: spike j of bin i is at
    ``(i + (j + 0.5) / k) * width``.
    """
    order = np.lexsort((bins, units))
    bins, units, counts = bins[order], units[order], counts[order]
    which = np.repeat(np.arange(counts.size), counts)
    rank = np.arange(which.size) - np.repeat(np.cumsum(counts) - counts, counts)
    times = (bins[which] + (rank + 0.5) / counts[which]) * width
    return np.split(times, np.searchsorted(units[which], np.arange(1, n_units)))


def counts_note(title: str, n_units: int, n_bins: int, width: float, axis: int) -> str:
    """What was made of a matrix whose time runs along ``axis``."""
    return (
        f"{title} holds counts of {n_units} units ({('rows', 'columns')[1 - axis]}) in {n_bins} "
        f"bins of {width:g} s; spikes are spread evenly in their bins"
    )
