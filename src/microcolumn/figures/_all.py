"""All figures of a study by number, and drawing all that it has results for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tqdm.auto import tqdm

from ..study import NotComputedError, Results
from ..study._status import is_interactive
from ._annealing import annealing
from ._captioned import CaptionedFigure
from ._conditions import Drawing, condition_of
from ._data import data
from ._likelihood import likelihood
from ._parameters import parameters
from ._patterns import patterns
from ._spatiotemporal import spatiotemporal
from ._windows import windows


class Figures(NamedTuple):
    """How often a figure is drawn: for each recording or once, and of which experiments."""

    draw: Drawing
    per_recording: bool = True
    several_bins: bool = False


#: All figures of a study by their number in the paper.
FIGURES = {
    "1": Figures(data),
    "2": Figures(parameters),
    "3": Figures(likelihood, per_recording=False),
    "4": Figures(patterns),
    "5": Figures(windows, several_bins=True),
    "6": Figures(spatiotemporal, several_bins=True),
    "S1": Figures(annealing),
}


class Wanted(NamedTuple):
    """A figure that a study has results for."""

    number: str
    recording: str | None  # None where it shows all recordings
    draw: Drawing


def wanted(results: Results) -> Iterator[Wanted]:
    """Figures that a study has results for, by number, then by recording in the plan's order."""
    for number, (draw, per_recording, several_bins) in FIGURES.items():
        for name in results.recordings:
            try:
                condition_of(results, name, None, None, several_bins=several_bins)
            except NotComputedError:
                continue
            yield Wanted(number, name if per_recording else None, draw)
            if not per_recording:
                break


def draw_all(
    results: Results, *, progress: bool | None = None
) -> Iterator[tuple[Wanted, CaptionedFigure | str]]:
    """Draw all figures that a study has results for, one recording after the other.

    Parameters
    ----------
    results : Results
        Of the study.
    progress : bool, optional
        Show a bar; by default in a terminal and in a notebook only.

    Yields
    ------
    wanted : Wanted
        Which figure it is.
    figure : CaptionedFigure or str
        The figure, or a sentence that says which of its results is not computed yet.
    """
    by_recording = sorted(
        wanted(results), key=lambda each: [None, *results.recordings].index(each.recording)
    )
    shown = is_interactive() if progress is None else progress
    for each in tqdm(by_recording, unit=" figures", disable=not shown):
        try:
            yield each, each.draw(results, each.recording)
        except NotComputedError as error:
            of = "" if each.recording is None else f" of {results.label(each.recording)}"
            yield each, f"Figure {each.number}{of} is left out: {error}"
