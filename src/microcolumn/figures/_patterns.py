"""Words, observed and expected: moments and synchrony, and each word by itself (figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..evaluate.model_adequacy import common_count
from ..models import ModelSpec
from ..models.spec import INDEPENDENT
from ..plot import moments as draw_moments, patterns as draw_patterns, synchrony as draw_synchrony
from ..plot.word_patterns import LEAST_EXPECTED
from ..study import Condition, NotComputedError, Results
from .captioned import PAGE, CaptionedFigure, captioned, letter, panels
from .conditions import by_class, caption, of_condition


@of_condition()
def moments(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure of pairs, triplets and synchrony: those of the best models against the data's.

    Of the test words of one split, under the best Ising model and the best model with hidden units;
    in the synchrony also under independent units and the best alternative.
    """
    compared, found = results.comparison(**condition.names), results.moments(**condition.names)
    best = [models[0] for models in by_class(compared).values()]
    pairs = [each.name for each in best if not each.spec.has_groups]
    ranked = [each.name for each in compared.ranked if each.spec.has_groups]
    drawn = [name for name in (*pairs, *ranked[:1]) if name in found]
    if not drawn:
        raise NotComputedError("no model of pairs or groups is tested", "add Ising and RBM")
    synchrony = results.patterns(**condition.names).synchrony
    alternative = compared.best_alternative.name if compared.best_alternative else ""
    names = list(dict.fromkeys(("data", INDEPENDENT, *drawn, alternative)))
    shown = {name: synchrony[name] for name in names if name in synchrony}
    units = results.units(condition.recording, experiment=condition.experiment.name)
    title = f"Pairs, triplets and synchrony, {condition.recording}"
    with captioned("", title, (PAGE, 2.4)) as figure:
        axes = panels(figure, ["abc"])
        for name, of in (("a", "pairs"), ("b", "triplets")):
            each = {model: found[model][of] for model in drawn}
            draw_moments(each, of=of, units=units, ax=axes[name])  # type: ignore[arg-type]
        draw_synchrony(shown, ax=axes["c"])
        if condition.window == 1:
            axes["c"].set_xlabel("active units")
        for name, ax in axes.items():
            letter(ax, name)
        # The largest number that came, or was exceeded, in 1 % of the words.
        k = common_count(shown["data"].probability[::-1].cumsum()[::-1][1:])
        about = {"adequacy": results.adequacy(**condition.names), "shown": shown, "k": k}
        drawn_moments = {name: found[name] for name in drawn}
        figure.caption = caption("moments", condition, found=drawn_moments, **about)
    return figure


@of_condition()
def patterns(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 4: model probability and observed frequency of each word.

    Of the test words of one split, under the best model of each class of the paper's family at
    its chosen penalty.
    """
    found = results.patterns(**condition.names)
    best = [models[0].spec for models in by_class(results.comparison(**condition.names)).values()]
    pairs = list(pairwise(_chain(best)))
    units = results.words(split=found.split, **condition.names)[2].units
    width = min(PAGE, 2.6 * len(pairs))
    with captioned("4", "Probabilities of words", (width, 3.4)) as figure:
        axes = panels(figure, ["ab"[: len(pairs)]])
        for (name, ax), pair in zip(axes.items(), pairs, strict=True):
            draw_patterns({model: found.statistics[model] for model in pair}, units=units, ax=ax)
            letter(ax, name)
        about = {"found": found, "pairs": pairs, "least": LEAST_EXPECTED}
        figure.caption = caption("patterns", condition, **about)
    return figure


def _chain(specs: Sequence[ModelSpec]) -> list[str]:
    """Models of growing power, each drawn against the one before: at most one with hidden units."""
    simple = [spec.name for spec in specs if not spec.has_groups]
    hidden = [spec.name for spec in specs if spec.has_groups]
    return [INDEPENDENT, *simple, *hidden[:1]]
