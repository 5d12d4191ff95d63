"""The report of a study as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import NamedTuple

from ..formatting import text_table
from ..study import Condition, Results
from . import _assembly_table, _tables as tables
from ._adequacy import adequacy_table
from ._answer import whole_answer
from ._cautions import cautions
from ._effects import effects
from ._growth import gains, growth, growth_sentences
from ._intervals import interval_tables
from ._recordings import recordings
from ._tables import Table, longest
from ._typography import sentence, unbroken
from ._units import known_units, unit_sentences

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
    """
    return _joined(report_blocks(results))


def answer_text(results: Results) -> str:
    """The answer of a study in words, with its cautions.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    """
    return _joined(answer_blocks(results))


def answer_blocks(results: Results, width: int = WIDTH) -> list[Block]:
    """The parts of :func:`answer_text`, in lines of at most ``width`` letters."""
    return [*_answer(results, width), *_cautions(results, width)]


def report_blocks(results: Results, width: int = WIDTH) -> list[Block]:
    """The parts of :func:`report_text`, with the answer and the cautions in such lines."""
    texts = []
    tested = longest(results)
    for name, row in results.recordings.items():
        texts.append(_underlined(f"{results.label(name)}: {tables.recording_facts(row)}", "="))
        for condition in tested:
            if condition.recording == name:
                texts += _experiment_blocks(results, condition)
    if results.recordings:
        texts.append(_titled(recordings(results)))
    shown = [Block("", text) for text in texts]
    return [
        *_answer(results, width),
        *shown,
        *_cautions(results, width),
        Block("", _provenance(results)),
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


def _experiment_blocks(results: Results, last: Condition) -> Iterator[str]:
    """Blocks of one experiment: growth with the window, then the longest words in detail."""
    experiment = last.experiment
    compared = results.comparison(**last.names)
    yield _underlined(f"{experiment.name}: {tables.words_facts(last, compared)}", "-")
    bins = ""
    if len(experiment.windows) > 1:
        found = results.by_window(last.recording, experiment=experiment.name)
        yield _titled(growth(found))
        over = gains(found)
        if over is not None:
            yield "\n".join([_titled(over), *(f"  {each}" for each in growth_sentences(found))])
        bins = f"T = {last.window}: "
    yield bins + ".\n".join(compared.statements) + "."
    yield _laid_out(tables.models(compared))
    yield _laid_out(tables.pairs(compared))
    predictions, layers = tables.predictions(results, last), tables.layers(results, last)
    for table in (adequacy_table(results, last), effects(compared), predictions, layers):
        if table is not None:
            yield _titled(table)
    yield from map(_titled, _assembly_table.tables(results, last))
    units = unit_sentences(known_units(results, last), experiment.n_splits)
    sentences = [*_assembly_table.sentences(results, last), *units]
    if sentences:
        yield "\n".join(sentences)
    for table in interval_tables(results, last):
        yield _titled(table)


def _provenance(results: Results) -> str:
    made = tables.provenance(results)
    lines = [made.work]
    lines += [", ".join(map(" ".join, versions)) for versions in made.environments]
    lines += [f"{name}: {seeds}" for name, seeds in made.seeds]
    lines += [
        f"{name}: sha256 {fingerprint[:16]}, {source}" for name, fingerprint, source in made.data
    ]
    return _listed("Provenance", lines)


def _titled(table: Table) -> str:
    return f"{table.title}\n{_laid_out(table)}"


def _laid_out(table: Table, width: int | None = None) -> str:
    """A table with its note, as wide as it is unless a width is given."""
    text = text_table(table.header, table.rows, left=table.left, indent=2, width=width)
    if not table.note:
        return text
    return f"{text}\n{_filled(f'({table.note})', width or WIDTH, '  ', '   ')}"


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([_underlined(title, "="), *(f"  {line}" for line in lines)])


def _underlined(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}"
