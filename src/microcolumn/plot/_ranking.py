"""Models ranked by their scores, each with its difference from the best one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..evaluate import Comparison, ModelScore
from ..words import Words
from ._inputs import documented, entitle, named
from ._scores import Compared, compared_on
from ._tips import tip
from .style import Colour, Look, axes_or_new, coloured, literal, looks

#: Bits/s; a plot of smaller differences would be one of rounding errors.
_SAME = 1e-3
#: Inches of a line, and of what is above and below all lines.
LINE, AROUND = 0.22, 0.9
_KINDS = "\n\u25cf the paper's family   \u25c7 other kinds"


@documented
def ranking(
    models: Compared,
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

    Of several recordings, small marks are the differences in each, per unit since populations
    differ in size, and large marks are medians over recordings, by which models are ranked; to the
    right stands in how many recordings a model is best.

    Parameters
    ----------
    models : fitted model or Comparison, or sequence or mapping of them
        Fitted models and their names; or, without ``words``, what :func:`microcolumn.compare` or
        ``results.comparison(...)`` returns: several comparisons are of different recordings, and
        models of one name are the same. Models with a false mode, or whose score is not finite, are
        left out.
    """
    remedy = (
        "fitted models and words, or what mc.compare(models, words) or results.comparison(...) "
        "returns, or a list of such"
    )
    given = named("models", compared_on(models, words), Comparison, remedy).values()
    finite = [[m for m in each.ranked if math.isfinite(m.bits_per_second)] for each in given]
    known = [(each, ranked) for each, ranked in zip(given, finite, strict=True) if ranked]
    if not known:
        raise ValueError("there is no model to rank: none has a score; raise l1")
    specs = {model.name: model.spec for _, models in known for model in models}
    styles = coloured(looks(specs, specs), color)
    ax = axes_or_new(ax, (4.2, AROUND + LINE * len(specs)))
    draw = _draw_one if len(known) == 1 else _draw_several
    names = draw(ax, known, styles)
    _label(ax, [literal(name) for name in names])
    if len({spec.is_rival for spec in specs.values()}) > 1:
        ax.set_xlabel(f"{ax.get_xlabel()}{_KINDS}")
    return entitle(ax, title)


_Known = Sequence[tuple[Comparison, list[ModelScore]]]


def _draw_one(ax: Axes, known: _Known, styles: dict[str, Look]) -> list[str]:
    """Paired differences with their errors; scores to the right."""
    [(compared, ranked)] = known
    best = ranked[0].name
    for place, model in enumerate(ranked):
        difference, error = 0.0, 0.0
        if model.name != best:
            pair = compared.pair(model.name, best)
            difference, error = pair.bits_per_second, pair.stderr
        mark = _mark(styles[model.name], is_rival=model.spec.is_rival)
        bar = None if math.isnan(error) else error
        point = ax.errorbar(difference, place, xerr=bar, elinewidth=1.0, capsize=2, **mark)
        columns = {"model": model.name, "bits/s": model.bits_per_second}
        tip(point, columns | {f"minus {best}": difference, "standard error": error})
        _write_beside(ax, place, f"{model.bits_per_second:.2f}")
    ax.set_xlabel("difference from the best (bits/s)")
    _write_beside(ax, None, "bits/s")
    return [model.name for model in ranked]


def _draw_several(ax: Axes, known: _Known, styles: dict[str, Look]) -> list[str]:
    """Differences per unit in each recording; in how many a model is best to the right."""
    behind: dict[str, list[tuple[str, float]]] = {}
    for compared, ranked in known:
        for model in ranked:
            difference = model.per_neuron - ranked[0].per_neuron
            behind.setdefault(model.name, []).append((compared.recording, difference))
    best = [ranked[0].name for _, ranked in known]
    rivals = {model.name: model.spec.is_rival for _, ranked in known for model in ranked}
    middle = {name: median(value for _, value in found) for name, found in behind.items()}
    names = sorted(middle, key=lambda name: -middle[name])
    for place, name in enumerate(names):
        recordings, values = zip(*behind[name], strict=True)
        mark = _mark(styles[name], is_rival=rivals[name])
        single = ax.plot(values, [place] * len(values), alpha=0.5, **mark | {"markersize": 2.5})[0]
        tip(single, {"model": name, "recording": recordings, "bits/s per unit": values})
        large = ax.plot(middle[name], place, **mark | {"markersize": 6})[0]
        tip(large, {"model": name, "median, bits/s per unit": middle[name]})
        _write_beside(ax, place, f"{best.count(name)} of {len(values)}")
    ax.set_xlabel("difference from the best\nof each recording (bits/s per unit)")
    _write_beside(ax, None, "best in")
    return names


def _mark(look: Look, *, is_rival: bool) -> dict[str, Any]:
    """A disc for the paper's family, an open diamond for others."""
    face = "white" if is_rival else look.colour
    marks = {"marker": "D" if is_rival else "o", "markersize": 4 if is_rival else 5}
    return {"color": look.colour, "markerfacecolor": face, "linestyle": "", **marks}


def _write_beside(ax: Axes, place: int | None, text: str) -> None:
    """Put text to the right of a line, or above all of them."""
    if place is None:
        where: Any = {"xy": (1.0, 1.0), "xycoords": "axes fraction", "xytext": (6, 3)}
        look: dict[str, Any] = {"color": "0.35"}
    else:
        where = {"xy": (1.0, place), "xycoords": ("axes fraction", "data"), "xytext": (6, 0)}
        look = {"va": "center"}
    ax.annotate(text, textcoords="offset points", fontsize=7, **where, **look)


def _label(ax: Axes, names: list[str]) -> None:
    """Names to the left, a line at the best."""
    ax.set_yticks(np.arange(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.axvline(0.0, color="0.6", linewidth=0.8, zorder=0)
    ax.margins(x=0.08)
    if max(map(abs, ax.dataLim.intervalx)) < _SAME:
        ax.set_xlim(-1.0, 0.1)
    for side in ("left", "top", "right"):
        ax.spines[side].set_visible(False)
