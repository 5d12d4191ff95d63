"""Scores of models, and what groups add to pairs, against the width of a bin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from matplotlib.axes import Axes

from ..errors import BadArgument, BadInput
from ..evaluate import Comparison, PairedDifference
from ..validation import expect, one_of
from ..words import checked_bin_width
from ._inputs import documented, entitle
from .style import ERROR_BARS, LEGEND_RIGHT, Colour, Look, axes_or_new, literal, looks
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
    for width, each in expect("comparisons", comparisons, Mapping, _REMEDY).items():
        expect(f"comparisons[{width!r}]", each, Comparison, _REMEDY)
    if not comparisons:
        raise BadArgument("comparisons", "is empty", f"pass {_REMEDY}")
    by_ms = {1e3 * checked_bin_width(width): each for width, each in comparisons.items()}
    by_ms = dict(sorted(by_ms.items()))
    pairs = {ms: pair for ms, each in by_ms.items() if (pair := each.groups)}
    if show == "groups" and not pairs:
        raise BadInput("no comparison has models with groups and without", "leave show out")
    specs = {name: m.spec for each in by_ms.values() for name, m in each.scores.items()}
    styles = looks([""] if show == "groups" else specs, color, specs)
    ax = axes_or_new(ax, (4.4, 2.6))
    if show == "groups":
        _draw_groups(ax, pairs, styles[""])
    else:
        _draw_scores(ax, by_ms, styles)
    ax.set_xscale("log")
    ax.set_xticks(list(by_ms), [f"{ms:.3g}" for ms in by_ms])
    ax.set_xticks([], minor=True)
    ax.margins(x=0.1)
    ax.set_xlabel("width of a bin (ms)")
    ax.set_ylabel(_LABELS[show])
    return entitle(ax, title)


def _draw_scores(ax: Axes, by_ms: Mapping[float, Comparison], styles: Mapping[str, Look]) -> None:
    for name, look in styles.items():
        scores = {ms: each.scores[name] for ms, each in by_ms.items() if name in each.scores}
        values = [score.bits_per_second for score in scores.values()]
        errors = [score.stderr for score in scores.values()]
        mark: dict[str, Any] = {"linestyle": look.dash, "marker": look.marker, "markersize": 3.5}
        style = mark | ERROR_BARS | {"color": look.colour, "label": literal(name)}
        line = ax.errorbar(list(scores), values, errors, **style)
        tip(line, {"model": name, "ms": list(scores), "bits/s": values, "standard error": errors})
    ax.legend(**LEGEND_RIGHT)


def _draw_groups(ax: Axes, pairs: Mapping[float, PairedDifference], look: Look) -> None:
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    for ms, pair in pairs.items():
        low, high = pair.interval
        face = look.colour if pair.differs else "white"
        mark: dict[str, Any] = {"color": look.colour, "markerfacecolor": face, "markersize": 4.5}
        point = ax.errorbar(ms, pair.bits_per_second, (high - low) / 2, fmt="o", capsize=2, **mark)
        about = {"ms": ms, f"{pair.first} minus {pair.second}": pair.bits_per_second}
        tip(point, about | {"95 % from": low, "to": high})
