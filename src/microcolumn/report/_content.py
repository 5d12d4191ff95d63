"""What reports are made of: sections with paragraphs, lists, tables and figures.

The page's template draws each item by its ``kind``, and :mod:`.text` has a line for each but
figures.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from markupsafe import Markup

from ._tables import Table
from ._typography import sentence

#: Bytes of the elements around a picture.
_AROUND = 1000


class Paragraph(NamedTuple):
    """Plain text: a ``"paragraph"``, a ``"heading"`` or, in the place of a figure, ``"absent"``."""

    text: str
    kind: str = "paragraph"


class BulletList(NamedTuple):
    """A list of sentences."""

    lines: tuple[str, ...]
    kind: str = "list"


class Picture(NamedTuple):
    """A figure as an ``svg`` or ``img`` element.

    ``id`` is its anchor, ``width`` the share of the page's width that it was drawn for, ``data``
    JSON about its size and points for the page's scripts, ``about`` the recording (empty if it
    shows all), ``code`` the Python that draws it, ``paper`` its number in the paper, if it is
    there, and ``groups`` the model whose hidden units it names. The page numbers figures as it
    shows them.
    """

    id: str
    title: str
    caption: str
    width: float
    markup: Markup
    data: Markup
    about: str = ""
    code: str = ""
    paper: str = ""
    groups: str = ""
    kind: str = "picture"

    @property
    def n_bytes(self) -> int:
        """What it takes of the page, with a generous estimate for the elements around it."""
        texts = (self.markup, self.data, self.caption, self.code)
        return sum(len(each.encode()) for each in texts) + _AROUND

    def label(self, number: int) -> str:
        """What it is called for those who do not see it: ``Figure 5, B4``."""
        return ", ".join(filter(None, [f"Figure {number}", self.about]))

    def heading(self, number: int) -> str:
        """Begins its caption: ``Figure 5 (3 in the paper). Log-likelihood gain.``."""
        paper = f" ({self.paper} in the paper)" if self.paper else ""
        title = f" {sentence(self.title)}" if self.title else ""
        return f"Figure {number}{paper}.{title}"


Item: TypeAlias = Paragraph | BulletList | Table | Picture
#: Figures, or sentences in their place, by name and recording (None for all).
Pictures: TypeAlias = dict[tuple[str, str | None], Picture | Paragraph]


class Block(NamedTuple):
    """A part of a section that the page folds away: its name, facts beside it, then items.

    The page shows blocks of a ``recording`` when that one is chosen; a ``pane`` is then unfolded.
    """

    name: str
    facts: str
    items: list[Item]
    recording: str = ""
    pane: bool = False


class Section(NamedTuple):
    """A section: what it shows (``lead``), items, then blocks; ``folded`` if the page folds it."""

    id: str
    title: str
    lead: str
    items: list[Item]
    blocks: list[Block]
    folded: bool = False
