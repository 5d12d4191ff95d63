"""What the page is made of: sections of blocks of paragraphs, tables and figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from markupsafe import Markup

from ._tables import Table


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of plain text."""

    kind: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a block."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of sentences."""

    kind: ClassVar[str] = "list"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tabled:
    """A table and which results it is about."""

    kind: ClassVar[str] = "table"
    table: Table
    about: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of the study as it stands in a page.

    Parameters
    ----------
    id : str
        Anchor, distinct in the page.
    number, title, caption : str
        As in :class:`~microcolumn.figures.CaptionedFigure`.
    about : str
        Name of the recording; empty where it shows all.
    width : float
        Share of the page's width that it was drawn for.
    markup : Markup
        An ``svg`` or ``img`` element.
    """

    kind: ClassVar[str] = "picture"
    id: str
    number: str
    title: str
    caption: str
    about: str
    width: float
    markup: Markup


@dataclass(frozen=True, slots=True)
class Absent:
    """A sentence in the place of a figure that could not be drawn."""

    kind: ClassVar[str] = "absent"
    text: str


Item: TypeAlias = Paragraph | Heading | Listed | Tabled | Picture | Absent


@dataclass(frozen=True, slots=True)
class Block:
    """What a section says of one recording: its name and size, then items in reading order."""

    name: str
    facts: str
    items: list[Item]


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page.

    Parameters
    ----------
    id, title : str
        Anchor and heading.
    lead : str
        What the section shows, in a sentence or two.
    items : list of Item
        About all recordings together.
    blocks : list of Block
        About one recording each.
    """

    id: str
    title: str
    lead: str
    items: list[Item]
    blocks: list[Block]


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one comparison in words: of what, who is best by how much, and details."""

    about: str
    headline: str
    details: tuple[str, ...]
