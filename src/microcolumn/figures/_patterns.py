"""Figure 4: words and synchrony, observed and expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.figure import Figure, SubFigure

from ..evaluate import ModelScore, Synchrony
from ..evaluate._adequacy import common_count
from ..formatting import enumeration, scientific
from ..models import ModelSpec
from ..models._spec import INDEPENDENT
from ..plot import pattern_ratios, patterns as draw_patterns, synchrony as draw_synchrony
from ..plot._patterns import LEAST_EXPECTED
from ..study import Condition, PatternsResult, Results
from ._captioned import PAGE, CaptionedFigure, captioned, letter, share_legend
from ._conditions import about, by_class, of_condition
from ._stacking import is_narrow

#: Of the legend below the narrow column of panels, which has room for names this long in threes.
_LEGEND, _LONGEST = {"fontsize": 6, "handlelength": 1.6, "columnspacing": 1.0}, 16


@of_condition()
def patterns(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 4: probability and observed frequency of each word, and how many units fire at once.

    Of the test words of one split, under the best model of each class of the paper's family at
    its chosen penalty; of rivals, the synchrony of the best.
    """
    found = results.patterns(**condition.names)
    compared = results.comparison(**condition.names)
    best = [models[0].spec for models in by_class(compared).values()]
    names = [INDEPENDENT, *(spec.name for spec in best)]
    pairs = list(pairwise(_chain(best)))
    bits = "bits of the window" if condition.window > 1 else "units"
    rival = compared.best_rival
    drawn = ("data", *names, *([rival.name] if rival else []))
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
            ax.set_xlabel("active bits per word" if condition.window > 1 else "active units")
        panels[-1].set_ylabel("probability")
        columns = 3 if max(map(len, shown)) <= _LONGEST else 2
        share_legend(right, "outside lower center", ncols=columns, **_LEGEND)
        for ax, name in zip(panels, "abcd", strict=False):
            letter(ax, name)
        figure.caption = " ".join(
            [
                *_about_words(results, condition, found, pairs, names),
                _about_ratios("abcd"[len(pairs)], bits),
                _about_synchrony("abcd"[len(pairs) + 1], bits, shown, rival),
                _about_tail(bits, shown),
            ]
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


def _about_words(
    results: Results,
    condition: Condition,
    found: PatternsResult,
    pairs: Sequence[tuple[str, str]],
    names: Sequence[str],
) -> list[str]:
    panels = zip("ab", pairs, strict=False)
    shown = "; ".join(f"({panel}) {' and '.join(pair)}" for panel, pair in panels)
    drawn = {name: found.statistics[name] for pair in pairs for name in pair}
    some = next(iter(drawn.values()))
    l1 = ", ".join(f"{name} {scientific(found.l1[name])}" for name in names[1:])
    least = LEAST_EXPECTED / some.n_words
    below = {name: int(np.sum(each.model < least)) for name, each in drawn.items()}
    hidden = ", ".join(f"{n:,} for {name}" for name, n in below.items())
    return [
        f"{shown}: probability under the model of every distinct word against its observed "
        f"frequency among the test words of split {found.split} "
        f"({results.label(condition.recording)}, {about(condition)}; {some.model.size:,} distinct "
        f"of {some.n_words:,}). Small dots: words, jittered sideways by up to 0.3 counts. Large "
        "points and bars: median and quartiles over words seen 1, 2, 3 to 5, 6 to 11, ... times.",
        f"Models were fitted to the training words of the same split; penalties λ chosen: {l1}.",
        "Line: identity; grey, between dashed lines: 5 % to 95 % of counting noise around it. Only "
        "words that occurred are drawn, so that those seen once or twice lie below the line by "
        f"selection. Words that a model expects less than {LEAST_EXPECTED:g} times among "
        f"{some.n_words:,} lie below the axis: {hidden}.",
    ]


def _about_ratios(panel: str, bits: str) -> str:
    return (
        f"({panel}) The same words by their number of active {bits}: median and quartiles of log2 "
        "of model probability over observed frequency; the last group has at least 5 words. Words "
        f"with many active {bits} are mostly seen once, so that by the same selection even the "
        "right model lies far below 0: it is the models that compare. A model that is more than "
        "twice as far off as the next leaves the axis."
    )


def _about_synchrony(
    panel: str, bits: str, distributions: Mapping[str, Synchrony], rival: ModelScore | None
) -> str:
    text = (
        f"({panel}) Distribution of the number of active {bits} in the same test words (black; "
        "error bars: one standard error from blocks of neighbouring bins) and under the models"
    )
    if rival and rival.name in distributions:
        text += f", among them {rival.name}, the best of other kinds"
    sampled = [name for name, each in distributions.items() if each.method == "samples"]
    if sampled:
        text += f"; of {enumeration(sampled)} by sampled words, with standard errors"
    return f"{text}."


def _about_tail(bits: str, distributions: Mapping[str, Synchrony]) -> str:
    """P(k or more active) for the largest k that came in 1 % of the words."""
    k = common_count(distributions["data"].probability[::-1].cumsum()[::-1][1:])
    tails = {name: 100.0 * each.probability[k:].sum() for name, each in distributions.items()}
    observed = tails.pop("data")
    expected = ", ".join(f"{name} {tail:.2f} %" for name, tail in tails.items())
    return f"{k} or more active {bits}: observed {observed:.2f} % of words; {expected}."
