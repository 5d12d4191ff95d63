"""Results of a study, read from its store; whatever is finished can be looked at."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from ..evaluate._splits import SplitScore, StudyComparison, compare_splits, model_result
from ..evaluate._summaries import LayersResult, PredictionResult, WindowResult, predictions_of
from ..models import PopulationModel, from_bytes
from ..recording import Recording
from ..words import Words
from ._compute import split_words
from ._dependencies import log_partition_of
from ._index import Condition, NotComputedError, PlanIndex
from ._jobs import ModelSpec
from ._plan import Plan
from ._rows import Row, decoded, split_score
from ._sources import fingerprint, words_of
from ._store import Store

#: Columns of a calibration that have an entry per group.
_GROUPS = ("predicted", "observed", "lower", "upper", "n_bins")
#: Spikes of all recordings that are kept in memory; 80 MB.
_KEPT_SPIKES = 10_000_000

Differences = dict[tuple[str, str], dict[int, tuple[float, float]]]


class Results:
    """What a study found so far.

    All methods take the name of a recording and, by keyword, ``experiment`` (by default the
    recording's first) and ``window`` (bins per word; may be left out where there is one number of
    window). Models go by their full name, ``"RBM 25"``, or by their class where the experiment has
    one of it, ``"RBM"``.

    Parameters
    ----------
    file : path
        The study's store.
    plan : Plan, optional
        The plan that was run, where recordings are in memory alone; by default the stored one.

    Attributes
    ----------
    plan : Plan
        What is computed.
    study : dict of str to str
        By which version and by which command it was made.
    recordings : dict of str to dict
        What is known of each recording: fingerprint, units, spikes, duration, notes, survey.
    """

    def __init__(self, file: str | os.PathLike[str], plan: Plan | None = None) -> None:
        self.file = Path(file)
        with Store.open(self.file) as store:
            self.study = store.read_study()
            rows = {
                row["name"]: decoded(row, "units", "notes", "survey")
                for row in store.rows("recordings")
            }
        if plan is None and "plan" not in self.study:
            raise NotComputedError(f"{self.file} has no plan yet; run a study first")
        self.plan = Plan.from_dict(json.loads(self.study["plan"])) if plan is None else plan
        names = [source.name for source in self.plan.sources]
        self.recordings: dict[str, Row] = {name: rows[name] for name in names if name in rows}
        self.index = PlanIndex(self.plan, self.recordings)
        self._kept: dict[str, Recording] = {}

    def comparison(
        self, recording: str, *, experiment: str | None = None, window: int | None = None
    ) -> StudyComparison:
        """All models on the untouched test parts, side by side."""
        condition = self.index.at(recording, experiment, window)
        with Store.open(self.file) as store:
            scores, differences = self._tests(store, condition)
        n_units = self.index.n_units(recording, condition.experiment)
        ratio = condition.experiment.test_to_train
        models, pairs = compare_splits(scores, differences, n_units, ratio)
        if not models:
            raise condition.missing("a test")
        return StudyComparison(
            recording=recording,
            experiment=condition.experiment.name,
            window=condition.window,
            n_units=n_units,
            models=models,
            pairs=pairs,
            n_splits=max(model.n_splits for model in models),
            n_planned=condition.experiment.n_splits,
        )

    def by_window(self, recording: str, *, experiment: str = "spatiotemporal") -> WindowResult:
        """Scores per neuron against the length of the window (METHOD section 7)."""
        settings = self.index.experiment(recording, experiment)
        n_units = self.index.n_units(recording, settings)
        found: dict[str, list[Any]] = {}
        with Store.open(self.file) as store:
            for window in settings.windows:
                scores, _ = self._tests(store, Condition(recording, settings, window))
                for name, variant in self.index.families(settings, n_units * window).items():
                    result = model_result(variant, scores.get(variant, []), n_units)
                    found.setdefault(name, []).append(result)
        return WindowResult(
            recording=recording,
            experiment=settings.name,
            windows=settings.windows,
            models={name: tuple(results) for name, results in found.items()},
            test_to_train=settings.test_to_train,
        )

    def predictions(
        self,
        recording: str,
        variant: str,
        *,
        experiment: str | None = None,
        window: int | None = None,
    ) -> dict[str, PredictionResult]:
        """Predictions of single cells, by what is given: ``"rest"`` and, of windows, ``"past"``."""
        condition, chosen = self._model_at(recording, variant, experiment, window)
        cells, calibrations = [], []
        with Store.open(self.file) as store:
            for digest in self.index.splits("predict", condition, chosen).values():
                rows = store.rows("predictions", job=digest)
                groups = store.rows("calibrations", job=digest)
                calibrations += [decoded(row, *_GROUPS) for row in groups]
                cells += [rows] if rows else []
        if not cells:
            raise condition.missing(f"a prediction by {chosen.name}")
        return predictions_of(chosen.name, cells, calibrations)

    def layers(
        self,
        recording: str,
        variant: str,
        *,
        experiment: str | None = None,
        window: int | None = None,
    ) -> LayersResult | None:
        """Layer statistics of each split; None where the units are not in several layers."""
        condition, chosen = self._model_at(recording, variant, experiment, window)
        found = self._structures(condition, chosen)
        known = {split: row["layers"] for split, row in found.items() if row["layers"]}
        if not known:
            return None
        with Store.open(self.file) as store:
            scores, _ = self._tests(store, condition)
        live = {score.split: score.n_live_hidden for score in scores.get(chosen.name, [])}
        return LayersResult(
            variant=chosen.name,
            splits=tuple(known),
            statistics=tuple(known.values()),
            n_live_hidden=tuple(live.get(s, len(each["hidden"])) for s, each in known.items()),
        )

    def interactions(
        self,
        recording: str,
        variant: str,
        *,
        experiment: str | None = None,
        window: int | None = None,
    ) -> dict[int, Row]:
        """Effective interactions by split: how strong pairs and triplets are, and the strongest.

        ``rms_nats``, ``explained`` and ``remainder_nats`` have a number for each order; see
        :func:`microcolumn.effective_interactions`.
        """
        condition, chosen = self._model_at(recording, variant, experiment, window)
        found = self._structures(condition, chosen)
        return {split: row["interactions"] for split, row in found.items()}

    def normalisers(
        self,
        recording: str,
        variant: str,
        *,
        split: int = 0,
        experiment: str | None = None,
        window: int | None = None,
    ) -> dict[float, Row]:
        """Normalisers and validation scores by penalty, with the traces of annealed ones."""
        condition, chosen = self._model_at(recording, variant, experiment, window)
        found: dict[float, Row] = {}
        with Store.open(self.file) as store:
            for penalty in condition.experiment.penalties:
                digest = self.index.digest("normalise", condition, split, chosen, penalty)
                for row in store.rows("normalisers", job=digest):
                    found[penalty] = decoded(row, "trace")
        return found

    def model(
        self,
        recording: str,
        variant: str,
        *,
        split: int = 0,
        penalty: float | None = None,
        experiment: str | None = None,
        window: int | None = None,
    ) -> PopulationModel:
        """A fitted model with its log Z, ready to score, predict and sample.

        Parameters
        ----------
        recording, variant : str
            Names of the recording and the model.
        split : int
            Whose training part it was fitted on.
        penalty : float, optional
            One of the plan's; by default the one chosen on the validation part.
        experiment, window : str and int, optional
            See :class:`Results`.

        Returns
        -------
        PopulationModel
        """
        condition, chosen = self._model_at(recording, variant, experiment, window)
        with Store.open(self.file) as store:
            if penalty is None:
                digest = self.index.digest("test", condition, split)
                rows = store.rows("scores", job=digest, variant=chosen.name)
                if not rows:
                    raise condition.missing(f"the test of split {split}")
                penalty = rows[0]["penalty"]
            return self._model(store, condition, chosen, split, penalty)

    def path(
        self,
        recording: str,
        variant: str,
        *,
        split: int = 0,
        experiment: str | None = None,
        window: int | None = None,
    ) -> list[PopulationModel]:
        """The models of one kind at every penalty of the plan, in its order."""
        condition, chosen = self._model_at(recording, variant, experiment, window)
        penalties = condition.experiment.penalties
        with Store.open(self.file) as store:
            return [self._model(store, condition, chosen, split, penalty) for penalty in penalties]

    def words(
        self,
        recording: str,
        *,
        split: int = 0,
        experiment: str | None = None,
        window: int | None = None,
    ) -> tuple[Words, Words, Words]:
        """Words that a split fits, chooses the penalty and tests with, read from the source.

        Returns
        -------
        train, validation, test : Words
        """
        condition = self.index.at(recording, experiment, window)
        self.index.digest("test", condition, split)  # the plan has such a split
        words = words_of(self.recording(recording), condition.experiment)
        train, validation, test = split_words(words, condition.experiment, condition.window, split)
        return train, validation, test

    def recording(self, name: str) -> Recording:
        """A recording, read from its source; small ones, and the last, are kept in memory."""
        self.index.experiment(name)  # the plan has it, and it was read before
        if name not in self._kept:
            [source] = [source for source in self.plan.sources if source.name == name]
            read = source.load()
            if fingerprint(read) != self.recordings[name]["fingerprint"]:
                raise ValueError(
                    f"recording {name!r} has changed since the study was run; "
                    "restore the file or run the study again"
                )
            kept = {name: read} | self._kept
            few = sum(each.n_spikes for each in kept.values()) <= _KEPT_SPIKES
            self._kept = kept if few else {name: read}
        return self._kept[name]

    def tested(self) -> list[Condition]:
        """Where at least one split is tested, in the plan's order."""
        with Store.open(self.file) as store:
            done = store.finished("test")
        return [
            condition
            for condition in self.index.conditions()
            if done & set(self.index.splits("test", condition).values())
        ]

    def provenance(self) -> dict[str, Any]:
        """How the results came about.

        Returns
        -------
        dict
            ``n_done`` and ``n_planned`` jobs, ``seconds`` that the finished ones took together and
            when the ``first`` and ``last`` was finished, ``environments`` (versions of software)
            and ``failures`` (what went wrong in which job), all of this plan's jobs alone; and by
            what the study was made.
        """
        planned = set(self.index.digests.values())
        with Store.open(self.file) as store:
            columns = ("digest", "seconds", "finished", "environment")
            jobs = [r for r in store.rows("jobs", columns=columns) if r["digest"] in planned]
            failures = [row for row in store.rows("failures") if row["digest"] in planned]
            environments = store.rows("environments")
        used = {row["environment"] for row in jobs}
        made = {key: value for key, value in self.study.items() if key != "plan"}
        return made | {
            "n_done": len(jobs),
            "n_planned": len(planned),
            "seconds": math.fsum(row["seconds"] for row in jobs),
            "first": min((row["finished"] for row in jobs), default=""),
            "last": max((row["finished"] for row in jobs), default=""),
            "environments": [
                json.loads(row["versions"]) for row in environments if row["id"] in used
            ],
            "failures": [{"job": row["job"], "error": row["error"]} for row in failures],
        }

    def _model_at(
        self, recording: str, variant: str, experiment: str | None, window: int | None
    ) -> tuple[Condition, ModelSpec]:
        condition = self.index.at(recording, experiment, window)
        return condition, self.index.variant(condition, variant)

    def _tests(
        self, store: Store, condition: Condition
    ) -> tuple[dict[str, list[SplitScore]], Differences]:
        """Scores by model, and differences by pair and split, of the splits tested so far."""
        scores: dict[str, list[SplitScore]] = {}
        differences: Differences = {}
        variants = {variant.name: variant for variant in self.index.variants(condition)}
        for split, digest in self.index.splits("test", condition).items():
            for row in store.rows("scores", job=digest):
                fit = variants.get(row["variant"])  # firing rates have none
                solved = fit is None or self._is_solved(
                    store, condition, split, fit, row["penalty"]
                )
                score = split_score(split, row, solved)
                scores.setdefault(row["variant"], []).append(score)
            for row in store.rows("differences", job=digest):
                by_split = differences.setdefault((row["first"], row["second"]), {})
                by_split[split] = row["bits_per_second"], row["block_stderr"]
        return scores, differences

    def _is_solved(
        self, store: Store, condition: Condition, split: int, variant: ModelSpec, penalty: float
    ) -> bool:
        """Whether the certificate of a fit is within its tolerance."""
        digest = self.index.digest("fit", condition, split, variant)
        rows = store.rows("fits", columns=("converged",), job=digest, penalty=penalty)
        return all(row["converged"] for row in rows)

    def _structures(self, condition: Condition, variant: ModelSpec) -> dict[int, Row]:
        found: dict[int, Row] = {}
        with Store.open(self.file) as store:
            for split, digest in self.index.splits("structure", condition, variant).items():
                for row in store.rows("structures", job=digest):
                    found[split] = decoded(row, "layers", "interactions")
        if not found:
            raise condition.missing(f"the structure of {variant.name}")
        return found

    def _model(
        self, store: Store, condition: Condition, variant: ModelSpec, split: int, penalty: float
    ) -> PopulationModel:
        digest = self.index.digest("normalise", condition, split, variant, penalty)
        normalisers = store.rows("normalisers", job=digest)
        digest = self.index.digest("fit", condition, split, variant)
        fits = store.rows("fits", job=digest, penalty=penalty)
        if not fits:
            raise condition.missing(f"{variant.name} of split {split}")
        model = from_bytes(fits[0]["model"])
        # Without a stored log Z the model finds it when asked.
        return model.with_log_partition(log_partition_of(normalisers[0])) if normalisers else model


open = Results  # mc.study.open("study.db") reads as what it does
