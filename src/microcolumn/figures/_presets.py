"""Width and font that a journal asks for: figures drawn under a preset are laid out for it.

Panels of a figure that is narrower than it was made for are put below each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.gridspec import GridSpec, SubplotSpec

from ..errors import BadArgument

#: Columns of a journal, mm, and widths that a figure may have.
WIDTHS_MM = {"single": 89.0, "double": 183.0}
_NARROWEST_MM, _WIDEST_MM = 40.0, 600.0
_MM_PER_INCH = 25.4
#: Fonts by preference; the last comes with matplotlib.
_FONTS = ("Arial", "Helvetica", "Liberation Sans", "DejaVu Sans")
#: Panels stay side by side down to this share of the width that a figure was made for.
_WIDE_ENOUGH = 0.9
#: Stacked panels keep this much of their height at least: to keep their shape, to fit onto a page.
_LOWEST, _TIGHTEST = 0.8, 0.75
#: Inches that a page has for a figure.
_TALLEST = 9.5
#: Stands for DejaVu Sans, which has all letters, and in SVG for what a reader has.
_ANY = "sans-serif"


class Preset(NamedTuple):
    """How figures are drawn: their width in inches, None for that of each, and their fonts."""

    width: float | None
    fonts: tuple[str, ...]


_CURRENT: ContextVar[Preset | None] = ContextVar("preset", default=None)


@contextmanager
def preset(width: str | float | None = None, font: str | None = None) -> Iterator[None]:
    """Draw figures for a journal: all that are drawn in this block have its width and font.

    Text keeps its 7 to 8 points. Where a figure becomes much narrower than it is by default, its
    panels are stacked.

    Parameters
    ----------
    width : {"single", "double"} or float, optional
        A column (89 mm) or two (183 mm) of a journal, or mm; by default each figure has its own.
    font : str, optional
        A font family that is installed; by default the first of Arial, Helvetica, Liberation Sans
        and DejaVu Sans that is. Letters that it lacks, such as λ in some, are DejaVu Sans.

    Examples
    --------
    >>> import microcolumn as mc
    >>> with mc.figures.preset(width="single"):
    ...     figure = mc.figures.likelihood(results)  # doctest: +SKIP
    >>> figure.savefig("figure3.pdf")  # doctest: +SKIP
    """
    inches = None if width is None else width_mm(width) / _MM_PER_INCH
    token = _CURRENT.set(Preset(inches, _fonts(font)))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Preset:
    """The preset that figures are drawn under now."""
    found = _CURRENT.get()
    return Preset(None, _fonts()) if found is None else found


def width_mm(width: str | float) -> float:
    """A width by its name or number in mm, or a sentence about why it cannot be one."""
    try:
        found = WIDTHS_MM[width] if width in WIDTHS_MM else float(width)
    except (ValueError, TypeError):
        found = math.nan
    if not _NARROWEST_MM <= found <= _WIDEST_MM:
        names = ", ".join(f"{name!r} ({mm:g} mm)" for name, mm in WIDTHS_MM.items())
        raise BadArgument(
            "width",
            f"is {width!r}",
            f"choose {names} or a number of mm from {_NARROWEST_MM:g} to {_WIDEST_MM:g}",
        )
    return found


@cache
def _fonts(font: str | None = None) -> tuple[str, ...]:
    """Families by preference: the wanted one, and the one that has all letters."""
    installed = {each.name.lower(): each.name for each in fontManager.ttflist}
    usual = next(name for name in _FONTS if name.lower() in installed)
    if font is not None and font.lower() not in installed:
        raise BadArgument("font", f"{font!r} is not installed here", f"install it, or use {usual}")
    chosen = usual if font is None else installed[font.lower()]
    return (_ANY,) if chosen == _FONTS[-1] else (chosen, _ANY)


def is_narrow(made_for: float) -> bool:
    """Whether figures are drawn much narrower than the inches that one was made for."""
    width = current().width
    return width is not None and width < _WIDE_ENOUGH * made_for


def height_at(width: float, made_for: tuple[float, float]) -> float:
    """Height of a figure at another width, inches: panels keep their shapes where both allow it."""
    stretch = width / made_for[0]
    return made_for[1] * (stretch if _WIDE_ENOUGH <= stretch < 1.0 else 1.0)


def stack(figure: Figure, made_for: tuple[float, float]) -> None:
    """Put panels below each other in a figure much narrower than ``made_for``, inches.

    There are as few columns as fit onto a page. Figures of subfigures, and panels that share an
    axis with a neighbour, which names it for both, stay as they are.
    """
    width = figure.get_figwidth()
    panels = _panels(figure)
    if width >= _WIDE_ENOUGH * made_for[0] or len(panels) < 2:
        return
    shapes = [_inches(place, made_for) for place in panels.values()]
    for n_columns in range(1, len(panels)):
        heights = [high * min(max(width / n_columns / wide, _LOWEST), 1.0) for wide, high in shapes]
        rows = [max(heights[k : k + n_columns]) for k in range(0, len(heights), n_columns)]
        if _TIGHTEST * sum(rows) <= _TALLEST:
            break
    else:
        return
    before = figure.get_figheight()
    figure.set_figheight(min(sum(rows), _TALLEST))
    grid = GridSpec(len(rows), n_columns, figure=figure, height_ratios=rows)
    for k, ax in enumerate(panels):
        ax.set_subplotspec(grid[divmod(k, n_columns)])
    _keep_strip(figure, before)


def _panels(figure: Figure) -> dict[Axes, SubplotSpec]:
    """Axes by their places, as one reads them; none where they cannot be moved."""
    found = {ax: place for ax in figure.axes if (place := ax.get_subplotspec()) is not None}
    grids = {place.get_gridspec() for place in found.values()}
    if len(grids) != 1 or figure.subfigs or next(iter(grids)).ncols == 1:
        return {}
    for ax in found:
        shared = ax.get_shared_x_axes(), ax.get_shared_y_axes()
        if any(len(each.get_siblings(ax)) > 1 for each in shared):
            return {}
    return dict(sorted(found.items(), key=lambda item: (item[1].rowspan.start, item[1].num1)))


def _inches(place: SubplotSpec, size: tuple[float, float]) -> tuple[float, float]:
    """Width and height that a panel had a share in, of the whole figure."""
    grid: Any = place.get_gridspec()
    wide, high = grid.get_width_ratios(), grid.get_height_ratios()
    columns, rows = (slice(span.start, span.stop) for span in (place.colspan, place.rowspan))
    return (
        size[0] * sum(wide[columns]) / sum(wide),
        size[1] * sum(high[rows]) / sum(high),
    )


def _keep_strip(figure: Figure, before: float) -> None:
    """A strip above the panels keeps its inches in a figure that had another height."""
    engine: Any = figure.get_layout_engine()
    left, bottom, width, height = engine.get()["rect"]
    strip = (1.0 - height) * before / figure.get_figheight()
    engine.set(rect=(left, bottom, width, 1.0 - strip))
