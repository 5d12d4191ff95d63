"""Figure 3: which model predicts best, recording by recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from matplotlib.legend_handler import HandlerTuple

from ..evaluate._splits import StudyComparison
from ..plot import differences, scores
from ..study import Results
from ..study._index import Condition, NotComputedError
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import compared_at, condition_of

#: Recordings up to which the panels stand side by side, inches of their height.
_SIDE_BY_SIDE, _HEIGHT = 4, 2.7
#: Most models in a row of the legend.
_MOST_IN_ROW = 6
#: Splits up to which their scatter says too little; see :mod:`~microcolumn.evaluate._significance`.
_FEW_SPLITS = 2


def likelihood(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    window: int | None = None,
) -> CaptionedFigure:
    """Figure 3: excess log-likelihood of every model, and its difference from the Ising model.

    By default all recordings that have the experiment are drawn; without an Ising model, or with
    nothing else, there is no second panel.
    """
    condition = condition_of(results, recording, experiment, window)
    compared = []
    for each in _alike(results, condition, recording):
        with suppress(NotComputedError):  # no score of that recording is finite
            compared.append(_compared(results, each))
    if not compared:
        raise condition.missing("a test")
    reference = _reference(compared)
    stacked = len(compared) > _SIDE_BY_SIDE and reference is not None
    height = _HEIGHT * (1.75 if stacked else 1.0)
    with captioned("3", "Excess log-likelihood", (PAGE, height)) as figure:
        shape = (1, 1) if reference is None else (2, 1) if stacked else (1, 2)
        panels = figure.subplots(*shape, squeeze=False, sharex=stacked).ravel()
        scores(compared, ax=panels[0])
        if reference is not None:
            differences(compared, reference, ax=panels[1])
            for ax, name in zip(panels, "ab", strict=True):
                letter(ax, name)
        _share_legend(figure)
        figure.caption = _caption(condition, compared, reference)
    return figure


def _alike(results: Results, condition: Condition, recording: str | None) -> list[Condition]:
    """The same experiment and window on all recordings, or on the one asked for."""
    return [
        each
        for each in results.tested()
        if each.experiment.name == condition.experiment.name
        and each.window == condition.window
        and recording in (None, each.recording)
    ]


def _compared(results: Results, condition: Condition) -> StudyComparison:
    """Scores at one condition, with names that do not depend on the number of its units."""
    found = compared_at(results, condition)
    families = results.index.families(condition.experiment, found.n_units * condition.window)
    names = {variant: family for family, variant in families.items()}
    return replace(
        found,
        models=tuple(replace(m, variant=names.get(m.variant, m.variant)) for m in found.models),
        pairs=tuple(
            replace(p, first=names.get(p.first, p.first), second=names.get(p.second, p.second))
            for p in found.pairs
        ),
    )


def _reference(compared: Sequence[StudyComparison]) -> str | None:
    """The Ising model, by its first objective; None without one or without others."""
    names = {model.variant for each in compared for model in each.models}
    ising = sorted(name for name in names if name.split()[0] == "Ising")
    return ising[0] if ising and len(names) > 1 else None


def _share_legend(figure: CaptionedFigure) -> None:
    """One legend above all panels in place of theirs, with bars and points side by side."""
    marks: dict[str, list[Any]] = {}
    for ax in figure.axes:
        legend: Any = ax.get_legend()
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            marks.setdefault(text.get_text(), []).append(handle)
        legend.remove()
    n_rows = -(-len(marks) // _MOST_IN_ROW)
    pairs: Any = [tuple(each) for each in marks.values()]  # which matplotlib's types leave out
    figure.legend(
        pairs,
        list(marks),
        loc="outside upper center",
        ncols=-(-len(marks) // n_rows),
        handler_map={tuple: HandlerTuple(ndivide=None)},
    )


def _caption(
    condition: Condition, compared: Sequence[StudyComparison], reference: str | None
) -> str:
    bins = f"words of {condition.window} bins" if condition.window > 1 else "single bins"
    said = (
        "Excess log-likelihood over firing rates, the zero line, on test words that neither the "
        "fit nor the choice of the penalty has seen, for the whole population "
        f"(experiment {condition.experiment.name}, {bins} of "
        f"{1e3 * condition.experiment.bin_width:g} ms; {_splits(compared)}). "
    )
    if reference is not None:
        said = (
            f"(a) {said}(b) The same scores minus that of {reference} on the same words, with "
            "two-sided p-values from its error, by a t-test or for one or two splits a normal "
            "test, not corrected over pairs. "
        )
    said += error_bars(each.n_splits for each in compared)
    return said + _over_time(condition, compared) + _doubts(compared)


def _splits(compared: Sequence[StudyComparison]) -> str:
    """How many splits the scores are means over, so far."""
    numbers = sorted({each.n_splits for each in compared})
    planned = compared[0].n_planned
    if numbers == [planned]:
        return "one split" if planned == 1 else f"mean over {planned} splits"
    return f"mean over {extremes(numbers)} of {planned} planned splits"


def extremes(numbers: Sequence[int]) -> str:
    """The first and the last of numbers, or the only one: "2 to 5"."""
    return " to ".join(f"{n}" for n in dict.fromkeys((numbers[0], numbers[-1])))


def error_bars(n_splits: Iterable[int]) -> str:
    """What error bars of means over so many splits are; see `significance.claimed_stderr`."""
    numbers = set(n_splits)
    if numbers == {1}:
        return "Error bars: one standard error, from blocks of neighbouring bins."
    said = (
        "Error bars: one standard error of the mean over splits, corrected for the words that "
        "splits share (Nadeau & Bengio 2003)"
    )
    if min(numbers) <= _FEW_SPLITS:
        said += "; with one or two splits that from blocks of neighbouring bins where it is larger"
    return f"{said}."


def _over_time(condition: Condition, compared: Sequence[StudyComparison]) -> str:
    """What errors over splits leave out, where blocks would have told."""
    if condition.experiment.split_by != "words" or min(c.n_splits for c in compared) <= _FEW_SPLITS:
        return ""
    blocks = max(model.block_stderr for each in compared for model in each.models)
    return (
        " Random splits do not show how a recording changes over time; blocks of neighbouring "
        f"bins of one test part, which do, give scores an error of up to {blocks:.2g} bits/s."
    )


def _doubts(compared: Sequence[StudyComparison]) -> str:
    """Models that may not be relied upon, and of which recordings."""
    said = ""
    for what, attribute in (("fit", "fit_converged"), ("log Z", "normaliser_converged")):
        found: dict[str, list[str]] = {}
        for each in compared:
            for model in each.models:
                if not all(getattr(score, attribute) for score in model.splits):
                    found.setdefault(model.variant, []).append(each.recording)
        named = [f"{variant} ({', '.join(names)})" for variant, names in sorted(found.items())]
        if named:
            said += f" The {what} has not converged in some split of {', '.join(named)}."
    return said
