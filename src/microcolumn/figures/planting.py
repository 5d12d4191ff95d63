"""Groups that simulated recordings were built with, and what models found of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from .. import plot
from ..evaluate import PlantedGroup
from ..study import Condition, Results
from ._presets import is_narrow
from .captioned import COLUMN, PAGE, CaptionedFigure, captioned
from .conditions import Need, caption, condition_of, of_condition

#: Panels in a row, inches of a row, and recordings that are drawn.
_MOST_IN_A_ROW, _HEIGHT, _MOST = 3, 3.4, 9
_PLANTED = Need(
    lambda results, at: bool(results.if_computed(results.planted, (), **at.names)),
    "no model with live hidden units is tested on a recording whose planted groups are known",
    "run the study further, or add a preset such as B4 to its plan",
)


def planted_and_found(
    results: Results,
    recording: str | None = None,
    experiment: str | None = None,
    window: int | None = None,
) -> tuple[Condition, dict[str, tuple[PlantedGroup, ...]]]:
    """The condition that the figure shows, and what was found in each recording that has it."""
    condition = condition_of(results, recording, experiment, window, _PLANTED)
    same = [each for each in results.tested() if each[1:] == condition[1:]]
    chosen = [each for each in same if recording in (None, each.recording)]
    found = {each.recording: each for each in chosen if _PLANTED.met(results, each)}
    return condition, {name: results.planted(**each.names) for name, each in found.items()}


@of_condition(_PLANTED, find=planted_and_found)
def planted(
    results: Results, condition: Condition, found: Mapping[str, tuple[PlantedGroup, ...]]
) -> CaptionedFigure:
    """Figure of planted groups: those a simulation was built with, and what was found of them.

    A panel for each simulated recording, at most nine, of its best model with hidden units.
    """
    names = list(found)[:_MOST]
    in_a_row = 1 if is_narrow(PAGE) else min(len(names), _MOST_IN_A_ROW)
    n_rows = -(-len(names) // in_a_row)
    size = PAGE if in_a_row > 1 else COLUMN, _HEIGHT * n_rows
    with captioned("", "Groups planted in the simulation, and found", size) as figure:
        axes = figure.subplots(n_rows, in_a_row, squeeze=False).ravel()
        for ax in axes[len(names) :]:
            ax.remove()
        for ax, name in zip(axes, names, strict=False):
            units = results.units(name, experiment=condition.experiment.name)
            plot.planted(found[name], units, title=name if len(names) > 1 else None, ax=ax)
        figure.caption = caption("planted", condition, groups=[*chain(*(found[n] for n in names))])
    return figure
