"""A figure with a caption, which goes along into files, notebooks and pages."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple

from ..errors import BadArgument
from ..plot.style import RC, printable
from ._presets import current, height_at, is_narrow

#: Inches: a column and a page of a journal.
COLUMN, PAGE = 3.4, 7.0
#: Height that panels below each other keep, and that a page has for a figure, inches.
_STACKED, _TALLEST = 0.9, 9.5
#: What each format calls the caption; none is stamped with the time.
_METADATA: dict[str, tuple[str, dict[str, Any]]] = {
    "pdf": ("Subject", {"CreationDate": None}),
    "svg": ("Description", {"Date": None}),
    "png": ("Description", {}),
}
#: What stands before an id in SVG, where it is given and where it is used.
_BEFORE_ID = r'( id="|href="#|url\(#)'


class CaptionedFigure(Figure):
    """A matplotlib figure with a number, a title and a caption (:func:`draw_all`).

    Saved as PDF (fonts embedded as TrueType), SVG or PNG, the file holds title and caption as
    metadata; a notebook shows the caption below the figure.

    Parameters
    ----------
    number : str
        As in the paper: ``"1"`` to ``"6"``, ``"S1"``; empty for other figures.
    title : str
        What the figure shows, in a line.
    size : (float, float)
        Width and height, inches.
    fonts : sequence of str
        Families by preference: letters that the first lacks are taken from the next.

    Attributes
    ----------
    caption : str
        What each panel shows and what error bars are, as plain text.
    keywords : tuple of str
        Go into the file's metadata: ``"simulated"`` for a figure of simulated recordings.
    """

    number = ""  # instead of matplotlib's, which counts the figures of pyplot

    def __init__(
        self, number: str, title: str, size: tuple[float, float], fonts: Sequence[str]
    ) -> None:
        super().__init__(figsize=size, layout="constrained")
        self._fonts = tuple(fonts)
        self.number = number
        self.title = title
        self.caption = ""
        self.keywords: tuple[str, ...] = ()

    def mark_simulated(self, sentence: str) -> None:
        """Say in the figure, in its caption and in its metadata that its data are simulated."""
        strip = 9 / 72 / self.get_figheight()  # inches of a small line, as a share of the height
        engine: Any = self.get_layout_engine()
        engine.set(rect=(0.0, 0.0, 1.0, 1.0 - strip))
        look: dict[str, Any] = {"color": "0.45", "size": 6, "family": list(self._fonts)}
        self.text(0.995, 1.0 - 0.2 * strip, "simulated", ha="right", va="top", **look)
        self.caption = f"{self.caption} {sentence}"
        self.keywords = ("simulated",)

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save as :meth:`matplotlib.figure.Figure.savefig` does, with the caption as metadata.

        The same figure gives the same bytes: nothing is stamped with the time.
        """
        with self.style(), warnings.catch_warnings():
            kind = str(options.get("format") or _extension(fname)).lower()
            if kind in _METADATA:
                subject, unstamped = _METADATA[kind]
                about = {"Title": printable(self._heading), subject: printable(self.caption)}
                if self.keywords:
                    about["Keywords"] = ", ".join(self.keywords)
                options["metadata"] = unstamped | about | (options.get("metadata") or {})
            if kind == "svg":  # text stays text, and the reader's fonts have the letters
                warnings.filterwarnings("ignore", "Glyph .* missing from")
            super().savefig(fname, **options)

    def svg(self, prefix: str) -> str:
        """The figure as an SVG element for an HTML page, ``prefix`` before all its ids.

        A prefix is a letter, then letters, digits, ``-`` and ``_``.
        """
        with self.style():
            return svg_element(self, self.title, prefix)

    def style(self) -> AbstractContextManager[None]:
        """The style in which the figure is drawn; whoever measures its parts needs it too."""
        return _style(self._fonts)

    @property
    def _heading(self) -> str:
        return f"Figure {self.number}: {self.title}" if self.number else self.title

    def _repr_html_(self) -> str:
        with self.style():
            element = _element(self, self.title)
        # A hash instead of the object's address: a notebook that is run again shows the same bytes.
        prefix = "figure-" + hashlib.sha256(element.encode()).hexdigest()[:8]
        lead = f"Figure {self.number}. {self.title}" if self.number else self.title
        lead, caption = escape(printable(lead)), escape(printable(self.caption))
        return (
            f"<figure>{_prefixed(element, prefix)}"
            f"<figcaption><b>{lead}.</b> {caption}</figcaption></figure>"
        )


