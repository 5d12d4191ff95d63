"""Which results a plan has, from the names that people use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, TypedDict, TypeVar

from ..errors import BadArgument, BadInput
from ..models import ModelSpec
from ..partition import LogPartition
from ._jobs import families, n_dims, specs_of
from .codec import typed
from .plan import Experiment, Plan

Row = dict[str, Any]
Rows = TypeVar("Rows", list[Row], dict[float, Row])


class NotComputedError(BadInput):
    """A result of the plan that is not in the store yet."""


class Where(TypedDict, total=False):
    """What says where on a recording a result is."""

    experiment: str | None  # by default the recording's first
    window: int | None  # bins per word; needed where the experiment has several


class Condition(NamedTuple):
    """Where models are compared: a recording, an experiment, bins per word (:class:`Results`)."""

    recording: str
    experiment: Experiment
    window: int

    def __str__(self) -> str:
        bins = f", window of {self.window} bins" if self.window > 1 else ""
        return f"{self.recording!r}, experiment {self.experiment.name!r}{bins}"

    @property
    def names(self) -> dict[str, Any]:
        """Columns of the store that say where, and keywords of the methods of results."""
        return self._asdict() | {"experiment": self.experiment.name}

    def missing(self, what: str) -> NotComputedError:
        """The error that says that a result is still to come."""
        return NotComputedError(f"{what} of {self} is not computed yet; run the study further")

    def needed(self, what: str, rows: Rows) -> Rows:
        """Rows of which there must be some: else ``what`` is still to come."""
        if not rows:
            raise self.missing(what)
        return rows


class PlanIndex:
    """All results that a plan has, computed or not; ``recordings`` are those read so far."""

    def __init__(self, plan: Plan, recordings: Mapping[str, Mapping[str, Any]]) -> None:
        self.plan = plan
        self._sizes = {name: row["n_units"] for name, row in recordings.items()}

    def conditions(self) -> list[Condition]:
        """Recording by recording, in the plan's order."""
        return [
            Condition(source.name, experiment, window)
            for source in self.plan.sources
            for experiment in self.plan.experiments
            for window in experiment.windows
            if source.name in self._sizes and source in self.plan.sources_of(experiment)
        ]

    def at(
        self, recording: str, experiment: str | None = None, window: int | None = None
    ) -> Condition:
        """The condition that is meant, by default the first experiment and the only window."""
        settings = self.experiment(recording, experiment)
        if window is None and len(settings.windows) == 1:
            window = settings.windows[0]
        if window is None or window not in settings.windows:
            known = ", ".join(map(str, settings.windows))
            problem = f"is {window}, and experiment {settings.name!r} has {known}"
            raise BadArgument("window", problem, "choose one")
        return Condition(recording, settings, window)

    def experiment(self, recording: str, name: str | None = None) -> Experiment:
        """An experiment on a recording by its name, by default the recording's first."""
        sources = [source.name for source in self.plan.sources]
        if recording not in sources:
            known = ", ".join(sources)
            raise BadInput(f"the study has no recording {recording!r}", f"it has {known}")
        if recording not in self._sizes:
            raise NotComputedError(f"{recording!r} is not read yet", "run the study further")
        experiments = {
            each.name: each
            for each in self.plan.experiments
            if recording in [source.name for source in self.plan.sources_of(each)]
        }
        if name is None and experiments:
            return next(iter(experiments.values()))
        if name not in experiments:
            known = ", ".join(experiments) or "none"
            raise BadInput(f"{recording!r} has no experiment {name!r}", f"choose {known}")
        return experiments[name]

    def n_units(self, recording: str, experiment: Experiment) -> int:
        """Recorded units of an experiment's words."""
        return n_dims(experiment, self._sizes[recording], 1)

    def specs(self, condition: Condition) -> tuple[ModelSpec, ...]:
        """Models that are compared at a condition."""
        return specs_of(condition.experiment, self._sizes[condition.recording], condition.window)

    def spec(self, condition: Condition, model: str | ModelSpec) -> ModelSpec:
        """A model by its full name, or by its class where there is one of that class."""
        known = self.specs(condition)
        exact = [spec for spec in known if model in (spec, spec.name)]
        specs = exact or [spec for spec in known if spec.model == model]
        if len(specs) != 1:
            name = model.name if isinstance(model, ModelSpec) else model
            problem = "stands for several models" if specs else "is none of the models"
            names = ", ".join(spec.name for spec in specs or known)
            raise BadInput(f"{name!r} {problem} of {condition}", f"choose one of {names}")
        return specs[0]

    def families(self, condition: Condition) -> dict[str, ModelSpec]:
        """Models at a condition by a name that is the same for all windows and recordings."""
        return families(condition.experiment, self._sizes[condition.recording], condition.window)

    def check(self, condition: Condition, split: int) -> None:
        """Raise a ValueError where the plan has no such split."""
        settings = condition.experiment
        if not 0 <= split < settings.n_splits:
            raise BadArgument("split", f"is {split}", f"choose 0 to {settings.n_splits - 1}")


def log_partition_of(row: Row) -> LogPartition:
    """The normaliser that a row describes; its time is the job's."""
    return typed(LogPartition, row | {"seconds": math.nan})
