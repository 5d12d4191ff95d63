"""Shortcuts through matplotlib: measuring once for each place of the axes, and copying ticks.

Matplotlib asks for the extent of every text and for the ticks of every axis about ten times for a
drawing: twice to lay the axes out, then for titles, for labels and for the drawing itself, and a
page asks once more for the panels. In between they change only with the limits and the place of
the axes, so that what was found is kept. A tick is five artists, each made from all its settings;
a copy of the first tick of its axis, which matplotlib makes it alike anyway, takes a tenth of that.

Figures are the same (tests/figures/test_layouts.py). This is the only module that replaces methods
of matplotlib, and they are replaced for the length of a block only. They are not public, so that
another release than those tried is left as it is: figures take longer there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import wraps
from itertools import groupby
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axis import Axis, XAxis, YAxis
from matplotlib.text import Text
from matplotlib.transforms import Bbox, BboxBase

#: Releases of matplotlib whose methods are replaced.
_TRIED = ("3.10.", "3.11.")

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
        (Axis, "_update_ticks"): _placed_once,
        (Axis, "_get_ticklabel_bboxes"): _labels_measured_once,
        (BboxBase, "union"): _united_at_once,
    }
    with texts_kept(), ticks_copied(), _replacing(methods):
        yield


@contextmanager
def texts_kept() -> Iterator[None]:
    """Keep layouts of texts in this block, in which all figures have one style."""
    with _replacing({(Text, "_get_layout"): _measured_once}):
        yield


@contextmanager
def ticks_copied() -> Iterator[None]:
    """Make the ticks of an axis as copies of its first one in this block."""
    with _replacing({(Axis, "_get_tick"): _copied, (Axis, "_copy_tick_props"): _kept_as_copied}):
        yield


@contextmanager
def _replacing(methods: Mapping[_Place, Callable[[Method], Method]]) -> Iterator[None]:
    """Replace methods of matplotlib in this block, unless an outer block has replaced them."""
    if not matplotlib.__version__.startswith(_TRIED):
        yield
        return
    own = {place: replace for place, replace in methods.items() if place not in _replaced}
    before = {(of, name): vars(of)[name] for of, name in own}
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
    offset: str  # what is written beside the axis, once for all numbers
    ticks: Any


def _placed_once(place: Method) -> Method:
    """Ticks of each axis, until its limits or the size of its axes change."""
    kept: dict[Any, _Placed] = {}

    @wraps(place)
    def ticks(axis: Any) -> Any:
        if not _is_plain(axis):
            return place(axis)
        limits, box = _limits(axis), axis.axes.bbox
        size = (box.width, box.height, axis.get_figure(root=True).dpi)
        # A formatter may serve several axes, and have seen another one since.
        offset = axis.major.formatter.get_offset()
        found = kept.get(axis)
        if found is None or found[:3] != (limits, size, offset):
            drawn = place(axis)
            found = kept[axis] = _Placed(limits, size, axis.major.formatter.get_offset(), drawn)
        return found.ticks

    return ticks


class _State(NamedTuple):
    """What the place of an axis with its labels depends on while a figure is drawn."""

    limits: bytes
    place: bytes
    dpi: float
    renderer: Hashable

    @classmethod
    def of(cls, axis: Any, renderer: Any) -> _State:
        place = axis.axes.bbox.get_points().tobytes()
        return cls(_limits(axis), place, axis.get_figure(root=True).dpi, _kind(renderer))


def _limits(axis: Any) -> bytes:
    """Limits of both axes, without asking all that share them whether they are to be found anew.

    Where they are, matplotlib does it in the first measurement, and the second finds them changed.
    """
    return axis.axes._viewLim.get_points().tobytes()  # type: ignore[no-any-return]


def _kind(renderer: Any) -> Hashable:
    """What of a renderer makes texts larger or smaller: its format and its pixels."""
    inner = getattr(renderer, "_renderer", renderer)  # of vectors, in which parts may be pixels
    return type(inner), getattr(inner, "dpi", None)


def _labels_measured_once(measure: Method) -> Method:
    """Boxes around the labels of the ticks of an axis, until it changes.

    They are asked for to be united, so that a few boxes stand for all labels.
    """
    kept: dict[Any, tuple[Any, _State, tuple[list[Bbox], list[Bbox]]]] = {}

    @wraps(measure)
    def boxes(axis: Any, ticks: Any, renderer: Any = None) -> Any:
        if renderer is None or not _is_plain(axis):
            return measure(axis, ticks, renderer)
        state = _State.of(axis, renderer)
        found = kept.get(axis)
        if found is None or found[0] is not ticks or found[1] != state:
            sides = [tick.label1 for tick in ticks], [tick.label2 for tick in ticks]
            united = _united(sides[0], renderer), _united(sides[1], renderer)
            found = kept[axis] = ticks, state, united
        return found[2]

    return boxes


def _united(labels: Sequence[Any], renderer: Any) -> list[Bbox]:
    """A box around the labels that are seen.

    Labels without text are points, which matplotlib leaves out of some boxes: two stand for them.
    """
    seen = [label for label in labels if label.get_visible() and label.get_in_layout()]
    texts = [label for label in seen if label.get_text()]
    found = []
    if texts:
        sizes = [text._get_layout(renderer)[0].get_points() for text in texts]
        corners = _places(texts)[:, None] + sizes
        found = [Bbox([corners.min(axis=(0, 1)), corners.max(axis=(0, 1))])]
    if len(texts) < len(seen):
        points = _places([label for label in seen if not label.get_text()])
        found += [Bbox([end, end]) for end in (points.min(axis=0), points.max(axis=0))]
    return found


def _places(labels: Sequence[Any]) -> Any:
    """Where labels stand, pixels; major ticks have one way of getting there, and so have minor."""
    found = []
    for _, group in groupby(labels, key=lambda label: id(label.get_transform())):
        alike = list(group)
        places = [label.get_unitless_position() for label in alike]
        found.append(alike[0].get_transform().transform(places))
    return np.concatenate(found)


def _united_at_once(unite: Method) -> Any:
    """Boxes united as one array, instead of asking each box for each of its sides."""

    @wraps(unite)
    def union(boxes: Sequence[Any]) -> Any:
        if not len(boxes):
            return unite(boxes)  # which says what is wrong
        corners = np.array([box.get_points() for box in boxes])
        return Bbox([corners.min(axis=(0, 1)), corners.max(axis=(0, 1))])

    return staticmethod(union)


def _is_plain(axis: Any) -> bool:
    """Whether an axis is straight, and its label is not aligned with those of other axes."""
    if type(axis) not in (XAxis, YAxis):
        return False
    aligned = axis.get_figure(root=False)._align_label_groups[axis.axis_name]
    return len(aligned.get_siblings(axis.axes)) == 1
