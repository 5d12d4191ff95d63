"""Which results a plan has: from the names that people use to the digests of jobs.

A store may hold results of earlier plans too. Only those that the present plan would compute
again, digest for digest, are in its index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ._jobs import Job, Kind, ModelSpec, RecordingInfo, n_dims, stages, variants
from ._plan import Experiment, Plan


class NotComputedError(ValueError):
    """A result of the plan that is not in the store yet."""


class Condition(NamedTuple):
    """Where models are compared: a recording, an experiment, bins per word."""

    recording: str
    experiment: Experiment
    window: int

    def __str__(self) -> str:
        bins = f", window of {self.window} bins" if self.window > 1 else ""
        return f"{self.recording!r}, experiment {self.experiment.name!r}{bins}"

    def missing(self, what: str) -> NotComputedError:
        """The error that says that a result is still to come."""
        return NotComputedError(f"{what} of {self} is not computed yet; run the study further")


class PlanIndex:
    """All results that a plan has, computed or not.

    Parameters
    ----------
    plan : Plan
        What is computed.
    recordings : mapping of str to mapping
        ``fingerprint`` and ``n_units`` of the recordings read so far, by name.

    Attributes
    ----------
    digests : dict of Job to str
        Of all jobs on these recordings.
    """

    def __init__(self, plan: Plan, recordings: Mapping[str, Mapping[str, Any]]) -> None:
        self.plan = plan
        self.facts = {
            name: RecordingInfo(row["fingerprint"], row["n_units"])
            for name, row in recordings.items()
        }
        read = []
        for experiment in plan.experiments:
            names = tuple(name for name in self._names(experiment) if name in self.facts)
            if names:  # none would mean all
                read.append(replace(experiment, recordings=names))
        found = stages(replace(plan, experiments=tuple(read)), self.facts) if read else []
        self.digests = {job: digest for stage in found for digest, job in stage.items()}

    def conditions(self) -> list[Condition]:
        """Recording by recording, in the plan's order."""
        return [
            Condition(source.name, experiment, window)
            for source in self.plan.sources
            for experiment in self.plan.experiments
            for window in experiment.windows
            if source.name in self.facts and source.name in self._names(experiment)
        ]

    def at(self, recording: str, experiment: str | None, window: int | None) -> Condition:
        """The place that is meant; the first experiment and the only window may be left out."""
        settings = self.experiment(recording, experiment)
        if window is None and len(settings.windows) == 1:
            window = settings.windows[0]
        if window is None or window not in settings.windows:
            known = ", ".join(map(str, settings.windows))
            raise ValueError(
                f"window is {window}, and experiment {settings.name!r} has {known}; choose one"
            )
        return Condition(recording, settings, window)

    def experiment(self, recording: str, name: str | None = None) -> Experiment:
        """An experiment on a recording by its name, by default the recording's first."""
        sources = [source.name for source in self.plan.sources]
        if recording not in sources:
            known = ", ".join(sources)
            raise ValueError(f"the study has no recording {recording!r}; it has {known}")
        if recording not in self.facts:
            raise NotComputedError(
                f"recording {recording!r} is not read yet; run the study further"
            )
        found = {e.name: e for e in self.plan.experiments if recording in self._names(e)}
        if name is None and found:
            return next(iter(found.values()))
        if name not in found:
            known = ", ".join(found) or "none"
            raise ValueError(
                f"recording {recording!r} has no experiment {name!r}; its experiments are {known}"
            )
        return found[name]

    def n_units(self, recording: str, experiment: Experiment) -> int:
        """Recorded units of an experiment's words."""
        return n_dims(experiment, self.facts[recording].n_units, 1)

    def variants(self, condition: Condition) -> tuple[ModelSpec, ...]:
        """Models that are compared at a condition."""
        n_units = self.facts[condition.recording].n_units
        return variants(
            condition.experiment, n_dims(condition.experiment, n_units, condition.window)
        )

    def variant(self, condition: Condition, name: str) -> ModelSpec:
        """A model by its full name, or by its class where there is one of that class."""
        known = self.variants(condition)
        exact = [variant for variant in known if variant.name == name]
        found = exact or [variant for variant in known if variant.model == name]
        if len(found) != 1:
            problem = "stands for several models" if found else "is none of the models"
            names = ", ".join(variant.name for variant in found or known)
            raise ValueError(f"{name!r} {problem} of {condition}; choose one of {names}")
        return found[0]

    def families(self, experiment: Experiment, n_bits: int) -> dict[str, str]:
        """Models of words of ``n_bits`` bits by a name that is the same for all bins of the window.

        Hidden units that grow with the words have no number: ``"RBM"`` for ``"RBM 30"``.
        """
        found = {}
        for objective in experiment.objectives:
            for model in experiment.models:
                for size in (0,) if model == "Ising" else experiment.n_hidden:
                    fixed, n_hidden = (0, n_bits) if size == "dims" else (size, size)
                    name = ModelSpec(model, fixed, objective).name
                    found[name] = ModelSpec(model, n_hidden, objective).name
        return found

    def splits(
        self, kind: Kind, condition: Condition, variant: ModelSpec | None = None
    ) -> dict[int, str]:
        """Digests of one kind of job, by split."""
        return {
            split: self.digest(kind, condition, split, variant)
            for split in range(condition.experiment.n_splits)
        }

    def digest(
        self,
        kind: Kind,
        condition: Condition,
        split: int,
        variant: ModelSpec | None = None,
        penalty: float | None = None,
    ) -> str:
        """Of one job; splits and penalties that the plan has not are a ValueError."""
        settings = condition.experiment
        if not 0 <= split < settings.n_splits:
            raise ValueError(
                f"split is {split}; {condition} has splits 0 to {settings.n_splits - 1}"
            )
        if penalty is not None and penalty not in settings.penalties:
            known = ", ".join(f"{value:g}" for value in settings.penalties)
            raise ValueError(f"penalty is {penalty:g}; {condition} has {known}")
        job = Job(
            kind, condition.recording, settings.name, condition.window, split, variant, penalty
        )
        return self.digests[job]

    def _names(self, experiment: Experiment) -> tuple[str, ...]:
        return tuple(source.name for source in self.plan.sources_of(experiment))
