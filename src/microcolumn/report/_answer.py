"""The answer of a study, which its page, its text and its JSON open with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..evaluate.significance import with_error
from ..study import Results
from ..wording import worded
from ._answer_sentences import QUESTIONS, answer, named
from ._bin_widths import BinWidths, bin_widths
from ._findings import Finding, finding, label_of
from ._notices import QuickLook, quick_look, simulated
from ._tables import Table, longest, p_cell


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """What a study found, in words."""

    title: str  # the result in one sentence, without a full stop
    subtitle: str  # whether it is a quick look or the whole study, and when it was computed
    quick: QuickLook | None  # what is small in it, and how the whole study is run
    simulated: str  # which recordings are simulated; empty if none is
    summary: str = ""  # what to know beside the title, in at most 60 words
    paragraphs: tuple[tuple[str, str], ...] = ()  # questions with their answers
    findings: tuple[Finding, ...] = ()  # of each recording and experiment, first those that answer
    table: Table | None = None  # the same, a line each; None where one
    bin_widths: tuple[BinWidths, ...] = ()  # of recordings with several

    def as_dict(self) -> dict[str, Any]:
        """Sentences and numbers, for JSON."""
        return {
            "title": self.title,
            "subtitle": self.subtitle,
            "quick_look": None if self.quick is None else self.quick._asdict(),
            "simulated": self.simulated,
            "summary": self.summary,
            "paragraphs": [{"question": q, "answer": text} for q, text in self.paragraphs],
            "findings": [each.as_dict() for each in self.findings],
            "bin_widths": [each.as_dict() for each in self.bin_widths],
        }


def whole_answer(results: Results) -> WholeAnswer:
    """The answer of a finished or unfinished study.

    The experiment of each recording that comes first in :func:`~._tables.longest` answers the
    questions; others are put beside it.
    """
    conditions = longest(results)
    several = len({condition.experiment.name for condition in conditions}) > 1
    found = [finding(results, condition, several=several) for condition in conditions]
    quick = quick_look(results)
    subtitle = worded("report", "notices/subtitle", quick=quick, **results.provenance())
    notices = subtitle, quick, simulated(results)
    if not found:
        return WholeAnswer("Nothing is tested yet; run the study further", *notices)
    n_first = len({condition.recording for condition in conditions})
    first = found[:n_first]
    answers = {question: answer(name, first) for question, name in QUESTIONS.items()}
    if (label := label_of(first)) != "layer":
        answers = {name.replace("layers", f"one {label}"): text for name, text in answers.items()}
    widths = bin_widths(results)
    about = [f"{each.recording}: " * (n_first > 1) + each.sentence for each in widths]
    answers["Does it depend on the bin width?"] = " ".join(about)
    answers["What does it hold for?"] = answer("holds_for", first)
    return WholeAnswer(
        answer("title", first, recordings=named(first, 1)),
        *notices,
        summary=answer("summary", first),
        paragraphs=tuple((question, text) for question, text in answers.items() if text),
        findings=tuple(found),
        table=_table(found) if len(found) > 1 else None,
        bin_widths=tuple(widths),
    )


def _table(found: Sequence[Finding]) -> Table:
    """One line for each recording and experiment; dashes where there is no difference."""
    rows = []
    for each in found:
        pair, relative, best = each.pair, each.relative, each.best
        row = [each.about, "-", "-", "-", each.verdict, best.name if best else "-"]
        if pair is not None:
            row[1], row[3] = with_error(pair.bits_per_second, pair.stderr), p_cell(pair.p_value)
        if relative is not None:
            row[2] = f"{100.0 * (relative.value - 1.0):+.0f}"
        rows.append(row)
    header = ("recording", "bits/s", "%", "p", "answer", "best model")
    left = ("recording", "answer", "best model")
    note = worded("report", "notes/answer")
    return Table("in short", header, rows, left=left, note=note)
