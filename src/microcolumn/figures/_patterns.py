"""Figure 4: whole words and synchrony, observed and expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from ..evaluate import PatternStatistics, Synchrony
from ..models._spec import INDEPENDENT
from ..plot import patterns as draw_patterns, synchrony as draw_synchrony
from ..plot._patterns import LEAST_EXPECTED
from ..report._tables import compared_at, scientific
from ..study import Condition, Results
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import by_class, condition_of, where


def patterns(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    window: int | None = None,
) -> CaptionedFigure:
    """Figure 4: observed frequency and probability of each word, and how many cells fire at once.

    Of the test words of the first split, under the best model of each class at its chosen penalty.
    """
    condition = condition_of(results, recording, experiment, window)
    found = results.patterns(condition.recording, **where(condition))
    best = {model: specs[0].name for model, specs in by_class(compared_at(results, condition)).items()}
    chain = [INDEPENDENT, *([best["Ising"]] if "Ising" in best else [])]
    chain += [name for model, name in best.items() if model != "Ising"][:1]  # with hidden units
    pairs = list(pairwise(chain))
    statistics = {name: found.statistics[name] for name in chain}
    shown = ("data", INDEPENDENT, *best.values())
    distributions = {name: found.synchrony[name] for name in shown}
    l1 = {name: found.l1[name] for name in best.values()}
    with captioned("4", "Probabilities of words, and synchrony", (PAGE, 2.6)) as figure:
        panels = figure.subplots(1, len(pairs) + 1, width_ratios=[1.0] * len(pairs) + [1.1])
        for ax, pair in zip(panels[:-1], pairs, strict=True):
            draw_patterns({name: statistics[name] for name in pair}, ax=ax)
        draw_synchrony(distributions, ax=panels[-1])
        panels[-1].set_xlabel("active bits per word" if condition.window > 1 else "active units")
        panels[-1].set_ylabel("probability")
        for ax, name in zip(panels, "abc", strict=False):
            letter(ax, name)
        figure.caption = " ".join(
            [
                *_about_words(condition, found.split, pairs, l1, statistics),
                _about_synchrony("abc"[len(pairs)], _bits(condition), distributions),
            ]
        )
    return figure


def _about_words(
    condition: Condition,
    split: int,
    pairs: Sequence[tuple[str, str]],
    l1: Mapping[str, float],
    statistics: Mapping[str, PatternStatistics],
) -> list[str]:
    shown = "; ".join(
        f"({panel}) {' and '.join(pair)}" for panel, pair in zip("ab", pairs, strict=False)
    )
    some = next(iter(statistics.values()))
    window = f", windows of {condition.window} bins" if condition.window > 1 else ""
    sentences = [
        f"{shown}: observed frequency of every distinct word among the test words of split "
        f"{split} ({condition.recording}, experiment {condition.experiment.name}{window}; "
        f"{some.X.shape[0]:,} distinct of {some.n_words:,}) against its probability under the "
        f"model; symbols: number of active {_bits(condition)}.",
        f"Models were fitted to the training words of the same split{_penalties(l1)}.",
        "Solid line: identity. Dashed lines: 5 % and 95 % of counting noise at the model's "
        "probability, the grey band between them. Words are drawn because they occurred, so those "
        "expected less than about once lie above the band by selection.",
    ]
    least = LEAST_EXPECTED / some.n_words
    below = {name: float(np.mean(each.model < least)) for name, each in statistics.items()}
    edge = [f"{100.0 * share:.2g} % for {name}" for name, share in below.items() if share > 0.0]
    if edge:
        sentences.append(
            f"Words with a probability below {least:.0e} are drawn at the left edge "
            f"({', '.join(edge)})."
        )
    return sentences


def _penalties(l1: Mapping[str, float]) -> str:
    """The penalties that were chosen on validation words."""
    chosen = [f"{name} {scientific(each)}" for name, each in l1.items()]
    return f"; penalties as chosen: {', '.join(chosen)}"


def _bits(condition: Condition) -> str:
    """What a word counts."""
    return "bits of the window" if condition.window > 1 else "units"


def _about_synchrony(panel: str, bits: str, distributions: Mapping[str, Synchrony]) -> str:
    drawn = ", ".join(name for name, each in distributions.items() if each.method == "samples")
    counted = f"; of {drawn} counted in drawn words, with their standard error" if drawn else ""
    return (
        f"({panel}) Distribution of the number of active {bits} in the same test words (black; "
        f"error bars: one standard error from blocks of neighbouring bins) and of the models"
        f"{counted}."
    )
