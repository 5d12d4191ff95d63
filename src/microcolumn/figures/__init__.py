"""Figures of a study, as in the paper: each takes results, returns a figure, and fits nothing.

``mc.figures.likelihood(results)`` returns a matplotlib figure with a caption; ``savefig`` writes
it as PDF, SVG or PNG. What else figures of a study take is told by :class:`Drawing`. Single plots
for notebooks are in :mod:`microcolumn.plot`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from tqdm.auto import tqdm

from ..study.catalogue import NotComputedError
from ..study.progress import watched
from ..study.results import Results
from .annealing import annealing
from .captioned import CaptionedFigure
from .correlograms import correlogram
from .csd import csd
from .data import data
from .lags import lags
from .likelihood import likelihood
from .parameters import parameters
from .patterns import patterns
from .places import place_of
from .spatiotemporal import spatiotemporal


class Drawing(Protocol):
    """A function that draws one of the paper's figures from a study."""

    def __call__(
        self,
        results: Results,
        recording: str | None = None,
        *,
        experiment: str | None = None,
        lags: int | None = None,
    ) -> CaptionedFigure:
        """Draw the figure.

        Parameters
        ----------
        results : Results
            Of the study.
        recording, experiment : str, optional
            Their names; where left out, the first that has results, of words of several bins for
            figures 5 and 6.
        lags : int, optional
            Bins per word; the longest words tested so far where left out.
        """


class Figures(NamedTuple):
    """How often a figure is drawn: for each recording or once, and of which experiments."""

    draw: Drawing
    per_recording: bool = True
    windows: bool = False


#: All figures of a study by their number in the paper.
FIGURES = {
    "1": Figures(data),
    "2": Figures(parameters),
    "3": Figures(likelihood, per_recording=False),
    "4": Figures(patterns),
    "5": Figures(lags, windows=True),
    "6": Figures(spatiotemporal, windows=True),
    "S1": Figures(annealing),
}


class Wanted(NamedTuple):
    """A figure that a study has results for."""

    number: str
    recording: str | None  # None where it shows all recordings
    draw: Drawing


def wanted(results: Results) -> Iterator[Wanted]:
    """Figures that a study has results for, by number, then by recording in the plan's order."""
    for number, (draw, per_recording, windows) in FIGURES.items():
        for name in results.recordings:
            try:
                place_of(results, name, None, None, windows=windows)
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
        The figure, or a sentence that says why it is left out: a result that is not computed yet,
        a recording whose file was moved or changed, or whose reader is not installed.
    """
    by_recording = sorted(
        wanted(results), key=lambda each: [None, *results.recordings].index(each.recording)
    )
    shown = watched() if progress is None else progress
    for each in tqdm(by_recording, unit=" figures", disable=not shown):
        try:
            yield each, each.draw(results, each.recording)
        except (OSError, ValueError, ImportError) as error:
            of = "" if each.recording is None else f" of {each.recording}"
            yield each, f"Figure {each.number}{of} is left out: {error}"


__all__ = [
    "FIGURES",
    "CaptionedFigure",
    "Drawing",
    "annealing",
    "correlogram",
    "csd",
    "data",
    "draw_all",
    "lags",
    "likelihood",
    "parameters",
    "patterns",
    "spatiotemporal",
    "wanted",
]
