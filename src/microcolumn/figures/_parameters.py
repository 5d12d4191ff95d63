"""Figure 2: what the models learned (METHOD section 7)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from matplotlib.axes import Axes

from ..formatting import counted
from ..models import PopulationModel
from ..plot import couplings, hidden_units
from ..plot._laminar import order_text
from ..plot.style import literal
from ..study import Results
from ..study._index import Condition
from ..words import Words
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import by_class, compared_at, condition_of, first_split, penalty_of, where

#: Hidden units drawn for each model.
_MOST = 12
#: Height of a row of panels, inches.
_HEIGHT = 2.75
#: Rows of panels by model class; a panel is what is drawn of which class.
_PANELS = (("Ising J", "RBM W"), ("SemiRBM J", "SemiRBM W"))


class _Shown(NamedTuple):
    """The variant of a model class that is drawn, and the others, which are not."""

    name: str
    model: PopulationModel
    left_out: list[str]


def parameters(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    window: int | None = None,
) -> CaptionedFigure:
    """Draw what the models learned: figure 2 of the paper.

    Couplings of the Ising model, hidden units of the RBM, both of the semi-restricted model; of
    several variants of a class the best scoring. Models are those of the first tested split at
    the penalty that its validation part chose, and hidden units are ordered by the variance of
    their activation on its test part.
    """
    condition = condition_of(results, recording, experiment, window)
    split, shown = _chosen(results, condition)
    test = results.words(condition.recording, split=split, **where(condition))[2]
    rows = [[panel for panel in row if panel.split()[0] in shown] for row in _PANELS]
    mosaic: list[Any] = [row * 2 if len(row) == 1 else row for row in rows if row]
    with captioned(
        "2", f"Parameters of models of {condition.recording}", (PAGE, _HEIGHT * len(mosaic))
    ) as figure:
        panels = figure.subplot_mosaic(mosaic, width_ratios=[1.0, 1.55])
        for panel, axes in panels.items():
            _draw(axes, panel, shown, test)
        figure.caption = _caption(condition, split, shown, test)
    return figure


def _chosen(results: Results, condition: Condition) -> tuple[int, dict[str, _Shown]]:
    """The first tested split, and the best-scoring variant of each class by the paper's order."""
    compared = compared_at(results, condition)
    split, shown = first_split(compared), {}
    for model, (best, *others) in by_class(compared).items():
        fitted = results.model(condition.recording, best, split=split, **where(condition))
        shown[model] = _Shown(best, fitted, others)
    return split, shown


def _draw(ax: Axes, panel: str, shown: dict[str, _Shown], test: Words) -> None:
    model, what = panel.split()
    if what == "J":
        couplings(shown[model].model, test.units, ax=ax)
    else:
        hidden_units(shown[model].model, test, test.units, most=_MOST, ax=ax)
    if panel != "SemiRBM W":
        letter(ax, "abc"[list(shown).index(model)])
    ax.set_title(literal(shown[model].name))


def _caption(condition: Condition, split: int, shown: dict[str, _Shown], test: Words) -> str:
    bins = (
        f", {condition.window} bins of {test.bin_width * 1e3:g} ms" if condition.window > 1 else ""
    )
    sentences = [
        f"Models of {condition.recording} ({condition.experiment.name}, "
        f"{counted(test.n_units, 'unit')}{bins}), fitted on split {split} with the "
        "penalty λ that its validation part chose."
    ]
    for panel, each in zip("abc", shown.values(), strict=False):
        drawn = [_said_of_couplings(each.model), _said_of_hidden_units(each.model)]
        what = " and ".join(part for part in drawn if part)
        sentences.append(f"({panel}) {each.name} (λ = {penalty_of(each.model)}): {what}.")
    if "Ising" in shown or "SemiRBM" in shown:
        sentences.append(
            "Two units that are active together add 2J to the logarithm of a word's probability. "
            "Matrices have the biases b on their diagonal, in grey; where a colour bar is pointed, "
            "the strongest 1 % of couplings share its last colour."
        )
    if "RBM" in shown or "SemiRBM" in shown:
        sentences.append(
            "Hidden units are ordered by the variance of their activation on the test words. Red "
            "bars are positive and blue bars negative weights; grey bars are thresholds, that is "
            "minus the biases: those of the units are the first column, that of each hidden unit "
            "is on top."
        )
    sentences.append(f"Units run {order_text(test.units)}.")
    if condition.window > 1:
        sentences.append("Blocks are the bins of a window, 0 the newest.")
    left_out = [name for each in shown.values() for name in each.left_out]
    if left_out:
        sentences.append(f"Not shown, as they score no better: {', '.join(left_out)}.")
    return " ".join(sentences)


def _said_of_couplings(model: PopulationModel) -> str:
    if model.parameters_.J is None:
        return ""
    n_pairs = math.comb(model.parameters_.n_visible, 2)
    return f"couplings J ({model.n_couplings_:,} of {n_pairs:,} are other than zero)"


def _said_of_hidden_units(model: PopulationModel) -> str:
    n_hidden, n_live = model.parameters_.n_hidden, model.n_live_hidden_
    if not n_hidden:
        return ""
    if not n_live:
        return f"none of {n_hidden} hidden units, as none is live"
    if n_live > _MOST:
        return f"weights of {_MOST} live hidden units (of {n_live} live, {n_hidden} in all)"
    return f"weights of all live hidden units ({n_live} of {n_hidden})"
