"""Figure 2: what the models learned (docs/method.md, section 7)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from matplotlib.axes import Axes

from ..models import PopulationModel
from ..plot import couplings
from ..plot.hidden import Extent, draw_hidden_units, strongest_first
from ..plot.laminar import order_text
from ..plot.maps import coupling_limit
from ..plot.style import literal
from ..study import Condition, NotComputedError, Results
from ..units import Units
from .captioned import PAGE, CaptionedFigure, captioned, letter
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
    l1: float
    left_out: list[str]

    @property
    def n_pairs(self) -> int:
        return math.comb(self.model.parameters_.n_visible, 2)


class _Scales(NamedTuple):
    """What panels of all models have in common."""

    coupling: float  # at the ends of the colours, nats
    weights: Extent
    n_columns: int  # of hidden units

    @classmethod
    def of(cls, models: list[PopulationModel]) -> _Scales:
        order = [strongest_first(model)[:_MOST] for model in models]
        weights = [model.W_[:, shown] for model, shown in zip(models, order, strict=True)]
        n_columns = max(shown.size for shown in order)
        return cls(coupling_limit(*models), Extent.of(*weights), n_columns)


@of_condition()
def parameters(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 2: what the models learned.

    Couplings of the Ising model, hidden units of the RBM, both of the semi-restricted model; of
    several models of a class the best scoring. Models are those of the first tested split at the
    penalty that its validation part chose. Couplings of both models have the same colours, and
    weights of both the same scale.
    """
    split, shown = _chosen(results, condition)
    units = results.units(condition.recording, experiment=condition.experiment.name)
    has = {panel: model in shown for panel, (model, _) in _PANELS.items()}
    rows = [row for row in _ROWS if any(has[panel] for panel in row)]
    # Matrices stand in one column and weights in another, unless there is one panel alone.
    drawn = [panel for row in rows for panel in row if has[panel]]
    mosaic: Any = [[panel if has[panel] else "." for panel in row] for row in rows]
    mosaic = mosaic if len(drawn) > 1 else [drawn]
    title = f"Parameters of models of {results.label(condition.recording)}"
    with captioned("2", title, (PAGE, 2.8 * len(mosaic))) as figure:
        panels = figure.subplot_mosaic(mosaic, width_ratios=[1.0, 1.35][: len(mosaic[0])])
        scales = _Scales.of([each.model for each in shown.values()])
        for panel, ax in panels.items():
            model, matrix = _PANELS[panel]
            _draw(ax, matrix, shown[model], units, scales)
            if panel != "d":  # which shows more of the model in the panel before
                letter(ax, "abc"[list(shown).index(model)])
        figure.caption = caption(
            "parameters",
            condition,
            split=split,
            shown=shown,
            units=units,
            order=order_text(units),
            most=_MOST,
            left_out=[name for each in shown.values() for name in each.left_out],
        )
    return figure


def _chosen(results: Results, condition: Condition) -> tuple[int, dict[str, _Shown]]:
    """The first tested split, and the best-scoring model of each class."""
    compared = results.comparison(**condition.names)
    split, shown = first_split(compared), {}
    for model, (best, *others) in by_class(compared).items():
        where = {"model": best.spec, "split": split, **condition.names}
        [l1] = [score.l1 for score in best.splits if score.split == split]
        left_out = [other.name for other in others]
        shown[model] = _Shown(best.name, results.model(**where), l1, left_out)
    if not shown:
        raise NotComputedError("the study has no Ising, RBM or SemiRBM", "add one to its plan")
    return split, shown


def _draw(ax: Axes, matrix: str, shown: _Shown, units: Units, scales: _Scales) -> None:
    if matrix == "J":
        couplings(shown.model, units, limit=scales.coupling, ax=ax)
        ax.set_anchor("W")  # what stands right of the matrix has all the space that it leaves
    else:
        order = strongest_first(shown.model)
        same: Any = {"extent": scales.weights, "room_for": scales.n_columns}
        draw_hidden_units(ax, shown.model, units, order, most=_MOST, **same)
    ax.set_title(literal(shown.name))
