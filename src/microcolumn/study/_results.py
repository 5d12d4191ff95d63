"""Results of a study, read from its store; whatever is finished can be looked at."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from typing import Any, Unpack

from .. import evaluate
from ..evaluate.splits import model_score
from ..evaluate.summaries import predictions_of
from ..formatting import counted, enumeration, html_table
from ..models import ModelSpec
from ..models.spec import INDEPENDENT
from ..notebook import card, facts
from ..partition.convergence import Convergence
from ..safe_text import shortened
from ..timeline import default_blocks
from ..wording import worded
from ._describe import DATA, AnnealingResult, PatternsResult
from ._stored import WHERE, StoredStudy
from .codec import from_blob, renamed_row, row_of, typed
from .index import Condition, NotComputedError, Row, Where, log_partition_of
from .unit_table import unit_rows

_ADEQUACY = "the adequacy of split 0"
#: Most rows of a table that a notebook shows, and most failures.
_MOST_ROWS, _MOST_FAILURES = 100, 3


class Results(StoredStudy):
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
        simulated, notes, survey, planted groups.
    index : PlanIndex
        Conditions and models of the plan.

    Examples
    --------
    >>> mc.study.open("study.db").comparison("cells").best.name
    'RBM 5'
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        super().__init__(file)
        self._predictions = cache(self._read_predictions)
        self._layers = cache(self._read_layers)
        self._intervals = cache(self._read_intervals)

    def __repr__(self) -> str:
        names = enumeration([self.label(source.name) for source in self.plan.sources])
        jobs = self.provenance()
        done = f"{jobs['n_done']:,} of {jobs['n_planned']:,} jobs done"
        return f"Results({self.file}: {shortened(names)}; {done})"

    def _repr_html_(self) -> str:
        jobs = self.provenance()
        failed = [f"{each['job']}: {each['error']}" for each in jobs["failures"]]
        about = {
            "recordings": counted(len(self.plan.sources), "recording"),
            "jobs": f"{jobs['n_done']:,} of {jobs['n_planned']:,} done",
            "failed": "; ".join(failed[:_MOST_FAILURES]) + " ..." * (len(failed) > _MOST_FAILURES),
        }
        for each in self.plan.experiments:
            about[each.name] = worded("study", "experiment", experiment=each)
        rows = [self._overview(at) for at in self.index.conditions()]
        cells = [list(row.values()) for row in rows[:_MOST_ROWS]]
        left = ("recording", "experiment", "best model")
        table = html_table(list(rows[0]), cells, left=left) if rows else ""
        more = f"<p>and {len(rows) - _MOST_ROWS:,} more</p>" * (len(rows) > _MOST_ROWS)
        return card(f"Study {self.file.name}", facts(about), table, more)

    def _overview(self, at: Condition) -> dict[str, str]:
        """Row of a condition in what a notebook shows."""
        tested = self._comparisons.get(at)
        best = tested.best if tested is not None and tested.models else None
        return {
            "recording": self.label(at.recording),
            "experiment": at.experiment.name,
            "units": str(self.index.n_units(at.recording, at.experiment)),
            "bins per word": str(at.window),
            "splits tested": f"{tested.n_splits if tested else 0} of {at.experiment.n_splits}",
            "best model": "-" if best is None else best.name,
            "bits/s over independent units": "-" if best is None else f"{best.bits_per_second:.2f}",
        }

    def comparison(self, recording: str, **where: Unpack[Where]) -> evaluate.Comparison:
        """All models on the untouched test parts, side by side."""
        condition = self.index.at(recording, **where)
        comparison = self._comparisons.get(condition)
        if comparison is None:
            raise condition.missing("a test")
        return comparison

    def by_window(
        self, recording: str, *, experiment: str = "spatiotemporal"
    ) -> evaluate.WindowResult:
        """Scores per unit against the length of the window (docs/method.md, section 7)."""
        settings = self.index.experiment(recording, experiment)
        n_units = self.index.n_units(recording, settings)
        by_model: dict[str, list[evaluate.ModelScore | None]] = {}
        for window in settings.windows:
            condition = Condition(recording, settings, window)
            scores = self._scores(condition)
            for name, spec in self.index.families(condition).items():
                result = model_score(spec, scores.get(spec, []), n_units, settings.train)
                by_model.setdefault(name, []).append(result)
        return evaluate.WindowResult(
            recording=recording,
            experiment=settings.name,
            windows=settings.windows,
            models={name: tuple(results) for name, results in by_model.items()},
            train_share=settings.train,
        )

    def scores(self) -> Any:
        """One row per recording, experiment, window, split and model, with all that was tested.

        Returns
        -------
        pandas.DataFrame, or list of dict where pandas is not installed
            ``name`` is the model's full name, of which ``model``, ``n_hidden`` and ``objective``
            are the parts; the other columns are those of
            :class:`~microcolumn.evaluate.SplitScore`, except for what stretches of time add.
        """
        rows = []
        for condition in self.index.conditions():
            for row in self._rows("scores", condition):
                spec = ModelSpec.of(row["model"])
                named = condition.names | {"split": row["split"], "name": spec.name} | row_of(spec)
                left_out = {*WHERE, "gain_by_cell", "share_by_cell", "gain_by_active"} - {"l1"}
                own = {key: row[key] for key in row if key not in left_out}
                rows.append(named | renamed_row(own))
        return _frame(rows)

    def unit_table(self, recording: str, **where: Unpack[Where]) -> Any:
        """One row per recorded unit: its assemblies, its partners, and how well it is predicted.

        Each of these comes from the best model that has it, named in the columns ``..._model``,
        which are empty where nothing is computed. Numbers that are not known are NaN.

        Returns
        -------
        pandas.DataFrame, or list of dict where pandas is not installed
            ``unit``, ``layer``, ``depth_um`` with its ``depth_reference``, ``rate_hz`` (spikes/s).
            ``assemblies``: hidden units of split 0 (``"h3"``: column 3 of W) that are assemblies
            and that it is in, its largest weight first. ``partners``: up to three units with the
            strongest couplings, ``partners_nats`` the couplings J and ``partners_stderr`` their
            errors; those that differ from 0 at a false discovery rate of 5 %, or all that the
            penalty left, without errors, where no intervals are stored.
            ``gain_bits_per_second`` over its firing rate, given all other units, mean over splits,
            with ``gain_stderr``, which allows for what splits share, and ``gain_q_value``, the
            false discovery rate at which it would just count as other than 0; that takes three
            splits.
        """
        return _frame(unit_rows(self, self.index.at(recording, **where)))

    def blocks_dealt(self, condition: Condition) -> int | None:
        """Blocks of time dealt to training and test parts; None where single words were."""
        if condition.experiment.split_by == "words":
            return None
        scores = self._scores(condition).values()
        tested = max((score.n_words for each in scores for score in each), default=0)
        return default_blocks(round(tested / (1.0 - condition.experiment.train)), condition.window)

    def predictions(
        self, recording: str, model: str | ModelSpec, **where: Unpack[Where]
    ) -> dict[str, evaluate.PredictionResult]:
        """Predictions of single units, by what is given: ``"rest"`` and, of windows, ``"past"``."""
        return dict(self._predictions(*self._model_at(recording, model, where)))

    def _read_predictions(
        self, condition: Condition, spec: ModelSpec
    ) -> dict[str, evaluate.PredictionResult]:
        rows = self._needed(f"a prediction by {spec.name}", "predictions", condition, spec)
        by_split: dict[int, list[Row]] = {}
        for row in rows:
            by_split.setdefault(row["split"], []).append(row)
        calibrations = self._rows("calibrations", condition, model=spec.name)
        return predictions_of(spec, list(by_split.values()), calibrations)

    def layers(
        self,
        recording: str,
        model: str | ModelSpec,
        *,
        group_by: str | None = None,
        **where: Unpack[Where],
    ) -> evaluate.LayersResult | None:
        """Layer statistics of each split; None where the units are not in several layers.

        Of units that are grouped by other labels, such as ``group_by="cell_type"``, by default the
        first of them.
        """
        return self._layers(*self._model_at(recording, model, where), group_by)

    def _read_layers(
        self, condition: Condition, spec: ModelSpec, group_by: str | None
    ) -> evaluate.LayersResult | None:
        tested = {
            split: [row["layers"]] if isinstance(row["layers"], dict) else row["layers"] or []
            for split, row in self._structures(condition, spec).items()
        }
        first = next((rows[0].get("group_by") for rows in tested.values() if rows), None)
        name = group_by or first or "layer"
        known = {
            split: statistics
            for split, rows in tested.items()
            for statistics in (typed(evaluate.LayerStatistics, row) for row in rows)
            if statistics.group_by == name
        }
        if not known:
            return None
        scores = self._scores(condition).get(spec, [])
        live = {score.split: score.n_live_hidden for score in scores}
        return evaluate.LayersResult(
            model=spec,
            splits=tuple(known),
            statistics=tuple(known.values()),
            n_live_hidden=tuple(live.get(s, len(each.hidden)) for s, each in known.items()),
        )

    def interactions(
        self, recording: str, model: str | ModelSpec, **where: Unpack[Where]
    ) -> dict[int, Row]:
        """Effective interactions by split: how strong pairs and triplets are, and the strongest.

        ``rms_nats`` has a number for each order; see
        :func:`microcolumn.evaluate.effective_interactions`.
        """
        condition, spec = self._model_at(recording, model, where)
        structures = self._structures(condition, spec)
        return {split: row["interactions"] for split, row in structures.items()}

    def assemblies(
        self, recording: str, model: str | ModelSpec, **where: Unpack[Where]
    ) -> evaluate.Assemblies:
        """Hidden units of split 0, and in which other splits they recur.

        See :func:`microcolumn.evaluate.assemblies`. It is empty for a model without hidden units.
        """
        condition, spec = self._model_at(recording, model, where)
        if not spec.has_groups:
            return evaluate.Assemblies((), condition.experiment.n_splits, exact=True)
        rows = self._needed(f"the assemblies of {spec.name}", "assemblies", condition, spec)
        return typed(evaluate.Assemblies, rows[0]["found"])

    def best_with_hidden(self, recording: str, **where: Unpack[Where]) -> ModelSpec:
        """The best ranked model that has live hidden units in split 0."""
        for each in self.comparison(recording, **where).models:
            if each.spec.has_groups and len(self.assemblies(recording, each.spec, **where)):
                return each.spec
        raise NotComputedError("no hidden unit of split 0 is live")

    def planted(self, recording: str, **where: Unpack[Where]) -> tuple[evaluate.PlantedGroup, ...]:
        """Groups that a recording was simulated with, and hidden units of the best model for them.

        See :meth:`best_with_hidden` and :func:`microcolumn.evaluate.match_groups`. Empty where no
        groups are known of the units that are modelled.
        """
        ids = self.units(recording, experiment=where.get("experiment")).ids
        known = self.recordings[recording]["planted_groups"] or {}
        modelled = {name: [unit for unit in ids if unit in each] for name, each in known.items()}
        groups = {name: units for name, units in modelled.items() if len(units) > 1}
        best = self.best_with_hidden(recording, **where)
        return evaluate.match_groups(groups, self.assemblies(recording, best, **where))

    def intervals(
        self, recording: str, model: str | ModelSpec, **where: Unpack[Where]
    ) -> evaluate.Intervals | None:
        """Intervals for couplings and biases in split 0; None for models other than Ising.

        See :func:`microcolumn.evaluate.intervals`; ``to_rows`` of it is a table for a file.
        """
        return self._intervals(*self._model_at(recording, model, where))

    def _read_intervals(self, condition: Condition, spec: ModelSpec) -> evaluate.Intervals | None:
        row = self._structures(condition, spec).get(0)
        if row is None:
            raise condition.missing(f"the structure of {spec.name} in split 0")
        return from_blob(evaluate.Intervals, row["intervals"]) if row["intervals"] else None

    def patterns(self, recording: str, **where: Unpack[Where]) -> PatternsResult:
        """Probabilities of test words and synchrony, of the data and of all models, in split 0."""
        condition = self.index.at(recording, **where)
        stored = self._query("patterns", **condition.names)
        rows = condition.needed("the patterns of split 0", stored)
        order = [DATA, INDEPENDENT, *(spec.name for spec in self.index.specs(condition))]
        rows.sort(key=lambda row: order.index(row["model"]))
        X = self.words(split=0, **condition.names)[2].X
        l1, statistics, synchrony = {}, {}, {}
        for row in rows:
            name = row["model"]
            synchrony[name] = from_blob(evaluate.Synchrony, row["synchrony"])
            if row["statistics"] is not None:
                without_words = from_blob(evaluate.PatternStatistics, row["statistics"])
                statistics[name] = replace(without_words, X=X)
            if name not in (DATA, INDEPENDENT):
                l1[name] = row["l1"]
        return PatternsResult(split=0, l1=l1, statistics=statistics, synchrony=synchrony)

    def adequacy(self, recording: str, **where: Unpack[Where]) -> dict[str, evaluate.Adequacy]:
        """How well each model describes the test words of split 0, by name of the model."""
        condition = self.index.at(recording, **where)
        rows = condition.needed(_ADEQUACY, self._rows("adequacies", condition))
        by_model = {
            r["model"]: typed(evaluate.Adequacy, r["adequacy"]) for r in rows if r["adequacy"]
        }
        order = [INDEPENDENT, *(spec.name for spec in self.index.specs(condition))]
        return {name: by_model[name] for name in order if name in by_model}

    def moments(self, recording: str, **where: Unpack[Where]) -> dict[str, dict[str, Any]]:
        """Moments of pairs and triplets, observed and of each model, by name of the model.

        See :class:`microcolumn.evaluate.Moments`; those of :meth:`adequacy`.
        """
        condition = self.index.at(recording, **where)
        rows = condition.needed(_ADEQUACY, self._rows("adequacies", condition))
        kind: Any = dict[str, evaluate.Moments]
        return {r["model"]: from_blob(kind, r["moments"]) for r in rows if r["moments"]}

    def explainable(self, recording: str, **where: Unpack[Where]) -> evaluate.Explainable:
        """What the best possible model would gain on the test words of split 0."""
        condition = self.index.at(recording, **where)
        rows = condition.needed(_ADEQUACY, self._rows("adequacies", condition, model=DATA))
        return typed(evaluate.Explainable, rows[0]["explainable"])

    def annealing(self, recording: str, **where: Unpack[Where]) -> AnnealingResult:
        """Annealing of the first Ising model, or of any where there is none, in split 0."""
        condition = self.index.at(recording, **where)
        rows = self._query("annealings", **condition.names)
        [row] = condition.needed("the annealing of split 0", rows)
        spec = ModelSpec.of(row["model"])
        normaliser = self._normaliser(condition, spec, 0, row["l1"])
        return AnnealingResult(
            model=spec,
            split=0,
            l1=row["l1"],
            log_z=log_partition_of(normaliser),
            convergence=from_blob(Convergence, row["convergence"]),
        )


def _frame(rows: list[Row]) -> Any:
    try:
        import pandas as pd
    except ImportError:
        return rows
    return pd.DataFrame(rows)


open = Results  # mc.study.open("study.db") reads as what it does
