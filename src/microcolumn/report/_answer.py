"""The answer of a study, which its page, its text and its JSON open with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..evaluate.significance import with_error
from ..figures.conditions import by_likelihood
from ..study import Results
from ..wording import worded
from ._answer_sentences import QUESTIONS, answer, others_agree
from ._findings import Finding, finding
from ._notices import QuickLook, quick_look, recordings_text, simulated
from ._tables import Table, longest, p_cell


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """What a study found, in words."""

    title: str  # the result in one sentence, without a full stop
    subtitle: str  # whether it is a quick look or the whole study, and when it was computed
    quick: QuickLook | None  # what is small in it, and how the whole study is run
    simulated: str  # which recordings are simulated; empty if none is
    paragraphs: tuple[tuple[str, str], ...] = ()  # questions with their answers
    findings: tuple[Finding, ...] = ()  # of each recording and experiment, in the plan's order
    table: Table | None = None  # the same, a line each, those that answer first; None where one

    def as_dict(self) -> dict[str, Any]:
        """Sentences and numbers, for JSON."""
        return {
            "title": self.title,
            "subtitle": self.subtitle,
            "quick_look": None if self.quick is None else self.quick._asdict(),
            "simulated": self.simulated,
            "paragraphs": [{"question": q, "answer": text} for q, text in self.paragraphs],
            "findings": [each.as_dict() for each in self.findings],
        }


def whole_answer(results: Results) -> WholeAnswer:
    """The answer of a finished or unfinished study.

    The first experiment of each recording answers the questions, or that of the same words by
    likelihood (:func:`~microcolumn.figures.conditions.by_likelihood`); others are put beside it.
    """
    conditions = longest(results)
    several = len({condition.experiment.name for condition in conditions}) > 1
    found = [finding(results, condition, several=several) for condition in conditions]
    quick = quick_look(results)
    subtitle = worded("report", "notices/subtitle", quick=quick, **results.provenance())
    notices = subtitle, quick, simulated(results)
    if not found:
        return WholeAnswer("Nothing is tested yet; run the study further", *notices)
    leading = {each.recording: by_likelihood(results, each) for each in reversed(conditions)}
    both = list(zip(conditions, found, strict=True))
    first = [each for condition, each in both if condition == leading[condition.recording]]
    others = [each for condition, each in both if condition != leading[condition.recording]]
    answers = {question: answer(name, first) for question, name in QUESTIONS.items()}
    answers["Do the other experiments agree?"] = others_agree(others, first) if others else ""
    answers["What does it hold for?"] = answer("holds_for", first)
    recordings = recordings_text(results, [each.recording for each in first], 1)
    return WholeAnswer(
        answer("title", first, recordings=recordings),
        *notices,
        paragraphs=tuple((question, text) for question, text in answers.items() if text),
        findings=tuple(found),
        table=_table([*first, *others]) if len(found) > 1 else None,
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
