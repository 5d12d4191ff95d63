"""Models ranked by their scores, each with its difference from the best one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..evaluate import Comparison
from ..models import WordModel
from ..words import Words
from ._colours import Colour, coloured
from ._inputs import entitle, expect
from ._scores import compared_on
from ._tips import tip
from .style import Look, axes_or_new, literal, looks

#: Bits/s; a plot of smaller differences would be one of rounding errors.
_SAME = 1e-3
#: Inches of a line, and of what is above and below all lines.
LINE, AROUND = 0.22, 0.9


def ranking(
    compared: Comparison | WordModel | Sequence[WordModel] | Mapping[str, WordModel],
    words: Words | ArrayLike | None = None,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Models ranked from the best down, each with its difference from the best one.

    The difference is paired: what both models find hard to predict cancels, so that its error bar,
    one standard error, is smaller than those of the scores. Scores in bits/s over independent units
    stand to the right. Discs are of the paper's family, open diamonds of other kinds.

    Parameters
    ----------
    compared : Comparison, fitted model, or sequence or mapping of fitted models
        Fitted models and their names; or, without ``words``, what :func:`microcolumn.compare` or
        ``results.comparison(...)`` returns. Models with a false mode, or whose score is not finite,
        are left out.
    words : Words or array_like, shape (n_words, n_units), optional
        Held-out words.
    color : colour or mapping, optional
        One for all models, or by name; by default that of each model's class.
    title : str, optional
        Of the axes.
    """
    remedy = "fitted models and words, or one Comparison, such as mc.compare returns"
    given = expect("compared", compared_on(compared, words), Comparison, remedy)
    finite = [model for model in given.models if math.isfinite(model.bits_per_second)]
    ranked = sorted(finite, key=lambda model: -model.bits_per_second)
    if not ranked:
        raise ValueError("there is no model to rank: none has a score; raise l1")
    specs = {model.name: model.spec for model in ranked}
    styles = coloured(looks(specs, specs), color)
    ax = axes_or_new(ax, (4.2, AROUND + LINE * len(ranked)))
    best = ranked[0].name
    for place, model in enumerate(ranked):
        difference, error = 0.0, 0.0
        if model.name != best:
            pair = given.pair(model.name, best)
            difference, error = pair.bits_per_second, pair.stderr
        mark = _mark(styles[model.name], is_rival=model.spec.is_rival)
        bar = None if math.isnan(error) else error
        point = ax.errorbar(difference, place, xerr=bar, elinewidth=1.0, capsize=2, **mark)
        told = {"model": model.name, "bits/s": model.bits_per_second}
        tip(point, told | {f"minus {best}": difference, "standard error": error})
        ax.annotate(
            f"{model.bits_per_second:.2f}",
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
        )
    _label(ax, [literal(name) for name in specs], literal(best))
    if len({model.spec.is_rival for model in ranked}) > 1:
        ax.set_xlabel(f"{ax.get_xlabel()}\n\u25cf the paper's family   \u25c7 other kinds")
    return entitle(ax, title)


def _mark(look: Look, *, is_rival: bool) -> dict[str, Any]:
    """A disc for the paper's family, an open diamond for others."""
    face = "white" if is_rival else look.colour
    marks = {"marker": "D" if is_rival else "o", "markersize": 4 if is_rival else 5}
    return {"color": look.colour, "markerfacecolor": face, "linestyle": "", **marks}


def _label(ax: Axes, names: list[str], best: str) -> None:
    """Names to the left, scores to the right, a line at the best."""
    ax.set_yticks(np.arange(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.axvline(0.0, color="0.6", linewidth=0.8, zorder=0)
    ax.margins(x=0.08)
    if max(map(abs, ax.dataLim.intervalx)) < _SAME:
        ax.set_xlim(-1.0, 0.1)
    ax.set_xlabel(f"difference from {best} (bits/s)")
    head: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    ax.annotate("bits/s", (1.0, 1.0), xytext=(6, 3), fontsize=7, color="0.35", **head)
    for side in ("left", "top", "right"):
        ax.spines[side].set_visible(False)
