"""The jobs of a plan: what is computed, from what, and the name it is remembered by.

A job's digest covers the data, its names in the plan and those settings that bear on its result. So
a plan with more splits, windows or recordings finds what was computed before.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..evaluate.choice import FIRST, merits_of, preferred
from ..models import ModelSpec
from ..models.spec import ALTERNATIVES, take_pairs_with_drive
from .codec import row_of
from .plan import Experiment, Plan

#: Raised whenever the same settings give other numbers, so that stores do not mix the two.
RESULTS_VERSION = 13

#: Settings that say which words an experiment has.
_OF_WORDS = ("bin_width", "most_active", "max_words")
#: Settings that say what is fitted to them.
_OF_FITS = (*_OF_WORDS, "split_by", "train", "validation", "l1", "n_init", "group_l1")
#: Those that are known by name where they are on.
_SWITCHES = ("choose_once", "tie_bins")


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work, whose result is stored in one transaction; :data:`KINDS` says of what."""

    kind: str
    recording: str
    experiment: str
    window: int | None = None  # None for descriptions
    split: int | None = None  # None for descriptions and assemblies
    model: ModelSpec | None = None  # None for jobs on the data or on all models

    def __str__(self) -> str:
        model = self.model and self.model.name
        named = (("window ", self.window), ("", model), ("split ", self.split))
        parts = [f"{name}{value}" for name, value in named if value is not None]
        return ", ".join([self.kind, self.recording, self.experiment, *parts])

    @property
    def row(self) -> dict[str, Any]:
        """Columns that tables of jobs have of it."""
        return row_of(self) | {"model": self.model and self.model.name}


class Kind(NamedTuple):
    """Jobs of a kind at one window."""

    splits: Callable[[int], Iterable[int | None]]  # that have one; None for one of all together
    models: Callable[[Models], Iterable[ModelSpec | None]]  # of those compared; None as above


Models = tuple[ModelSpec, ...]


def _family(compared: Models) -> list[ModelSpec]:
    return [spec for spec in compared if not spec.is_alternative]


def _annealed(compared: Models) -> list[ModelSpec]:
    """The first Ising model, or any where there is none; alternatives need no annealing."""
    return sorted(_family(compared), key=lambda spec: spec.model != "Ising")[:1]


_EACH, _FIRST, _ALL = range, lambda _: (0,), lambda _: (None,)
#: All kinds but ``"describe"``, the words and statistics of the data. ``"fit"`` is one model along
#: all l1, with log Z and validation score of each, from which l1 is chosen; the others are about
#: the chosen fits. Figures show the first split.
KINDS = {
    "fit": Kind(_EACH, lambda specs: dict.fromkeys(m for s in specs for m in (*s.nested, s))),
    "test": Kind(_EACH, _ALL),  # all models on the test part, side by side
    "patterns": Kind(_FIRST, _ALL),  # probabilities of test words, synchrony, adequacy
    "anneal": Kind(_FIRST, _annealed),  # how annealing converges
    "predict": Kind(_EACH, tuple),  # each unit's spikes
    "structure": Kind(_EACH, _family),  # layers, effective interactions, intervals
    # Hidden units of split 0 that the others have, too.
    "assemblies": Kind(_ALL, lambda compared: [spec for spec in compared if spec.has_groups]),
}


class RecordingInfo(NamedTuple):
    """What jobs need to know of a recording: the hash of its data and the number of its units."""

    fingerprint: str
    n_units: int


def specs_of(experiment: Experiment, n_units: int, window: int) -> tuple[ModelSpec, ...]:
    """Models that an experiment compares on a recording of ``n_units``, at one of its windows."""
    return tuple(dict.fromkeys(families(experiment, n_units, window).values()))


def families(experiment: Experiment, n_units: int, window: int) -> dict[str, ModelSpec]:
    """The same models by a name for all windows: ``"RBM"`` for ``"RBM 30"`` where units grow."""
    bits, specs = n_dims(experiment, n_units, window), {}
    models = experiment.models_for(bits)
    family = [model for model in models if model not in ALTERNATIVES]
    for objective in experiment.objectives:
        for model in family:
            for size in (0,) if model == "Ising" else experiment.n_hidden:
                fixed = 0 if isinstance(size, str) else size
                chosen = FIRST if experiment.is_fast(bits) else 0
                n_hidden = bits if size == "dims" else chosen if size == "auto" else fixed
                name = ModelSpec(model, fixed, objective).name
                specs[name] = ModelSpec(model, n_hidden, objective)
        if take_pairs_with_drive(models):
            one = ModelSpec("SemiRBM", 1, objective)
            specs[one.name] = one
    # An alternative model has one way to be fitted, whatever the objectives of the others.
    return specs | {name: ModelSpec(name) for name in models if name in ALTERNATIVES}


def n_dims(experiment: Experiment, n_units: int, window: int) -> int:
    """Bits of an experiment's words: its units in each bin of the window."""
    return min(experiment.most_active or n_units, n_units) * window


