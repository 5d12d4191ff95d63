"""Figure 2: what the models learned (docs/method.md, section 7)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from matplotlib.axes import Axes

from ..formatting import counted, scientific
from ..models import PopulationModel
from ..plot._couplings import coupling_limit, couplings
from ..plot._hidden import Extent, draw_hidden_units, strongest_first
from ..plot._laminar import order_text
from ..plot.style import literal
from ..study import Condition, NotComputedError, Results
from ..units import Units
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import about, by_class, first_split, of_condition

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
        figure.caption = _caption(condition, split, shown, units)
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
        raise NotComputedError("the study has no Ising, RBM or SemiRBM; add one to its plan")
    return split, shown


def _draw(ax: Axes, matrix: str, shown: _Shown, units: Units, scales: _Scales) -> None:
    if matrix == "J":
        couplings(shown.model, units, limit=scales.coupling, ax=ax)
        ax.set_anchor("W")  # what stands right of the matrix has all the room that it leaves
    else:
        order = strongest_first(shown.model)
        same: Any = {"extent": scales.weights, "room_for": scales.n_columns}
        draw_hidden_units(ax, shown.model, units, order, most=_MOST, **same)
    ax.set_title(literal(shown.name))


def _caption(condition: Condition, split: int, shown: dict[str, _Shown], units: Units) -> str:
    sentences = [
        f"Models of {counted(len(units), 'unit')} ({about(condition)}), fitted on split {split} "
        "with the penalty λ that its validation part chose."
    ]
    for panel, each in zip("abc", shown.values(), strict=False):
        drawn = [_couplings_text(each.model), _hidden_units_text(each.model)]
        what = " and ".join(part for part in drawn if part)
        sentences.append(f"({panel}) {each.name} (λ = {scientific(each.l1)}): {what}.")
    if "Ising" in shown or "SemiRBM" in shown:
        sentences.append(
            "Two units that are active together add 2J to the logarithm of a word's probability. "
            "Grey bars beside a matrix are the biases b of the units; where a colour bar is "
            "pointed, the strongest 1 % of couplings share its last colour. Positive and negative "
            "couplings are counted below, in per cent of all pairs."
        )
    if "Ising" in shown and "SemiRBM" in shown:
        sentences.append("Both matrices have the same colours.")
    if "RBM" in shown or "SemiRBM" in shown:
        sentences.append(
            "Hidden units h0, h1, ... are named by their column of W and ordered by the sum of "
            "their absolute weights. Red bars are positive and blue bars negative weights onto the "
            "units, all on one scale; the number above a column is the hidden unit's bias c, and "
            "grey bars at the left are the biases b of the units."
        )
    sentences.append(f"Units run {order_text(units)}.")
    if condition.window > 1:
        sentences.append("Blocks are the bins of a window, 0 the newest.")
    left_out = [name for each in shown.values() for name in each.left_out]
    if left_out:
        sentences.append(f"Not shown, as they score no better: {', '.join(left_out)}.")
    return " ".join(sentences)


def _couplings_text(model: PopulationModel) -> str:
    if model.parameters_.J is None:
        return ""
    n_pairs = math.comb(model.parameters_.n_visible, 2)
    return f"couplings J ({model.n_couplings_:,} of {n_pairs:,} pairs have one)"


def _hidden_units_text(model: PopulationModel) -> str:
    n_hidden, n_live = model.parameters_.n_hidden, model.n_live_hidden_
    if not n_hidden:
        return ""
    if not n_live:
        return f"none of {n_hidden} hidden units, as none is live"
    if n_live > _MOST:
        return f"weights of {_MOST} live hidden units (of {n_live} live, {n_hidden} in all)"
    return f"weights of all live hidden units ({n_live} of {n_hidden})"
