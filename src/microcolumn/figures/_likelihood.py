"""Figure 3: which model predicts best, recording by recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from matplotlib.figure import Figure

from ..evaluate import Comparison
from ..plot import differences, scores
from ..plot._scores import MOST_IN_GROUPS, in_groups
from ..study import Results
from ._captioned import PAGE, CaptionedFigure, captioned, letter, share_legend
from ._conditions import caption, mark_simulated, of_recordings
from ._stacking import is_narrow

#: Marks of a panel that has half the page's width; inches that names may take.
_MOST_BESIDE, _NAMES = 28, 0.45


def likelihood(
    results: Results,
    recording: str | None = None,
    *,
    experiment: str | None = None,
    window: int | None = None,
) -> CaptionedFigure:
    """Figure 3: excess log-likelihood of every model, and its difference from the Ising model.

    By default all recordings that have the experiment are drawn; without an Ising model, or with
    nothing else, there is no second panel.
    """
    condition, found = of_recordings(results, recording, experiment, window)
    compared = list(found.values())
    reference = _reference(compared)
    n_models = len({name for each in compared for name in each.scores})
    several = len(compared) > 1
    too_many = several and _MOST_BESIDE < len(compared) * n_models <= MOST_IN_GROUPS
    stacked = reference is not None and (too_many or is_narrow(PAGE))
    size = (PAGE, 4.7 if stacked else 2.7)
    with captioned("3", "Excess log-likelihood", size) as figure:
        shape = (1, 1) if reference is None else (2, 1) if stacked else (1, 2)
        panels = figure.subplots(*shape, squeeze=False).ravel()
        grouped = in_groups(panels[0], len(compared), n_models)
        if stacked and grouped:  # the lower panel names the recordings for both
            panels[1].sharex(panels[0])
            panels[0].tick_params(axis="x", labelbottom=False)
        scores(compared, ax=panels[0])
        if reference is not None:
            differences(compared, reference=reference, also=_hidden_pair(compared), ax=panels[1])
            for ax, name in zip(panels, "ab", strict=True):
                letter(ax, name)
        if grouped:
            share_legend(figure, "outside upper center")
        _make_room(figure, stacked)
        blocks = [model.block_stderr for each in compared for model in each.models]
        figure.caption = caption(
            "likelihood",
            condition,
            compared=compared,
            reference=reference,
            hidden_pair=_hidden_pair(compared),
            grouped=grouped,
            splits=splits_text(compared),
            n_splits=sorted({each.n_splits for each in compared}),
            error_bars=error_bars(each.n_splits for each in compared),
            by_words=condition.experiment.split_by == "words",
            block_stderr=max(blocks),
            doubts=doubts(compared),
        )
        mark_simulated(figure, results, list(found))
    return figure


def _make_room(figure: Figure, stacked: bool) -> None:
    """Make a figure higher where names are slanted, so that panels keep their height."""
    heights = [
        max((each.get_window_extent().height for each in ax.get_xticklabels()), default=0.0)
        for ax in figure.axes
    ]
    beyond = [max(0.0, height / figure.dpi - _NAMES) for height in heights]
    figure.set_figheight(figure.get_figheight() + (sum(beyond) if stacked else max(beyond)))


def _reference(compared: Sequence[Comparison]) -> str | None:
    """The Ising model, by its first objective; None without one or without others."""
    names = {model.name: model.spec for each in compared for model in each.models}
    ising = sorted(name for name, spec in names.items() if spec.model == "Ising")
    return ising[0] if ising and len(names) > 1 else None


def _hidden_pair(compared: Sequence[Comparison]) -> list[tuple[str, str]]:
    """The RBM and the semi-restricted RBM, by their first objective, if both are there."""
    names = {model.name: model.spec for each in compared for model in each.models}
    alike = [
        min((name for name, spec in names.items() if spec.model == kind), default=None)
        for kind in ("RBM", "SemiRBM")
    ]
    return [(alike[0], alike[1])] if alike[0] and alike[1] else []


def splits_text(compared: Sequence[Comparison]) -> str:
    """How many splits the scores are means over."""
    numbers = sorted({each.n_splits for each in compared})
    planned = compared[0].n_planned
    if numbers == [planned]:
        return "one split" if planned == 1 else f"mean over {planned} splits"
    return f"mean over {extremes(numbers)} of {planned} planned splits"


def extremes(numbers: Sequence[int]) -> str:
    """The first and the last number, or the only one: "2 to 5"."""
    return " to ".join(f"{n}" for n in dict.fromkeys((numbers[0], numbers[-1])))


def error_bars(n_splits: Iterable[int], marks: str = "Error bars") -> str:
    """What error bars are; see :func:`~microcolumn.evaluate._significance.claimed_stderr`."""
    return caption("error_bars", n_splits=sorted(set(n_splits)), marks=marks)


def doubts(compared: Sequence[Comparison]) -> str:
    """Models that may not be relied upon, and the recordings."""
    not_converged: dict[str, dict[str, list[str]]] = {"fit": {}, "log Z": {}}
    for each in compared:
        for model in each.models:
            for what, attribute in (("fit", "fit_converged"), ("log Z", "normaliser_converged")):
                if not all(getattr(score, attribute) for score in model.splits):
                    not_converged[what].setdefault(model.name, []).append(each.recording)
    false = [f"{m.name} on {each.recording}" for each in compared for m in each.unranked]
    return caption("doubts", false_modes=false, not_converged=not_converged)
