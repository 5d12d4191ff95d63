"""Groups that simulated recordings were built with, against what models found of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from .. import plot
from ..evaluate import PlantedGroup
from ..models import ModelSpec
from ..study import Condition, NotComputedError, Results
from ._presets import is_narrow
from .captioned import COLUMN, PAGE, CaptionedFigure, captioned
from .conditions import HIDDEN_UNITS, Need, caption, condition_of, of_condition

#: Panels in a row, inches of a row, and recordings that are drawn.
_MOST_IN_A_ROW, _HEIGHT, _MOST = 3, 3.4, 9


class Matched(NamedTuple):
    """A simulated recording: the model, and its hidden units for the planted groups."""

    spec: ModelSpec
    groups: tuple[PlantedGroup, ...]


def _is_planted(results: Results, condition: Condition) -> bool:
    known = results.recordings[condition.recording]["planted_groups"]
    return bool(known) and HIDDEN_UNITS.met(results, condition)


_PLANTED = Need(
    _is_planted,
    "no model with live hidden units is tested on a recording whose planted groups are known",
    "run the study further, or add a preset such as B4 to its plan",
)


def planted_and_found(
    results: Results,
    recording: str | None = None,
    experiment: str | None = None,
    window: int | None = None,
) -> tuple[Condition, dict[str, Matched]]:
    """The condition that the figure shows, and what was found in each recording that has it."""
    condition = condition_of(results, recording, experiment, window, _PLANTED)
    found = {}
    for each in results.tested():
        same = each[1:] == condition[1:] and recording in (None, each.recording)
        if same and _PLANTED.met(results, each):
            with suppress(NotComputedError):
                spec = results.best_with_hidden(**each.names)
                if groups := results.planted(model=spec, **each.names):
                    found[each.recording] = Matched(spec, groups)
    if not found:
        raise condition.missing("what was found of the planted groups")
    return condition, dict([*found.items()][:_MOST])


@of_condition(_PLANTED, find=planted_and_found)
def planted(
    results: Results, condition: Condition, found: Mapping[str, Matched]
) -> CaptionedFigure:
    """Figure of planted groups: those a simulation was built with, and what was found of them.

    A panel for each simulated recording that has the experiment, of its best model with hidden
    units.
    """
    in_a_row = 1 if is_narrow(PAGE) else min(len(found), _MOST_IN_A_ROW)
    n_rows = -(-len(found) // in_a_row)
    size = PAGE if in_a_row > 1 else COLUMN, _HEIGHT * n_rows
    with captioned("", "Groups planted in the simulation, and found", size) as figure:
        axes = figure.subplots(n_rows, in_a_row, squeeze=False).ravel()
        for ax in axes[len(found) :]:
            ax.remove()
        for ax, (name, matched) in zip(axes, found.items(), strict=False):
            units = results.units(name, experiment=condition.experiment.name)
            title = f"{name}: {matched.spec.name}" if len(found) > 1 else None
            plot.planted(matched.groups, units, title=title, ax=ax)
        figure.caption = caption("planted", condition, found=found)
    return figure
