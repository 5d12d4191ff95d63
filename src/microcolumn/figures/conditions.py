"""Which results of a study a figure shows, and the signature that all figures share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import cleandoc
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from ..errors import BadInput
from ..evaluate import Comparison, ModelScore
from ..formatting import enumeration
from ..plot.gain_sources import has_group_gain
from ..study import Condition, Experiment, NotComputedError, Results
from ..validation import expect
from ..wording import worded
from .captioned import CaptionedFigure


class FigureFunction(Protocol):
    """A function that draws one of the paper's figures from a study."""

    def __call__(
        self,
        results: Results,
        recording: str | None = None,
        *,
        experiment: str | None = None,
        window: int | None = None,
    ) -> CaptionedFigure:
        """Draw the figure.

        Parameters
        ----------
        results : Results
            Of the study.
        recording, experiment : str, optional
            Their names; by default the first with results, of words of several bins for figures 5
            and 6.
        window : int, optional
            Bins per word; by default the longest tested so far.
        """


class Need(NamedTuple):
    """What a condition must have for a figure of it."""

    met: Callable[[Results, Condition], bool]
    missing: str  # a sentence about a study that has none
    remedy: str


def _has_hidden_units(results: Results, condition: Condition) -> bool:
    compared = results.comparison(**condition.names)
    return any(each.spec.has_groups and each.n_live_hidden > 0.0 for each in compared.models)


def _has_layers(results: Results, condition: Condition) -> bool:
    units = results.units(condition.recording, experiment=condition.experiment.name)
    several = len({*(units.label() or ())} - {""}) > 1
    return several and _has_hidden_units(results, condition)


#: A test; words of several bins; models with live hidden units; units in several layers besides.
TESTED = Need(lambda *_: True, "nothing is tested yet", "run the study further")
SEVERAL_BINS = Need(
    lambda _, condition: max(condition.experiment.windows) > 1,
    "words of several bins are not tested yet",
    "run the study further, or add such an experiment to its plan",
)
HIDDEN_UNITS = Need(
    _has_hidden_units,
    "no model with live hidden units is tested",
    "run the study further, or add RBM or SemiRBM to its plan",
)
GROUPS = Need(
    lambda results, condition: has_group_gain(results.comparison(**condition.names)),
    "models with hidden units and without are not compared",
    "run the study further, or add Ising and RBM to its plan",
)
LAYERS = Need(
    _has_layers,
    "no model with live hidden units is tested on units of several layers or other labels",
    "state the layers of the recording or what to group by, or run the study further",
)


def of_condition(
    need: Need = TESTED, find: Callable[..., tuple[Condition, Mapping[str, Any]]] | None = None
) -> Callable[[Callable[..., CaptionedFigure]], FigureFunction]:
    """Decorator: a figure of one condition, found by :func:`condition_of`.

    Or of several recordings, by name with what is drawn of them, which ``find`` returns beside the
    condition. A study that does not meet its ``need`` goes without it.
    """

    def decorate(draw: Callable[..., CaptionedFigure]) -> FigureFunction:
        def figure_function(
            results: Results,
            recording: str | None = None,
            *,
            experiment: str | None = None,
            window: int | None = None,
        ) -> CaptionedFigure:
            if find is None:
                where = condition_of(results, recording, experiment, window, need)
                figure, names = draw(results, where), [where.recording]
            else:
                where, found = find(results, recording, experiment, window)
                figure, names = draw(results, where, found), list(found)
            mark_simulated(figure, results, names)
            return figure

        figure_function.need = need  # type: ignore[attr-defined]
        # Not `functools.wraps`, which would show the signature of what is decorated.
        for name in ("__name__", "__qualname__", "__module__"):
            setattr(figure_function, name, getattr(draw, name))
        call = f'mc.figures.{figure_function.__name__}(mc.study.open("study.db"))'
        figure_function.__doc__ = (
            f"{cleandoc(draw.__doc__ or '')}\n\nExamples\n--------\n"
            f">>> import microcolumn as mc\n>>> figure = {call}"
        )
        return figure_function

    return decorate


def results_of(given: Any) -> Results:
    """Results of a study, or a sentence about what to pass instead."""
    return expect("results", given, Results, 'those of a study, such as mc.study.open("study.db")')


def condition_of(
    results: Results,
    recording: str | None = None,
    experiment: str | None = None,
    window: int | None = None,
    need: Need = TESTED,
) -> Condition:
    """The condition that a figure shows: the first experiment, its longest words tested so far.

    Without a name, the experiment is the one that the answer rests on (:func:`by_likelihood`). Only
    conditions that meet ``need`` are taken. A name or window that is not in the plan is a
    ValueError, a condition without results so far a NotComputedError.
    """
    asked = (recording, experiment, window)
    plan = results_of(results).plan
    check_planned("recording", recording, [source.name for source in plan.sources])
    check_planned("experiment", experiment, [each.name for each in plan.experiments])
    windows = [each.windows for each in plan.experiments if experiment in (None, each.name)]
    check_planned("window", window, sorted({n for each in windows for n in each}))
    found = [
        condition
        for condition in results.tested()
        if all(a in (None, b) for a, b in zip(asked, condition.names.values(), strict=True))
        and need.met(results, condition)
    ]
    if not found:
        places = (" of {!r}", " in experiment {!r}", " with windows of {} bins")
        named = zip(places, asked, strict=True)
        where = "".join(text.format(each) for text, each in named if each is not None)
        raise NotComputedError(f"{need.missing}{where}", need.remedy)
    leading = by_likelihood(results, found[0]) if experiment is None else found[0]
    shown = leading if leading in found else found[0]
    return [condition for condition in found if condition[:2] == shown[:2]][-1]


