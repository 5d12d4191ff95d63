"""The report of a study as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..formatting import text_table
from ..study import Results
from ._answer import WholeAnswer, whole_answer
from ._bin_widths import bin_widths
from ._cautions import cautions
from ._content import BulletList, Item, Paragraph, Section
from ._sections import sections
from ._tables import Table
from ._typography import WIDTH, filled, sentence
from ._wording import text
from .scoreboard import Line, scoreboard

#: Lines of a short report at most: with the line on what is left out, 40.
_PAGE = 38


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
    return [line for block in _blocks(results, columns) for line in block][:-1]


def short_report(results: Results, columns: int | None = None) -> list[Line]:
    """The scoreboard, cautions, and what else of the answer fits on about a page."""
    lines = [*scoreboard(results, columns), Line("")]
    paragraphs = _paragraphs(whole_answer(results), columns)
    for block in (*_cautions(results, columns), *paragraphs):
        if len(lines) + len(block) <= _PAGE:
            lines += block
    return lines


def bin_width_lines(results: Results, columns: int | None = None) -> list[Line]:
    """The table and the sentence of each recording that has several bin widths."""
    blocks: list[Line] = []
    for each in bin_widths(results):
        title = f"{each.table.title}, {each.recording}"
        table = _laid_out(each.table, min(columns or WIDTH, WIDTH))
        blocks += [Line(""), *_block(f"{table}\n{filled(each.sentence, columns)}", title)]
    return blocks


def _block(body: str, heading: str = "") -> list[Line]:
    """Lines of text below a bold heading, and one between them and the next block."""
    above = [Line(line, "bold") for line in heading.splitlines()]
    return [*above, *map(Line, body.splitlines()), Line("")]


def _blocks(results: Results, columns: int | None) -> Iterator[list[Line]]:
    yield from _answer(results, columns)
    for section in sections(results, None):
        yield from map(_block, _section_texts(section, columns))
    yield from _cautions(results, columns)
    yield _block(_provenance(results, columns))


def _cautions(results: Results, columns: int | None) -> Iterator[list[Line]]:
    if warned := cautions(results):
        yield _block(_bullets(warned, columns), "Cautions")


def _answer(results: Results, columns: int | None) -> Iterator[list[Line]]:
    """The title, what a reader must know first, the questions, and a line for each recording."""
    found = whole_answer(results)
    yield _block(f"{found.subtitle}.", filled(found.title, columns))
    if found.quick:
        small, remedy = sentence(found.quick.small), sentence(found.quick.remedy)
        yield _block(f"{filled(small, columns)}\n{remedy}")
    if found.simulated:
        yield _block(filled(f"{found.simulated}.", columns))
    yield from _paragraphs(found, columns)


def _paragraphs(found: WholeAnswer, columns: int | None) -> Iterator[list[Line]]:
    for question, answer in found.paragraphs:
        yield _block(filled(answer, columns, "  "), question)
    if found.table:
        yield _block(_laid_out(found.table, min(columns or WIDTH, WIDTH)), "In short")


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
    lines = [text("work", **made)]
    lines += [", ".join(map(" ".join, versions.items())) for versions in made["environments"]]
    for each in results.plan.experiments:
        lines.append(f"{each.name}: {text('seeds', experiment=each)}")
    for name, row in results.recordings.items():
        data = f"sha256 {row['fingerprint'][:16]}, {row['source'] or 'in memory'}"
        lines.append(f"{name}: {data}")
    return f"{_underlined('Provenance', '=', columns)}\n{_bullets(lines, columns)}"


def _laid_out(table: Table, columns: int | None) -> str:
    """A table with its note, as wide as it is unless a terminal has so many columns."""
    rows = text_table(table.header, table.rows, left=table.left, indent=2, width=columns)
    return f"{rows}\n{filled(f'({table.note})', columns, '  ', '   ')}" if table.note else rows


def _underlined(title: str, line: str, columns: int | None) -> str:
    shown = filled(title, columns)
    return f"{shown}\n{line * max(map(len, shown.splitlines()))}"
