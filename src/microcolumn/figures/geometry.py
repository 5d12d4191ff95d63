"""Where the points of a drawn figure are, for a page that shows it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from ..formatting import rounded
from ..plot.tips import Tips, tips_of

#: Points of one figure that can be asked for.
MOST_POINTS = 4000
#: Positions are whole numbers: this many parts of the figure's width and height.
PARTS = 10_000


def points_of(figure: Figure) -> tuple[list[Tips], int]:
    """Points that say what they stand for, at most 4,000, and how many there are.

    Rows have for each point x, y, width and height (10,000ths of the figure's width and height,
    from its upper left corner; no width and height for a mere point), then a value per column.
    Positions are those of the last drawing.
    """
    found: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for artist in _drawn(figure):
        tips = tips_of(artist)
        if tips is None:
            continue
        boxes = zip(_boxes(artist, figure), tips.rows, strict=True)
        shown = [
            (*box, *(rounded(v, 6) if isinstance(v, float) else v for v in row))
            for box, row in boxes
            if box is not None
        ]
        found.setdefault(tips.columns, []).extend(shown)
    total = sum(map(len, found.values()))
    share = min(1.0, MOST_POINTS / max(total, 1))
    kept = [Tips(c, rows[: math.ceil(share * len(rows))]) for c, rows in found.items() if rows]
    return kept, total


def _drawn(within: Artist) -> Iterator[Artist]:
    """All artists in another one, except ticks, which are most of them and no points."""
    for each in within.get_children():
        if not isinstance(each, Axis):
            yield each
            yield from _drawn(each)


def _boxes(artist: Artist, figure: Figure) -> list[tuple[int, int, int, int] | None]:
    """Where each point of an artist is; None for those that are not seen."""
    seen = artist.axes.bbox if artist.axes is not None and artist.get_clip_on() else figure.bbox
    if isinstance(artist, PathCollection):
        low = high = np.asarray(artist.get_offset_transform().transform(artist.get_offsets()))
    elif hasattr(artist, "get_xydata"):
        low = high = np.asarray(artist.get_transform().transform(artist.get_xydata()))
    else:
        extent = artist.get_window_extent()
        low, high = np.array([extent.min]), np.array([extent.max])
    known = np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)
    low, high = np.maximum(low, seen.padded(1.0).min), np.minimum(high, seen.padded(1.0).max)
    shown = known & (low <= high).all(axis=1)
    whole = figure.bbox.size
    left, top = PARTS * low[:, 0] / whole[0], PARTS * (1.0 - high[:, 1] / whole[1])
    places = np.column_stack([left, top, PARTS * (high - low) / whole])
    places[~shown] = 0.0  # which a whole number can be made of
    parts = zip(shown, np.rint(places).astype(int).tolist(), strict=True)
    return [(x, y, width, height) if there else None for there, (x, y, width, height) in parts]
