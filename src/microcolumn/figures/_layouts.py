"""Shortcuts through matplotlib that halve the time of a page: texts measured once, ticks copied.

Matplotlib lays every text out about ten times for a drawing, although nothing about it changes. A
tick is five artists, each made from all its settings; a copy of the first tick of its axis, which
matplotlib makes it alike anyway, takes a tenth of that.

Figures are the same (tests/figures/test_layouts.py). This is the only module that replaces methods
of matplotlib, and they are replaced for the length of a block only. They are not public, so that
another release than those tried is left as it is: figures take longer there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import wraps
from typing import Any

import matplotlib
from matplotlib.axis import Axis, XAxis, YAxis
from matplotlib.text import Text

#: Releases of matplotlib whose methods are replaced.
_TRIED = ("3.10.", "3.11.")

Method = Callable[..., Any]


@contextmanager
def layouts_kept() -> Iterator[None]:
    """Keep layouts of texts and copy ticks in this block, in which all figures have one style.

    Inside another one it changes nothing: what is found is kept to the end of the outer one.
    """
    is_inner = hasattr(vars(Text)["_get_layout"], "__wrapped__")
    if is_inner or not matplotlib.__version__.startswith(_TRIED):
        yield
        return
    shortcuts = {
        (Text, "_get_layout"): _measured_once,
        (Axis, "_get_tick"): _copied,
        (Axis, "_copy_tick_props"): _kept_as_copied,
    }
    before = {(of, name): vars(of)[name] for of, name in shortcuts}
    try:
        for (of, name), replace in shortcuts.items():
            setattr(of, name, replace(before[of, name]))
        yield
    finally:
        for (of, name), method in before.items():
            setattr(of, name, method)


def _measured_once(measure: Method) -> Method:
    """Layouts by all that they depend on: two texts of the same letters and font share one."""
    kept: dict[Hashable, Any] = {}

    @wraps(measure)
    def layout(text: Any, renderer: Any) -> Any:
        if text.get_wrap():  # depends on where the text stands
            return measure(text, renderer)
        inner = getattr(renderer, "_renderer", renderer)  # of vectors, in which parts may be pixels
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
            type(inner),
            getattr(inner, "dpi", None),
        )
        if key not in kept:
            kept[key] = measure(text, renderer)
        return kept[key]

    return layout


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
