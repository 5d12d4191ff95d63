"""Figure of scores and of what groups add, by the width of a bin."""

from __future__ import annotations

from .. import plot
from ..study import Condition, Results
from .captioned import COLUMN, PAGE, CaptionedFigure, captioned, letter, panels
from .conditions import by_bin_width, caption, of_condition


@of_condition()
def bin_widths(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure of the gain of all models, and of groups beyond pairs, by the width of a bin.

    Of one recording, and of all experiments that differ in the bin width alone.
    """
    compared = by_bin_width(results, condition)
    has_groups = any(each.groups for each in compared.values())
    title = f"Width of a bin, {condition.recording}"
    with captioned("", title, (PAGE if has_groups else COLUMN, 2.6)) as figure:
        axes = panels(figure, ["ab" if has_groups else "a"])
        plot.bin_widths(compared, ax=axes["a"])
        if has_groups:
            plot.bin_widths(compared, show="groups", ax=axes["b"])
            for name, ax in axes.items():
                letter(ax, name)
        about = {"compared": list(compared.values()), "has_groups": has_groups}
        figure.caption = caption("bin_widths", condition, **about)
    return figure
