"""Shortcuts through matplotlib: measuring once for each place of the axes, and copying ticks.

Matplotlib asks for the extent of every text and for the ticks of every axis about ten times for a
drawing: twice to lay the axes out, then for titles, for labels and for the drawing itself, and a
page asks once more for the panels. In between they change only with the limits and the place of
the axes, so that what was found is kept. A tick is five artists, each made from all its settings;
a copy of the first tick of its axis, which matplotlib makes it alike anyway, takes a tenth of that.

Figures are the same, byte for byte. This is the only module that replaces methods of matplotlib,
and they are replaced for the length of a block only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import wraps
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axis import Axis, XAxis, YAxis
from matplotlib.text import Text

Method = Callable[..., Any]
#: A class and the name of a method of it.
_Place = tuple[type, str]

#: What is replaced now.
_replaced: dict[_Place, Method] = {}


@contextmanager
def layouts_kept() -> Iterator[None]:
    """Keep layouts of texts and places of ticks for as long as this block draws figures.

    Figures are drawn and measured in such a block, not changed. Inside another one it changes
    nothing: what is found is kept to the end of the outer one.
    """
    methods = {
        (Text, "_get_layout"): _measured_once,
        (Axis, "_update_ticks"): _placed_once,
        (Axis, "_get_ticklabel_bboxes"): _labels_measured_once,
        (Axis, "get_tightbbox"): _enclosed_once,
        (XAxis, "_update_label_position"): _label_placed_once,
        (YAxis, "_update_label_position"): _label_placed_once,
    }
    with ticks_copied(), _replacing(methods):
        yield


@contextmanager
def ticks_copied() -> Iterator[None]:
    """Make the ticks of an axis as copies of its first one in this block."""
    with _replacing({(Axis, "_get_tick"): _copied, (Axis, "_copy_tick_props"): _kept_as_copied}):
        yield


@contextmanager
def _replacing(methods: Mapping[_Place, Callable[[Method], Method]]) -> Iterator[None]:
    """Replace methods of matplotlib in this block, unless an outer block has replaced them."""
    own = {place: replace for place, replace in methods.items() if place not in _replaced}
    before = {(of, name): getattr(of, name) for of, name in own}
    _replaced.update(before)
    try:
        for (of, name), replace in own.items():
            setattr(of, name, replace(before[of, name]))
        yield
    finally:
        for (of, name), method in before.items():
            setattr(of, name, method)
            del _replaced[of, name]


def _copied(make: Method) -> Method:
    """A copy of the first tick of an axis, if it has one."""

    @wraps(make)
    def tick(axis: Any, major: bool) -> Any:
        first = next(iter(vars(axis).get("majorTicks" if major else "minorTicks", ())), None)
        if first is None or type(axis) not in (XAxis, YAxis):
            return make(axis, major)
        made = copy(first)
        for name in ("tick1line", "tick2line", "gridline", "label1", "label2"):
            setattr(made, name, copy(getattr(first, name)))
        for label in (made.label1, made.label2):
            label._fontproperties = label._fontproperties.copy()
        made._is_copy = True
        return made

    return tick


def _kept_as_copied(update: Method) -> Method:
    """What makes a tick like the first one of its axis, which a copy is."""

    @wraps(update)
    def alike(axis: Any, first: Any, tick: Any) -> None:
        if tick is None or not vars(tick).pop("_is_copy", False):
            update(axis, first, tick)

    return alike


def _measured_once(measure: Method) -> Method:
    """Layouts by all that they depend on: two texts of the same letters and font share one."""
    kept: dict[Hashable, Any] = {}

    @wraps(measure)
    def layout(text: Any, renderer: Any) -> Any:
        if text.get_wrap():  # depends on where the text stands
            return measure(text, renderer)
        key = (
            text.get_text(),
            hash(text.get_fontproperties()),
            text.get_figure(root=True).dpi,
            text.get_rotation(),
            text.get_rotation_mode(),
            text.get_horizontalalignment(),
            text.get_verticalalignment(),
            text._multialignment,
            text._linespacing,
            text.get_usetex(),
            text.get_parse_math(),
            _kind(renderer),
        )
        found = kept.get(key)
        if found is None:
            found = kept[key] = measure(text, renderer)
        return found

    return layout


class _Placed(NamedTuple):
    """Ticks of an axis, and what they were placed for."""

    limits: bytes
    size: tuple[float, float, float]  # width and height of the axes in pixels, and pixels per inch
    locations: Any
    ticks: Any


def _placed_once(place: Method) -> Method:
    """Ticks of each axis, until its limits or the size of its axes change."""
    kept: dict[Any, _Placed] = {}

    @wraps(place)
    def ticks(axis: Any) -> Any:
        limits = axis.axes.viewLim.get_points().tobytes()
        box = axis.axes.bbox
        size = (box.width, box.height, axis.get_figure(root=True).dpi)
        found = kept.get(axis)
        # Axes that share their limits share their formatter, whose offset is that of its last use.
        if found is None or found[:2] != (limits, size) or not _same(found.locations, _used(axis)):
            drawn = place(axis)
            found = kept[axis] = _Placed(limits, size, _used(axis), drawn)
        return found.ticks

    return ticks


def _used(axis: Any) -> Any:
    """Locations that the formatter of an axis has worked on last."""
    return axis.major.formatter.locs


def _same(one: Any, other: Any) -> bool:
    return one is other or np.array_equal(one, other)


class _State(NamedTuple):
    """What the place of an axis with its labels depends on while a figure is drawn."""

    limits: bytes
    place: bytes
    dpi: float
    renderer: Hashable

    @classmethod
    def of(cls, axis: Any, renderer: Any) -> _State:
        limits, place = axis.axes.viewLim.get_points(), axis.axes.bbox.get_points()
        dpi = axis.get_figure(root=True).dpi
        return cls(limits.tobytes(), place.tobytes(), dpi, _kind(renderer))


def _kind(renderer: Any) -> Hashable:
    """What of a renderer makes texts larger or smaller: its format and its pixels."""
    inner = getattr(renderer, "_renderer", renderer)  # of vectors, in which parts may be pixels
    return type(inner), getattr(inner, "dpi", None)


def _labels_measured_once(measure: Method) -> Method:
    """Boxes around the labels of the ticks of an axis, until it changes."""
    kept: dict[Any, tuple[Any, _State, Any]] = {}

    @wraps(measure)
    def boxes(axis: Any, ticks: Any, renderer: Any) -> Any:
        if not _is_plain(axis):
            return measure(axis, ticks, renderer)
        state = _State.of(axis, renderer)
        found = kept.get(axis)
        if found is None or found[0] is not ticks or found[1] != state:
            found = kept[axis] = ticks, state, measure(axis, ticks, renderer)
        return found[2]

    return boxes


def _enclosed_once(measure: Method) -> Method:
    """Boxes around an axis with its labels, until it changes."""
    kept: dict[Any, tuple[_State, Any]] = {}

    @wraps(measure)
    def box(axis: Any, renderer: Any = None, *, for_layout_only: bool = False) -> Any:
        if renderer is None or not _is_plain(axis) or not axis.get_visible():
            return measure(axis, renderer, for_layout_only=for_layout_only)
        state = _State.of(axis, renderer)
        found = kept.get((axis, for_layout_only))
        if found is None or found[0] != state:
            whole = measure(axis, renderer, for_layout_only=for_layout_only)
            found = kept[axis, for_layout_only] = state, whole
        return found[1] and found[1].frozen()  # layouts may move what they get

    return box


def _label_placed_once(place: Method) -> Method:
    """The label of an axis stays where it is until the axis changes."""
    kept: dict[Any, _State] = {}

    @wraps(place)
    def label(axis: Any, renderer: Any) -> None:
        if not _is_plain(axis):
            place(axis, renderer)
            return
        state = _State.of(axis, renderer)
        if kept.get(axis) != state:
            place(axis, renderer)
            kept[axis] = state

    return label


def _is_plain(axis: Any) -> bool:
    """Whether an axis is straight, and its label is not aligned with those of other axes."""
    if type(axis) not in (XAxis, YAxis):
        return False
    aligned = axis.get_figure(root=False)._align_label_groups[axis.axis_name]
    return len(aligned.get_siblings(axis.axes)) == 1
