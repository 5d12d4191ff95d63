"""Which results of a study a figure shows by default."""

from __future__ import annotations

from typing import Any

from ..evaluate._splits import StudyComparison
from ..formatting import scientific
from ..models import PopulationModel
from ..study import Results
from ..study._index import Condition, NotComputedError


def condition_of(
    results: Results,
    recording: str | None,
    experiment: str | None,
    window: int | None,
    *,
    several_bins: bool = False,
) -> Condition:
    """The condition that a figure shows: the first experiment, its longest words tested so far.

    Parameters
    ----------
    results : Results
        Of the study.
    recording, experiment : str, optional
        Their names; by default the first that has results.
    window : int, optional
        Bins per word; by default the longest tested so far.
    several_bins : bool
        Take only experiments with words of several bins.

    Returns
    -------
    Condition
        With at least one tested split. A name or window that is not in the plan is a ValueError, a
        condition without results so far is a NotComputedError.
    """
    _check(results, recording, experiment, window)
    found = [
        condition
        for condition in results.tested()
        if recording in (None, condition.recording)
        and experiment in (None, condition.experiment.name)
        and window in (None, condition.window)
        and (max(condition.experiment.windows) > 1 or not several_bins)
    ]
    if not found:
        missing = "words of several bins are not" if several_bins else "nothing is"
        where = f" of {recording!r}" if recording is not None else ""
        where += f" in experiment {experiment!r}" if experiment is not None else ""
        where += f" with windows of {window} bins" if window is not None else ""
        more = ", or add such an experiment to its plan" if several_bins else ""
        raise NotComputedError(f"{missing} tested yet{where}; run the study further{more}")
    first = found[0]
    return [condition for condition in found if condition[:2] == first[:2]][-1]


def where(condition: Condition) -> dict[str, Any]:
    """Keyword arguments that select a condition's results of its recording."""
    return {"experiment": condition.experiment.name, "window": condition.window}


def compared_at(results: Results, condition: Condition) -> StudyComparison:
    """All models at a condition."""
    return results.comparison(condition.recording, **where(condition))


def by_class(compared: StudyComparison) -> dict[str, list[str]]:
    """Names of the tested models of each class, best first."""
    names = [model.variant for model in compared.models]
    classes = ("Ising", "RBM", "SemiRBM")
    found = {each: [name for name in names if name.split()[0] == each] for each in classes}
    return {each: alike for each, alike in found.items() if alike}


def penalty_of(model: PopulationModel) -> str:
    """The penalty of a model as in tables: ``2e-3``."""
    return scientific(float(model.get_params()["l1"]))


def first_split(compared: StudyComparison) -> int:
    """The first tested split; a split is tested with all models together."""
    return min(score.split for model in compared.models for score in model.splits)


def _check(
    results: Results, recording: str | None, experiment: str | None, window: int | None
) -> None:
    """Raise an error if the plan has no such recording, experiment or window."""
    if recording is not None:
        results.index.experiment(recording, experiment)
    planned = {each.name: each.windows for each in results.plan.experiments}
    if experiment is not None and experiment not in planned:
        known = ", ".join(planned)
        raise ValueError(f"the study has no experiment {experiment!r}; it has {known}")
    chosen = planned.values() if experiment is None else [planned[experiment]]
    known_windows = sorted({n for each in chosen for n in each})
    if window is not None and window not in known_windows:
        listed = ", ".join(map(str, known_windows))
        raise ValueError(f"window is {window}, and the study has {listed}; choose one of them")
