"""A study's store, opened: its plan, data and fitted models, by the names that people use."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from ..evaluate import HiddenActivation
from ..models import ModelSpec, PopulationModel, WordModel
from ..units import Units
from ..words import Words
from ._compute import split_words
from ._describe import DataResult
from ._index import Condition, NotComputedError, PlanIndex, Reader, Row, Where
from ._plan import Plan
from ._store import Store

#: Columns of the store that say where a result belongs.
WHERE = ("planned_position", "job", "recording", "experiment", "window", "split", "model", "l1")


class StoredStudy:
    """Plan, data and fitted models of a study; :class:`Results` adds what was found of them."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(file)
        with Store.open(self.file) as store:
            store.check()
            self.study = store.read_study()
            rows = {row["name"]: row for row in store.rows("recordings")}
        if "plan" not in self.study:
            raise NotComputedError(f"{self.file} has no plan yet; run a study first")
        self.plan = Plan.from_dict(json.loads(self.study["plan"]))
        names = [source.name for source in self.plan.sources]
        self.recordings: dict[str, Row] = {name: rows[name] for name in names if name in rows}
        self.index = PlanIndex(self.plan, self.recordings)
        self._reader = Reader(self.file, self.index)

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

    def normalisers(
        self, recording: str, model: str | ModelSpec, *, split: int = 0, **where: Unpack[Where]
    ) -> dict[float, Row]:
        """Normalisers and validation scores by l1, with the traces of annealed ones."""
        condition, spec = self._model_at(recording, model, where)
        return {
            l1: {key: row[key] for key in row if key not in (*WHERE, "activation")}
            for l1, row in self._reader.normalisers(condition, spec, split).items()
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
        return self._reader.model(condition, spec, split, self._l1(condition, spec, split, l1))

    def path(
        self, recording: str, model: str | ModelSpec, *, split: int = 0, **where: Unpack[Where]
    ) -> list[PopulationModel]:
        """The models of one kind at every l1 that was tried, increasing."""
        condition, spec = self._model_at(recording, model, where)
        tried = self._reader.normalisers(condition, spec, split)
        if not tried:
            raise condition.missing(f"{spec.name} of split {split}")
        return [self._reader.model(condition, spec, split, l1) for l1 in tried]

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
        found = self._reader.normaliser(condition, spec, split, chosen)
        arrays = {name: np.array(entry) for name, entry in found["activation"].items()}
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
        settings = self.index.experiment(recording, experiment)
        return self._reader.words(recording, settings.name)

    def data(self, recording: str, *, experiment: str | None = None) -> DataResult:
        """Units, rates, busiest stretch and correlogram of what an experiment saw."""
        settings = self.index.experiment(recording, experiment)
        return self._reader.data(recording, settings.name)

    def units(self, recording: str, *, experiment: str | None = None) -> Units:
        """Units of an experiment's words."""
        settings = self.index.experiment(recording, experiment)
        return self._reader.units(recording, settings.name)

    def tested(self) -> list[Condition]:
        """Where at least one split is tested, in the plan's order."""
        return [c for c in self.index.conditions() if self._reader.rows("scores", c)]

    def provenance(self) -> dict[str, Any]:
        """How the results came about: by which version and command, and by which jobs.

        ``n_done`` and ``n_planned`` jobs, ``seconds`` that the finished ones took together and when
        the ``first`` and ``last`` was finished, ``environments`` (versions of software) and
        ``failures`` (what went wrong in which job), all of this plan's jobs alone.
        """
        facts = {key: value for key, value in self.study.items() if key != "plan"}
        return facts | self._reader.provenance

    def _structures(self, condition: Condition, spec: ModelSpec) -> dict[int, Row]:
        rows = self._reader.rows("structures", condition, model=spec.name)
        if not rows:
            raise condition.missing(f"the structure of {spec.name}")
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
        rows = self._reader.rows("scores", condition, model=spec.name, split=split)
        if not rows:
            raise condition.missing(f"the test of split {split}")
        chosen = float(rows[0]["l1"])
        return 0.0 if math.isnan(chosen) else chosen  # rivals without a penalty are kept at 0
