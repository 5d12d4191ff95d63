"""Models ranked, each with its difference from the best: the opening picture."""

from __future__ import annotations

from ..plot import ranking as draw_ranking
from ..plot._ranking import LINE
from ..study import Results
from ._captioned import COLUMN, CaptionedFigure, captioned
from ._conditions import by_likelihood, caption, condition_of, mark_simulated, of_recordings
from ._likelihood import doubts, error_bars, splits_text

#: Recordings with a panel each; more are marks in one panel.
_MOST_PANELS = 4
#: Inches around the lines of one panel, and of all of them.
_AROUND_EACH, _AROUND_ALL = 0.35, 0.65


def ranking(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    window: int | None = None,
) -> CaptionedFigure:
    """Figure of the ranking: models by their scores, with paired differences from the best.

    By default all recordings that have the experiment are drawn: a panel each, or, if they are more
    than four, all in one. The experiment is then the one that the answer of the report rests on:
    the first, or that of the same words by likelihood.
    """
    if experiment is None:
        first = condition_of(results, recording, experiment, window)
        leading = by_likelihood(results, first)
        experiment, window = leading.experiment.name, leading.window
    condition, found = of_recordings(results, recording, experiment, window)
    compared = list(found.values())
    panels = [[each] for each in compared] if len(compared) <= _MOST_PANELS else [compared]
    n_lines = [len({name for each in panel for name in each.scores}) for panel in panels]
    heights = [_AROUND_EACH + LINE * n for n in n_lines]
    with captioned("", "Models, best first", (COLUMN, _AROUND_ALL + sum(heights))) as figure:
        axes = figure.subplots(len(panels), squeeze=False, height_ratios=heights).ravel()
        for ax, panel in zip(axes, panels, strict=True):
            draw_ranking(panel, title=panel[0].recording if len(panels) > 1 else None, ax=ax)
        for ax in axes[:-1]:  # the last one says it for all
            ax.set_xlabel("")
        figure.caption = caption(
            "ranking",
            condition,
            compared=compared,
            several=len(panels) < len(compared),
            rivals=any(model.spec.is_rival for each in compared for model in each.models),
            splits=splits_text(compared),
            error_bars=error_bars(each.n_splits for each in compared),
            doubts=doubts(compared),
        )
        mark_simulated(figure, results, list(found))
    return figure
