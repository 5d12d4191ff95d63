"""Figures of a study as elements of a page, within a budget of bytes."""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO

from markupsafe import Markup

from ..figures import CaptionedFigure, draw_all, wanted
from ..figures._captioned import PAGE
from ..study import Results
from ._content import Paragraph, Picture

#: Bytes of one figure as SVG; figures beyond that, or beyond their share, become pixels.
MOST_BYTES = 700_000

Pictures = dict[tuple[str, str | None], Picture | Paragraph]


def pictures(results: Results, room: int, progress: bool | None = None) -> Pictures:
    """Draw all figures that a study has results for, by name and recording (None for all).

    Together they take at most ``room`` bytes; a sentence stands for a figure that does not fit.
    """
    count = sum(1 for _ in wanted(results))
    most = min(MOST_BYTES, room // max(count, 1))
    names = list(results.recordings)
    found: Pictures = {}
    for which, figure in draw_all(results, progress=progress):
        key = (which.name, which.recording)
        label = "" if which.recording is None else results.label(which.recording)
        if not isinstance(figure, str):
            number = "" if which.recording is None else f"-{names.index(which.recording)}"
            anchor = f"figure-{which.name}{number}"
            picture = _picture(figure, anchor, label, most)
            size = len(picture.markup.encode())
            if size <= room:
                room -= size
                found[key] = picture
                continue
            of = f" of {label}" if label else ""
            why = "the page would be too large; microcolumn study figures draws it"
            figure = f"The figure {which.name}{of} is left out: {why}"
        found[key] = Paragraph(figure, absent=True)
    return found


def _picture(figure: CaptionedFigure, anchor: str, about: str, most: int) -> Picture:
    drawn = figure.svg(anchor)
    for dpi in (200, 100):  # fewer where a page has very many figures
        if len(drawn.encode()) <= most:
            break
        drawn = min(drawn, _pixels(figure, dpi), key=len)
    width = min(1.0, figure.get_figwidth() / PAGE)
    texts = figure.number, figure.title, figure.caption, about
    return Picture(anchor, *texts, width, Markup(drawn))


def _pixels(figure: CaptionedFigure, dpi: int) -> str:
    file = BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    encoded = base64.b64encode(file.getvalue()).decode("ascii")
    label = escape(f"Figure {figure.number}: {figure.title}", quote=True)
    return f'<img alt="{label}" src="data:image/png;base64,{encoded}">'
