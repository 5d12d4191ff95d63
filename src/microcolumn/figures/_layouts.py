"""Measuring each text and placing the ticks of each axis once while a figure is drawn.

Matplotlib's constrained layout asks for the extent of every text about seven times, and for the
ticks of every axis as often. In between, they change only with the size of the axes, so that what
was found is kept; the figure is the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from matplotlib.axis import Axis
from matplotlib.text import Text


@contextmanager
def layouts_kept() -> Iterator[None]:
    """Keep layouts of texts and ticks of axes for as long as this block draws figures."""
    text: Any = Text  # whose types leave out what is not public
    axis: Any = Axis
    measure, place = text._get_layout, axis._update_ticks
    text._get_layout, axis._update_ticks = _measured_once(measure), _placed_once(place)
    try:
        yield
    finally:
        text._get_layout, axis._update_ticks = measure, place


def _measured_once(measure: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Layouts by all that they depend on: two texts of the same letters and font share one."""
    kept: dict[Any, Any] = {}

    @wraps(measure)
    def layout(text: Any, renderer: Any) -> Any:
        if text.get_wrap():  # depends on where the text stands
            return measure(text, renderer)
        key = (
            text.get_text(),
            hash(text.get_fontproperties()),
            text.get_figure().dpi,
            text.get_rotation(),
            text.get_rotation_mode(),
            text.get_horizontalalignment(),
            text.get_verticalalignment(),
            text._multialignment,
            text._linespacing,
            text.get_usetex(),
            text.get_parse_math(),
            *_kind(renderer),
        )
        if key not in kept:
            kept[key] = measure(text, renderer)
        return kept[key]

    return layout


def _kind(renderer: Any) -> tuple[Any, ...]:
    """What of a renderer makes texts larger or smaller: its format and its pixels."""
    inner = getattr(renderer, "_renderer", renderer)  # of vectors, in which parts may be pixels
    return type(renderer), type(inner), getattr(inner, "dpi", None)


def _placed_once(place: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Ticks of each axis, until its limits or the size of its axes change."""
    kept: dict[Any, tuple[Any, Any]] = {}

    @wraps(place)
    def ticks(axis: Any) -> Any:
        limits, box = axis.get_view_interval(), axis.axes.bbox
        key = (*limits, box.width, box.height, axis.get_figure().dpi)
        if axis not in kept or kept[axis][0] != key:
            kept[axis] = key, place(axis)
        return kept[axis][1]

    return ticks
