"""What was done, in sentences for the methods section of a paper."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.resources import files
from inspect import signature
from types import MappingProxyType
from typing import NamedTuple

from ..evaluate.choice import AUTOMATIC
from ..evaluate.paired import EQUAL_MARGIN
from ..evaluate.significance import LEVEL
from ..models.spec import ALTERNATIVES, MODELS, take_pairs_with_drive
from ..partition.ais import annealed_importance_sampling
from ..study import Experiment, Plan
from ..units import plain_label, several_labels
from ..wording import worded
from ._typography import typeset


class Reference(NamedTuple):
    """A cited work; the DOI may be empty."""

    key: str
    text: str
    doi: str


OBJECTIVES = {
    "likelihood": "maximum likelihood",
    "pseudolikelihood": "pseudolikelihood (Besag 1975)",
    "mpf": "minimum probability flow (Sohl-Dickstein et al. 2011)",
}


def methods(
    plan: Plan,
    *,
    layers: bool,
    group_by: str = "layer",
    simulated: Collection[str] = (),
    n_units: Mapping[str, int] = MappingProxyType({}),
) -> list[tuple[str, str]]:
    """Title and text of the paragraphs.

    ``layers`` says whether layers or labels ``group_by`` were tested, ``simulated`` which
    recordings are simulated, and ``n_units`` how many units those that were read have.
    """
    paragraphs = []
    for each in plan.experiments:
        name = f": {each.name}" if len(plan.experiments) > 1 else ""
        paragraphs.append((f"Words and models{name}", _words(plan, each, simulated, n_units)))
    options = signature(annealed_importance_sampling).parameters
    steps = list(dict.fromkeys(f"{each.max_steps:,}" for each in plan.experiments))
    annealed = worded("report", "methods/normalisation", options=options, steps=steps)
    paragraphs += [("Normalisation", annealed), ("Scores and errors", _scores(plan))]
    if layers:
        about = {"label": plain_label(group_by), "labels": several_labels(group_by)}
        title = f"{about['labels'][0].upper()}{about['labels'][1:]}"
        paragraphs.append((title, worded("report", "methods/layers", **about)))
    return [(title, typeset(text)) for title, text in paragraphs]


def references(paragraphs: list[tuple[str, str]]) -> list[Reference]:
    """The works that the paragraphs cite, by name."""
    text = " ".join(text for _, text in paragraphs)
    known = files(__package__).joinpath("templates", "references.txt").read_text(encoding="utf-8")
    listed = [Reference(*map(str.strip, line.split("|"))) for line in known.splitlines()]
    return [reference for reference in listed if reference.key in text]


def _words(
    plan: Plan, experiment: Experiment, simulated: Collection[str], n_units: Mapping[str, int]
) -> str:
    recordings = [source.name for source in plan.sources_of(experiment)]
    l1 = experiment.l1
    return worded(
        "report",
        "methods/words",
        experiment=experiment,
        recordings=recordings,
        simulated=[name for name in recordings if name in simulated],
        recorded=[n_units[name] for name in recordings if name in n_units],
        family=[name for name in experiment.models if name not in ALTERNATIVES],
        alternatives=[MODELS[name].methods for name in experiment.models if name in ALTERNATIVES],
        with_drive=take_pairs_with_drive(experiment.models),
        models=MODELS,
        objectives=OBJECTIVES,
        per_decade=AUTOMATIC[l1] if isinstance(l1, str) else None,
        train=experiment.train,
    )


def _scores(plan: Plan) -> str:
    return worded(
        "report",
        "methods/scores",
        n_splits=max(each.n_splits for each in plan.experiments),
        has_windows=any(len(each.windows) > 1 for each in plan.experiments),
        level=LEVEL,
        margin=EQUAL_MARGIN,
    )


def fitting(objective: str) -> str:
    """What a fit minimises, without a reference."""
    return OBJECTIVES[objective].split(" (")[0]
