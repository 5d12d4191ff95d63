"""Panels of a figure that is narrower than it was made for, put below each other."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec

from ._presets import current

#: Panels stay side by side down to this share of the width that a figure was made for.
_WIDE_ENOUGH = 0.9
#: Stacked panels keep this much of their height at least: to keep their shape, to fit onto a page.
_LOWEST, _TIGHTEST = 0.8, 0.75
#: Inches that a page has for a figure.
_TALLEST = 9.5


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
    if any(len(each.get_siblings(ax)) > 1 for ax in found for each in _shared(ax)):
        return {}
    return dict(sorted(found.items(), key=lambda item: (item[1].rowspan.start, item[1].num1)))


def _shared(ax: Axes) -> tuple[Any, Any]:
    return ax.get_shared_x_axes(), ax.get_shared_y_axes()


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
