"""The report of a study as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import NamedTuple

from ..formatting import text_table
from ..study import Results
from . import _tables as tables
from ._answer import whole_answer
from ._cautions import cautions
from ._content import BulletList, Heading, Item, Paragraph, Section, TableItem
from ._sections import sections
from ._tables import Table
from ._typography import sentence, unbroken

#: Letters of a line, where a terminal is not narrower.
WIDTH = 100


class Block(NamedTuple):
    """Lines of text below a heading, which a terminal shows in bold; one of them may be empty."""

    heading: str
    text: str

    def __str__(self) -> str:
        return "\n".join(filter(None, self))


def report_text(results: Results) -> str:
    """Everything a study found so far, as text of aligned tables, after the answer.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.

    Examples
    --------
    >>> report_text(mc.study.open("study.db")).splitlines()[0]
    'Groups of units describe unseen activity better than pairs do in cells (simulated)'
    """
    return _joined(report_blocks(results))


def answer_text(results: Results) -> str:
    """The answer of a study in words, with its cautions.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.

    Examples
    --------
    >>> answer_text(mc.study.open("study.db")).splitlines()[0]
    'Groups of units describe unseen activity better than pairs do in cells (simulated)'
    """
    return _joined(answer_blocks(results))


def answer_blocks(results: Results, columns: int | None = None) -> list[Block]:
    """The parts of :func:`answer_text`, for a terminal that has so many columns."""
    width = min(columns or WIDTH, WIDTH)
    return [*_answer(results, width), *_cautions(results, width)]


def report_blocks(results: Results, columns: int | None = None) -> list[Block]:
    """The parts of :func:`report_text`, for a terminal that has so many columns.

    Elsewhere tables and the sentences between them are as wide as they are.
    """
    width = min(columns or WIDTH, WIDTH)
    return [
        *_answer(results, width),
        *(
            Block("", text)
            for section in sections(results, None)
            for text in _section_texts(section, columns)
        ),
        *_cautions(results, width),
        Block("", _provenance(results, columns)),
    ]


def _joined(blocks: Sequence[Block]) -> str:
    return "\n\n".join(map(str, blocks)) + "\n"


def _answer(results: Results, width: int) -> Iterator[Block]:
    """The title, what a reader must know first, the questions, and a line for each recording."""
    found = whole_answer(results)
    yield Block(_filled(found.title, width), f"{found.subtitle}.")
    if found.quick:
        small, remedy = sentence(found.quick.small), sentence(found.quick.remedy)
        yield Block("", f"{_filled(small, width)}\n{remedy}")
    if found.simulated:
        yield Block("", _filled(f"{found.simulated}.", width))
    for question, text in found.paragraphs:
        yield Block(question, _filled(text, width, "  "))
    if found.table:
        yield Block("In short", _laid_out(found.table, width))


def _cautions(results: Results, width: int) -> list[Block]:
    warned = cautions(results)
    lines = [_filled(line, width, "  - ", "    ") for line in warned]
    return [Block("Cautions", "\n".join(lines))] if warned else []


def _filled(text: str, width: int = WIDTH, first: str = "", others: str | None = None) -> str:
    """Lines of at most so many letters, which break no amount."""
    lines = fill(
        unbroken(text),
        width,
        initial_indent=first,
        subsequent_indent=first if others is None else others,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _section_texts(section: Section, columns: int | None) -> Iterator[str]:
    """A section: its title and first sentence, what is about all recordings, and each of them."""
    title = _underlined(section.title, "=", columns)
    yield "\n".join(filter(None, [title, section.lead and _line(section.lead, columns)]))
    yield from _item_texts(section.items, columns)
    for block in section.blocks:
        yield _underlined(f"{block.name}: {block.facts}", "-", columns)
        yield from _item_texts(block.items, columns)


def _item_texts(items: Sequence[Item], columns: int | None) -> Iterator[str]:
    for item in items:
        if isinstance(item, TableItem):
            title = ", ".join(filter(None, [item.table.title, item.about]))
            yield f"{_line(title, columns)}\n{_laid_out(item.table, columns)}"
        elif isinstance(item, BulletList):
            yield "\n".join(_line(each, columns, "  ") for each in item.lines)
        elif isinstance(item, Paragraph | Heading):
            yield _line(item.text, columns)


def _provenance(results: Results, columns: int | None) -> str:
    made = tables.provenance(results)
    lines = [made.work]
    lines += [", ".join(map(" ".join, versions)) for versions in made.environments]
    lines += [f"{name}: {seeds}" for name, seeds in made.seeds]
    lines += [
        f"{name}: sha256 {fingerprint[:16]}, {source}" for name, fingerprint, source in made.data
    ]
    title = _underlined("Provenance", "=", columns)
    return "\n".join([title, *(_line(each, columns, "  ") for each in lines)])


def _laid_out(table: Table, columns: int | None) -> str:
    """A table with its note, as wide as it is unless a terminal has so many columns."""
    text = text_table(table.header, table.rows, left=table.left, indent=2, width=columns)
    if not table.note:
        return text
    return f"{text}\n{_filled(f'({table.note})', min(columns or WIDTH, WIDTH), '  ', '   ')}"


def _line(text: str, columns: int | None, indent: str = "") -> str:
    """A line, broken between words where a terminal has so many columns."""
    return indent + text if columns is None else _filled(text, min(columns, WIDTH), indent)


def _underlined(title: str, line: str, columns: int | None) -> str:
    shown = _line(title, columns)
    return f"{shown}\n{line * max(map(len, shown.splitlines()))}"
