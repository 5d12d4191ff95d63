"""What a lighter comparison of words of many bits leaves out; see :class:`Experiment`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Optimality at which fits end: scores of a hundred units are then settled to a part of a bit/s.
TOLERANCE = 1e-4
#: Penalties of a rival go so far below its strongest, and its components up to so many: what lies
#: beyond takes most of the time and is preferred by far longer recordings alone.
_WEAKEST, _MOST_COMPONENTS = 0.01, 40


def lighter(grid: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The settings of a rival's grid that a lighter comparison tries."""
    strongest = max((each.get("l1", 0.0) for each in grid), default=0.0)
    weakest = _WEAKEST * strongest * (1.0 - 1e-9)  # grids are powers of ten with rounding errors
    return [
        each
        for each in grid
        if each.get("l1", strongest) >= weakest and each.get("n_components", 0) <= _MOST_COMPONENTS
    ]
