"""Which results of a study a figure shows where it is not told."""

from __future__ import annotations

from ..study.catalogue import NotComputedError, Place
from ..study.results import Results


def place_of(
    results: Results,
    recording: str | None,
    experiment: str | None,
    lags: int | None,
    *,
    windows: bool = False,
) -> Place:
    """Where a figure looks: the recording's first experiment and its longest words tested so far.

    Parameters
    ----------
    results : Results
        Of the study.
    recording, experiment : str, optional
        Their names; the first that has results where left out.
    lags : int, optional
        Bins per word.
    windows : bool
        Take only experiments with words of several bins.
    """
    if recording is not None:
        results.catalogue.experiment(recording, experiment)  # such names are known
    found = [
        place
        for place in results.begun()
        if recording in (None, place.recording)
        and experiment in (None, place.experiment.name)
        and lags in (None, place.lags)
        and (max(place.experiment.lags) > 1 or not windows)
    ]
    if not found:
        what = "words of several bins are" if windows else "nothing is"
        where = f" of {recording!r}" if recording is not None else ""
        raise NotComputedError(f"{what} tested yet{where}; run the study further")
    first = found[0]
    return [place for place in found if place[:2] == first[:2]][-1]
