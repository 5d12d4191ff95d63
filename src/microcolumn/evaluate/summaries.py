"""What a study finds in addition to scores: growth with the window, predictions of units, layers.

Each is made from rows of the store, one or more per split, and keeps the result of every split.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from ..formatting import enumeration
from ..models import ModelSpec
from ..tables import AsTable
from ._layer_results import LayerStatistics
from ._model_score import ModelScore
from .paired import Cells, PairedDifference, difference_of
from .significance import LEVEL, split_stderr

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WindowResult:
    """Scores per unit against the length of the window, by :class:`~microcolumn.study.Results`.

    Parameters
    ----------
    recording, experiment : str
        Their names.
    windows : tuple of int
        Bins per word, increasing.
    models : mapping of str to tuple of (ModelScore or None)
        By name, without the number of hidden units where that grows with the words; one result
        per length of the window, None where it is not computed.
    train_share : float
        Share of all words that a split trains on.
    """

    recording: str
    experiment: str
    windows: tuple[int, ...]
    models: Mapping[str, tuple[ModelScore | None, ...]]
    train_share: float

    def __repr__(self) -> str:
        bins = enumeration([f"{n}" for n in self.windows])
        return (
            f"WindowResult({self.recording}: {enumeration([*self.models])}; {bins} bins per word)"
        )

    @property
    def reference(self) -> str | None:
        """The first Ising model, which the others are measured against; None without either."""
        specs = {
            name: next((each.spec for each in found if each), None)
            for name, found in self.models.items()
        }
        ising = [name for name, spec in specs.items() if spec and spec.model == "Ising"]
        return ising[0] if ising and len(self.models) > 1 else None

    def gains(self) -> dict[str, list[PairedDifference | None]]:
        """Bits/s per unit of each other model minus the Ising model, for each window.

        Intervals and p-values allow for the number of models and windows. Empty without an Ising
        model.
        """
        n_tests = len(self._others) * len(self.windows)
        return {
            name: [
                self._judged(name, f"{self.reference}", self._gain(name, k), n_tests)
                for k in range(len(self.windows))
            ]
            for name in self._others
        }

    def growth(self) -> dict[str, PairedDifference | None]:
        """How much larger each model's gain over the Ising model is at the longest window.

        The gain at the longest window minus that at the shortest, bits/s per unit, in the splits
        that have both; intervals and p-values allow for the number of models. None where either is
        not computed.
        """
        differences: dict[str, PairedDifference | None] = {}
        for name in self._others:
            long, short = self._gain(name, -1), self._gain(name, 0)
            splits = sorted(long.keys() & short.keys())
            steps = {split: long[split].minus(short[split]) for split in splits}
            both = "longest words", "shortest words"
            differences[name] = self._judged(*both, steps, len(self._others))
        return differences

    @property
    def _others(self) -> list[str]:
        """Models beside the Ising model; none without it."""
        return [name for name in self.models if name != self.reference] if self.reference else []

    def _gain(self, name: str, k: int) -> dict[int, Cells]:
        """What is gained over the Ising model per unit, by split."""
        model, ising = (self.models[each][k] for each in (name, self.reference or ""))
        if model is None or ising is None or model.has_spurious_mode or ising.has_spurious_mode:
            return {}
        first, second = (
            {score.split: Cells.of([score]) for score in each.splits} for each in (model, ising)
        )
        return {
            split: first[split].minus(second[split]).times(1.0 / model.n_units)
            for split in sorted(first.keys() & second.keys())
        }

    def _judged(
        self, first: str, second: str, by_split: Mapping[int, Cells], n_tests: int
    ) -> PairedDifference | None:
        if not by_split:
            return None
        cells = Cells.concatenate([*by_split.values()])
        difference = difference_of((first, second), cells, self.train_share)
        # A single test is a planned one, too.
        return replace(difference, n_tests=n_tests)


@dataclass(frozen=True, slots=True)
class UnitPrediction:
    """How well the spikes of one unit are predicted, over splits.

    Parameters
    ----------
    unit, position : str and int
        Name, and place among the units of the words.
    rate_hz : float
        Training rate of bins with a spike, per second.
    gain_bits_per_second, stderr : float
        Conditional gain over the firing rate (docs/method.md, section 6), with its error.
    roc_area, roc_stderr : float
        Probability that a bin with a spike was given a higher probability than one without.
    brier_skill : float
        1 for a perfect prediction, 0 for one as good as the rate.
    """

    unit: str
    position: int
    rate_hz: float
    gain_bits_per_second: float
    stderr: float
    roc_area: float
    roc_stderr: float
    brier_skill: float


@dataclass(frozen=True, slots=True)
class PredictionResult(AsTable):
    """Predictions of all units by one model, given the rest of the window or its past.

    Parameters
    ----------
    model : ModelSpec
        Which model.
    given : str
        ``"rest"`` or ``"past"``.
    units : tuple of UnitPrediction
        By position.
    calibrations : tuple of mapping
        Of each split, in order: ``predicted``, ``observed``, ``lower``, ``upper``, ``n_bins`` by
        group, and ``error``; see :class:`~microcolumn.evaluate.Calibration`.
    n_splits : int
        Splits that the means are over.
    """

    _columns = "units"

    model: ModelSpec
    given: str
    units: tuple[UnitPrediction, ...]
    calibrations: tuple[Row, ...]
    n_splits: int

    @property
    def gain_per_unit(self) -> float:
        """Mean gain over units, bits/s."""
        return fmean(unit.gain_bits_per_second for unit in self.units)

    @property
    def roc_area(self) -> float:
        """Mean area over the units that have one: a unit without test spikes has none."""
        return _mean_known([unit.roc_area for unit in self.units])

    @property
    def calibration_error(self) -> float:
        """Mean difference of predicted and observed frequency, over splits."""
        return _mean_known([row["error"] for row in self.calibrations])


@dataclass(frozen=True, slots=True)
class LayersResult:
    """Whether hidden units and couplings of one model respect layers (docs/method.md, section 8).

    Parameters
    ----------
    model : ModelSpec
        Which model.
    splits : tuple of int
        Splits with layer statistics.
    statistics : tuple of LayerStatistics
        One per split.
    n_live_hidden : tuple of int
        Live hidden units of each split's model.
    """

    model: ModelSpec
    splits: tuple[int, ...]
    statistics: tuple[LayerStatistics, ...]
    n_live_hidden: tuple[int, ...]

    @property
    def overall_share(self) -> float:
        """Part of all weight in its hidden unit's dominant layer, mean over splits."""
        return _mean_known([each.overall_share for each in self.statistics])

    @property
    def overall_expected(self) -> float:
        """The same under permuted labels."""
        return _mean_known([each.overall_expected for each in self.statistics])

    @property
    def overall_p_values(self) -> tuple[float, ...]:
        """Of each split: whether hidden units stay inside layers. NaN without hidden units."""
        return tuple(each.overall_p_value for each in self.statistics)

    @property
    def n_significant(self) -> tuple[int, ...]:
        """Hidden units of each split that stay in a layer, false discovery rate 5 %."""
        return tuple(sum(row.p_fdr < LEVEL for row in each.hidden) for each in self.statistics)

    def contrast(self, which: str = "couplings") -> tuple[float, float, tuple[float, ...]] | None:
        """Couplings within and between layers, means over splits, and p-values by split.

        ``which`` is ``"couplings"`` for strengths, ``"signed_couplings"`` for couplings with their
        signs. None for a model without couplings.
        """
        contrasts = [row for each in self.statistics if (row := getattr(each, which)) is not None]
        if not contrasts:
            return None
        within = fmean(row.within for row in contrasts)
        between = fmean(row.between for row in contrasts)
        return within, between, tuple(row.p_value for row in contrasts)


