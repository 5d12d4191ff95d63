"""Results of a study, read from its store; whatever is finished can be looked at."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from ..models import PopulationModel, from_bytes
from ..recording import Recording
from ..words import Words
from ._comparisons import SplitScore, StudyComparison, compare_splits, model_result
from ._compute import parts
from ._dependencies import log_partition_of
from ._index import Catalogue, NotComputedError, Place
from ._jobs import Variant
from ._plan import Plan
from ._rows import Row, decoded, split_score
from ._sources import fingerprint, words_of
from ._store import Store
from ._summaries import LayersResult, PredictionResult, WindowResult, predictions_of

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
        self.catalogue = Catalogue(self.plan, self.recordings)
        self._kept: dict[str, Recording] = {}

    def comparison(
        self, recording: str, *, experiment: str | None = None, window: int | None = None
    ) -> StudyComparison:
        """All models on the untouched test parts, side by side."""
        place = self.catalogue.at(recording, experiment, window)
        with Store.open(self.file) as store:
            scores, differences = self._tests(store, place)
        n_units = self.catalogue.n_units(recording, place.experiment)
        ratio = place.experiment.test_to_train
        models, pairs = compare_splits(scores, differences, n_units, ratio)
        if not models:
            raise place.missing("a test")
        return StudyComparison(
            recording=recording,
            experiment=place.experiment.name,
            window=place.window,
            n_units=n_units,
            models=models,
            pairs=pairs,
            n_splits=max(model.n_splits for model in models),
            n_planned=place.experiment.n_splits,
        )

    def by_window(self, recording: str, *, experiment: str = "spatiotemporal") -> WindowResult:
        """Scores per neuron against the length of the window (METHOD section 7)."""
        settings = self.catalogue.experiment(recording, experiment)
        n_units = self.catalogue.n_units(recording, settings)
        found: dict[str, list[Any]] = {}
        with Store.open(self.file) as store:
            for window in settings.windows:
                scores, _ = self._tests(store, Place(recording, settings, window))
                for name, variant in self.catalogue.families(settings, n_units * window).items():
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
        place, chosen = self._model_at(recording, variant, experiment, window)
        cells, calibrations = [], []
        with Store.open(self.file) as store:
            for digest in self.catalogue.splits("predict", place, chosen).values():
                rows = store.rows("predictions", job=digest)
                groups = store.rows("calibrations", job=digest)
                calibrations += [decoded(row, *_GROUPS) for row in groups]
                cells += [rows] if rows else []
        if not cells:
            raise place.missing(f"a prediction by {chosen.name}")
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
        place, chosen = self._model_at(recording, variant, experiment, window)
        found = self._structures(place, chosen)
        known = {split: row["layers"] for split, row in found.items() if row["layers"]}
        if not known:
            return None
        with Store.open(self.file) as store:
            scores, _ = self._tests(store, place)
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
        place, chosen = self._model_at(recording, variant, experiment, window)
        found = self._structures(place, chosen)
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
        place, chosen = self._model_at(recording, variant, experiment, window)
        found: dict[float, Row] = {}
        with Store.open(self.file) as store:
            for penalty in place.experiment.penalties:
                digest = self.catalogue.digest("normalise", place, split, chosen, penalty)
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
        place, chosen = self._model_at(recording, variant, experiment, window)
        with Store.open(self.file) as store:
            if penalty is None:
                digest = self.catalogue.digest("test", place, split)
                rows = store.rows("scores", job=digest, variant=chosen.name)
                if not rows:
                    raise place.missing(f"the test of split {split}")
                penalty = rows[0]["penalty"]
            return self._model(store, place, chosen, split, penalty)

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
        place, chosen = self._model_at(recording, variant, experiment, window)
        penalties = place.experiment.penalties
        with Store.open(self.file) as store:
            return [self._model(store, place, chosen, split, penalty) for penalty in penalties]

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
        place = self.catalogue.at(recording, experiment, window)
        self.catalogue.digest("test", place, split)  # the plan has such a split
        words = words_of(self.recording(recording), place.experiment)
        train, validation, test = parts(words, place.experiment, place.window, split)
        return train, validation, test

    def recording(self, name: str) -> Recording:
        """A recording, read from its source; small ones, and the last, are kept in memory."""
        self.catalogue.experiment(name)  # the plan has it, and it was read before
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

    def begun(self) -> list[Place]:
        """Where at least one split is tested, in the plan's order."""
        with Store.open(self.file) as store:
            done = store.finished("test")
        return [
            place
            for place in self.catalogue.places()
            if done & set(self.catalogue.splits("test", place).values())
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
        planned = set(self.catalogue.digests.values())
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
    ) -> tuple[Place, Variant]:
        place = self.catalogue.at(recording, experiment, window)
        return place, self.catalogue.variant(place, variant)

    def _tests(self, store: Store, place: Place) -> tuple[dict[str, list[SplitScore]], Differences]:
        """Scores by model, and differences by pair and split, of the splits tested so far."""
        scores: dict[str, list[SplitScore]] = {}
        differences: Differences = {}
        variants = {variant.name: variant for variant in self.catalogue.variants(place)}
        for split, digest in self.catalogue.splits("test", place).items():
            for row in store.rows("scores", job=digest):
                fit = variants.get(row["variant"])  # firing rates have none
                solved = fit is None or self._is_solved(store, place, split, fit, row["penalty"])
                score = split_score(split, row, solved)
                scores.setdefault(row["variant"], []).append(score)
            for row in store.rows("differences", job=digest):
                by_split = differences.setdefault((row["first"], row["second"]), {})
                by_split[split] = row["bits_per_second"], row["block_stderr"]
        return scores, differences

    def _is_solved(
        self, store: Store, place: Place, split: int, variant: Variant, penalty: float
    ) -> bool:
        """Whether the certificate of a fit is within its tolerance."""
        digest = self.catalogue.digest("fit", place, split, variant)
        rows = store.rows("fits", columns=("converged",), job=digest, penalty=penalty)
        return all(row["converged"] for row in rows)

    def _structures(self, place: Place, variant: Variant) -> dict[int, Row]:
        found: dict[int, Row] = {}
        with Store.open(self.file) as store:
            for split, digest in self.catalogue.splits("structure", place, variant).items():
                for row in store.rows("structures", job=digest):
                    found[split] = decoded(row, "layers", "interactions")
        if not found:
            raise place.missing(f"the structure of {variant.name}")
        return found

    def _model(
        self, store: Store, place: Place, variant: Variant, split: int, penalty: float
    ) -> PopulationModel:
        digest = self.catalogue.digest("normalise", place, split, variant, penalty)
        normalisers = store.rows("normalisers", job=digest)
        digest = self.catalogue.digest("fit", place, split, variant)
        fits = store.rows("fits", job=digest, penalty=penalty)
        if not fits:
            raise place.missing(f"{variant.name} of split {split}")
        model = from_bytes(fits[0]["model"])
        # Without a stored log Z the model finds it when asked.
        return model.with_log_partition(log_partition_of(normalisers[0])) if normalisers else model


open = Results  # mc.study.open("study.db") reads as what it does
