"""Figure 5: how scores grow with the number of bins per word."""

from __future__ import annotations

from dataclasses import replace

from ..evaluate import ModelScore, WindowResult
from ..formatting import counted
from ..plot import windows as draw_windows
from ..study import Condition, Results
from ._captioned import COLUMN, CaptionedFigure, captioned
from ._conditions import of_condition
from ._likelihood import error_bars, extremes


@of_condition(several_bins=True)
def windows(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 5: excess log-likelihood per unit against the number of bins per word.

    Words of up to ``window`` bins are drawn.
    """
    found = results.by_window(condition.recording, experiment=condition.experiment.name)
    n = found.windows.index(condition.window) + 1
    models = {name: each[:n] for name, each in found.models.items()}
    shown = replace(found, windows=found.windows[:n], models=models)
    computed = [each for models in shown.models.values() for each in models if each]
    if not computed:
        raise condition.missing("a test")  # scores that are not finite count as none
    with captioned("5", "Excess log-likelihood by length of words", (COLUMN, 3.0)) as figure:
        draw_windows(shown, bin_width=condition.experiment.bin_width, ax=figure.subplots())
        figure.caption = _caption(condition, results.label(condition.recording), shown, computed)
    return figure


def _caption(
    condition: Condition, label: str, shown: WindowResult, computed: list[ModelScore]
) -> str:
    numbers = sorted({each.n_splits for each in computed})
    sentences = [
        "Gain over independent units, per second and unit, on test words of one or more bins of "
        f"{1e3 * condition.experiment.bin_width:g} ms ({label}, "
        f"{counted(computed[0].n_units, 'unit')}); above, the length of a word.",
        f"Mean over {extremes(numbers)} split{'s' if numbers[-1] > 1 else ''}.",
        error_bars(numbers),
    ]
    missing = [
        f"{name} {window}"
        for name, found in shown.models.items()
        for window, each in zip(shown.windows, found, strict=True)
        if each is None
    ]
    doubtful = sorted({each.name for each in computed if not each.converged})
    sentences += [f"Not computed yet: {', '.join(missing)}."] if missing else []
    sentences += [f"Not converged in some split: {', '.join(doubtful)}."] if doubtful else []
    return " ".join(sentences)
