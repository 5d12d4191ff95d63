"""Figures of scores: ranking (3), over recordings, what gains come from, length of words (5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .. import plot
from ..evaluate import Comparison, ModelScore, WindowResult, pool_contrasts
from ..evaluate.paired import both_cells
from ..evaluate.significance import p_text
from ..plot.comparisons import LINE, zero_of
from ..plot.gain_parts import LINE as BAR_LINE
from ..study import Condition, NotComputedError, Results
from ._presets import is_narrow
from .captioned import COLUMN, PAGE, CaptionedFigure, captioned, letter, panels
from .conditions import GROUPS, SEVERAL_BINS, caption, of_condition, of_recordings

#: Recordings with a panel each, and with panels side by side; more are marks in one panel.
_MOST_PANELS, _MOST_IN_A_ROW = 4, 3
#: Inches around the lines of one panel, and of all of them.
_AROUND_EACH, _AROUND_ALL = 0.35, 0.65
#: What each contrast is called above its panel.
_TITLES = {
    "groups": "models with groups over those without",
    "other kinds": "other models over the paper's family",
}


@of_condition(find=of_recordings)
def ranking(
    results: Results, condition: Condition, found: Mapping[str, Comparison]
) -> CaptionedFigure:
    """Figure 3: models ranked by their scores, with paired differences from the Ising model.

    By default all recordings that have the experiment are drawn: a panel each, or, if they are more
    than four, all in one. The experiment is then the one that the answer of the report rests on:
    the first, or that of the same words by likelihood.
    """
    compared = list(found.values())
    groups = [[each] for each in compared] if len(compared) <= _MOST_PANELS else [compared]
    n_lines = [len({name for each in group for name in each.scores}) for group in groups]
    heights = [_AROUND_EACH + LINE * n for n in n_lines]
    in_a_row = 1 < len(groups) <= _MOST_IN_A_ROW and not is_narrow(PAGE)
    size = (PAGE, max(heights)) if in_a_row else (COLUMN, sum(heights))
    with captioned("3", "Models, best first", (size[0], _AROUND_ALL + size[1])) as figure:
        if in_a_row:
            axes = figure.subplots(1, len(groups), squeeze=False).ravel()
        else:
            axes = figure.subplots(len(groups), squeeze=False, height_ratios=heights).ravel()
        for ax, group in zip(axes, groups, strict=True):
            plot.ranking(group, title=group[0].recording if len(groups) > 1 else None, ax=ax)
        says_it_for_all = axes[len(axes) // 2 if in_a_row else -1]
        for ax in {*axes} - {says_it_for_all}:
            ax.set_xlabel("")
        about = {"zero": zero_of(compared), "several": len(groups) < len(compared)}
        figure.caption = caption("ranking", condition, compared=compared, **about)
    return figure


@of_condition(find=of_recordings)
def parts(
    results: Results, condition: Condition, found: Mapping[str, Comparison]
) -> CaptionedFigure:
    """Figure of what the gain comes from: a common drive, pairs and groups.

    Recordings and experiment are those of :func:`ranking`.
    """
    compared = list(found.values())
    size = COLUMN, _AROUND_ALL + BAR_LINE * max(len(compared), 2)
    with captioned("", "What the gain comes from", size) as figure:
        plot.gain_parts(compared, ax=figure.subplots())
        figure.caption = caption("parts", condition, compared=compared)
    return figure


def has_contrasts(results: Results, condition: Condition) -> bool:
    """Whether several recordings have a planned contrast."""
    _, found = of_recordings(results, None, condition.experiment.name, condition.window)
    return bool(pool_contrasts(found.values()))


@of_condition(find=of_recordings)
def forest(
    results: Results, condition: Condition, found: Mapping[str, Comparison]
) -> CaptionedFigure:
    """Figure of each planned contrast in every recording, pooled by random effects.

    A panel for each contrast. Recordings and experiment are those of :func:`ranking`.
    """
    pooled = pool_contrasts(found.values())
    if not pooled:
        problem = "no planned contrast is known of several recordings"
        raise NotComputedError(problem, "add recordings to the plan, or run the study further")
    n_rows = 1 + max(len(each.recordings) for each in pooled.values())
    size = (PAGE if len(pooled) > 1 else COLUMN, min(_AROUND_ALL + LINE * (n_rows + 1), 9.5))
    with captioned("", "Planned contrasts over recordings", size) as figure:
        for name, ax in panels(figure, [list(pooled)]).items():
            plot.forest(pooled[name], title=_TITLES[name], ax=ax)
        figure.caption = caption("forest", condition, pooled=pooled, titles=_TITLES)
    return figure


@of_condition(GROUPS)
def gains(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure of when groups gain over models without them, and at which number of active units."""
    compared = results.comparison(**condition.names)
    title = f"When groups gain on {condition.recording}"
    with captioned("", title, (PAGE, 2.5)) as figure:
        axes = panels(figure, ["ab"])
        plot.cumulative_gain(compared, ax=axes["a"])
        plot.gain_by_activity(compared, ax=axes["b"])
        for name, ax in axes.items():
            letter(ax, name)
        pair = compared.groups
        assert pair is not None  # which its need says
        both = both_cells(compared.scores[pair.first], compared.scores[pair.second])
        halves = both and both[0].minus(both[1]).halves()
        about = {"compared": [compared], "pair": pair, "halves": halves, "p_text": p_text}
        figure.caption = caption("gains", condition, **about)
    return figure


@of_condition(SEVERAL_BINS)
def windows(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 5: log-likelihood gain per unit and gain over the Ising model, by bins per word.

    Words of up to ``window`` bins are drawn; without an Ising model, or with nothing else, there
    is no second panel.
    """
    found = results.by_window(condition.recording, experiment=condition.experiment.name)
    n = found.windows.index(condition.window) + 1
    models = {name: each[:n] for name, each in found.models.items()}
    shown = replace(found, windows=found.windows[:n], models=models)
    computed = _computed(shown, condition)
    has_gains = any(pair for pairs in shown.gains().values() for pair in pairs)
    width = PAGE if has_gains else COLUMN
    with captioned("5", "Log-likelihood gain by length of words", (width, 2.8)) as figure:
        bin_width = condition.experiment.bin_width
        axes: Any = panels(figure, ["ab" if has_gains else "a"])
        plot.windows(shown, bin_width=bin_width, ax=axes["a"])
        if has_gains:
            plot.window_gains(shown, bin_width=bin_width, ax=axes["b"])
            axes["b"].get_legend().remove()  # the first is for both
            for name, ax in axes.items():
                letter(ax, name)
        about: dict[str, Any] = {"bin_width": bin_width, "shown": shown, "compared": computed}
        about["reference"] = shown.reference if has_gains else None
        figure.caption = caption("windows", condition, **about)
    return figure


def _computed(shown: WindowResult, condition: Condition) -> list[ModelScore]:
    """All scores, of which there must be some that speak for a model."""
    found = [each for models in shown.models.values() for each in models if each]
    if not found:
        raise condition.missing("a test")  # scores that are not finite count as none
    if all(each.has_spurious_mode for each in found):
        raise condition.missing("a score without a spurious mode")
    return found
