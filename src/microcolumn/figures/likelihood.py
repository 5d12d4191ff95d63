"""Figure 3: which model predicts best, recording by recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.axes import Axes

from ..plot import scores as plot
from ..study.catalogue import Place
from ..study.comparisons import StudyComparison
from ..study.results import Results
from .captioned import PAGE, CaptionedFigure, captioned
from .places import place_of

#: Recordings up to which the panels stand side by side, inches of their height.
_SIDE_BY_SIDE, _HEIGHT = 4, 2.7


def likelihood(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    lags: int | None = None,
) -> CaptionedFigure:
    """Figure 3: excess log-likelihood of every model, and its difference from the Ising model.

    Parameters
    ----------
    results : Results
        Of a study.
    recording : str, optional
        The only one to draw; by default all that have the experiment.
    experiment : str, optional
        By default the first of the first recording with results.
    lags : int, optional
        Bins per word; by default the longest words tested so far.

    Returns
    -------
    CaptionedFigure
        Without the second panel where there is no Ising model, or nothing else.
    """
    place = place_of(results, recording, experiment, lags)
    compared = [_compared(results, each) for each in _alike(results, place, recording)]
    reference = _reference(compared)
    stacked = len(compared) > _SIDE_BY_SIDE and reference is not None
    height = _HEIGHT * (1.75 if stacked else 1.0)
    with captioned("3", "Excess log-likelihood", (PAGE, height)) as figure:
        shape = (1, 1) if reference is None else (2, 1) if stacked else (1, 2)
        panels = figure.subplots(*shape, squeeze=False, sharex=stacked).ravel()
        plot.scores(compared, ax=panels[0])
        if reference is not None:
            plot.differences(compared, reference, ax=panels[1])
            for ax, letter in zip(panels, "ab", strict=True):
                ax.set_title(letter, loc="left", fontweight="bold")
        _share_legend(figure, panels[0])
        figure.caption = _caption(place, compared, reference)
    return figure


def _alike(results: Results, place: Place, recording: str | None) -> list[Place]:
    """The same experiment and lags on all recordings, or on the one asked for."""
    return [
        each
        for each in results.begun()
        if each.experiment.name == place.experiment.name
        and each.lags == place.lags
        and recording in (None, each.recording)
    ]


def _compared(results: Results, place: Place) -> StudyComparison:
    """Scores at one place, with names that do not depend on the number of its units."""
    found = results.comparison(place.recording, experiment=place.experiment.name, lags=place.lags)
    families = results.catalogue.families(place.experiment, found.n_units * place.lags)
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


def _share_legend(figure: CaptionedFigure, ax: Axes) -> None:
    """One legend for both panels, above them."""
    handles, labels = ax.get_legend_handles_labels()
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 6))


def _caption(place: Place, compared: Sequence[StudyComparison], reference: str | None) -> str:
    experiment = place.experiment
    words = f"words of {place.lags} bins" if place.lags > 1 else "single bins"
    first = (
        f"Excess log-likelihood over firing rates, the zero line, on test words that neither the "
        f"fit nor the choice of the penalty has seen (experiment {experiment.name}, {words} of "
        f"{1e3 * experiment.bin_width:g} ms; for the whole population, so that more units have "
        f"more to gain); mean over {_splits(compared)}."
    )
    if reference is None:
        return " ".join([first, *_errors(compared), *_doubts(compared)])
    second = (
        f"(b) The same scores minus that of {reference}, paired over splits, with two-sided "
        "p-values that are not corrected over pairs."
    )
    return " ".join([f"(a) {first}", second, *_errors(compared), *_doubts(compared)])


def _splits(compared: Sequence[StudyComparison]) -> str:
    fewest, most = (f(each.n_splits for each in compared) for f in (min, max))
    planned = compared[0].n_planned
    number = f"{most}" if fewest == most else f"{fewest} to {most}"
    of = "" if fewest == planned else f" of {planned} planned"
    return f"{number}{of} split{'s' if (most if not of else planned) > 1 else ''}"


def _errors(compared: Sequence[StudyComparison]) -> list[str]:
    """What error bars are; which depends on the number of splits."""
    fewest, most = (f(each.n_splits for each in compared) for f in (min, max))
    blocks = max(model.block_stderr for each in compared for model in each.models)
    if most == 1:
        return ["Error bars: one standard error, from blocks of neighbouring bins."]
    said = (
        "Error bars: one standard error of the mean over splits, corrected for the words that "
        "splits share (Nadeau & Bengio 2003)"
    )
    if fewest < 3:
        return [f"{said}; for fewer than three splits that from blocks of bins where larger."]
    return [
        f"{said}. Splits of one recording do not show how it changes over time; blocks of "
        f"neighbouring bins of one test part, which do, give errors in (a) of up to "
        f"{blocks:.2g} bits/s."
        if most > 1
        else said
    ]


def _doubts(compared: Sequence[StudyComparison]) -> list[str]:
    """Scores that may not be relied upon."""
    found = [
        f"{model.variant} of {each.recording}"
        for each in compared
        for model in each.models
        if not model.converged
    ]
    return [f"Not converged in some split: {', '.join(found)}."] if found else []
