"""How what a study concludes depends on the width of a bin: a table and a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..evaluate import Comparison, PairedDifference
from ..evaluate.significance import with_error
from ..figures.conditions import by_bin_width
from ..formatting import milliseconds
from ..study import Results
from ..wording import worded
from ._findings import OPEN, kind_of, verdict_of
from ._tables import Table, longest, p_cell
from ._wording import span, text


@dataclass(frozen=True, slots=True)
class BinWidths:
    """Models of one recording at several bin widths."""

    recording: str
    comparisons: dict[float, Comparison]  # by bin width, seconds, increasing

    @property
    def sentence(self) -> str:
        """Whether the conclusion is the same at all widths, and the best models."""
        verdicts: dict[str, list[str]] = {}
        best: dict[str, list[str]] = {}
        sure = set()
        for width, compared in self.comparisons.items():
            kind, shown = kind_of(compared), milliseconds(width)
            verdicts.setdefault(verdict_of(kind), []).append(shown)
            best.setdefault(_best(compared), []).append(shown)
            sure |= {verdict_of(kind)} - {*OPEN, "not tested"}
        return text("bin_widths", verdicts=verdicts, best=best, n_sure=len(sure))

    @property
    def table(self) -> Table:
        """A column for each width: the best model, the contrast of groups, and all scores."""
        every = list(self.comparisons.values())
        names = {model.name: None for each in every for model in each.ranked}
        pairs = [each.groups for each in every]
        rows = [
            ["best model", *map(_best, every)],
            *([name, *(_score(each, name) for each in every)] for name in names),
            ["groups beyond pairs", *map(_contrast, pairs)],
            ["95 % interval", *("-" if p is None else span(p.interval) for p in pairs)],
            ["p", *("-" if p is None else p_cell(p.p_value) for p in pairs)],
            ["answer", *(verdict_of(kind_of(each)) for each in every)],
        ]
        header = ("bits/s", *map(milliseconds, self.comparisons))
        note = worded("report", "notes/bin_widths")
        return Table("by bin width", header, rows, left=("bits/s",), note=note)

    def as_dict(self) -> dict[str, Any]:
        """The sentence and the numbers, for JSON."""
        widths = [
            {
                "bin_width_s": width,
                "experiment": each.experiment,
                "best": each.best.name if each.models else None,
                "bits_per_second": {m.name: m.bits_per_second for m in each.ranked},
                "stderr": {m.name: m.stderr for m in each.ranked},
                "groups": each.groups,
                "interval": each.groups and each.groups.interval,
                "p_value": each.groups and each.groups.p_value,
                "verdict": kind_of(each),
            }
            for width, each in self.comparisons.items()
        ]
        return {"recording": self.recording, "sentence": self.sentence, "widths": widths}


def bin_widths(results: Results) -> list[BinWidths]:
    """Of each recording that has words of several bin widths, by the experiment that answers."""
    found: dict[str, BinWidths] = {}
    for condition in longest(results):
        if len(compared := by_bin_width(results, condition)) > 1:
            found.setdefault(condition.recording, BinWidths(condition.recording, compared))
    return list(found.values())


def _best(compared: Comparison) -> str:
    return compared.best.name if compared.models else "-"


def _score(compared: Comparison, name: str) -> str:
    model = compared.scores.get(name)
    return with_error(model.bits_per_second, model.stderr) if model else "-"


def _contrast(pair: PairedDifference | None) -> str:
    return with_error(pair.bits_per_second, pair.stderr) if pair else "-"
