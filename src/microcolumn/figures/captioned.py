"""A figure whose caption travels with it: into files, notebooks and pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from ..plot.style import RC

#: Inches: a column and a page of a journal.
COLUMN, PAGE = 3.4, 7.0
#: What each format calls the title and the caption; none is stamped with the time.
_METADATA: dict[str, tuple[str, str, dict[str, Any]]] = {
    "pdf": ("Title", "Subject", {"CreationDate": None}),
    "svg": ("Title", "Description", {"Date": None}),
    "png": ("Title", "Description", {}),
}


class CaptionedFigure(Figure):
    """A matplotlib figure with a number, a title and a caption.

    Saved as PDF (fonts embedded as TrueType), SVG or PNG, the file holds title and caption as
    metadata; a notebook shows the caption below the figure.

    Parameters
    ----------
    number : str
        As in the paper: ``"1"`` to ``"6"``, ``"S1"``.
    title : str
        What the figure shows, in a line.
    size : (float, float)
        Width and height, inches.

    Attributes
    ----------
    caption : str
        What each panel shows and what error bars are, as plain text.
    """

    number = ""  # in place of matplotlib's, which counts the figures of pyplot

    def __init__(self, number: str, title: str, size: tuple[float, float]) -> None:
        super().__init__(figsize=size, layout="constrained")
        self.number = number
        self.title = title
        self.caption = ""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save as :meth:`matplotlib.figure.Figure.savefig` does, with the caption as metadata."""
        with mpl.rc_context(RC):
            kind = str(options.get("format") or str(fname).rpartition(".")[2]).lower()
            if kind in _METADATA:
                title, subject, unstamped = _METADATA[kind]
                about = {title: f"Figure {self.number}: {self.title}", subject: self.caption}
                given = options.get("metadata") or {}
                options["metadata"] = unstamped | about | given
            super().savefig(fname, **options)

    def svg(self, prefix: str) -> str:
        """The figure as an SVG element for an HTML page.

        Parameters
        ----------
        prefix : str
            Put before all ids, which must be distinct in a page.
        """
        file = StringIO()
        self.savefig(file, format="svg")
        element = file.getvalue()
        element = element[element.index("<svg") :]
        element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
        own = partial(re.compile(r'(\bid="|href="#|url\(#)').sub, rf"\g<1>{prefix}-")
        element = re.sub(r"<[^>]+>", lambda tag: own(tag[0]), element)
        label = escape(f"Figure {self.number}: {self.title}", quote=True)
        return element.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)

    def _repr_html_(self) -> str:
        caption = f"<b>Figure {escape(self.number)}.</b> {escape(self.caption)}"
        prefix = f"figure-{id(self)}"
        return f"<figure>{self.svg(prefix)}<figcaption>{caption}</figcaption></figure>"


@contextmanager
def captioned(number: str, title: str, size: tuple[float, float]) -> Iterator[CaptionedFigure]:
    """A new figure, drawn into in the style of all figures."""
    with mpl.rc_context(RC):
        yield CaptionedFigure(number, title, size)
