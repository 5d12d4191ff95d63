"""The report of a study as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill

from ..formatting import text_table
from ..study import Condition, Results
from ..study._unit_table import unit_rows
from . import _assembly_table, _tables as tables
from ._adequacy import adequacy_table, explained_sentences
from ._cautions import cautions
from ._effects import effects
from ._growth import gains, growth, growth_sentences
from ._intervals import interval_tables
from ._notices import quick_look, simulated
from ._recordings import recordings
from ._tables import Table, longest
from ._typography import sentence
from ._units import unit_sentences


def report_text(results: Results) -> str:
    """Everything a study found so far, as text of aligned tables.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    """
    blocks = _notices(results)
    tested = longest(results)
    for name, row in results.recordings.items():
        blocks.append(_underlined(f"{results.label(name)}: {tables.recording_facts(row)}", "="))
        for condition in tested:
            if condition.recording == name:
                blocks += _experiment_blocks(results, condition)
    if results.recordings:
        blocks.append(_titled(recordings(results)))
    if not tested:
        blocks.append("Nothing is tested yet; run the study further.")
    warned = cautions(results)
    if warned:
        blocks.append(_listed("Cautions", warned))
    blocks.append(_provenance(results))
    return "\n\n".join(blocks) + "\n"


def answer_text(results: Results) -> str:
    """The answer of a study in words, after what a reader must know first, and its cautions.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    """
    from ._sections import answers  # with which matplotlib is loaded; the report needs none

    blocks = _notices(results)
    for found in answers(results):
        blocks.append(f"{found.about}\n  " + ";\n  ".join((found.headline, *found.details)) + ".")
    if warned := cautions(results):
        blocks.append(_listed("Cautions", warned))
    return "\n\n".join(blocks) + "\n"


def _notices(results: Results) -> list[str]:
    """That a study is a quick look, and which of its data are simulated, where that is so."""
    blocks = []
    if quick := quick_look(results):
        blocks += [fill(sentence(quick.small), 100) + f"\n{sentence(quick.remedy)}"]
    if told := simulated(results):
        blocks.append(fill(f"{told}.", 100))
    return blocks


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
    adequate = adequacy_table(results, last)
    if adequate is not None:
        explained = [f"  {each}" for each in explained_sentences(results, last)]
        yield "\n".join([_titled(adequate), *explained])
    predictions, layers = tables.predictions(results, last), tables.layers(results, last)
    for table in (effects(compared), predictions, layers):
        if table is not None:
            yield _titled(table)
    yield from map(_titled, _assembly_table.tables(results, last))
    units = unit_sentences(unit_rows(results, last), experiment.n_splits)
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


def _laid_out(table: Table) -> str:
    text = text_table(table.header, table.rows, left=table.left, indent=2)
    if not table.note:
        return text
    note = fill(f"({table.note})", 100, initial_indent="  ", subsequent_indent="   ")
    return f"{text}\n{note}"


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([_underlined(title, "="), *(f"  {line}" for line in lines)])


def _underlined(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}"