def svg_element(figure: Figure, title: str, prefix: str) -> str:
    """Any figure as an SVG element for an HTML page, ``prefix`` before all its ids."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", prefix):
        raise BadArgument("prefix", f"is {prefix!r}", "use letters, digits, - and _ after a letter")
    return _prefixed(_element(figure, title), prefix)


@contextmanager
def captioned(number: str, title: str, size: tuple[float, float]) -> Iterator[CaptionedFigure]:
    """A new figure in the style of all figures, of the width and font of the preset.

    Without one, it has ``size``, inches.
    """
    width, fonts = current()
    shape = size if width is None else (width, height_at(width, size))
    with _style(fonts):
        figure = CaptionedFigure(number, title, shape, fonts)
        yield figure


def panels(
    figure: CaptionedFigure, rows: Sequence[Sequence[str]], **ratios: Any
) -> dict[str, Axes]:
    """Panels of a page by name, as in ``subplot_mosaic``; in a narrow figure below each other."""
    if not is_narrow(PAGE):
        return figure.subplot_mosaic([list(row) for row in rows], **ratios)
    names = dict.fromkeys(name for row in rows for name in row if name != ".")
    stretch = _STACKED * len(names) / len(rows)
    figure.set_figheight(min(figure.get_figheight() * stretch, _TALLEST))
    return figure.subplot_mosaic([[name] for name in names])


def letter(ax: Axes, name: str, pad: float | None = None) -> None:
    """Name a panel, ``pad`` points above the axes."""
    ax.set_title(name, loc="left", fontweight="bold", pad=pad)


def share_legend(figure: Figure, **options: Any) -> None:
    """Put one legend of all panels below them, each label with all kinds of its marks."""
    marks: dict[str, list[Any]] = {}
    for ax in figure.axes:
        legend: Any = ax.get_legend()
        if legend is None:
            continue
        handles, labels = ax.get_legend_handles_labels()
        if not labels:
            handles, labels = legend.legend_handles, [t.get_text() for t in legend.get_texts()]
        for handle, label in zip(handles, labels, strict=True):
            alike = marks.setdefault(label, [])
            if type(handle) not in map(type, alike):
                alike.append(handle)
        legend.remove()
    options["ncols"] = _n_columns(list(marks), figure.get_figwidth())
    options["handler_map"] = {tuple: HandlerTuple(ndivide=None)}
    pairs: Any = [tuple(each) for each in marks.values()]  # which matplotlib's types leave out
    figure.legend(pairs, list(marks), loc="outside lower center", **options)


def _n_columns(labels: Sequence[str], width: float) -> int:
    """Columns of a legend that is ``width`` inches wide.

    The width of a page holds six labels, or about 114 letters, of which a mark takes eight.
    """
    share = width / PAGE
    for n_columns in range(min(len(labels), max(1, round(6 * share))), 1, -1):
        columns = np.array_split(labels, n_columns)  # as matplotlib deals them
        if sum(max(map(len, column)) + 8 for column in columns) <= 114 * share:
            return n_columns
    return 1


@contextmanager
def _style(fonts: Sequence[str]) -> Iterator[None]:
    """The style of all figures, independent of the user's settings."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(RC | {"font.family": list(fonts)})
        yield


def _element(figure: Figure, title: str) -> str:
    """A figure as an SVG element, with ids as matplotlib gives them."""
    element = _drawn_once(figure, title)
    element = element[element.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    # Matplotlib names images after their pixels, so that two may share a name; none is used.
    element = re.sub(r'(<image [^>]*?) id="[^"]*"', r"\1", element)
    element = _renamed(element)
    root = f'<svg role="img" aria-label="{escape(printable(title), quote=True)}"'
    # In a page, a style sheet would apply to all elements; a style attribute does not.
    if sheet := re.search(r"<style[^>]*>\*\{([^}]*)\}</style>", element):
        element = element.replace(sheet[0], "", 1)
        root += f' style="{sheet[1]}"'
    return element.replace("<svg", root, 1)


def _renamed(element: str) -> str:
    """The element with clips and marks named in their order.

    Matplotlib names them after all digits of where they are, the last of which may differ when the
    same figure is laid out again.
    """
    names: dict[str, str] = {}

    def rename(found: re.Match[str]) -> str:
        return found[1] + names.setdefault(found[2], f"{found[2][0]}{len(names)}")

    return re.sub(rf'{_BEFORE_ID}([A-Za-z]\w*?[0-9a-f]{{10}})(?=["\)])', rename, element)


def _drawn_once(figure: Figure, title: str) -> str:
    """What ``savefig`` writes as SVG, without its first drawing of all that finds margins."""
    file = StringIO()
    canvas, dpi = figure.canvas, figure.dpi
    about = _METADATA["svg"][1] | {"Title": printable(title)}
    text: dict[Any, Any] = {name: RC[name] for name in ("svg.fonttype", "svg.hashsalt")}
    with mpl.rc_context(text), warnings.catch_warnings():
        # Text stays text, and the reader's fonts have the letters.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        try:
            figure.dpi = RC["savefig.dpi"]
            svg: Any = FigureCanvasSVG(figure)  # which matplotlib's types leave out in part
            svg.print_svg(file, metadata=about)
        finally:
            figure.dpi = dpi
            figure.set_canvas(canvas)
    return file.getvalue()


def _extension(fname: Any) -> str:
    """Format that matplotlib takes by default for a path or an open file."""
    named = isinstance(fname, str | os.PathLike)
    return Path(fname).suffix[1:] if named and Path(fname).suffix else "png"


def _prefixed(element: str, prefix: str) -> str:
    in_tags = r"(?=[^<>]*>)"  # never in text
    return re.sub(_BEFORE_ID + in_tags, rf"\g<1>{prefix}-", element)
