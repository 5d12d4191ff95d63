"""Width and font that a journal asks for: figures drawn under a preset are laid out for it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import NamedTuple

from matplotlib.font_manager import fontManager

from ..errors import BadArgument

#: Columns of a journal, mm, and widths that a figure may have.
WIDTHS_MM = {"single": 89.0, "double": 183.0}
_NARROWEST_MM, _WIDEST_MM = 40.0, 600.0
_MM_PER_INCH = 25.4
#: Fonts by preference; the last comes with matplotlib.
_FONTS = ("Arial", "Helvetica", "Liberation Sans", "DejaVu Sans")
#: Panels stay side by side down to this share of the width that a figure was made for.
_WIDE_ENOUGH = 0.9
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
    ...     figure = mc.figures.ranking(results)  # doctest: +SKIP
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
        numbers = f"a number of mm from {_NARROWEST_MM:g} to {_WIDEST_MM:g}"
        raise BadArgument("width", f"is {width!r}", f"choose {names} or {numbers}")
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
