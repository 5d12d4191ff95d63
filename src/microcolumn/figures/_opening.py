"""The figure that a page opens with: pairs and groups on the probe, and what groups gain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import plot
from ..evaluate import Comparison
from ..plot.gain_sources import AROUND, LINE, has_group_gain
from ..plot.laminar import drop_names, order_text
from ..study import Condition, NotComputedError, Results
from ._hidden_units import MOST, Drawn, drawn_hidden
from .captioned import PAGE, CaptionedFigure, captioned, panels
from .conditions import by_class, caption, of_condition, of_recordings

#: Couplings drawn.
_MOST_COUPLINGS = 50
#: Inches: height for up to a hundred units, and for more of them.
_HEIGHT, _TALL, _MANY = 2.9, 4.2, 100


@of_condition(find=of_recordings)
def opening(
    results: Results, condition: Condition, found: Mapping[str, Comparison]
) -> CaptionedFigure:
    """Figure of the answer: couplings as arcs, the clearest groups, and what groups gain.

    Couplings of the pairwise model and groups of the best model with hidden units are those of one
    recording; the gain of groups over models without them is drawn for all.
    """
    compared = [each for each in found.values() if has_group_gain(each)]
    pairs = _pairs(results, condition)
    groups = results.if_computed(drawn_hidden, None, results=results, condition=condition)
    shown = {"pairs": pairs, "groups": groups, "gain": compared}
    panel_names = [name for name, each in shown.items() if each]
    if not panel_names:
        raise NotComputedError("no pairs and no groups are known", "run the study further")
    units = results.units(condition.recording, experiment=condition.experiment.name)
    height = max(_TALL if len(units) > _MANY else _HEIGHT, AROUND + LINE * (1 + len(compared)))
    with captioned("", "Pairs, groups, and what groups gain", (PAGE, height)) as figure:
        ratios = {"pairs": 0.9, "groups": 1.0, "gain": 1.0}
        widths = [ratios[name] for name in panel_names]
        axes = panels(figure, [panel_names], width_ratios=widths)
        if pairs:
            plot.arcs(pairs.model, units, most=_MOST_COUPLINGS, ax=axes["pairs"])
        if groups:
            sure = [row for row in groups.rows if row.verdict == "assembly"]
            columns = [row.position for row in sure or groups.rows]
            plot.groups(groups.model, columns, units, title=groups.title, ax=axes["groups"])
            if pairs:
                drop_names(axes["groups"])
        if compared:
            plot.group_gain(compared, title="held-out words", ax=axes["gain"])
        about = {"order": order_text(units), "most": MOST}
        figure.caption = caption("opening", condition, **shown, **about)
    return figure


def _pairs(results: Results, condition: Condition) -> Drawn | None:
    """The best Ising model, if it is computed and has a coupling."""
    for best in by_class(results.comparison(**condition.names)).get("Ising", ())[:1]:
        where: Any = {"results": results, "condition": condition, "spec": best.spec}
        found: Drawn | None = results.if_computed(Drawn.of, None, **where)
        return found if found and found.model.n_couplings_ else None
    return None
