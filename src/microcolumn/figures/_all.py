"""All figures of a study by name, and drawing those that it has results for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tqdm.auto import tqdm

from ..study import NotComputedError, Results
from ..study._status import is_interactive
from ._annealing import annealing
from ._assemblies import assemblies
from ._captioned import CaptionedFigure
from ._conditions import HIDDEN_UNITS, LAYERS, Drawing, Need, condition_of
from ._data import data
from ._layers import layers
from ._likelihood import likelihood
from ._parameters import parameters
from ._patterns import patterns
from ._penalties import penalties
from ._ranking import ranking
from ._spatiotemporal import spatiotemporal
from ._windows import windows


class Figures(NamedTuple):
    """A figure's number in the paper, and how often it is drawn: of which recordings and words."""

    draw: Drawing
    paper: str = ""  # empty for figures that the paper does not have
    per_recording: bool = True
    several_bins: bool = False
    need: Need | None = None  # a study that does not meet it goes without the figure


#: All figures of a study by name, in the order of the page.
FIGURES = {
    "ranking": Figures(ranking),
    "data": Figures(data, "1"),
    "likelihood": Figures(likelihood, "3", per_recording=False),
    "patterns": Figures(patterns, "4"),
    "parameters": Figures(parameters, "2"),
    "penalties": Figures(penalties),
    "assemblies": Figures(assemblies, need=HIDDEN_UNITS),
    "layers": Figures(layers, need=LAYERS),
    "windows": Figures(windows, "5", several_bins=True),
    "spatiotemporal": Figures(spatiotemporal, "6", several_bins=True),
    "annealing": Figures(annealing, "S1"),
}


class Wanted(NamedTuple):
    """A figure that a study has results for."""

    name: str
    recording: str | None  # None where it shows all recordings
    draw: Drawing


def wanted(results: Results) -> Iterator[Wanted]:
    """Figures that a study has results for, by name, then by recording in the plan's order."""
    for name, (draw, _, per_recording, several_bins, need) in FIGURES.items():
        for recording in results.recordings:
            try:
                condition_of(results, recording, None, None, several_bins=several_bins, need=need)
            except NotComputedError:
                continue
            yield Wanted(name, recording if per_recording else None, draw)
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
            yield each, f"The figure {each.name}{of} is left out: {error}"