def predictions_of(
    model: ModelSpec, by_split: Sequence[Sequence[Row]], calibrations: Sequence[Row]
) -> dict[str, PredictionResult]:
    """Predictions by what is given, from rows of ``predictions`` by split and ``calibrations``."""
    units: dict[tuple[str, int], list[Row]] = {}
    for rows in by_split:
        for row in rows:
            units.setdefault((row["given"], row["position"]), []).append(row)
    return {
        given: PredictionResult(
            model=model,
            given=given,
            units=tuple(_unit(rows) for (g, _), rows in sorted(units.items()) if g == given),
            calibrations=tuple(row for row in calibrations if row["given"] == given),
            n_splits=len(by_split),
        )
        for given in sorted({given for given, _ in units}, reverse=True)  # the rest, then the past
    }


def _unit(rows: Sequence[Row]) -> UnitPrediction:
    gains = [row["gain_bits_per_second"] for row in rows]
    areas = [row["roc_area"] for row in rows if not math.isnan(row["roc_area"])]
    brier, rate_brier = (fmean(row[key] for row in rows) for key in ("brier", "rate_brier"))
    return UnitPrediction(
        unit=str(rows[0]["unit"]),
        position=rows[0]["position"],
        rate_hz=fmean(row["rate_hz"] for row in rows),
        gain_bits_per_second=fmean(gains),
        stderr=split_stderr(gains),
        roc_area=_mean_known(areas),
        roc_stderr=split_stderr(areas),
        brier_skill=1.0 - brier / rate_brier if rate_brier else math.nan,
    )


def _mean_known(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None and not math.isnan(value)]
    return fmean(known) if known else math.nan
