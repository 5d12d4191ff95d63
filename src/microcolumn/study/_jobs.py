"""The jobs of a plan: what is computed, from what, and the name it is remembered by.

A job's digest covers the data, its names in the plan and those settings that bear on its result. So
a plan with more splits, window or recordings finds what was computed before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ._plan import Experiment, Plan

Kind = Literal["fit", "normalise", "test", "predict", "structure"]

#: Raised whenever the same settings give other numbers, so that stores do not mix the two.
_NUMBERS = 2

#: What the semi-restricted model contains; its fits start from theirs (METHOD section 4).
_INSIDE = ("Ising", "RBM")


@dataclass(frozen=True, slots=True, order=True)
class ModelSpec:
    """A model as one experiment fits it.

    Parameters
    ----------
    model : str
        ``"Ising"``, ``"RBM"`` or ``"SemiRBM"``.
    n_hidden : int
        Hidden units; 0 for Ising.
    objective : str
        ``"mpf"`` or ``"likelihood"``.

    Examples
    --------
    >>> ModelSpec("RBM", 25, "mpf").name, ModelSpec("Ising", 0, "likelihood").name
    ('RBM 25', 'Ising likelihood')
    """

    model: str
    n_hidden: int
    objective: str

    @property
    def name(self) -> str:
        """Name in tables: minimum probability flow goes without saying."""
        name = f"{self.model} {self.n_hidden}" if self.n_hidden else self.model
        return name if self.objective == "mpf" else f"{name} {self.objective}"

    @property
    def inside(self) -> tuple[ModelSpec, ...]:
        """Variants whose fits this one starts from."""
        if self.model != "SemiRBM":
            return ()
        return tuple(
            ModelSpec(model, self.n_hidden if model == "RBM" else 0, self.objective)
            for model in _INSIDE
        )


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work, whose result is stored in one transaction.

    Parameters
    ----------
    kind : {"fit", "normalise", "test", "predict", "structure"}
        ``"fit"``: one variant along all penalties. ``"normalise"``: log Z and validation score of
        one fit, from which the penalty is chosen. Of the chosen fits, ``"test"``: all variants on
        the test part, side by side; ``"predict"``: each cell's spikes; ``"structure"``: layers and
        effective interactions.
    recording, experiment : str
        Names in the plan.
    window, split : int
        Bins per word, and which of the splits.
    variant : ModelSpec or None
        None for tests, which are of all variants.
    penalty : float or None
        Of ``"normalise"`` alone.
    """

    kind: Kind
    recording: str
    experiment: str
    window: int
    split: int
    variant: ModelSpec | None = None
    penalty: float | None = None

    def __str__(self) -> str:
        parts = [self.kind, self.recording, self.experiment, f"window {self.window}"]
        if self.variant is not None:
            parts.append(self.variant.name)
        if self.penalty is not None:
            parts.append(f"l1 {self.penalty:g}")
        return ", ".join([*parts, f"split {self.split}"])


class RecordingInfo(NamedTuple):
    """What jobs need to know of a recording: the hash of its data and the number of its units."""

    fingerprint: str
    n_units: int


def variants(experiment: Experiment, n_dims: int) -> tuple[ModelSpec, ...]:
    """Members of the family that an experiment compares, for words of ``n_dims`` bits."""
    found = []
    for objective in experiment.objectives:
        for model in experiment.models:
            sizes = (0,) if model == "Ising" else experiment.n_hidden
            found += [ModelSpec(model, n_dims if n == "dims" else n, objective) for n in sizes]
    return tuple(dict.fromkeys(found))


def n_dims(experiment: Experiment, n_units: int, window: int) -> int:
    """Bits of an experiment's words: its units at each lag."""
    return min(experiment.most_active or n_units, n_units) * window


