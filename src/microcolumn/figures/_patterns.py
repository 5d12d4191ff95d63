"""Figure 4: whole words and synchrony, observed and expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from ..evaluate import PatternStatistics, Synchrony, pattern_statistics, synchrony as synchrony_of
from ..evaluate._splits import INDEPENDENT
from ..models import Independent, PopulationModel
from ..plot import patterns as draw_patterns, synchrony as draw_synchrony
from ..plot._patterns import LEAST_EXPECTED
from ..study import Results
from ..study._index import Condition
from ._captioned import PAGE, CaptionedFigure, captioned, letter
from ._conditions import by_class, compared_at, condition_of, first_split, penalty_of, where


def patterns(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    window: int | None = None,
) -> CaptionedFigure:
    """Figure 4: observed frequency and probability of each word, and how many units fire at once.

    Of the test words of the first tested split, under the best model of each class at its chosen
    penalty.
    """
    condition = condition_of(results, recording, experiment, window)
    compared = compared_at(results, condition)
    split = first_split(compared)
    train, _, test = results.words(condition.recording, split=split, **where(condition))
    models: dict[str, PopulationModel] = {INDEPENDENT: Independent().fit(train)}
    for name, *_ in by_class(compared).values():
        models[name] = results.model(condition.recording, name, split=split, **where(condition))
    pairs = list(pairwise(_chain(list(models))))
    drawn = {name for pair in pairs for name in pair}
    statistics = {name: pattern_statistics(models[name], test) for name in models if name in drawn}
    distributions = {"data": synchrony_of(test)}
    distributions |= {name: synchrony_of(model, initial=train) for name, model in models.items()}
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
                *_about_words(condition, split, pairs, models, statistics),
                _about_synchrony("abc"[len(pairs)], _bits(condition), distributions),
            ]
        )
    return figure


def _chain(names: Sequence[str]) -> list[str]:
    """Models of growing power, each drawn against the one before; one with hidden units."""
    simple = [name for name in names if name.split()[0] in (INDEPENDENT, "Ising")]
    hidden = [name for name in names if name not in simple]
    return simple + hidden[:1]


def _about_words(
    condition: Condition,
    split: int,
    pairs: Sequence[tuple[str, str]],
    models: Mapping[str, PopulationModel],
    statistics: Mapping[str, PatternStatistics],
) -> list[str]:
    shown = "; ".join(
        f"({panel}) {' and '.join(pair)}" for panel, pair in zip("ab", pairs, strict=False)
    )
    some = next(iter(statistics.values()))
    window = f", windows of {condition.window} bins" if condition.window > 1 else ""
    said = [
        f"{shown}: observed frequency of every distinct word among the test words of split "
        f"{split} ({condition.recording}, experiment {condition.experiment.name}{window}; "
        f"{some.X.shape[0]:,} distinct of {some.n_words:,}) against its probability under the "
        f"model; symbols: number of active {_bits(condition)}.",
        f"Models were fitted to the training words of the same split{_penalties(models)}.",
        "Solid line: identity. Dashed lines: 5 % and 95 % of counting noise at the model's "
        "probability, the grey band between them. Words are drawn because they occurred, so those "
        "expected less than about once lie above the band by selection.",
    ]
    least = LEAST_EXPECTED / some.n_words
    below = {name: float(np.mean(each.model < least)) for name, each in statistics.items()}
    edge = [f"{100.0 * share:.2g} % for {name}" for name, share in below.items() if share > 0.0]
    if edge:
        said.append(
            f"Words with a probability below {least:.0e} are drawn at the left edge "
            f"({', '.join(edge)})."
        )
    return said


def _penalties(models: Mapping[str, PopulationModel]) -> str:
    """The penalties that were chosen on validation words."""
    chosen = [f"{name} {penalty_of(each)}" for name, each in models.items() if name != INDEPENDENT]
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
