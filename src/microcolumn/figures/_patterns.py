"""Figure 4: words and synchrony, observed and expected."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from matplotlib.figure import Figure, SubFigure

from ..evaluate.model_adequacy import common_count
from ..models import ModelSpec
from ..models.spec import INDEPENDENT
from ..plot import pattern_ratios, patterns as draw_patterns, synchrony as draw_synchrony
from ..plot.word_patterns import LEAST_EXPECTED
from ..study import Condition, Results
from ._presets import is_narrow
from .captioned import PAGE, CaptionedFigure, captioned, letter, share_legend
from .conditions import by_class, caption, of_condition

#: Of the legend below the narrow column of panels.
_LEGEND = {"fontsize": 6, "handlelength": 1.6, "columnspacing": 1.0, "ncols": 2}


@of_condition()
def patterns(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 4: probability and observed frequency of each word, and how many units fire at once.

    Of the test words of one split, under the best model of each class of the paper's family at
    its chosen penalty; of alternatives, the synchrony of the best.
    """
    found = results.patterns(**condition.names)
    compared = results.comparison(**condition.names)
    best = [models[0].spec for models in by_class(compared).values()]
    names = [INDEPENDENT, *(spec.name for spec in best)]
    pairs = list(pairwise(_chain(best)))
    alternative = compared.best_alternative.name if compared.best_alternative else ""
    drawn = ("data", *names, alternative)
    shown = {name: each for name, each in found.synchrony.items() if name in drawn}
    statistics = {name: found.statistics[name] for name in names}
    units = results.words(split=found.split, **condition.names)[2].units
    narrow = is_narrow(PAGE)
    size = (PAGE, 5.9 if narrow else 3.55)
    with captioned("4", "Probabilities of words, and synchrony", size) as figure:
        left, right = _parts(figure, len(pairs))
        panels = [*left.subplots(1, len(pairs), squeeze=False)[0], *right.subplots(2, 1)]
        for ax, pair in zip(panels, pairs, strict=False):
            draw_patterns({name: statistics[name] for name in pair}, units=units, ax=ax)
            ax.set_anchor("NW")  # its letter stands at the height of the others
            if narrow:
                ax.get_legend().remove()  # it would cover the words; the one below is for all
        pattern_ratios(statistics, ax=panels[-2])
        panels[-2].get_legend().remove()
        draw_synchrony(shown, ax=panels[-1])
        for ax in panels[-2:]:
            what = "active bits per word" if condition.window > 1 else "active units"
            ax.set_xlabel(ax.get_xlabel().replace("active bits", what))
        panels[-1].set_ylabel("probability")
        share_legend(right, "outside lower center", **_LEGEND)
        for ax, name in zip(panels, "abcd", strict=False):
            letter(ax, name)
        figure.caption = caption(
            "patterns",
            condition,
            label=results.label(condition.recording),
            found=found,
            pairs=pairs,
            names=names,
            alternative=alternative if alternative in shown else None,
            least=LEAST_EXPECTED,
            shown=shown,
            # The largest number that came, or was exceeded, in 1 % of the words.
            k=common_count(shown["data"].probability[::-1].cumsum()[::-1][1:]),
        )
    return figure


def _parts(figure: Figure, n_pairs: int) -> Sequence[SubFigure]:
    """The part of probabilities and, beside it or below it, that of ratios and synchrony."""
    below: Any = {"nrows": 2, "height_ratios": (1.0, 1.45)}
    beside: Any = {"ncols": 2, "width_ratios": (n_pairs, 1.15)}
    parts: Any = figure.subfigures(**(below if is_narrow(PAGE) else beside))
    return list(parts)


def _chain(specs: Sequence[ModelSpec]) -> list[str]:
    """Models of growing power, each drawn against the one before: at most one with hidden units."""
    simple = [spec.name for spec in specs if not spec.has_groups]
    hidden = [spec.name for spec in specs if spec.has_groups]
    return [INDEPENDENT, *simple, *hidden[:1]]
