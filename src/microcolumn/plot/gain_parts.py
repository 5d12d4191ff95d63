"""What the gain over independent units comes from: a common drive, pairs and groups."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..evaluate.contrasts import ORDERS
from ..models import ModelSpec
from ..words import Words
from ._inputs import Compared, comparisons, documented, entitle
from .style import LEGEND, Colour, axes_or_new, literal, looks
from .tips import tip

#: What parts are called, and models whose colours they have.
_PARTS = {
    "drive": ("a common drive", "PopulationTracking"),
    "pairs": ("pairs", "Ising"),
    "groups": ("groups", "RBM"),
}
#: Height of a bar where recordings are 1 apart, and inches for each.
_HEIGHT, LINE = 0.36, 0.5


@documented('mc.compare(["PopulationTracking", "Ising", "RBM 2"], words)')
def gain_parts(
    models: Compared,
    words: Words | ArrayLike | None = None,
    *,
    color: Colour | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """What a common drive, pairs and groups add to the gain, two bars for each recording.

    A part is what the best model with it, and with those to its left, gains over the best without.
    That depends on the order: the upper bar begins with the drive, the lower one with pairs. Error
    bars are one standard error of what the second and the third part add.

    Parameters
    ----------
    color : colour, or mapping of str to colour, optional
        One for all parts, or by name: ``"drive"``, ``"pairs"`` and ``"groups"``.
    """
    listed = comparisons(models, words)
    styles = looks(_PARTS, color, {part: ModelSpec(of) for part, (_, of) in _PARTS.items()})
    ax = axes_or_new(ax, (4.2, 0.9 + LINE * len(listed)))
    labels: set[str] = set()
    for row, compared in enumerate(listed):
        for shift, order in zip((-0.5, 0.5), ORDERS, strict=True):
            left = 0.0
            for step in compared.gain_steps(order):
                name = _PARTS[step.part][0]
                added, error = step.bits_per_second, getattr(step.difference, "stderr", 0.0)
                look: dict[str, Any] = {"color": styles[step.part].colour, "edgecolor": "white"}
                if left and error:  # a score's own error bar hides the others
                    look |= {"xerr": error, "error_kw": {"elinewidth": 0.8, "ecolor": "0.3"}}
                bar = ax.barh(row + shift * _HEIGHT, added, _HEIGHT, left, **look)
                bar.set_label("" if name in labels else name)
                labels.add(name)
                about = {"recording": compared.recording, "part": name, "model": step.model}
                tip(bar, about | {"bits/s": added, "standard error": error})
                left += added
    ax.set_yticks(range(len(listed)), [literal(each.recording) for each in listed])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    ax.set_xlabel("gain over independent units (bits/s)")
    dense = {"columnspacing": 0.9, "handlelength": 1.0, "handletextpad": 0.4, "borderaxespad": 0.0}
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(labels), **dense, **LEGEND)
    return entitle(ax, title)
