"""Figure of the planned contrasts in all recordings, with their means."""

from __future__ import annotations

from collections.abc import Mapping

from .. import plot
from ..evaluate import Comparison, pool_contrasts
from ..plot.forest_plot import AROUND, LINE
from ..study import Condition, Results
from .captioned import COLUMN, PAGE, CaptionedFigure, captioned, panels
from .conditions import caption, of_condition, of_recordings

#: What each contrast is called above its panel.
_TITLES = {
    "groups": "models with groups over those without",
    "other kinds": "other models over the paper's family",
}
#: Inches of a title.
_TITLE = 0.2


def has_contrasts(results: Results, condition: Condition) -> bool:
    """Whether several recordings have a planned contrast."""
    _, found = of_recordings(results, None, condition.experiment.name, condition.window)
    return bool(pool_contrasts(found.values()))


@of_condition(find=of_recordings)
def forest(
    results: Results, condition: Condition, found: Mapping[str, Comparison]
) -> CaptionedFigure:
    """Figure of each planned contrast in every recording, pooled by random effects.

    A panel for each contrast. Recordings and experiment are those of :func:`ranking`.
    """
    pooled = pool_contrasts(found.values())
    if not pooled:
        raise condition.missing("a contrast in another recording beside that")
    n_rows = 1 + max(len(each.recordings) for each in pooled.values())
    size = (PAGE if len(pooled) > 1 else COLUMN, AROUND + _TITLE + LINE * n_rows)
    with captioned("", "Planned contrasts over recordings", size) as figure:
        for name, ax in panels(figure, [list(pooled)]).items():
            plot.forest(pooled[name], title=_TITLES[name], ax=ax)
        figure.caption = caption("forest", condition, pooled=pooled, titles=_TITLES)
    return figure
