"""Figure 3: which model predicts best, recording by recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from ..evaluate import Comparison
from ..evaluate._significance import FEWEST_SPLITS
from ..plot import differences, scores
from ..study import Condition, NotComputedError, Results
from ._captioned import PAGE, CaptionedFigure, captioned, letter, share_legend
from ._conditions import about, condition_of, tell_simulated


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
    compared, drawn = [], []
    for each in results.tested():
        same = each.experiment == condition.experiment and each.window == condition.window
        if same and recording in (None, each.recording):
            with suppress(NotComputedError):  # no score of that recording is finite
                found = _compared(results, each)
                if found.models:  # if all have a false mode, there is no score
                    compared.append(found)
                    drawn.append(each.recording)
    if not compared:
        raise condition.missing("a test")
    reference = _reference(compared)
    stacked = len(compared) > 4 and reference is not None  # too many for panels side by side
    size = (PAGE, 2.7 * (1.75 if stacked else 1.0))
    with captioned("3", "Excess log-likelihood", size) as figure:
        shape = (1, 1) if reference is None else (2, 1) if stacked else (1, 2)
        panels = figure.subplots(*shape, squeeze=False, sharex=stacked).ravel()
        scores(compared, ax=panels[0])
        if reference is not None:
            differences(compared, reference, ax=panels[1])
            for ax, name in zip(panels, "ab", strict=True):
                letter(ax, name)
        share_legend(figure, "outside upper center")
        figure.caption = _caption(condition, compared, reference)
        tell_simulated(figure, results, drawn)
    return figure


def _compared(results: Results, condition: Condition) -> Comparison:
    """Scores at one condition, with names that do not depend on the number of its units."""
    found = results.comparison(**condition.names)
    names = {spec.name: family for family, spec in results.index.families(condition).items()}
    models, unranked = (
        tuple(replace(model, name=names[model.name]) for model in each)
        for each in (found.models, found.unranked)
    )
    pairs = [
        replace(pair, first=names[pair.first], second=names.get(pair.second, pair.second))
        for pair in found.pairs
    ]
    label = results.label(condition.recording)
    return replace(found, recording=label, models=models, pairs=tuple(pairs), unranked=unranked)


def _reference(compared: Sequence[Comparison]) -> str | None:
    """The Ising model, by its first objective; None without one or without others."""
    names = {model.name: model.spec for each in compared for model in each.models}
    ising = sorted(name for name, spec in names.items() if spec.model == "Ising")
    return ising[0] if ising and len(names) > 1 else None


def _caption(condition: Condition, compared: Sequence[Comparison], reference: str | None) -> str:
    text = (
        "Excess log-likelihood over independent units, the zero line, on test words that were used "
        "neither for the fit nor for the choice of the penalty, for the whole population "
        f"({about(condition)}; {_splits(compared)}). "
    )
    if reference is not None:
        text = (
            f"(a) {text}(b) The same scores minus that of {reference} on the same words. "
            f"{_p_values(compared)} "
        )
    text += error_bars(each.n_splits for each in compared)
    return text + _over_time(condition, compared) + doubts(compared)


def _p_values(compared: Sequence[Comparison]) -> str:
    if max(each.n_splits for each in compared) < FEWEST_SPLITS:
        return f"No p-values: they need at least {FEWEST_SPLITS} splits."
    return (
        "Two-sided p-values of the corrected resampled t-test, corrected for the number of pairs "
        "(Holm 1979)."
    )


def _splits(compared: Sequence[Comparison]) -> str:
    """How many splits the scores are means over."""
    numbers = sorted({each.n_splits for each in compared})
    planned = compared[0].n_planned
    if numbers == [planned]:
        return "one split" if planned == 1 else f"mean over {planned} splits"
    return f"mean over {extremes(numbers)} of {planned} planned splits"


def extremes(numbers: Sequence[int]) -> str:
    """The first and the last number, or the only one: "2 to 5"."""
    return " to ".join(f"{n}" for n in dict.fromkeys((numbers[0], numbers[-1])))


def error_bars(n_splits: Iterable[int]) -> str:
    """What the error bars are; see :func:`~microcolumn.evaluate._significance.claimed_stderr`."""
    numbers = set(n_splits)
    if numbers == {1}:
        return "Error bars: one standard error, from blocks of neighbouring bins."
    text = (
        "Error bars: one standard error of the mean over splits, corrected for the words that "
        "splits share (Nadeau & Bengio 2003)"
    )
    if min(numbers) == 1:
        text += "; of a single split from blocks of neighbouring bins"
    return f"{text}."


def _over_time(condition: Condition, compared: Sequence[Comparison]) -> str:
    """What errors over splits leave out."""
    if condition.experiment.split_by != "words" or min(c.n_splits for c in compared) == 1:
        return ""
    blocks = max(model.block_stderr for each in compared for model in each.models)
    return (
        " Random splits do not show how a recording changes over time; blocks of neighbouring "
        f"bins of one test part, which do, give scores an error of up to {blocks:.2g} bits/s."
    )


def doubts(compared: Sequence[Comparison]) -> str:
    """Models that may not be relied upon, and the recordings."""
    false = [f"{m.name} on {each.recording}" for each in compared for m in each.unranked]
    text = f" Not drawn, because of a false mode: {', '.join(false)}." if false else ""
    for what, attribute in (("fit", "fit_converged"), ("log Z", "normaliser_converged")):
        found: dict[str, list[str]] = {}
        for each in compared:
            for model in each.models:
                if not all(getattr(score, attribute) for score in model.splits):
                    found.setdefault(model.name, []).append(each.recording)
        named = [f"{model} on {', '.join(names)}" for model, names in sorted(found.items())]
        if named:
            text += f" The {what} has not converged in some split of {', '.join(named)}."
    return text
