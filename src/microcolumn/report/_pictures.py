"""Figures of a study as elements of a page, within a budget of bytes."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from contextlib import nullcontext
from html import escape
from io import BytesIO
from typing import Any

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from matplotlib.figure import Figure

from ..errors import BadType
from ..figures import CaptionedFigure, FigureRequest, available_figures, draw_all
from ..figures.captioned import PAGE, svg_element
from ..figures.geometry import points_of
from ..study import Results
from ._content import Paragraph, Picture, Pictures
from ._tables import groups_of, longest

#: Bytes of one figure as SVG; figures beyond that, or beyond their share, become pixels.
MOST_BYTES = 700_000
#: A font without another that stands in for it, as formulas have them.
_ALONE = re.compile(r"(font-family: '[^',;]*')(\"|;)")
#: Figures that name the hidden units of the best model, which the page shows in the raster.
_OF_GROUPS = ("opening", "assemblies", "layers")
#: Bytes that most figures take at most.
_USUAL = 150_000


def pictures(results: Results, max_bytes: int, progress: bool | None = None) -> Pictures:
    """Draw all figures that a study has results for, by name and recording (None for all).

    Together they take at most ``max_bytes``; a sentence stands for a figure that does not fit.
    """
    left = sum(1 for _ in available_figures(results))
    found: Pictures = {}
    for which, figure in draw_all(results, progress=progress):
        left -= 1
        most = max(max_bytes // (left + 1), max_bytes - left * _USUAL)  # of what is left for all
        if which.recording is None:  # the few that show all recordings come first
            most = max_bytes
        shown = _shown(results, which, figure, most, max_bytes)
        max_bytes -= shown.n_bytes if isinstance(shown, Picture) else 0
        found[which.name, which.recording] = shown
    return found


def _shown(
    results: Results, which: FigureRequest, figure: CaptionedFigure | str, most: int, max_bytes: int
) -> Picture | Paragraph:
    """A figure as a picture of about ``most`` bytes, a sentence where ``max_bytes`` are too few."""
    if isinstance(figure, str):
        return Paragraph(figure, "absent")
    label = which.recording or ""
    number = f"-{list(results.recordings).index(label)}" if label else ""
    picture = _picture(figure, f"figure-{which.name}{number}", min(MOST_BYTES, most))
    picture = picture._replace(about=label, code=_code(results, which))
    if which.name in _OF_GROUPS:
        of_it = (each for each in longest(results) if label in ("", each.recording))
        condition = next(of_it)  # a figure of all recordings shows groups of the first
        if best := results.if_computed(results.best_with_hidden, None, **condition.names):
            picture = picture._replace(groups=groups_of(condition, best.name))
    if picture.n_bytes <= max_bytes:
        return picture
    of = f" of {label}" if label else ""
    why = "the page would be too large; microcolumn study figures draws it"
    return Paragraph(f"The figure {which.name}{of} is left out: {why}", "absent")


def further(figures: object) -> list[Picture]:
    """Figures of a user as pictures, with their captions if they have any."""
    if isinstance(figures, Figure) or not isinstance(figures, Sequence):
        remedy = "give a list of matplotlib figures, for example extra=[figure]"
        raise BadType("extra", f"is a {type(figures).__name__}", remedy)
    for k, figure in enumerate(figures):
        if not isinstance(figure, Figure):
            hint = "its figure, ax.figure" if hasattr(figure, "figure") else "figures alone"
            what = f"is a {type(figure).__name__}, not a matplotlib figure"
            raise BadType(f"extra[{k}]", what, f"give {hint}")
    return [_picture(figure, f"figure-further-{k}", MOST_BYTES) for k, figure in enumerate(figures)]


def _picture(figure: Figure, anchor: str, most: int) -> Picture:
    title, caption = _title(figure), str(getattr(figure, "caption", ""))
    if isinstance(figure, CaptionedFigure):
        paper, style = figure.number, figure.style()
    else:
        paper, style = "", nullcontext()
    with style:  # for the drawing and for what is asked about it
        drawn = svg_element(figure, title or caption, anchor)
        points, total = points_of(figure)
    drawn = _ALONE.sub(r"\1, sans-serif\2", drawn)
    for dpi in (200, 100):  # fewer where a page has very many figures
        if len(drawn.encode()) <= most:
            break
        drawn = min(drawn, _pixels(figure, title or caption, dpi), key=len)
    size = [72.0 * inches for inches in figure.get_size_inches()]
    about: dict[str, Any] = {"size": size}
    with_points = about | {"points": [[each.columns, each.rows] for each in points], "total": total}
    data = htmlsafe_json_dumps(with_points if points else about, separators=(",", ":"))
    if len(drawn.encode()) + len(data.encode()) > most:  # the points are what can be spared
        data = htmlsafe_json_dumps(about, separators=(",", ":"))
    return Picture(
        id=anchor,
        title=title,
        caption=caption,
        width=min(1.0, figure.get_figwidth() / PAGE),
        markup=Markup(drawn),
        data=data,
        paper=paper,
    )


def _title(figure: Figure) -> str:
    """What a figure is called: its title, or that of the whole, or that of its only axes."""
    if isinstance(figure, CaptionedFigure):
        return figure.title
    return figure.get_suptitle() or (figure.axes[0].get_title() if len(figure.axes) == 1 else "")


def _code(results: Results, which: FigureRequest) -> str:
    of = "" if which.recording is None else f", {which.recording!r}"
    return (
        "import microcolumn as mc\n\n"
        f"results = mc.study.open({results.file.name!r})\n"
        f"figure = mc.figures.{which.name}(results{of})\n"
        f'figure.savefig("{which.name}.pdf")'
    )


def _pixels(figure: Figure, title: str, dpi: int) -> str:
    file = BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    encoded = base64.b64encode(file.getvalue()).decode("ascii")
    return f'<img alt="{escape(title, quote=True)}" src="data:image/png;base64,{encoded}">'
