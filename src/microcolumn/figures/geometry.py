"""Where the points and the panels of a drawn figure are, for a page that shows it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any, NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure, FigureBase
from matplotlib.legend import Legend
from matplotlib.transforms import Bbox

from ..formatting import rounded
from ..plot.tips import Tips, tips_of

#: Points of one figure that can be asked for.
MOST_POINTS = 4000
#: Positions are whole numbers: this many parts of the figure's width and height.
PARTS = 10_000
#: Inches: pieces side by side are one panel up to this width, such as axes and their colour bar.
_COLUMN = 4.3
#: Points (1/72 inch): pieces overlap if more than this is common; space around a panel; a lower
#: line at the top is a remark.
_COMMON, _AROUND, _LINE = 3.0, 1.5, 14.0


class Panel(NamedTuple):
    """A part of a figure: left, top, width and height, in points from its upper left corner."""

    left: float
    top: float
    width: float
    height: float


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


def panels_of(figure: Figure) -> list[Panel]:
    """Parts of a figure that can be stacked where it is too wide, in the order of reading.

    Rows that nothing crosses are cut apart, then pieces of a row; neighbours that fit into a
    column together stay together. Positions are those of the last drawing.
    """
    dpi = figure.dpi
    try:
        figure.dpi = 72  # in points, as SVG is drawn
        whole = figure.bbox.frozen()
        svg: Any = RendererSVG  # which matplotlib's types leave out in part
        renderer = svg(whole.width, whole.height, StringIO())
        boxes = [box for box in _pieces(figure, renderer) if np.isfinite(box.extents).all()]
    finally:
        figure.dpi = dpi
    rows = _apart(boxes, lambda box: (-box.y1, -box.y0))
    if len(rows) > 1 and _is_remark(rows[0], rows[1]):
        rows[:2] = [rows[0] + rows[1]]
    columns = [_columns(_beside(row)) for row in rows]
    found = [Bbox.union(pieces).padded(_AROUND) for row in columns for pieces in row]
    cut = [Bbox.intersection(each, whole) for each in found]
    return [
        Panel(*(round(float(n), 1) for n in (each.x0, whole.y1 - each.y1, each.width, each.height)))
        for each in cut
        if each is not None
    ]


def _pieces(figure: FigureBase, renderer: Any) -> Iterator[Bbox]:
    """Boxes around axes with their labels, texts, and entries of legends."""
    for ax in figure.axes if isinstance(figure, Figure) else ():
        box = ax.get_tightbbox(renderer) if ax.get_visible() else None
        if box is not None and box.width > 0 and box.height > 0:
            yield box
    for text in figure.texts:
        if text.get_text():
            # Fonts of a browser may be wider.
            yield text.get_window_extent(renderer).padded(_COMMON, 0.0)
    for legend in figure.legends:
        yield from _entries(legend, renderer)
    for part in figure.subfigs:
        yield from _pieces(part, renderer)


def _entries(legend: Legend, renderer: Any) -> Iterator[Bbox]:
    size = legend.prop.get_size_in_points()
    for text in legend.get_texts():
        box = text.get_window_extent(renderer)
        before = size * (legend.handlelength + legend.handletextpad)
        yield Bbox.from_extents(box.x0 - before, box.y0, box.x1, box.y1)


def _apart(boxes: Sequence[Bbox], ends: Any) -> list[list[Bbox]]:
    """Groups of boxes that have no more than a little in common along one direction."""
    groups: list[list[Bbox]] = []
    reached = -math.inf
    for box in sorted(boxes, key=ends):
        start, stop = ends(box)
        if start > reached - _COMMON:
            groups.append([])
        groups[-1].append(box)
        reached = max(reached, stop)
    return groups


def _beside(row: Sequence[Bbox]) -> list[list[Bbox]]:
    return _apart(row, lambda box: (box.x0, box.x1))


def _is_remark(row: list[Bbox], below: list[Bbox]) -> bool:
    """Whether a row is a line that belongs to one of the pieces below, such as "simulated"."""
    line = len(row) == 1 and row[0].height < _LINE
    return line and len(_beside(row + below)) == len(_beside(below))


def _columns(pieces: list[list[Bbox]]) -> list[list[Bbox]]:
    """Neighbours together as long as they fit into a column."""
    found: list[list[Bbox]] = []
    for piece in pieces:
        if found and Bbox.union([*found[-1], *piece]).width <= 72 * _COLUMN:
            found[-1].extend(piece)
        else:
            found.append(list(piece))
    return found
