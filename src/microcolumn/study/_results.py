"""Results of a study, read from its store; whatever is finished can be looked at."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..evaluate import (
    Comparison,
    HiddenActivation,
    LayersResult,
    LayerStatistics,
    ModelScore,
    PatternStatistics,
    PredictionResult,
    Synchrony,
    WindowResult,
)
from ..evaluate._splits import model_score
from ..evaluate._summaries import predictions_of
from ..models import ModelSpec, PopulationModel
from ..models._spec import INDEPENDENT
from ..partition._convergence import Convergence
from ..units import Units
from ..words import Words
from ._codec import from_blob, row_of, typed
from ._compute import split_words
from ._describe import DATA, AnnealingResult, DataResult, PatternsResult
from ._index import Condition, NotComputedError, PlanIndex, Reader, Row, log_partition_of
from ._plan import Plan
from ._store import Store


class Results:
    """What a study has found.

    All methods take the name of a recording and, by keyword, ``experiment`` (by default the
    recording's first) and ``window`` (bins per word, needed where the experiment has several).
    ``model`` is a :class:`~microcolumn.models.ModelSpec`, its name, ``"RBM 25"``, or its class
    where the experiment has one of it, ``"RBM"``.

    Everything is read from the store, each table once, when it is first asked for; open the study
    again to see what a run has added since.

    Parameters
    ----------
    file : path
        The study's store.

    Attributes
    ----------
    plan : Plan
        What is computed.
    study : dict of str to str
        By which version and by which command it was made.
    recordings : dict of str to dict
        What is known of each recording: fingerprint, units, spikes, duration, whether it is
        simulated, notes, survey.
    index : PlanIndex
        Conditions and models of the plan.
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(file)
        with Store.open(self.file) as store:
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

    def comparison(
        self, recording: str, *, experiment: str | None = None, window: int | None = None
    ) -> Comparison:
        """All models on the untouched test parts, side by side."""
        condition = self.index.at(recording, experiment, window)
        found = self._reader.comparisons.get(condition.key)
        if found is None:
            raise condition.missing("a test")
        return found

    def by_window(self, recording: str, *, experiment: str = "spatiotemporal") -> WindowResult:
        """Scores per unit against the length of the window (docs/method.md, section 7)."""
        settings = self.index.experiment(recording, experiment)
        n_units = self.index.n_units(recording, settings)
        found: dict[str, list[ModelScore | None]] = {}
        for window in settings.windows:
            condition = Condition(recording, settings, window)
            scores = self._reader.scores(condition)
            for name, spec in self.index.families(condition).items():
                result = model_score(spec, scores.get(spec, []), n_units)
                found.setdefault(name, []).append(result)
        return WindowResult(
            recording=recording,
            experiment=settings.name,
            windows=settings.windows,
            models={name: tuple(results) for name, results in found.items()},
            test_to_train=settings.test_to_train,
        )

    def scores(self) -> Any:
        """One row per recording, experiment, window, split and model, with all that was tested.

        Returns
        -------
        pandas.DataFrame, or list of dict where pandas is not installed
            ``name`` is the model's full name, of which ``model``, ``n_hidden`` and ``objective``
            are the parts; the other columns are those of
            :class:`~microcolumn.evaluate.SplitScore`.
        """
        rows = []
        for condition in self.index.conditions():
            for row in self._reader.rows("scores", condition):
                spec = ModelSpec.of(row["model"])
                named = condition.names | {"split": row["split"], "name": spec.name} | row_of(spec)
                own = {key: row[key] for key in row if key == "l1" or key not in _WHERE}
                rows.append(named | own)
        try:
            import pandas as pd
        except ImportError:
            return rows
        return pd.DataFrame(rows)

    def predictions(
        self,
        recording: str,
        model: str | ModelSpec,
        *,
        experiment: str | None = None,
        window: int | None = None,
    ) -> dict[str, PredictionResult]:
        """Predictions of single units, by what is given: ``"rest"`` and, of windows, ``"past"``."""
        condition, spec = self._model_at(recording, model, experiment, window)
        rows = self._reader.rows("predictions", condition, model=spec.name)
        if not rows:
            raise condition.missing(f"a prediction by {spec.name}")
        by_split: dict[int, list[Row]] = {}
        for row in rows:
            by_split.setdefault(row["split"], []).append(row)
        calibrations = self._reader.rows("calibrations", condition, model=spec.name)
        return predictions_of(spec, list(by_split.values()), calibrations)

    def layers(
        self,
        recording: str,
        model: str | ModelSpec,
        *,
        experiment: str | None = None,
        window: int | None = None,
    ) -> LayersResult | None:
        """Layer statistics of each split; None where the units are not in several layers."""
        condition, spec = self._model_at(recording, model, experiment, window)
        known = {
            split: typed(LayerStatistics, row["layers"])
            for split, row in self._structures(condition, spec).items()
            if row["layers"]
        }
        if not known:
            return None
        scores = self._reader.scores(condition).get(spec, [])
        live = {score.split: score.n_live_hidden for score in scores}
        return LayersResult(
            model=spec,
            splits=tuple(known),
            statistics=tuple(known.values()),
            n_live_hidden=tuple(live.get(s, len(each.hidden)) for s, each in known.items()),
        )

    def interactions(
        self,
        recording: str,
        model: str | ModelSpec,
        *,
        experiment: str | None = None,
        window: int | None = None,
    ) -> dict[int, Row]:
        """Effective interactions by split: how strong pairs and triplets are, and the strongest.

        ``rms_nats``, ``explained`` and ``remainder_nats`` have a number for each order; see
        :func:`microcolumn.effective_interactions`.
        """
        condition, spec = self._model_at(recording, model, experiment, window)
        found = self._structures(condition, spec)
        return {split: row["interactions"] for split, row in found.items()}

    def normalisers(
        self,
        recording: str,
        model: str | ModelSpec,
        *,
        split: int = 0,
        experiment: str | None = None,
        window: int | None = None,
    ) -> dict[float, Row]:
        """Normalisers and validation scores by l1, with the traces of annealed ones."""
        condition, spec = self._model_at(recording, model, experiment, window)
        return {
            l1: {key: row[key] for key in row if key not in (*_WHERE, "activation")}
            for l1, row in self._reader.normalisers(condition, spec, split).items()
        }

    def model(
        self,
        recording: str,
        model: str | ModelSpec,
        *,
        split: int = 0,
        l1: float | None = None,
        experiment: str | None = None,
        window: int | None = None,
    ) -> PopulationModel:
        """A fitted model with its log Z, ready to score, predict and sample.

        It was fitted on the training part of ``split`` at one of the ``l1`` tried, by default the
        one chosen on the validation part.
        """
        condition, spec = self._model_at(recording, model, experiment, window)
        return self._reader.model(condition, spec, split, self._l1(condition, spec, split, l1))

    def path(
        self,
        recording: str,
        model: str | ModelSpec,
        *,
        split: int = 0,
        experiment: str | None = None,
        window: int | None = None,
    ) -> list[PopulationModel]:
        """The models of one kind at every l1 that was tried, increasing."""
        condition, spec = self._model_at(recording, model, experiment, window)
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
        experiment: str | None = None,
        window: int | None = None,
    ) -> HiddenActivation:
        """How active the hidden units of a fit are on the test part; see :meth:`model`."""
        condition, spec = self._model_at(recording, model, experiment, window)
        chosen = self._l1(condition, spec, split, l1)
        found = self._reader.normaliser(condition, spec, split, chosen)
        arrays = {name: np.array(entry) for name, entry in found["activation"].items()}
        return HiddenActivation(**arrays)

    def words(
        self,
        recording: str,
        *,
        split: int = 0,
        experiment: str | None = None,
        window: int | None = None,
    ) -> tuple[Words, Words, Words]:
        """Words that a split fits, chooses l1 and tests with: (train, validation, test)."""
        condition = self.index.at(recording, experiment, window)
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
        return self.all_words(recording, experiment=experiment).units

    def patterns(
        self, recording: str, *, experiment: str | None = None, window: int | None = None
    ) -> PatternsResult:
        """Probabilities of test words and synchrony, of the data and of all models, in split 0."""
        condition = self.index.at(recording, experiment, window)
        rows = self._reader.query("patterns", **condition.names)
        if not rows:
            raise condition.missing("the patterns of split 0")
        test = self.words(split=0, **condition.names)[2]
        statistics = {
            row["model"]: replace(from_blob(PatternStatistics, row["statistics"]), X=test.X)
            for row in rows
            if row["statistics"] is not None
        }
        order = [DATA, INDEPENDENT, *(spec.name for spec in self.index.specs(condition))]
        rows.sort(key=lambda row: order.index(row["model"]))
        return PatternsResult(
            split=0,
            l1={row["model"]: row["l1"] for row in rows if row["model"] not in order[:2]},
            statistics={name: statistics[name] for name in order if name in statistics},
            synchrony={row["model"]: from_blob(Synchrony, row["synchrony"]) for row in rows},
        )

    def annealing(
        self, recording: str, *, experiment: str | None = None, window: int | None = None
    ) -> AnnealingResult:
        """Annealing of the first Ising model, or of any where there is none, in split 0."""
        condition = self.index.at(recording, experiment, window)
        rows = self._reader.query("annealings", **condition.names)
        if not rows:
            raise condition.missing("the annealing of split 0")
        [row] = rows
        spec = ModelSpec.of(row["model"])
        normaliser = self._reader.normaliser(condition, spec, 0, row["l1"])
        return AnnealingResult(
            model=spec,
            split=0,
            l1=row["l1"],
            log_z=log_partition_of(normaliser),
            convergence=from_blob(Convergence, row["convergence"]),
        )

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
        self, recording: str, model: str | ModelSpec, experiment: str | None, window: int | None
    ) -> tuple[Condition, ModelSpec]:
        condition = self.index.at(recording, experiment, window)
        return condition, self.index.spec(condition, model)

    def _l1(self, condition: Condition, spec: ModelSpec, split: int, l1: float | None) -> float:
        """The l1 that is meant, by default the one chosen on the validation part."""
        self.index.check(condition, split)
        if l1 is not None:
            return l1
        rows = self._reader.rows("scores", condition, model=spec.name, split=split)
        if not rows:
            raise condition.missing(f"the test of split {split}")
        return float(rows[0]["l1"])


#: Columns of the store that say where a result belongs.
_WHERE = ("planned_position", "job", "recording", "experiment", "window", "split", "model", "l1")


open = Results  # mc.study.open("study.db") reads as what it does
