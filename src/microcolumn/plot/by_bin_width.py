"""Scores of models, and what groups add to pairs, against the width of a bin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from matplotlib.axes import Axes

from ..errors import BadArgument, BadInput
from ..evaluate import Comparison
from ..validation import expect, one_of
from ..words import checked_bin_width
from ._inputs import documented, entitle
from .style import ERROR_BARS, LEGEND_RIGHT, Colour, axes_or_new, literal, looks
from .tips import tip

_LABELS = {"scores": "log-likelihood gain (bits/s)", "groups": "groups beyond pairs\n(bits/s)"}
_REMEDY = "a dict of comparisons, as mc.compare(models, words) returns them, by bin width in s"


@documented('{0.020: mc.compare(["Ising", "RBM 2"], words)}')
def bin_widths(
    comparisons: Mapping[float, Comparison],
    *,
    show: Literal["scores", "groups"] = "scores",
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Scores of models, or the planned contrast of groups, against the width of a bin.

    A score is a gain over independent units in bins of the same width, with one standard error.
    The contrast is ``comparison.groups`` with its 95 % interval, a disc where one side is better
    and a circle where not.

    Parameters
    ----------
    comparisons : mapping of float to Comparison
        Of the same models and units, by bin width in seconds.
    show : {"scores", "groups"}
        A line for each model, or the contrast.
    """
    one_of("show", show, _LABELS)
    expect("comparisons", comparisons, Mapping, _REMEDY)
    by_width = {
        checked_bin_width(width): expect(f"comparisons[{width!r}]", each, Comparison, _REMEDY)
        for width, each in comparisons.items()
    }
    if not by_width:
        raise BadArgument("comparisons", "is empty", f"pass {_REMEDY}")
    by_width = dict(sorted(by_width.items()))
    ax = axes_or_new(ax, (4.4, 2.6))
    (_draw_scores if show == "scores" else _draw_groups)(ax, by_width, color)
    widths = [1e3 * width for width in by_width]
    ax.set_xscale("log")
    ax.set_xticks(widths, [f"{width:.3g}" for width in widths])
    ax.set_xticks([], minor=True)
    ax.margins(x=0.1)
    ax.set_xlabel("width of a bin (ms)")
    ax.set_ylabel(_LABELS[show])
    return entitle(ax, title)


def _draw_scores(ax: Axes, by_width: Mapping[float, Comparison], color: Colour | None) -> None:
    specs = {name: m.spec for each in by_width.values() for name, m in each.scores.items()}
    for name, look in looks(specs, color, specs).items():
        scored = [(w, each.scores[name]) for w, each in by_width.items() if name in each.scores]
        widths = [1e3 * width for width, _ in scored]
        values = [score.bits_per_second for _, score in scored]
        errors = [score.stderr for _, score in scored]
        style = {"color": look.colour, "linestyle": look.dash, "marker": look.marker}
        [line] = ax.plot(widths, values, markersize=3.5, label=literal(name), **style)
        tip(line, {"model": name, "ms": widths, "bits/s": values, "standard error": errors})
        ax.errorbar(widths, values, errors, fmt="none", ecolor=look.colour, **ERROR_BARS)
    ax.legend(**LEGEND_RIGHT)


def _draw_groups(ax: Axes, by_width: Mapping[float, Comparison], color: Colour | None) -> None:
    pairs = {width: pair for width, each in by_width.items() if (pair := each.groups)}
    if not pairs:
        raise BadInput("no comparison has models with groups and without", "leave show out")
    colour = looks([""], color)[""].colour
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    for width, pair in pairs.items():
        low, high = pair.interval
        half = None if math.isnan(low) else (high - low) / 2
        face = colour if pair.differs else "white"
        mark: dict[str, Any] = {"color": colour, "markerfacecolor": face, "markersize": 4.5}
        point = ax.errorbar(1e3 * width, pair.bits_per_second, half, fmt="o", capsize=2, **mark)
        about = {"ms": 1e3 * width, f"{pair.first} minus {pair.second}": pair.bits_per_second}
        tip(point, about | {"95 % from": low, "to": high})
