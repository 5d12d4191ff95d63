"""Figure 5: how scores grow with the number of bins per word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..evaluate import ModelScore, WindowResult
from ..formatting import counted, enumeration
from ..plot import window_gains, windows as draw_windows
from ..study import Condition, Results
from ._captioned import COLUMN, PAGE, CaptionedFigure, captioned, letter
from ._conditions import of_condition
from ._likelihood import error_bars, extremes


@of_condition(several_bins=True)
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
        label = results.label(condition.recording)
        figure.caption = _caption(condition, label, shown, computed, has_gains)
    return figure


def _caption(
    condition: Condition,
    label: str,
    shown: WindowResult,
    computed: list[ModelScore],
    has_gains: bool,
) -> str:
    numbers = sorted({each.n_splits for each in computed})
    n_splits = "one split" if numbers == [1] else f"mean over {extremes(numbers)} splits"
    sentences = [
        "Excess log-likelihood over independent units, per second and unit, on test words of one "
        f"or more bins of {1e3 * condition.experiment.bin_width:g} ms ({label}, "
        f"{counted(computed[0].n_units, 'unit')}; {n_splits}); above, the length of a word.",
    ]
    if has_gains:
        dots = ", paired by split; open dots: single splits" if numbers != [1] else ""
        sentences[0] = f"(a) {sentences[0]}"
        sentences.append(f"(b) The same minus that of {shown.reference}{dots}.")
    sentences.append(error_bars(numbers, "Bands"))
    missing = _listed(shown, lambda each: each is None)
    false = _listed(shown, lambda each: each is not None and each.has_false_mode)
    doubtful = sorted({each.name for each in computed if not each.converged})
    sentences += [f"Not computed yet: {missing}."] if missing else []
    sentences += [f"Not drawn, because of a false mode: {false}."] if false else []
    sentences += [f"Not converged in some split: {', '.join(doubtful)}."] if doubtful else []
    return " ".join(sentences)


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
