"""A study's store, opened: its plan, data and fitted models, by the names that people use."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, cached_property, lru_cache, partial
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar, Unpack

import numpy as np

from ..errors import BadArgument, in_file
from ..evaluate import Comparison, HiddenActivation, SplitScore
from ..evaluate.splits import compare_splits
from ..models import ModelSpec, PopulationModel, WordModel, from_bytes
from ..units import Units
from ..words import Words
from ._compute import split_words
from ._describe import DataResult
from ._jobs import chosen_l1
from .codec import from_blob, typed
from .index import Condition, NotComputedError, PlanIndex, Row, Where, log_partition_of
from .plan import Plan
from .store import Store

Found = TypeVar("Found")
Default = TypeVar("Default")

#: Splits whose models, and experiments whose words, are kept in memory.
_KEPT = 4
#: Columns of the store that say where a result belongs.
WHERE = ("planned_position", "job", "recording", "experiment", "window", "split", "model", "l1")
#: What tells the conditions of rows apart.
_WHERE_COMPARED = itemgetter("recording", "experiment", "window")


class StoredStudy:
    """Plan, data and fitted models of a study; :class:`Results` adds what was found of them."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(file)
        with Store.open(self.file) as store:
            store.check()
            self.study = store.read_study()
            rows = {row["name"]: row for row in store.rows("recordings")}
        if "plan" not in self.study:
            raise NotComputedError(f"{self.file} has no plan yet", "run a study first")
        with in_file(self.file):
            self.plan = Plan.from_dict(json.loads(self.study["plan"]))
        names = [source.name for source in self.plan.sources]
        self.recordings: dict[str, Row] = {name: rows[name] for name in names if name in rows}
        self.index = PlanIndex(self.plan, self.recordings)
        # Sentences, tables and figures of a page ask for the same ones again and again.
        self._table = cache(self._read_table)
        self._files = lru_cache(_KEPT)(self._read_files)
        self._scores = cache(self._read_scores)
        self._words = lru_cache(_KEPT)(partial(self._described, Words, "words"))
        self._data = cache(partial(self._described, DataResult, "data"))

    def label(self, recording: str) -> str:
        """The name of a recording as it is printed: ``"B4 (simulated)"`` if it is."""
        if self.is_simulated(recording) and "simulated" not in recording.lower():
            return f"{recording} (simulated)"
        return recording

    def is_simulated(self, recording: str) -> bool:
        """Whether a recording comes from a simulation; one not read yet, whether it is a preset."""
        if recording in self.recordings:
            return bool(self.recordings[recording]["simulated"])
        return any(source.name == recording and source.preset for source in self.plan.sources)

    def animal(self, recording: str) -> str:
        """The animal that the plan states of a recording, else its file; empty if neither does."""
        stated = [source.animal for source in self.plan.sources if source.name == recording]
        survey = self.recordings.get(recording, {}).get("survey") or {}
        return "".join(stated) or str(survey.get("animal", ""))

    def normalisers(
        self, recording: str, model: str | ModelSpec, *, split: int = 0, **where: Unpack[Where]
    ) -> dict[float, Row]:
        """Normalisers and validation scores by l1, with the traces of annealed ones."""
        condition, spec = self._model_at(recording, model, where)
        return {
            l1: {key: row[key] for key in row if key not in (*WHERE, "activation")}
            for l1, row in self._normalisers(condition, spec, split).items()
        }

    def model(
        self,
        recording: str,
        model: str | ModelSpec,
        *,
        split: int = 0,
        l1: float | None = None,
        **where: Unpack[Where],
    ) -> WordModel:
        """A fitted model with its log Z, ready to score, predict and sample.

        It was fitted on the training part of ``split`` at one of the ``l1`` tried, by default the
        one chosen on the validation part.
        """
        condition, spec = self._model_at(recording, model, where)
        return self._model(condition, spec, split, self._l1(condition, spec, split, l1))

    def display_model(
        self, recording: str, model: str | ModelSpec, *, split: int = 0, **where: Unpack[Where]
    ) -> WordModel:
        """The model to draw: the sparsest whose validation score is nearly the highest.

        Of all ``l1`` tried, the largest whose score is less than one standard error below the
        highest. Scores and tables are of the chosen one, which :meth:`model` gives.
        """
        condition, spec = self._model_at(recording, model, where)
        rows = self._tried(condition, spec, split)
        return self._model(condition, spec, split, chosen_l1(rows, within=1.0))

    def path(
        self, recording: str, model: str | ModelSpec, *, split: int = 0, **where: Unpack[Where]
    ) -> list[PopulationModel]:
        """The models of one kind at every l1 that was tried, increasing."""
        condition, spec = self._model_at(recording, model, where)
        tried = self._tried(condition, spec, split)
        return [self._model(condition, spec, split, l1) for l1 in tried]

    def activation(
        self,
        recording: str,
        model: str | ModelSpec,
        *,
        split: int = 0,
        l1: float | None = None,
        **where: Unpack[Where],
    ) -> HiddenActivation:
        """How active the hidden units of a fit are on the test part; see :meth:`model`."""
        condition, spec = self._model_at(recording, model, where)
        chosen = self._l1(condition, spec, split, l1)
        normaliser = self._normaliser(condition, spec, split, chosen)
        arrays = {name: np.array(entry) for name, entry in normaliser["activation"].items()}
        return HiddenActivation(**arrays)

    def words(
        self, recording: str, *, split: int = 0, **where: Unpack[Where]
    ) -> tuple[Words, Words, Words]:
        """Words that a split fits, chooses l1 and tests with: (train, validation, test)."""
        condition = self.index.at(recording, **where)
        self.index.check(condition, split)
        words = self.all_words(recording, experiment=condition.experiment.name)
        return split_words(words, condition.experiment, condition.window, split)

    def all_words(self, recording: str, *, experiment: str | None = None) -> Words:
        """Words of all single bins of an experiment, in time order."""
        return self._words(recording, self.index.experiment(recording, experiment).name)

    def data(self, recording: str, *, experiment: str | None = None) -> DataResult:
        """Units, rates, busiest stretch and correlogram of what an experiment saw."""
        return self._data(recording, self.index.experiment(recording, experiment).name)

    def units(self, recording: str, *, experiment: str | None = None) -> Units:
        """Units of an experiment's words."""
        return self.data(recording, experiment=experiment).units

    def tested(self) -> list[Condition]:
        """Where at least one split is tested, in the plan's order."""
        return [c for c in self.index.conditions() if self._rows("scores", c)]

    def provenance(self) -> dict[str, Any]:
        """How the results came about: by which version and command, and by which jobs.

        ``n_done`` and ``n_planned`` jobs, ``seconds`` that the finished ones took together and when
        the ``first`` and ``last`` was finished, ``environments`` (versions of software) and
        ``failures`` (what went wrong in which job), all of this plan's jobs alone.
        """
        facts = {key: value for key, value in self.study.items() if key != "plan"}
        return facts | self._jobs

    def of_models(
        self,
        find: Callable[..., Found],
        condition: Condition,
        specs: Iterable[ModelSpec] | None = None,
    ) -> Iterator[tuple[ModelSpec, Found]]:
        """What a method of results finds of each model, by default all, that it is computed for."""
        for spec in self.index.specs(condition) if specs is None else specs:
            with suppress(NotComputedError):
                yield spec, find(model=spec, **condition.names)

    @staticmethod
    def if_computed(find: Callable[..., Found], default: Default, **where: Any) -> Found | Default:
        """What a method of results finds, or ``default`` where that is not computed yet."""
        try:
            return find(**where)
        except NotComputedError:
            return default

    def _structures(self, condition: Condition, spec: ModelSpec) -> dict[int, Row]:
        rows = self._needed(f"the structure of {spec.name}", "structures", condition, spec)
        return {row["split"]: row for row in rows}

    def _model_at(
        self, recording: str, model: str | ModelSpec, where: Where
    ) -> tuple[Condition, ModelSpec]:
        condition = self.index.at(recording, **where)
        return condition, self.index.spec(condition, model)

    def _l1(self, condition: Condition, spec: ModelSpec, split: int, l1: float | None) -> float:
        """The l1 that is meant, by default the one chosen on the validation part."""
        self.index.check(condition, split)
        if l1 is not None:
            return l1
        what = f"the test of split {split}"
        chosen = float(self._needed(what, "scores", condition, spec, split=split)[0]["l1"])
        return 0.0 if math.isnan(chosen) else chosen  # alternatives without a penalty are kept at 0

    def _query(self, table: str, **options: Any) -> list[Row]:
        """Rows of the present plan, read anew; the options are those of :meth:`Store.rows`."""
        with Store.open(self.file) as store:
            return store.rows(f"current_{table}", **options)

    def _read_table(self, table: str) -> dict[tuple[Any, ...], list[Row]]:
        by_condition: dict[tuple[Any, ...], list[Row]] = {}
        for row in self._query(table):
            by_condition.setdefault(_WHERE_COMPARED(row), []).append(row)
        return by_condition

    def _rows(self, table: str, condition: Condition, **equal: Any) -> list[Row]:
        """Rows at a condition; the table is read once for all conditions."""
        rows = self._table(table).get(_WHERE_COMPARED(condition.names), [])
        return [row for row in rows if all(row[name] == value for name, value in equal.items())]

    def _needed(
        self, what: str, table: str, condition: Condition, spec: ModelSpec, **equal: Any
    ) -> list[Row]:
        """Rows of a model, of which there must be some: else ``what`` is not computed yet."""
        return condition.needed(what, self._rows(table, condition, model=spec.name, **equal))

    def _described(self, kind: type[Found], column: str, recording: str, experiment: str) -> Found:
        where = {"recording": recording, "experiment": experiment}
        rows = self._query("descriptions", columns=(column,), **where)
        if not rows:
            problem = f"the data of {recording!r}, experiment {experiment!r} are not stored yet"
            raise NotComputedError(problem, "run the study further")
        return from_blob(kind, rows[0][column])

    def _model(
        self, condition: Condition, spec: ModelSpec, split: int, l1: float
    ) -> PopulationModel:
        row = self._normaliser(condition, spec, split, l1)
        content = self._files(condition, split)[spec.name, l1]
        return from_bytes(content, log_z=log_partition_of(row))

    def _read_files(self, condition: Condition, split: int) -> dict[tuple[str, float], bytes]:
        columns = ("model", "l1", "file")
        rows = self._query("fits", columns=columns, split=split, **condition.names)
        return {(row["model"], row["l1"]): row["file"] for row in rows}

    def _normalisers(self, condition: Condition, spec: ModelSpec, split: int) -> dict[float, Row]:
        """Rows of log Z and validation score by l1, increasing; empty where none is computed."""
        self.index.check(condition, split)
        rows = self._rows("normalisers", condition, model=spec.name, split=split)
        return {row["l1"]: row for row in rows}

    def _tried(self, condition: Condition, spec: ModelSpec, split: int) -> dict[float, Row]:
        """Rows of all l1, of which there must be some."""
        rows = self._normalisers(condition, spec, split)
        return condition.needed(f"{spec.name} of split {split}", rows)

    def _normaliser(self, condition: Condition, spec: ModelSpec, split: int, l1: float) -> Row:
        rows = self._tried(condition, spec, split)
        if l1 not in rows:
            known = ", ".join(map(repr, rows))  # with all digits, since it has to be one of them
            remedy = f"{spec.name} of split {split} of {condition} has {known}"
            raise BadArgument("l1", f"is {float(l1)!r}", remedy)
        return rows[l1]

    def _read_scores(self, condition: Condition) -> dict[ModelSpec, list[SplitScore]]:
        by_spec: dict[ModelSpec, list[SplitScore]] = {}
        for row in self._rows("scores", condition):
            by_spec.setdefault(ModelSpec.of(row["model"]), []).append(typed(SplitScore, row))
        return by_spec

    @cached_property
    def _comparisons(self) -> dict[Condition, Comparison]:
        """All comparisons that have a finite score, by condition."""
        comparisons = {}
        for condition in self.index.conditions():
            experiment = condition.experiment
            n_units = self.index.n_units(condition.recording, experiment)
            dealt = {"n_planned": experiment.n_splits, "split_by": experiment.split_by}
            about: dict[str, Any] = dealt | condition.names
            about["animal"] = self.animal(condition.recording)
            scores = self._scores(condition)
            compared = compare_splits(scores, n_units, experiment.train, **about)
            if compared.models or compared.unranked:
                comparisons[condition] = compared
        return comparisons

    @cached_property
    def _jobs(self) -> dict[str, Any]:
        """Counts, times, software and failures of the plan's jobs."""
        columns = ("seconds", "finished", "environment", "failed", "error")
        jobs = self._query("jobs", columns=columns)
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
