"""Figure 5: how scores grow with the number of bins per word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..evaluate import ModelScore, WindowResult
from ..formatting import enumeration
from ..plot import window_gains, windows as draw_windows
from ..study import Condition, Results
from ._captioned import COLUMN, PAGE, CaptionedFigure, captioned, letter
from ._conditions import SEVERAL_BINS, caption, of_condition
from ._likelihood import error_bars, extremes


@of_condition(SEVERAL_BINS)
def windows(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 5: excess log-likelihood per unit and gain over the Ising model, by bins per word.

    Words of up to ``window`` bins are drawn; without an Ising model, or with nothing else, there
    is no second panel.
    """
    found = results.by_window(condition.recording, experiment=condition.experiment.name)
    n = found.windows.index(condition.window) + 1
    models = {name: each[:n] for name, each in found.models.items()}
    shown = replace(found, windows=found.windows[:n], models=models)
    computed = [each for models in shown.models.values() for each in models if each]
    if not computed:
        raise condition.missing("a test")  # scores that are not finite count as none
    if all(each.has_false_mode for each in computed):
        raise condition.missing("a score without a false mode")
    has_gains = any(pair for pairs in shown.gains().values() for pair in pairs)
    width = PAGE if has_gains else COLUMN
    with captioned("5", "Excess log-likelihood by length of words", (width, 2.8)) as figure:
        bin_width = condition.experiment.bin_width
        panels = figure.subplots(1, 2 if has_gains else 1, squeeze=False)[0]
        draw_windows(shown, bin_width=bin_width, ax=panels[0])
        if has_gains:
            window_gains(shown, bin_width=bin_width, ax=panels[1])
            panels[1].get_legend().remove()  # the first is for both
            for ax, name in zip(panels, "ab", strict=True):
                letter(ax, name)
        numbers = sorted({each.n_splits for each in computed})
        figure.caption = caption(
            "windows",
            condition,
            label=results.label(condition.recording),
            bin_ms=1e3 * bin_width,
            n_units=computed[0].n_units,
            n_splits=extremes(numbers),
            reference=shown.reference if has_gains else None,
            bands=error_bars(numbers, "Bands"),
            missing=_listed(shown, lambda each: each is None),
            false_modes=_listed(shown, lambda each: each is not None and each.has_false_mode),
            doubtful=sorted({each.name for each in computed if not each.converged}),
        )
    return figure


def _listed(shown: WindowResult, is_meant: Callable[[ModelScore | None], bool]) -> str:
    """Models and bins per word of some scores: "Ising of 2 bins, RBM of 2 and 4 bins"."""
    meant = {
        name: [f"{n}" for n, each in zip(shown.windows, found, strict=True) if is_meant(each)]
        for name, found in shown.models.items()
    }
    return ", ".join(
        f"{name} of {enumeration(bins)} bin{'s' * (bins != ['1'])}"
        for name, bins in meant.items()
        if bins
    )
