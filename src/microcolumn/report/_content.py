"""What the page is made of: sections with paragraphs, lists, tables and figures.

The template draws each item by its ``kind``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from markupsafe import Markup

from ._tables import Table


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain text; ``absent`` stands in the place of a figure."""

    kind: ClassVar[str] = "paragraph"
    text: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class BulletList:
    """A list of sentences."""

    kind: ClassVar[str] = "list"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableItem:
    """A table, and which results it shows."""

    kind: ClassVar[str] = "table"
    table: Table
    about: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A :class:`~microcolumn.figures.CaptionedFigure` as an ``svg`` or ``img`` element.

    ``id`` is its anchor, ``about`` the recording (empty if it shows all), ``width`` the share of
    the page's width that it was drawn for.
    """

    kind: ClassVar[str] = "picture"
    id: str
    number: str
    title: str
    caption: str
    about: str
    width: float
    markup: Markup


Item: TypeAlias = Paragraph | Heading | BulletList | TableItem | Picture


@dataclass(frozen=True, slots=True)
class Block:
    """The part of a section about one recording: its name and size, then items."""

    name: str
    facts: str
    items: list[Item]


@dataclass(frozen=True, slots=True)
class Section:
    """A section: what it shows (``lead``), items about all recordings, a block for each."""

    id: str
    title: str
    lead: str
    items: list[Item] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one comparison in words: what is compared, the best model, and details."""

    about: str
    headline: str
    details: tuple[str, ...]