def stages(plan: Plan, recording_info: Mapping[str, RecordingInfo]) -> list[dict[str, Job]]:
    """All jobs by digest, in stages: each needs results of earlier stages alone.

    Three stages for each experiment in turn: descriptions, and fits of Ising and RBM; fits of
    semi-restricted models, which start from those; and all that is found of the fits chosen, of
    one split or of all. Where the first split chooses for all, fits of the others are a stage
    later. The longest jobs of a stage come first, so that no worker is left alone with one at the
    end.
    """
    by_experiment = (_stages(each, plan, recording_info) for each in plan.experiments)
    return [stage for found in by_experiment for stage in found if stage]


def _stages(
    experiment: Experiment, plan: Plan, recording_info: Mapping[str, RecordingInfo]
) -> Iterator[dict[str, Job]]:
    stages: list[list[tuple[float, str, Job]]] = [[], [], [], []]
    for name in (source.name for source in plan.sources_of(experiment)):
        described = Job("describe", name, experiment.name)
        key = digest(settings_of(described, experiment, ()), recording_info[name])
        stages[0].append((math.inf, key, described))
        for window in experiment.windows:
            bits = n_dims(experiment, recording_info[name].n_units, window)
            compared = specs_of(experiment, recording_info[name].n_units, window)
            for job in _jobs(experiment, name, window, compared):
                stage = 3
                if job.kind == "fit" and job.model is not None:
                    stage = bool(job.model.nested) + takes_first_choice(job, experiment)
                # A number of hidden units that is yet to be chosen is often near that of bits.
                n_hidden = job.model.n_hidden or bits * job.model.has_groups if job.model else 0
                size = bits * (1 + n_hidden)
                settings = settings_of(job, experiment, compared)
                stages[stage].append((size, digest(settings, recording_info[name]), job))
    for jobs in stages:  # sorting keeps the order of those of equal size
        yield {key: job for _, key, job in sorted(jobs, key=lambda entry: -entry[0])}


def _jobs(
    experiment: Experiment, recording: str, window: int, compared: tuple[ModelSpec, ...]
) -> Iterator[Job]:
    """Jobs at one window, split by split."""
    for split in (*range(experiment.n_splits), None):
        for name, kind in KINDS.items():
            if split in kind.splits(experiment.n_splits):
                for model in kind.models(compared):
                    yield Job(name, recording, experiment.name, window, split, model)


def takes_first_choice(job: Job, experiment: Experiment) -> bool:
    """Whether a fit has the penalty and the size that the first split chose."""
    return job.kind == "fit" and experiment.choose_once and bool(job.split)


def dependencies(job: Job, compared: tuple[ModelSpec, ...], experiment: Experiment) -> list[Job]:
    """Jobs whose results this one starts from, of all models ``compared`` in its experiment."""
    if job.kind == "describe":
        return []
    if job.kind == "assemblies":
        return [replace(job, kind="fit", split=split) for split in range(experiment.n_splits)]
    place = (job.recording, job.experiment, job.window, job.split)
    used = compared if job.model is None else (job.model,)
    if job.kind == "fit":
        first = [replace(job, split=0)] if takes_first_choice(job, experiment) else []
        return first + [Job("fit", *place, member) for spec in used for member in spec.nested]
    return [Job("fit", *place, spec) for spec in used]


def settings_of(
    job: Job, experiment: Experiment, compared: tuple[ModelSpec, ...]
) -> dict[str, Any]:
    """Everything apart from the data that a job's result follows from, as JSON knows it."""
    names = _OF_WORDS if job.kind == "describe" else _OF_FITS
    settings = {name: value for name, value in experiment.as_dict().items() if name in names}
    if job.split is not None:
        settings["random_state"] = experiment.seed + job.split
        settings["models"] = [spec.name for spec in ([job.model] if job.model else compared)]
    if job.kind == "assemblies":
        settings |= {"seed": experiment.seed, "n_splits": experiment.n_splits}
    if job.kind != "describe":
        settings["max_steps"] = experiment.max_steps
        if experiment.fast_above_bits is not None:
            settings["light_above"] = experiment.fast_above_bits
        settings |= {name: True for name in _SWITCHES if getattr(experiment, name)}
    return {"results": RESULTS_VERSION, "job": job.row, "experiment": settings}


def digest(settings: Mapping[str, Any], info: RecordingInfo) -> str:
    """Name of a result: a hash of its settings and of the data."""
    text = json.dumps([info.fingerprint, settings], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def chosen_l1(normalisers: Mapping[float, Mapping[str, Any]], **within: float) -> float:
    """The l1 that the validation part prefers, as :func:`microcolumn.evaluate.choose_l1` does.

    Scores are equal ``within`` some standard errors of the highest, by default far less than one.
    """
    merits = {
        l1: merits_of(row["validation_bits_per_second"], row["converged"] > 0, row["false_mass"])
        for l1, row in normalisers.items()
    }
    errors = {l1: row["validation_stderr"] for l1, row in normalisers.items()}
    return preferred(merits, errors, **within)
