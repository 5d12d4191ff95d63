"""The report of a study as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..formatting import text_table
from ..study import Results
from . import _tables as tables
from ._answer import WholeAnswer, whole_answer
from ._cautions import cautions
from ._content import BulletList, Item, Paragraph, Section
from ._sections import sections
from ._tables import Table
from ._typography import WIDTH, filled, sentence
from .scoreboard import Line, scoreboard

#: Lines of a short report at most: with the line on what is left out, 40.
_PAGE = 38


class _Block(NamedTuple):
    """Lines of text below a heading; one of them may be empty."""

    heading: str
    text: str

    @property
    def lines(self) -> list[Line]:
        """The heading, bold, the text, and a line between it and the next block."""
        heading = [Line(line, "bold") for line in self.heading.splitlines()]
        return [*heading, *map(Line, self.text.splitlines()), Line("")]


def report_text(results: Results) -> str:
    """Everything a study found so far, as text of aligned tables, after the answer.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.

    Examples
    --------
    >>> report_text(mc.study.open("study.db")).splitlines()[0]
    'Groups of neurons predict unseen activity 20 % better than pairs in cells...'
    """
    return "".join(f"{line.text}\n" for line in report_lines(results))


def report_lines(results: Results, columns: int | None = None) -> list[Line]:
    """Lines of :func:`report_text` for a terminal of so many columns.

    Without one, tables are as wide as they are.
    """
    return [line for block in _blocks(results, columns) for line in block.lines][:-1]


def short_report(results: Results, columns: int | None = None) -> list[Line]:
    """The scoreboard, cautions, and what else of the answer fits on about a page."""
    lines = [*scoreboard(results, columns), Line("")]
    paragraphs = _paragraphs(whole_answer(results), columns)
    for block in (*_cautions(results, columns), *paragraphs):
        if len(lines) + len(block.lines) <= _PAGE:
            lines += block.lines
    return lines


def _blocks(results: Results, columns: int | None) -> Iterator[_Block]:
    yield from _answer(results, columns)
    for section in sections(results, None):
        yield from (_Block("", text) for text in _section_texts(section, columns))
    yield from _cautions(results, columns)
    yield _Block("", _provenance(results, columns))


def _cautions(results: Results, columns: int | None) -> Iterator[_Block]:
    if warned := cautions(results):
        yield _Block("Cautions", _bullets(warned, columns))


def _answer(results: Results, columns: int | None) -> Iterator[_Block]:
    """The title, what a reader must know first, the questions, and a line for each recording."""
    found = whole_answer(results)
    yield _Block(filled(found.title, columns), f"{found.subtitle}.")
    if found.quick:
        small, remedy = sentence(found.quick.small), sentence(found.quick.remedy)
        yield _Block("", f"{filled(small, columns)}\n{remedy}")
    if found.simulated:
        yield _Block("", filled(f"{found.simulated}.", columns))
    yield from _paragraphs(found, columns)


def _paragraphs(found: WholeAnswer, columns: int | None) -> Iterator[_Block]:
    """The questions with their answers, and a line for each recording."""
    for question, text in found.paragraphs:
        yield _Block(question, filled(text, columns, "  "))
    if found.table:
        yield _Block("In short", _laid_out(found.table, min(columns or WIDTH, WIDTH)))


def _bullets(lines: Sequence[str], columns: int | None) -> str:
    return "\n".join(filled(line, columns, "  - ", "    ") for line in lines)


def _section_texts(section: Section, columns: int | None) -> Iterator[str]:
    """A section: its title and first sentence, what is about all recordings, and each of them."""
    yield f"{_underlined(section.title, '=', columns)}\n{filled(section.lead, columns)}"
    yield from _item_texts(section.items, columns)
    for block in section.blocks:
        yield _underlined(": ".join(filter(None, [block.name, block.facts])), "-", columns)
        yield from _item_texts(block.items, columns)


def _item_texts(items: Sequence[Item], columns: int | None) -> Iterator[str]:
    for item in items:
        if isinstance(item, Table):
            title = ", ".join(filter(None, [item.title, item.about]))
            yield f"{filled(title, columns)}\n{_laid_out(item, columns)}"
        elif isinstance(item, BulletList):
            yield _bullets(item.lines, columns)
        elif isinstance(item, Paragraph):
            yield filled(item.text, columns)


def _provenance(results: Results, columns: int | None) -> str:
    made = results.provenance()
    lines = [tables.work_text(made)]
    lines += [", ".join(map(" ".join, versions.items())) for versions in made["environments"]]
    lines += [f"{each.name}: {tables.seeds_text(each)}" for each in results.plan.experiments]
    for name, row in results.recordings.items():
        data = f"sha256 {row['fingerprint'][:16]}, {row['source'] or 'in memory'}"
        lines.append(f"{name}: {data}")
    return f"{_underlined('Provenance', '=', columns)}\n{_bullets(lines, columns)}"


def _laid_out(table: Table, columns: int | None) -> str:
    """A table with its note, as wide as it is unless a terminal has so many columns."""
    text = text_table(table.header, table.rows, left=table.left, indent=2, width=columns)
    return f"{text}\n{filled(f'({table.note})', columns, '  ', '   ')}" if table.note else text


def _underlined(title: str, line: str, columns: int | None) -> str:
    shown = filled(title, columns)
    return f"{shown}\n{line * max(map(len, shown.splitlines()))}"