def stages(plan: Plan, facts: Mapping[str, RecordingInfo]) -> list[dict[str, Job]]:
    """All jobs by digest, in stages: each needs results of earlier stages alone.

    Parameters
    ----------
    plan : Plan
        The experiments.
    facts : mapping of str to RecordingInfo
        The plan's recordings by name.

    Returns
    -------
    list of dict
        Four stages for each experiment in turn: fits of Ising and RBM; fits of semi-restricted
        models, which start from those; normalisers; tests, predictions and structure of the fits
        chosen. The longest jobs of a stage come first, so that no worker is left alone with one at
        the end.
    """
    return [stage for experiment in plan.experiments for stage in _stages(experiment, plan, facts)]


def _stages(
    experiment: Experiment, plan: Plan, facts: Mapping[str, RecordingInfo]
) -> Iterator[dict[str, Job]]:
    found: list[list[tuple[int, str, Job]]] = [[], [], [], []]
    for name in (source.name for source in plan.sources_of(experiment)):
        for window in experiment.windows:
            bits = n_dims(experiment, facts[name].n_units, window)
            compared = variants(experiment, bits)
            for split in range(experiment.n_splits):
                for stage, job in _jobs(experiment, name, window, split, compared):
                    size = bits * (1 + job.variant.n_hidden if job.variant else 1)
                    settings = settings_of(job, experiment, compared)
                    found[stage].append((size, digest(settings, facts[name]), job))
    for jobs in found:  # sorting keeps the order of those of equal size
        yield {key: job for _, key, job in sorted(jobs, key=lambda entry: -entry[0])}


def _jobs(
    experiment: Experiment, recording: str, window: int, split: int, compared: tuple[ModelSpec, ...]
) -> Iterator[tuple[int, Job]]:
    """Jobs of one split, each with the number of its stage."""
    place = (recording, experiment.name, window, split)
    fitted = dict.fromkeys(member for variant in compared for member in (*variant.inside, variant))
    for variant in fitted:
        yield int(bool(variant.inside)), Job("fit", *place, variant)
    for variant in compared:
        for penalty in experiment.penalties:
            yield 2, Job("normalise", *place, variant, penalty)
    yield 3, Job("test", *place)
    for variant in compared:
        yield 3, Job("predict", *place, variant)
        yield 3, Job("structure", *place, variant)


def needs(job: Job, experiment: Experiment, compared: tuple[ModelSpec, ...]) -> list[Job]:
    """Jobs whose results this one starts from.

    Parameters
    ----------
    job : Job
        The job.
    experiment : Experiment
        The experiment it belongs to.
    compared : tuple of ModelSpec
        All variants that are tested side by side.
    """
    place = (job.recording, job.experiment, job.window, job.split)
    used = compared if job.variant is None else (job.variant,)
    if job.kind == "fit":
        return [Job("fit", *place, member) for variant in used for member in variant.inside]
    fits = [Job("fit", *place, variant) for variant in used]
    if job.kind == "normalise":
        return fits
    normalised = [
        Job("normalise", *place, variant, penalty)
        for variant in used
        for penalty in experiment.penalties
    ]
    return fits + normalised


def settings_of(
    job: Job, experiment: Experiment, compared: tuple[ModelSpec, ...]
) -> dict[str, Any]:
    """Everything beside the data that a job's result follows from, as JSON knows it.

    Parameters
    ----------
    job : Job
        The job.
    experiment : Experiment
        The experiment it belongs to.
    compared : tuple of ModelSpec
        All variants that are tested side by side.
    """
    variant = job.variant
    return {
        "numbers": _NUMBERS,
        "kind": job.kind,
        "recording": job.recording,
        "experiment": job.experiment,
        "window": job.window,
        "split": job.split,
        "variants": [v.name for v in ([variant] if variant else compared)],
        "penalty": job.penalty,
        "random_state": experiment.seed + job.split,
        "bin_width": experiment.bin_width,
        "most_active": experiment.most_active,
        "max_words": experiment.max_words,
        "split_by": experiment.split_by,
        "train": experiment.train,
        "validation": experiment.validation,
        "penalties": list(experiment.penalties),
        "n_init": experiment.n_init,
        "max_steps": experiment.max_steps if job.kind != "fit" else None,
    }


def digest(settings: Mapping[str, Any], facts: RecordingInfo) -> str:
    """Name of a result: a hash of its settings and of the data."""
    text = json.dumps([facts.fingerprint, settings], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
