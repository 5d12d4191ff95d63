"""Which results a plan has, from the names that people use, and what the store has of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from ..evaluate import Comparison, SplitScore
from ..evaluate._bootstrap import default_block_bins
from ..evaluate._splits import compare_splits, with_false_modes
from ..models import ModelSpec, PopulationModel, from_bytes
from ..partition import LogPartition
from ..timeline import default_blocks
from ..units import Units
from ..words import Words
from ._codec import from_blob, typed
from ._describe import DataResult, PackedWords
from ._jobs import families, n_dims, specs_of
from ._plan import Experiment, Plan
from ._store import Store

Row = dict[str, Any]
Key = tuple[Any, ...]

#: Splits whose models, and experiments whose words, are kept in memory.
_KEPT = 4


class NotComputedError(ValueError):
    """A result of the plan that is not in the store yet."""


class Where(TypedDict, total=False):
    """What says where on a recording a result is."""

    experiment: str | None  # by default the recording's first
    window: int | None  # bins per word; needed where the experiment has several


class Condition(NamedTuple):
    """Where models are compared: a recording, an experiment, bins per word."""

    recording: str
    experiment: Experiment
    window: int

    def __str__(self) -> str:
        bins = f", window of {self.window} bins" if self.window > 1 else ""
        return f"{self.recording!r}, experiment {self.experiment.name!r}{bins}"

    @property
    def names(self) -> dict[str, Any]:
        """Columns of the store that say where, and keywords of the methods of results."""
        return {
            "recording": self.recording,
            "experiment": self.experiment.name,
            "window": self.window,
        }

    @property
    def key(self) -> Key:
        """What tells it from other conditions."""
        return self.recording, self.experiment.name, self.window

    def missing(self, what: str) -> NotComputedError:
        """The error that says that a result is still to come."""
        return NotComputedError(f"{what} of {self} is not computed yet; run the study further")


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
        if recording not in self._sizes:
            raise NotComputedError(
                f"recording {recording!r} is not read yet; run the study further"
            )
        found = {
            each.name: each
            for each in self.plan.experiments
            if recording in [source.name for source in self.plan.sources_of(each)]
        }
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
        return n_dims(experiment, self._sizes[recording], 1)

    def specs(self, condition: Condition) -> tuple[ModelSpec, ...]:
        """Models that are compared at a condition."""
        return specs_of(condition.experiment, self._sizes[condition.recording], condition.window)

    def spec(self, condition: Condition, model: str | ModelSpec) -> ModelSpec:
        """A model by its full name, or by its class where there is one of that class."""
        known = self.specs(condition)
        exact = [spec for spec in known if model in (spec, spec.name)]
        found = exact or [spec for spec in known if spec.model == model]
        if len(found) != 1:
            name = model.name if isinstance(model, ModelSpec) else model
            problem = "stands for several models" if found else "is none of the models"
            names = ", ".join(spec.name for spec in found or known)
            raise ValueError(f"{name!r} {problem} of {condition}; choose one of {names}")
        return found[0]

    def families(self, condition: Condition) -> dict[str, ModelSpec]:
        """Models at a condition by a name that is the same for all windows and recordings."""
        return families(condition.experiment, self._sizes[condition.recording], condition.window)

    def check(self, condition: Condition, split: int) -> None:
        """Raise a ValueError where the plan has no such split."""
        settings = condition.experiment
        if not 0 <= split < settings.n_splits:
            raise ValueError(
                f"split is {split}; {condition} has splits 0 to {settings.n_splits - 1}"
            )


class Reader:
    """What the store has of a plan: a query for each table, for models and for words."""

    def __init__(self, file: Path, index: PlanIndex) -> None:
        self.file = file
        self.index = index
        self.words = lru_cache(_KEPT)(self._read_words)
        self.units = cache(self._read_units)
        self.data = cache(self._read_data)
        self.scores = cache(self._read_scores)
        self._table = cache(self._read_table)
        self._files = lru_cache(_KEPT)(self._read_files)

    def rows(self, table: str, condition: Condition, **equal: Any) -> list[Row]:
        """Rows at a condition; the table is read once for all conditions."""
        rows = self._table(table).get(condition.key, [])
        return [row for row in rows if all(row[name] == value for name, value in equal.items())]

    def _read_table(self, table: str) -> dict[Key, list[Row]]:
        by_condition: dict[Key, list[Row]] = {}
        for row in self.query(table):
            key = (row["recording"], row["experiment"], row["window"])
            by_condition.setdefault(key, []).append(row)
        return by_condition

    def description(self, recording: str, experiment: str, column: str) -> bytes:
        """What is stored of the data of an experiment."""
        where = {"recording": recording, "experiment": experiment}
        rows = self.query("descriptions", columns=(column,), **where)
        if not rows:
            raise NotComputedError(
                f"the data of {recording!r}, experiment {experiment!r} are not stored yet; "
                "run the study further"
            )
        return bytes(rows[0][column])

    def _read_words(self, recording: str, experiment: str) -> Words:
        """Words of all single bins of an experiment."""
        return from_blob(PackedWords, self.description(recording, experiment, "words")).unpacked()

    def _read_units(self, recording: str, experiment: str) -> Units:
        """Units of an experiment, which are asked for more often than its words."""
        return self.words(recording, experiment).units

    def _read_data(self, recording: str, experiment: str) -> DataResult:
        """Units, rates, busiest stretch and correlogram of an experiment."""
        return from_blob(DataResult, self.description(recording, experiment, "data"))

    def model(
        self, condition: Condition, spec: ModelSpec, split: int, l1: float
    ) -> PopulationModel:
        """A fitted model with its log Z."""
        row = self.normaliser(condition, spec, split, l1)
        content = self._files(condition, split)[spec.name, l1]
        return from_bytes(content, log_z=log_partition_of(row))

    def _read_files(self, condition: Condition, split: int) -> dict[tuple[str, float], bytes]:
        """Files of the models of a split, by name and l1."""
        columns = ("model", "l1", "file")
        rows = self.query("fits", columns=columns, split=split, **condition.names)
        return {(row["model"], row["l1"]): row["file"] for row in rows}

    def normalisers(self, condition: Condition, spec: ModelSpec, split: int) -> dict[float, Row]:
        """Rows of log Z and validation score by l1, increasing; empty where none is computed."""
        self.index.check(condition, split)
        rows = self.rows("normalisers", condition, model=spec.name, split=split)
        return {row["l1"]: row for row in rows}

    def normaliser(self, condition: Condition, spec: ModelSpec, split: int, l1: float) -> Row:
        """Row of one fit's log Z and validation score."""
        rows = self.normalisers(condition, spec, split)
        if not rows:
            raise condition.missing(f"{spec.name} of split {split}")
        if l1 not in rows:
            known = ", ".join(map(repr, rows))  # with all digits, since it has to be one of them
            raise ValueError(
                f"l1 is {float(l1)!r}; {spec.name} of split {split} of {condition} has {known}"
            )
        return rows[l1]

    def _read_scores(self, condition: Condition) -> dict[ModelSpec, list[SplitScore]]:
        """Scores of the splits tested so far."""
        found: dict[ModelSpec, list[SplitScore]] = {}
        for row in self.rows("scores", condition):
            found.setdefault(ModelSpec.of(row["model"]), []).append(typed(SplitScore, row))
        return found

    @cached_property
    def comparisons(self) -> dict[Key, Comparison]:
        """All comparisons that have a finite score, by condition."""
        found = {}
        for condition in self.index.conditions():
            n_units = self.index.n_units(condition.recording, condition.experiment)
            differences: dict[tuple[str, str], dict[int, tuple[float, float]]] = {}
            for row in self.rows("differences", condition):
                by_split = differences.setdefault((row["first"], row["second"]), {})
                by_split[row["split"]] = row["bits_per_second"], row["block_stderr"]
            scores, ratio = self.scores(condition), condition.experiment.test_to_train
            models, pairs = compare_splits(
                scores,
                differences,
                n_units,
                ratio,
                n_blocks=n_blocks(scores, condition),
                n_test_blocks=n_test_blocks(scores, condition),
            )
            unranked = with_false_modes(scores, n_units)
            if models or unranked:
                found[condition.key] = Comparison(
                    models=models,
                    pairs=pairs,
                    unranked=unranked,
                    n_units=n_units,
                    n_splits=max(model.n_splits for model in (*models, *unranked)),
                    n_planned=condition.experiment.n_splits,
                    split_by=condition.experiment.split_by,
                    test_to_train=ratio,
                    **condition.names,
                )
        return found

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """Counts, times, software and failures of the plan's jobs."""
        columns = ("seconds", "finished", "environment", "failed", "error")
        jobs = self.query("jobs", columns=columns)
        done = [row for row in jobs if row["finished"] is not None]
        times = [row["finished"] for row in done]
        known = [row["environment"] for row in done if row["environment"] is not None]
        environments = {json.dumps(versions): versions for versions in known}
        return {
            "n_done": len(done),
            "n_planned": len(jobs),
            "seconds": math.fsum(row["seconds"] for row in done),
            "first": min(times, default=""),
            "last": max(times, default=""),
            "environments": list(environments.values()),
            "failures": [
                {"job": row["failed"], "error": row["error"]} for row in jobs if row["failed"]
            ],
        }

    def query(self, table: str, **options: Any) -> list[Row]:
        """Rows of the present plan, read anew; the options are those of :meth:`Store.rows`."""
        with Store.open(self.file) as store:
            return store.rows(f"current_{table}", **options)


def n_blocks(scores: Mapping[ModelSpec, Sequence[SplitScore]], at: Condition) -> int | None:
    """Blocks of time that were dealt to training and test parts; None where single words were."""
    if at.experiment.split_by == "words":
        return None
    tested = _n_words(scores)
    return default_blocks(round(tested / (1.0 - at.experiment.train)), at.window)


def n_test_blocks(scores: Mapping[ModelSpec, Sequence[SplitScore]], at: Condition) -> float:
    """Blocks of a test part that its own error bar comes from."""
    tested = max(_n_words(scores), 1)
    return tested / default_block_bins(tested, at.window)


def _n_words(scores: Mapping[ModelSpec, Sequence[SplitScore]]) -> int:
    return max((score.n_words for each in scores.values() for score in each), default=0)


def log_partition_of(row: Row) -> LogPartition:
    """The normaliser that a row describes; its time is the job's."""
    return typed(LogPartition, row | {"seconds": math.nan})
