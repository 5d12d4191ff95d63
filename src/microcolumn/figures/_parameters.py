"""Figure 2: what the models learned (docs/method.md, section 7)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..models import PopulationModel
from ..plot import couplings
from ..plot.hidden import Extent, draw_hidden_units, strongest_first
from ..plot.laminar import order_text
from ..plot.maps import coupling_limit
from ..plot.style import literal
from ..study import Condition, NotComputedError, Results
from .captioned import PAGE, CaptionedFigure, captioned, letter, panels
from .conditions import by_class, caption, first_split, of_condition

#: Hidden units drawn for each model.
_MOST = 12
#: The model class of each panel and which of its parameters are drawn, and rows of panels.
_PANELS = {"a": ("Ising", "J"), "b": ("RBM", "W"), "c": ("SemiRBM", "J"), "d": ("SemiRBM", "W")}
_ROWS = ("ab", "cd")


class _Shown(NamedTuple):
    """The model of a class that is drawn, and the names of the others."""

    name: str
    model: PopulationModel
    l1: float  # of the chosen one
    left_out: list[str]


@of_condition()
def parameters(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 2: what the models learned.

    Couplings of the Ising model, hidden units of the RBM, both of the semi-restricted model; of
    several models of a class the best scoring. Models are those of the first tested split, the
    sparsest that are nearly as good as the chosen ones. Couplings of both models have the same
    colours, and weights of both the same scale.
    """
    split, shown = _chosen(results, condition)
    units = results.units(condition.recording, experiment=condition.experiment.name)
    drawn = [panel for panel, (model, _) in _PANELS.items() if model in shown]
    # Matrices stand in one column and weights in another, unless there is one panel alone.
    rows = [
        [panel if panel in drawn else "." for panel in row] for row in _ROWS if {*row} & {*drawn}
    ]
    rows = rows if len(drawn) > 1 else [drawn]
    title = f"Parameters of models of {condition.recording}"
    models = [each.model for each in shown.values()]
    same = _common_scale(models)
    with captioned("2", title, (PAGE, 2.8 * len(rows))) as figure:
        axes = panels(figure, rows, width_ratios=[1.0, 1.35][: len(rows[0])])
        for panel, ax in axes.items():
            model, matrix = _PANELS[panel]
            if matrix == "J":
                couplings(shown[model].model, units, limit=coupling_limit(*models), ax=ax)
                ax.set_anchor("W")  # what stands right of it has all the space that it leaves
            else:
                each = shown[model].model
                draw_hidden_units(ax, each, units, strongest_first(each), most=_MOST, **same)
            ax.set_title(literal(shown[model].name))
            if panel != "d":  # which shows more of the model in the panel before
                letter(ax, "abc"[list(shown).index(model)])
        about: dict[str, Any] = {"units": units, "order": order_text(units), "most": _MOST}
        figure.caption = caption("parameters", condition, split=split, shown=shown, **about)
    return figure


def _common_scale(models: list[PopulationModel]) -> dict[str, Any]:
    """What panels of weights of all models have in common."""
    order = {model: strongest_first(model)[:_MOST] for model in models}
    return {
        "extent": Extent.of(*(model.W_[:, columns] for model, columns in order.items())),
        "room_for": max(columns.size for columns in order.values()),
    }


def _chosen(results: Results, condition: Condition) -> tuple[int, dict[str, _Shown]]:
    """The first tested split, and the best-scoring model of each class."""
    compared = results.comparison(**condition.names)
    split, shown = first_split(compared), {}
    for model, (best, *others) in by_class(compared).items():
        where: dict[str, Any] = {"model": best.spec, "split": split, **condition.names}
        [l1] = [score.l1 for score in best.splits if score.split == split]
        left_out = [other.name for other in others]
        drawn: Any = results.display_model(**where)
        shown[model] = _Shown(best.name, drawn, l1, left_out)
    if not shown:
        raise NotComputedError("the study has no Ising, RBM or SemiRBM", "add one to its plan")
    return split, shown
