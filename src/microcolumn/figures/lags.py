"""Figure 5: how scores grow with the number of bins per word."""

from __future__ import annotations

from dataclasses import replace

from ..plot import scores as plot
from ..study.catalogue import Place
from ..study.results import Results
from ..study.summaries import LagsResult
from .captioned import COLUMN, CaptionedFigure, captioned
from .places import place_of


def lags(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    lags: int | None = None,
) -> CaptionedFigure:
    """Figure 5: excess log-likelihood per neuron against the number of bins per word.

    Parameters
    ----------
    results : Results
        Of a study.
    recording : str, optional
        By default the first with words of several bins.
    experiment : str, optional
        By default the recording's first with words of several bins.
    lags : int, optional
        The longest words to draw; by default the longest tested so far.

    Returns
    -------
    CaptionedFigure
    """
    place = place_of(results, recording, experiment, lags, windows=True)
    found = results.by_lags(place.recording, experiment=place.experiment.name)
    shown = _up_to(found, place.lags)
    with captioned("5", "Excess log-likelihood by length of words", (COLUMN, 3.0)) as figure:
        plot.lags(shown, bin_width=place.experiment.bin_width, ax=figure.subplots())
        n_units = results.catalogue.n_units(place.recording, place.experiment)
        figure.caption = _caption(place, shown, n_units)
    return figure


def _up_to(found: LagsResult, longest: int) -> LagsResult:
    """Without what is longer."""
    n = found.lags.index(longest) + 1
    models = {name: each[:n] for name, each in found.models.items()}
    return replace(found, lags=found.lags[:n], models=models)


def _caption(place: Place, shown: LagsResult, n_units: int) -> str:
    computed = [each for found in shown.models.values() for each in found if each is not None]
    fewest, most = (f(each.n_splits for each in computed) for f in (min, max))
    splits = f"{most}" if fewest == most else f"{fewest} to {most}"
    steps = [
        f"{name} at {last}" if last is not None else f"none of {name}"
        for name, last in ((name, shown.last_step(name)) for name in shown.models)
    ]
    missing = [
        f"{lags}"
        for k, lags in enumerate(shown.lags)
        if any(found[k] is None for found in shown.models.values())
    ]
    sentences = [
        f"Excess log-likelihood over firing rates per neuron and second, on test words of 1 to "
        f"several bins of {1e3 * place.experiment.bin_width:g} ms ({place.recording}, experiment "
        f"{place.experiment.name}, {n_units} units); the upper axis is the length of a word.",
        f"Mean over {splits} split{'s' if most > 1 else ''}; {_ERRORS[min(most, 3)]}.",
        "Rings: the last number of bins that is more than two standard errors of the paired "
        f"difference better than the number before it ({', '.join(steps)}).",
    ]
    if missing:
        sentences.append(f"Not computed for all models: {', '.join(missing)} bins.")
    doubtful = [
        name
        for name, found in shown.models.items()
        if any(each is not None and not each.converged for each in found)
    ]
    if doubtful:
        sentences.append(f"Not converged in some split: {', '.join(doubtful)}.")
    return " ".join(sentences)


#: What error bars are, by the number of splits up to three.
_ERRORS = {
    1: "error bars are one standard error, from blocks of neighbouring bins",
    2: "error bars are one standard error, over splits or from blocks of neighbouring bins, "
    "whichever is larger",
    3: "error bars are one standard error over splits, corrected for the words that splits share "
    "(Nadeau & Bengio 2003)",
}
