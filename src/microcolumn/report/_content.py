"""What the page is made of: sections with paragraphs, lists, tables and figures.

The template draws each item by its ``kind``.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from markupsafe import Markup

from ._tables import Table


class Paragraph(NamedTuple):
    """Plain text; ``absent`` stands in the place of a figure."""

    text: str
    absent: bool = False
    kind: str = "paragraph"


class Heading(NamedTuple):
    """A heading inside a section."""

    text: str
    kind: str = "heading"


class BulletList(NamedTuple):
    """A list of sentences."""

    lines: tuple[str, ...]
    kind: str = "list"


class TableItem(NamedTuple):
    """A table, and which results it shows."""

    table: Table
    about: str
    kind: str = "table"


class Picture(NamedTuple):
    """A :class:`~microcolumn.figures.CaptionedFigure` as an ``svg`` or ``img`` element.

    ``id`` is its anchor, ``about`` the recording (empty if it shows all), ``width`` the share of
    the page's width that it was drawn for.
    """

    id: str
    number: str
    title: str
    caption: str
    about: str
    width: float
    markup: Markup
    kind: str = "picture"


Item: TypeAlias = Paragraph | Heading | BulletList | TableItem | Picture


class Block(NamedTuple):
    """The part of a section about one recording: its name and size, then items."""

    name: str
    facts: str
    items: list[Item]


class Section(NamedTuple):
    """A section: what it shows (``lead``), items about all recordings, a block for each."""

    id: str
    title: str
    lead: str
    items: list[Item]
    blocks: list[Block]


class Answer(NamedTuple):
    """The result of one comparison in words: what is compared, the best model, and details."""

    about: str
    headline: str
    details: tuple[str, ...]
