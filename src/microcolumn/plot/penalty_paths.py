"""Scores on held-out words, and what is left of a model, against the strength of its penalty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy
from numpy.typing import NDArray

from ..errors import BadInput
from ..evaluate import Choice, TuneResult
from ..models import PopulationModel
from ..validation import Floats, one_of
from ._inputs import documented, entitle, named
from .style import LEGEND_RIGHT, Colour, Look, axes_or_new, literal, looks
from .tips import tip

#: What can be drawn, and how the axis calls it.
_LABELS = {
    "score": "score on held-out words\n(bits/s)",
    "couplings": "couplings",
    "hidden units": "live hidden units",
}
#: Share of the axis left free at either end.
_MARGIN = 0.07
#: Points: models stand side by side around each strength, this far apart, or all within this.
_STEP, _SPREAD = 3.0, 8.0
_REMEDY = (
    "what tune returns, or a choice of a penalty, a list of such choices or a dict of them by name"
)


#: What is drawn against the strength.
Shown = Literal["score", "couplings", "hidden units"]


@dataclass(frozen=True, slots=True, eq=False)
class PenaltyPath:
    """One model at several strengths λ of its penalty; arrays have shape (n_strengths,)."""

    name: str  # of the model
    l1: Floats  # strengths, increasing
    bits_per_second: Floats  # score on held-out words over independent units
    stderr: Floats  # its standard error
    n_couplings: NDArray[np.int64] | None  # left by the penalty; None for a model without any
    n_live_hidden: NDArray[np.int64] | None
    best_index: int  # position of the strength that the held-out words chose

    @classmethod
    def of(
        cls, name: str, fits: Sequence[PopulationModel], l1: Any, scores: Any, best_index: int
    ) -> PenaltyPath:
        """From fits with their strengths and their scores, pairs of a value and its error."""
        values, errors = np.array(scores, dtype=float).T
        pairs = np.array([fit.n_couplings_ for fit in fits])
        live = np.array([fit.n_live_hidden_ for fit in fits])
        theta = fits[0].parameters_
        left = (None if theta.J is None else pairs), (None if theta.W is None else live)
        return cls(name, np.array(l1, dtype=float), values, errors, *left, best_index)


#: What :func:`penalties` draws a line of.
AnyPath = Choice | PenaltyPath


@documented('mc.tune("Ising", words)')
def penalties(
    choices: TuneResult | AnyPath | Sequence[AnyPath] | Mapping[str, AnyPath],
    *,
    show: Shown = "score",
    title: str | None = None,
    color: Colour | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Score on held-out words against the strength λ of the penalty, the chosen one ringed.

    Error bars are one standard error of each score. Scores at different strengths are of the same
    words, so that their differences are surer than the bars suggest. Several models stand side by
    side around each strength, so that none hides another.

    Parameters
    ----------
    choices : TuneResult, or Choice, or sequence or mapping of choices
        What :func:`microcolumn.tune` returns, of which models with a penalty are drawn, or some of
        its ``choices``. Figures of a study: :func:`microcolumn.figures.penalties`.
    show : {"score", "couplings", "hidden units"}
        The score, or how many couplings or live hidden units are left at each strength; models
        that have none are left out.
    """
    one_of("show", show, _LABELS)
    paths = _paths(choices)
    drawn = {name: path for name, path in paths.items() if _values(path, show) is not None}
    if not drawn:
        raise BadInput(f"these models have no {show}", "leave show out to draw their scores")
    styles = looks(list(paths), color)
    ax = axes_or_new(ax, (4.4, 2.6))
    _penalty_axis(ax, np.concatenate([path.l1 for path in paths.values()]))
    step = min(_STEP, _SPREAD / max(len(drawn) - 1, 1))
    for k, (name, path) in enumerate(drawn.items()):
        moved = _draw(ax, path, show, styles[name], literal(name))
        points = step * (k - (len(drawn) - 1) / 2)
        beside = offset_copy(ax.transData, ax.get_figure(root=True), points, units="points")
        for artist in moved:  # after it was drawn, so that the limits of the axes are of the data
            artist.set_transform(beside)
    ax.set_ylabel(_LABELS[show])
    if show != "score":
        most = max(int(np.max(_values(path, show))) for path in drawn.values())
        ax.set_ylim(-0.04 * max(most, 1), 1.05 * max(most, 1))  # from zero, with space for markers
        ax.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=(1, 2, 5, 10), integer=True))
        ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.plot([], [], label="chosen λ", **_RING)
    ax.legend(**LEGEND_RIGHT)
    return entitle(ax, title)


_RING: dict[str, Any] = {
    "marker": "o",
    "markersize": 7.5,
    "markerfacecolor": "none",
    "markeredgecolor": "black",
    "markeredgewidth": 0.9,
    "linestyle": "none",
}


def _paths(choices: Any) -> dict[str, PenaltyPath]:
    if isinstance(choices, TuneResult):
        choices = {name: each for name, each in choices.choices.items() if each.l1_values}
    kind: Any = AnyPath
    by_name = named("choices", choices, kind, _REMEDY, name_of=lambda each: _path(each).name)
    return {name: _path(each) for name, each in by_name.items()}


def _path(choice: AnyPath) -> PenaltyPath:
    """The path of a choice, called by the class of its models and their number of hidden units."""
    if isinstance(choice, PenaltyPath):
        return choice
    size = choice.best.parameters_.n_hidden
    name = f"{type(choice.best).__name__}{f' {size}' if size else ''}"
    scores = [(score.bits_per_second, score.stderr) for score in choice.scores]
    return PenaltyPath.of(name, choice.fits, choice.l1_values, scores, choice.best_index)


def _values(path: PenaltyPath, show: str) -> Any:
    """What is drawn at each strength; None where the model has no such thing."""
    known = {"couplings": path.n_couplings, "hidden units": path.n_live_hidden}
    return known.get(show, path.bits_per_second)


def _draw(ax: Axes, path: PenaltyPath, show: str, look: Look, label: str) -> list[Artist]:
    """The line of a model, the ring around what was chosen, and error bars of scores."""
    values = _values(path, show)
    style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "markersize": 3.5}
    [line] = ax.plot(path.l1, values, linestyle=look.dash, linewidth=1.2, label=label, **style)
    tip(line, {"model": path.name, "λ": path.l1, "bits/s" if show == "score" else show: values})
    rings = ax.plot(path.l1[path.best_index], values[path.best_index], zorder=3, **_RING)
    if show != "score":
        return [line, *rings]
    bars: dict[str, Any] = {"ecolor": look.colour, "elinewidth": 0.7}
    _, _, errors = ax.errorbar(path.l1, values, path.stderr, fmt="none", **bars)
    return [line, *rings, *errors]


def _penalty_axis(ax: Axes, strengths: Floats) -> None:
    """A logarithmic axis of strengths; where 0 is among them, it is linear below the smallest."""
    ax.set_xlabel("strength of the penalty, λ")
    positive = strengths[strengths > 0.0]
    if positive.size == strengths.size:
        ax.set_xscale("log")
    elif positive.size:
        ax.set_xscale("symlog", linthresh=float(positive.min()), linscale=0.7)
    ax.margins(x=_MARGIN)
