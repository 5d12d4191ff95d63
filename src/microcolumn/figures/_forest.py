"""Figure of the planned contrasts in all recordings, with their means."""

from __future__ import annotations

from collections.abc import Mapping

from .. import plot
from ..evaluate import Comparison, pool_contrasts
from ..plot.forest_plot import AROUND, LINE
from ..study import Condition, Results
from .captioned import COLUMN, PAGE, CaptionedFigure, captioned
from .conditions import Need, caption, of_condition, of_recordings

#: What each contrast is called above its panel.
_TITLES = {
    "groups": "models with groups over those without",
    "other kinds": "other models over the paper's family",
}
#: Inches of a title, and most rows of panels that are drawn below each other.
_TITLE, _MOST_STACKED = 0.2, 15


def _is_pooled(results: Results, condition: Condition) -> bool:
    _, found = of_recordings(results, None, condition.experiment.name, condition.window)
    return bool(pool_contrasts(found.values()))


#: A contrast that several recordings have.
POOLED = Need(
    _is_pooled,
    "no contrast is known of several recordings",
    "add recordings to the plan, or run the study further",
)


@of_condition(POOLED, find=of_recordings)
def forest(
    results: Results, condition: Condition, found: Mapping[str, Comparison]
) -> CaptionedFigure:
    """Figure of each planned contrast in every recording, pooled by random effects.

    A panel for each contrast. Recordings and experiment are those of :func:`ranking`.
    """
    pooled = pool_contrasts(found.values())
    if not pooled:
        raise condition.missing("a contrast in another recording beside that")
    n_rows = [len(each.recordings) + 1 for each in pooled.values()]
    in_a_row = len(pooled) > 1 and max(n_rows) > _MOST_STACKED
    heights = [AROUND + _TITLE + LINE * n for n in n_rows]
    size = (PAGE, max(heights)) if in_a_row else (COLUMN, sum(heights))
    with captioned("", "Planned contrasts over recordings", size) as figure:
        shape = (1, len(pooled)) if in_a_row else (len(pooled), 1)
        for ax, (name, each) in zip(
            figure.subplots(*shape, squeeze=False).flat, pooled.items(), strict=True
        ):
            plot.forest(each, title=_TITLES[name], ax=ax)
        figure.caption = caption("forest", condition, pooled=pooled, titles=_TITLES)
    return figure