def by_bin_width(results: Results, condition: Condition) -> dict[float, Comparison]:
    """Models of a recording by bin width, seconds: of experiments that differ in nothing else."""

    def apart_from_width(each: Condition) -> Condition:
        return each._replace(experiment=replace(each.experiment, name="any", bin_width=1.0))

    found = {
        each.experiment.bin_width: _compared(results, each)
        for each in results.tested()
        if apart_from_width(each) == apart_from_width(condition)
    }
    return dict(sorted(found.items()))


def changes_with_time(results: Results, condition: Condition) -> bool:
    """Whether the gain of a model over the Ising model surely changes with the length of words."""
    if len(condition.experiment.windows) < 2:
        return False
    found = results.by_window(condition.recording, experiment=condition.experiment.name)
    return any(pair is not None and pair.differs for pair in found.growth().values())


def check_planned(what: str, asked: Any, planned: Sequence[Any]) -> None:
    """Refuse what is asked for, if anything is, where the plan of a study does not have it."""
    if asked is not None and asked not in planned:
        names = ", ".join(map(str, planned))
        raise BadInput(f"the study has no {what} {asked!r}", f"it has {names}")


def of_recordings(
    results: Results, recording: str | None, experiment: str | None, window: int | None
) -> tuple[Condition, dict[str, Comparison]]:
    """The condition that a figure shows, and the models of all recordings that have it, by name.

    With a ``recording``, of that one alone. Names of models do not depend on the number of units.
    """
    condition = condition_of(results, recording, experiment, window)
    found = {}
    for each in results.tested():
        if each[1:] == condition[1:] and recording in (None, each.recording):
            with suppress(NotComputedError):  # no score of that recording is finite
                compared = _compared(results, each)
                if compared.models:  # if all have a spurious mode, there is no score
                    found[each.recording] = compared
    if not found:
        raise condition.missing("a test")
    return condition, found


def by_likelihood(results: Results, condition: Condition) -> Condition:
    """The condition of the same words whose models are fitted by likelihood, if there is one.

    Flow favours hidden units over pairs (docs/method.md, section 10), so a study's answer rests on
    fits by likelihood where it has them of pairs and hidden units, for all the same recordings. How
    many splits they have does not matter.
    """
    if "likelihood" in condition.experiment.objectives:
        return condition
    tested = results.tested()
    needed = {each.recording for each in tested if each[1:] == condition[1:]}
    words = attrgetter("bin_width", "most_active", "max_words")
    for other in results.plan.experiments:
        found = {each.recording: each for each in tested if each[1:] == (other, condition.window)}
        same = needed <= found.keys() and words(other) == words(condition.experiment)
        if same and compares_groups(other, "likelihood"):
            return found[condition.recording]
    return condition


def compares_groups(experiment: Experiment, objective: str) -> bool:
    """Whether models of pairs are compared with those of hidden units, by one objective alone."""
    groups_and_pairs = "Ising" in experiment.models and {"RBM", "SemiRBM"} & {*experiment.models}
    return bool(groups_and_pairs) and experiment.objectives == (objective,)


def _compared(results: Results, condition: Condition) -> Comparison:
    """Scores at one condition, with names that do not depend on the number of its units."""
    found = results.comparison(**condition.names)
    names = {spec.name: family for family, spec in results.index.families(condition).items()}
    models, unranked = (
        tuple(replace(model, name=names[model.name]) for model in each)
        for each in (found.models, found.unranked)
    )
    return replace(found, models=models, unranked=unranked)


def mark_simulated(figure: CaptionedFigure, results: Results, recordings: Sequence[str]) -> None:
    """Mark a figure of simulated recordings as such."""
    simulated = [name for name in recordings if results.is_simulated(name)]
    if simulated and len(simulated) == len(recordings):
        figure.mark_simulated("The data are simulated.")
    elif simulated:
        figure.mark_simulated(f"Simulated: {enumeration(simulated)}.")


def by_class(compared: Comparison) -> dict[str, list[ModelScore]]:
    """The tested models of each class, best first, classes from few parameters to many."""
    models = compared.models
    found = {c: [m for m in models if m.spec.model == c] for c in ("Ising", "RBM", "SemiRBM")}
    return {name: alike for name, alike in found.items() if alike}


def first_split(compared: Comparison) -> int:
    """The first tested split; a split is tested with all models together."""
    return min(score.split for model in compared.models for score in model.splits)


def about(condition: Condition) -> str:
    """Words of a condition for captions: "20 ms words", "windows of 4 bins of 6.7 ms"."""
    width = f"{1e3 * condition.experiment.bin_width:g} ms"
    if condition.window > 1:
        return f"windows of {condition.window} bins of {width}"
    return f"{width} words"


def caption(figure: str, condition: Condition | None = None, **values: Any) -> str:
    """The caption of a figure: its template, filled in, with the words of a condition."""
    if condition is not None:
        values |= {"about": about(condition), "window": condition.window}
        values |= {"recording": condition.recording}
    return worded("figures", figure, **values)
