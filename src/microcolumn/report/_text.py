"""The report of a study as plain text, and as a dictionary for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from textwrap import fill
from typing import Any

from ..study._index import Condition, NotComputedError
from ..study._results import Results
from ..study._rows import plain
from . import _tables as tables
from ._cautions import cautions
from ._tables import Table

#: Of a fingerprint, the letters that tell recordings apart.
_FINGERPRINT = 16
#: Columns of the text that notes are wrapped at.
_WIDTH = 100


def report_text(results: Results) -> str:
    """Everything a study found so far, as text of aligned tables.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    """
    blocks = []
    tested = results.tested()
    for name, row in results.recordings.items():
        blocks.append(_underlined(f"{name}: {tables.recording_facts(row)}", "="))
        for experiment in dict.fromkeys(p.experiment.name for p in tested if p.recording == name):
            conditions = [
                p for p in tested if (p.recording, p.experiment.name) == (name, experiment)
            ]
            blocks += _experiment_blocks(results, conditions)
    if not tested:
        blocks.append("Nothing is tested yet; run the study further.")
    warned = cautions(results)
    if warned:
        blocks.append(_listed("Cautions", warned))
    blocks.append(_provenance(results))
    return "\n\n".join(blocks) + "\n"


def report_dict(results: Results) -> dict[str, Any]:
    """Everything but the models, as JSON knows it: None where there is no number.

    Parameters
    ----------
    results : Results
        Of a finished or unfinished study.
    """
    return {
        "plan": results.plan.as_dict(),
        "provenance": plain(results.provenance()),
        "recordings": plain(results.recordings),
        "comparisons": [plain(_everything(results, condition)) for condition in results.tested()],
        "cautions": cautions(results),
    }


def _everything(results: Results, condition: Condition) -> dict[str, Any]:
    """All that is known of one place; what is not computed yet is left out."""
    recording, settings, window = condition
    where: dict[str, Any] = {"experiment": settings.name, "window": window}
    by_model = {}
    for variant in results.index.variants(condition):
        found: dict[str, Any] = {}
        for name in ("predictions", "layers", "interactions"):
            with suppress(NotComputedError):
                found[name] = getattr(results, name)(recording, variant.name, **where)
        found["normalisers"] = {
            split: results.normalisers(recording, variant.name, split=split, **where)
            for split in range(settings.n_splits)
        }
        by_model[variant.name] = found
    compared = results.comparison(recording, **where)
    return asdict(compared) | {"answer": compared.answer, "by_model": by_model}


def _experiment_blocks(results: Results, conditions: Sequence[Condition]) -> Iterator[str]:
    """Blocks of one experiment: growth with the window, then the longest words in detail."""
    last = conditions[-1]
    experiment = last.experiment
    compared = tables.compared_at(results, last)
    yield _underlined(f"{experiment.name}: {tables.words_facts(last, compared)}", "-")
    bins = ""
    if len(experiment.windows) > 1:
        found = results.by_window(last.recording, experiment=experiment.name)
        steps = "\n".join(f"  {sentence}" for sentence in tables.growth_sentences(found))
        yield f"{_titled(tables.growth(found))}\n{steps}"
        bins = f"T = {last.window}: "
    yield bins + compared.answer.replace("; ", ";\n")
    yield _laid_out(tables.models(results, last, compared))
    yield _laid_out(tables.pairs(compared))
    for make in (tables.predictions, tables.layers, tables.interactions):
        table = make(results, last)
        if table is not None:
            yield _titled(table)


def _provenance(results: Results) -> str:
    made = tables.provenance(results)
    lines = [made.work]
    lines += [", ".join(map(" ".join, versions)) for versions in made.environments]
    lines += [f"{name}: {seeds}" for name, seeds in made.seeds]
    lines += [
        f"{name}: sha256 {fingerprint[:_FINGERPRINT]}, {source}"
        for name, fingerprint, source in made.data
    ]
    return _listed("Provenance", lines)


def _titled(table: Table) -> str:
    return f"{table.title}\n{_laid_out(table)}"


def _laid_out(table: Table) -> str:
    """Columns of equal width, indented; those of words begin, the others end, together."""
    lines = [table.header, *table.rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(table.header))]
    rows = [
        "  "
        + "  ".join(
            cell.ljust(width) if name in table.left else cell.rjust(width)
            for name, cell, width in zip(table.header, line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
    note = fill(f"({table.note})", _WIDTH, initial_indent="  ", subsequent_indent="   ")
    return "\n".join([*rows, note] if table.note else rows)


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([_underlined(title, "="), *(f"  {line}" for line in lines)])


def _underlined(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}"
