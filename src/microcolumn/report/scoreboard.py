"""A study in a few lines for the terminal: scores, groups over pairs, the clearest groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..evaluate import ModelScore, pool_contrasts
from ..formatting import duration, number, text_table
from ..models.spec import INDEPENDENT
from ..study import Results
from ._answer import whole_answer
from ._cautions import cautions
from ._findings import Finding
from ._notices import simulated
from ._typography import WIDTH, filled
from ._wording import text

#: Lines that a scoreboard has at most: with the two that say where all numbers are, 15.
MOST_LINES = 13
#: Columns without which a table of scores says too little to be one.
_FEWEST_COLUMNS = 4
#: Letters of the longest bar.
_BAR = 20


class Line(NamedTuple):
    """A line of text, with its style in a terminal that has any."""

    text: str
    style: str = ""


def scoreboard(
    results: Results,
    columns: int | None = None,
    *,
    seconds: float | None = None,
    brief: bool = False,
) -> list[Line]:
    """What a study found, in at most 13 lines that fit a terminal of so many columns, or 100.

    Of one recording, a row for each model; of several, a row for each recording and their mean.
    ``seconds`` is how long the run has taken. A ``brief`` one has the scores and the answer alone,
    without what the data are, groups and notes.
    """
    width = min(columns or WIDTH, WIDTH)
    for most in (5, 4, 3, 2):  # rows, of which a narrow terminal has space for fewer
        lines = list(_lines(results, width, most, seconds, brief))
        if len(lines) <= MOST_LINES:
            break
    return lines


def _lines(
    results: Results, width: int, most: int, seconds: float | None, brief: bool
) -> Iterator[Line]:
    answer = whole_answer(results)
    first = answer.findings[: len({each.recording for each in answer.findings})]
    if first and not brief:
        yield from _wrapped(_headline(results, first, width, seconds), width, "dim")
    if first:
        table, rest = _of_recordings(first, most) if first[1:] else _of_models(first[0], most)
        yield from _table(table, width)
        lines = [filled(each, width, "  ") for each in rest]
        # The names of others have space on one line, or are left out.
        shorter = min(lines, key=lambda each: each.count("\n"))
        yield from (Line(each, "dim") for each in shorter.splitlines())
    yield from _wrapped(f"{answer.title}.", width, "bold")
    if brief:
        return
    if len(first) == 1:
        yield from _wrapped(_groups(first[0], most), width)
    own = "by construction" in answer.simulated
    notes = {"simulated": own, "n_cautions": len(cautions(results)), "quick": answer.quick}
    yield from _wrapped(text("scoreboard/notes", **notes), width, "dim")


def _wrapped(words: str, width: int, style: str = "") -> list[Line]:
    return [Line(line, style) for line in filled(words, width).splitlines()]


def _headline(results: Results, first: Sequence[Finding], width: int, seconds: float | None) -> str:
    """Which recordings, how large, in which words and splits; how long it took, on the right."""
    one = first[0]
    row = results.recordings[one.recording]
    words = results.all_words(one.recording, experiment=one.compared.experiment)
    made = {"recorded": row, "words": words, "simulated": simulated(results)}
    about = text("scoreboard/about", compared=one.compared, one=len(first) == 1, **made)
    name = one.recording if len(first) == 1 else f"{len(first)} recordings"
    line = f"{name}: {about}"
    return line if seconds is None else f"{line} {duration(seconds).rjust(width - len(line) - 1)}"


Rows = list[tuple[str, ...]]


def _table(rows: Rows, width: int) -> Iterator[Line]:
    """As many columns as fit: the last are the least important."""
    names, *cells = rows
    if not cells:
        return
    for n_columns in range(len(names), _FEWEST_COLUMNS - 1, -1):
        left = names[0], ""
        shown = [row[:n_columns] for row in cells]
        table = text_table(names[:n_columns], shown, left=left, indent=2)
        if max(map(len, table.splitlines())) <= width:
            break
    header, *lines = table.splitlines()
    yield Line(header, "dim")
    yield Line(lines[0], "bold green")
    yield from map(Line, lines[1:])


def _of_models(one: Finding, most: int) -> tuple[Rows, list[str]]:
    """Rows for the best models, and for those that groups are held against; what the others are."""
    ranked, reference = one.compared.ranked, _reference(one)
    pairs = next((model for model in ranked if model.spec.parts == ("pairs",)), None)
    needed = {model.name for model in (reference, pairs) if model}
    best = [model for model in ranked if model.name not in needed][: max(1, most - len(needed))]
    needed |= {model.name for model in best}
    best, others = ([m for m in ranked if (m.name in needed) is known] for known in (True, False))
    longest = max((model.bits_per_second for model in best), default=0.0)
    rows = [
        (
            model.name,
            number(model.bits_per_second),
            *_over(one, model, reference),
            f"{model.n_parameters:.0f}",
            _bar(model.bits_per_second, longest),
        )
        for model in best
    ]
    against = reference.name if reference else "independent"
    rest = _rest(
        others=[model.name for model in others],
        scores=[model.bits_per_second for model in others],
        unranked=[model.name for model in one.compared.unranked],
    )
    return [("model", "bits/s", f"over {against}", "95 %", "parameters", ""), *rows], rest


def _reference(one: Finding) -> ModelScore | None:
    """The model without groups that is closest to those with them, else the best of pairs alone."""
    compared = one.compared
    if one.pair:
        return compared.scores[one.pair.second]
    return next((m for m in compared.ranked if m.spec.parts == ("pairs",)), None)


def _rest(**values: list[Any]) -> list[str]:
    """What is said of the others, with their names and without."""
    return [text("scoreboard/rest", named=named, **values) for named in (True, False)]


def _over(one: Finding, model: ModelScore, reference: ModelScore | None) -> tuple[str, str]:
    """The difference to a model, in per cent too, and its interval.

    The interval of the planned contrast allows for its choice, as wherever it is stated.
    """
    if model is reference:
        return "0", ""
    compared, planned = one.compared, one.pair
    against = reference.name if reference else INDEPENDENT
    pair = compared.pair(model.name, against)
    if planned and (planned.first, planned.second) == (pair.first, pair.second):
        pair = planned
    relative = compared.relative(model.name, against) if reference else None
    shown = f"{pair.bits_per_second:+z.2f}"
    if relative:
        shown += f" ({_per_cent(relative.value)})"
    low, high = pair.interval
    return shown, f"{number(low)} to {number(high)}"


def _per_cent(ratio: float) -> str:
    return f"{100.0 * ratio - 100.0:{'+z.0f' if abs(ratio - 1.0) >= 0.02 else '+z.1f'}} %"


def _bar(value: float, longest: float) -> str:
    return "\N{BOX DRAWINGS HEAVY HORIZONTAL}" * max(0, round(_BAR * value / (longest or 1.0)))


def _of_recordings(found: Sequence[Finding], most: int) -> tuple[Rows, list[str]]:
    """A row for the gain of groups over pairs in each recording, and one for their mean."""
    known = [each for each in found if each.relative]
    longest = max((each.relative.value - 1.0 for each in known if each.relative), default=0.0)
    rows = []
    for each in found[: most + 1]:
        gain, interval, bar = "-", "-", ""
        if each.relative and each.relative_interval:
            gain, interval = _per_cent(each.relative.value), _ends(each.relative_interval)
            bar = _bar(each.relative.value - 1.0, longest)
        best = each.best.name if each.best else "-"
        rows.append((each.recording, gain, interval, str(each.compared.n_units), best, bar))
    if pooled := pool_contrasts(each.compared for each in known).get("groups"):
        mean, ends = pooled.mean, _ends((1.0 + pooled.low, 1.0 + pooled.high))
        of = f" {mean.method}" * (mean.method == "animals")
        rows.append((f"mean of {mean.n}{of}", _per_cent(1.0 + mean.value), ends, *"   "))
    others = [each.recording for each in found[most + 1 :]]
    rest = _rest(others=others, scores=[], unranked=[])
    header = ("recording", "groups over pairs", "95 %", "units", "best model", "")
    return [header, *rows], rest


def _ends(interval: tuple[float, float]) -> str:
    low, high = (number(100.0 * end - 100.0, 1) for end in interval)
    return f"{low} to {high} %"


def _groups(one: Finding, most: int) -> str:
    """Hidden units that are groups found again in other splits, the clearest first."""
    for model, found in one.assemblies.items():
        rows = [row for row in found.clearest if row.verdict == "assembly"]
        return text("scoreboard/groups", model=model, rows=rows, most=max(1, most - 2))
    return ""
