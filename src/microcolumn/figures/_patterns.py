"""Figure 4: words and synchrony, observed and expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from ..evaluate import Synchrony
from ..evaluate._adequacy import common_count
from ..formatting import scientific
from ..models import ModelSpec
from ..models._spec import INDEPENDENT
from ..plot import patterns as draw_patterns, synchrony as draw_synchrony
from ..plot._patterns import LEAST_EXPECTED
from ..study import Condition, PatternsResult, Results
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import about, by_class, of_condition


@of_condition()
def patterns(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 4: observed frequency and probability of each word, and how many units fire at once.

    Of the test words of one split, under the best model of each class of the paper's family at
    its chosen penalty; of rivals, the synchrony of the best.
    """
    found = results.patterns(**condition.names)
    best = [models[0].spec for models in by_class(results.comparison(**condition.names)).values()]
    names = [INDEPENDENT, *(spec.name for spec in best)]
    pairs = list(pairwise(_chain(best)))
    bits = "bits of the window" if condition.window > 1 else "units"
    rival = results.comparison(**condition.names).best_rival
    drawn = ("data", *names, *([rival.name] if rival else []))
    shown = {name: each for name, each in found.synchrony.items() if name in drawn}
    with captioned("4", "Probabilities of words, and synchrony", (PAGE, 2.6)) as figure:
        panels = figure.subplots(1, len(pairs) + 1, width_ratios=[1.0] * len(pairs) + [1.1])
        for ax, pair in zip(panels[:-1], pairs, strict=True):
            draw_patterns({name: found.statistics[name] for name in pair}, ax=ax)
        draw_synchrony(shown, ax=panels[-1])
        panels[-1].set_xlabel("active bits per word" if condition.window > 1 else "active units")
        panels[-1].set_ylabel("probability")
        for ax, name in zip(panels, "abc", strict=False):
            letter(ax, name)
        sentences = _about_words(results, condition, found, pairs, names, bits)
        sentences.append(_about_synchrony("abc"[len(pairs)], bits, shown))
        sentences.append(_about_tail(bits, shown))
        figure.caption = " ".join(sentences)
    return figure


def _chain(specs: Sequence[ModelSpec]) -> list[str]:
    """Models of growing power, each drawn against the one before: at most one with hidden units."""
    simple = [spec.name for spec in specs if not spec.n_hidden]
    hidden = [spec.name for spec in specs if spec.n_hidden]
    return [INDEPENDENT, *simple, *hidden[:1]]


def _about_words(
    results: Results,
    condition: Condition,
    found: PatternsResult,
    pairs: Sequence[tuple[str, str]],
    names: Sequence[str],
    bits: str,
) -> list[str]:
    panels = zip("ab", pairs, strict=False)
    shown = "; ".join(f"({panel}) {' and '.join(pair)}" for panel, pair in panels)
    drawn = {name: found.statistics[name] for pair in pairs for name in pair}
    some = next(iter(drawn.values()))
    l1 = ", ".join(f"{name} {scientific(found.l1[name])}" for name in names[1:])
    sentences = [
        f"{shown}: observed frequency of every distinct word among the test words of split "
        f"{found.split} ({results.label(condition.recording)}, {about(condition)}; "
        f"{some.model.size:,} distinct of {some.n_words:,}) against its probability under the "
        f"model; symbols: number of active {bits}.",
        f"Models were fitted to the training words of the same split; penalties λ chosen: {l1}.",
        "Solid line: identity. Dashed lines: 5 % and 95 % of counting noise at the model's "
        "probability, the grey band between them. Only words that occurred are drawn, so words "
        "expected less than about once lie above the band by selection.",
    ]
    least = LEAST_EXPECTED / some.n_words
    below = {name: float(np.mean(each.model < least)) for name, each in drawn.items()}
    edge = [f"{100.0 * share:.2g} % for {name}" for name, share in below.items() if share > 0.0]
    if edge:
        at = f"Words with a probability below {least:.0e} are drawn at the left edge"
        sentences.append(f"{at} ({', '.join(edge)}).")
    return sentences


def _about_synchrony(panel: str, bits: str, distributions: Mapping[str, Synchrony]) -> str:
    sampled = ", ".join(name for name, each in distributions.items() if each.method == "samples")
    counts = f"; that of {sampled} from sampled words, with its standard error" if sampled else ""
    return (
        f"({panel}) Distribution of the number of active {bits} in the same test words (black; "
        "error bars: one standard error from blocks of neighbouring bins) and under the models"
        f"{counts}."
    )


def _about_tail(bits: str, distributions: Mapping[str, Synchrony]) -> str:
    """P(k or more active) for the largest k that came in 1 % of the words."""
    k = common_count(distributions["data"].probability[::-1].cumsum()[::-1][1:])
    tails = {name: 100.0 * each.probability[k:].sum() for name, each in distributions.items()}
    observed = tails.pop("data")
    expected = ", ".join(f"{name} {tail:.2f} %" for name, tail in tails.items())
    return f"{k} or more active {bits}: observed {observed:.2f} % of words; {expected}."
