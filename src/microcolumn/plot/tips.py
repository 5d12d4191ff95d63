"""What the points of a plot stand for, so that a page can say it and write it to a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.lines import Line2D

from ..errors import BadInput


class Tips(NamedTuple):
    """Names of columns, and a row of values for each point."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def tip(
    artist: Line2D | PathCollection | BarContainer | ErrorbarContainer, columns: Mapping[str, Any]
) -> None:
    """Say what each point of an artist stands for; of error bars, their points are meant.

    ``columns`` are what is known of the points, by name: a value for each, or one for all of them.
    """
    marks: Any = artist[0] if isinstance(artist, ErrorbarContainer) else artist
    parts: list[Any] = marks.patches if isinstance(marks, BarContainer) else [marks]
    places: Any = parts
    if not isinstance(marks, BarContainer):
        places = marks.get_offsets() if isinstance(marks, PathCollection) else marks.get_xdata()
    n = len(places)
    rows = list(zip(*(_repeated(name, values, n) for name, values in columns.items()), strict=True))
    for k, part in enumerate(parts):
        part.tips = Tips(tuple(columns), rows[k : k + 1] if len(parts) > 1 else rows)


def tips_of(artist: Artist) -> Tips | None:
    """What the points of an artist stand for; None if it was not said."""
    return getattr(artist, "tips", None)


def _repeated(name: str, values: Any, n: int) -> list[Any]:
    """A value for each of ``n`` points, as Python's own types."""
    if isinstance(values, str) or np.ndim(values) == 0:
        return [values] * n
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if len(listed) != n:
        raise BadInput(f"{name!r} has {len(listed)} values for {n} points", "give one for each")
    return listed
