"""How wide the bins of a matrix of spike counts in a MATLAB file are."""

from __future__ import annotations

from collections.abc import Mapping

from .._counts import checked_width
from .._failures import BadFileError
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
