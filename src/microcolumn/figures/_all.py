"""All figures of a study by name, and drawing those that it has results for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tqdm.auto import tqdm

from ..errors import BadInput
from ..study import Condition, NotComputedError, Results
from ..study.progress import is_interactive
from ._bin_widths import bin_widths
from ._data import data
from ._fitting import annealing, penalties
from ._hidden_units import assemblies, layers
from ._opening import opening
from ._parameters import parameters
from ._patterns import moments, patterns
from ._scores import forest, gains, has_contrasts, parts, ranking, windows
from ._spatiotemporal import spatiotemporal
from .captioned import CaptionedFigure
from .conditions import (
    TESTED,
    FigureFunction,
    by_bin_width,
    changes_with_time,
    check_planned,
    condition_of,
    results_of,
)
from .planting import planted


class Figures(NamedTuple):
    """A figure's number in the paper, how often it is drawn, and when it shows something."""

    draw: FigureFunction
    paper: str = ""  # empty for figures that the paper does not have
    per_recording: bool = True
    # Whether it is drawn unless it is asked for.
    by_default: Callable[[Results, Condition], bool] = lambda *_: True


#: All figures of a study by name, in the order of the page.
FIGURES = {
    "opening": Figures(opening, per_recording=False),
    "planted": Figures(planted, per_recording=False),
    "ranking": Figures(ranking, "3", per_recording=False),
    "forest": Figures(forest, per_recording=False, by_default=has_contrasts),
    "parts": Figures(parts, per_recording=False),
    "bin_widths": Figures(bin_widths, by_default=lambda *where: len(by_bin_width(*where)) > 1),
    "gains": Figures(gains),
    "moments": Figures(moments),
    "data": Figures(data, "1"),
    "patterns": Figures(patterns, "4", by_default=lambda *_: False),
    "parameters": Figures(parameters, "2"),
    "penalties": Figures(penalties),
    "assemblies": Figures(assemblies),
    "layers": Figures(layers),
    "windows": Figures(windows, "5", by_default=changes_with_time),
    "spatiotemporal": Figures(spatiotemporal, "6", by_default=changes_with_time),
    "annealing": Figures(annealing, "S1"),
}


#: The numbers of those that the paper has.
PAPER = [figure.paper for figure in FIGURES.values() if figure.paper]


class FigureRequest(NamedTuple):
    """A figure that a study has results for, by :func:`available_figures`."""

    name: str
    recording: str | None  # None where it shows all recordings
    draw: FigureFunction


def available_figures(
    results: Results, figures: Sequence[str] = (), recordings: Sequence[str] = ()
) -> Iterator[FigureRequest]:
    """Figures that a study has results for, by name, then by recording in the plan's order.

    Those of words of several bins only where their length matters, and single words not at all.

    See :func:`draw_all` for ``figures`` and ``recordings``. A figure that is asked for by name is
    there in any case.

    Examples
    --------
    >>> [each.name for each in available_figures(mc.study.open("study.db"))][:2]
    ['opening', 'planted']
    """
    asked = {_figure_name(each) for each in figures}
    planned = [source.name for source in results_of(results).plan.sources]
    for each in recordings:
        check_planned("recording", each, planned)
    for name, figure in FIGURES.items():
        if asked and name not in asked:
            continue
        for recording in recordings or results.recordings:
            if not asked and not _is_shown(results, recording, figure):
                continue
            is_of_one = figure.per_recording or bool(recordings)
            yield FigureRequest(name, recording if is_of_one else None, figure.draw)
            if not is_of_one:
                break


def _is_shown(results: Results, recording: str, figure: Figures) -> bool:
    try:
        condition = condition_of(results, recording, need=getattr(figure.draw, "need", TESTED))
    except NotComputedError:
        return False
    return figure.by_default(results, condition)


def draw_all(
    results: Results,
    *,
    figures: Sequence[str] = (),
    recordings: Sequence[str] = (),
    progress: bool | None = None,
) -> Iterator[tuple[FigureRequest, CaptionedFigure | str]]:
    """Draw the figures that a study has results for, one recording after the other.

    Parameters
    ----------
    results : Results
        Of the study.
    figures : sequence of str
        Their names (:data:`FIGURES`) or numbers in the paper, ``"3"``, ``"S1"``; by default all
        that show something.
    recordings : sequence of str
        Of which recordings; a figure that shows all of them is then drawn of each. By default all.
    progress : bool, optional
        Show a bar; by default in a terminal and in a notebook only.

    Returns
    -------
    iterator of (FigureRequest, CaptionedFigure or str)
        Which figure it is, and the figure, drawn when its turn comes, or a sentence that says
        which of its results is not computed yet.

    Examples
    --------
    >>> for request, figure in draw_all(mc.study.open("study.db"), figures=["ranking"]):
    ...     figure.savefig(f"{request.name}.pdf")
    """
    planned = [None, *(source.name for source in results_of(results).plan.sources)]
    by_recording = sorted(
        available_figures(results, figures, recordings),
        key=lambda each: planned.index(each.recording),
    )
    return _drawn(results, by_recording, is_interactive() if progress is None else progress)


def _drawn(
    results: Results, figures: Sequence[FigureRequest], shown: bool
) -> Iterator[tuple[FigureRequest, CaptionedFigure | str]]:
    for each in tqdm(figures, unit=" figures", disable=not shown):
        try:
            yield each, each.draw(results, each.recording)
        except NotComputedError as error:
            of = "" if each.recording is None else f" of {each.recording}"
            yield each, f"The figure {each.name}{of} is left out: {error}"


def _figure_name(asked: str) -> str:
    """Name of a figure that is asked for by its name or its number in the paper."""
    for name, figure in FIGURES.items():
        if asked.lower() == name or (figure.paper and asked.upper() == figure.paper):
            return name
    known = ", ".join(f"{n} ({f.paper})" if f.paper else n for n, f in FIGURES.items())
    raise BadInput(f"there is no figure {asked!r}", f"choose from {known}")
