"""How good predicted spikes are, and probabilities of words (docs/method.md, section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from scipy.stats import binom

from ..errors import BadInput
from ..formatting import counted
from ..models import WordModel
from ..parameters import Floats
from ..tables import AsTable
from ..validation import whole_number
from ..words import Words
from ._prediction import Prediction
from .inputs import words_for


@dataclass(frozen=True, slots=True, eq=False)
class Roc(AsTable):
    """Receiver operating characteristic of one unit's prediction, by :func:`roc`.

    Attributes
    ----------
    false_positive, true_positive : ndarray, shape (n_thresholds,)
        Share of the silent bins and of the bins with a spike that are predicted at or above each
        threshold, from (0, 0) to (1, 1); equal predictions are one step. Empty where undefined.
    threshold : ndarray, shape (n_thresholds,)
        Probabilities, decreasing from infinity, which nothing reaches.
    area : float
        Probability that a bin with a spike was predicted higher than a silent one, ties counting
        one half (Mann-Whitney). NaN for a unit that spikes in no bin or in all of them.
    unit, note : str
        The unit's name, and why the area is undefined, if it is.
    """

    _columns = ("false_positive", "true_positive", "threshold")

    false_positive: Floats
    true_positive: Floats
    threshold: Floats
    area: float
    unit: str
    note: str = ""

    def __repr__(self) -> str:
        return f"Roc(unit {self.unit}, {self.note or f'area {self.area:.3f}'})"


def roc(prediction: Prediction, unit: int | str) -> Roc:
    """Find how well the prediction tells bins with a spike of ``unit`` from silent ones.

    Parameters
    ----------
    prediction : Prediction
        From :func:`~microcolumn.evaluate.predict`.
    unit : int or str
        Position of the unit among the recorded ones, or its id.

    Examples
    --------
    >>> from microcolumn.evaluate._prediction import predict
    >>> from microcolumn.models import Ising
    >>> words = np.array([[0, 0], [1, 1], [0, 0], [1, 1], [0, 1], [0, 0]] * 50)
    >>> roc(predict(Ising(l1=1e-3).fit(words), words), 0)
    Roc(unit 0, area 0.875)
    """
    from sklearn.metrics import auc, roc_curve  # slow to import, and most need other scores

    column = prediction.column(unit)
    name = prediction.units.ids[column]
    # Equal predictions share a level.
    odds, level = np.unique(prediction.log_odds[:, column], return_inverse=True)
    counts, bits = _counts(prediction, prediction.weights), prediction.bits[:, column]
    spiking, silent = (np.bincount(level, counts * (bits == bit), odds.size) for bit in (1, 0))
    if not (spiking.any() and silent.any()):
        note = f"area undefined: it spikes in {'all' if spiking.any() else 'none'} of the bins"
        return Roc(np.empty(0), np.empty(0), np.empty(0), math.nan, name, note)
    false_positive, true_positive, threshold = roc_curve(
        np.repeat([1, 0], odds.size),
        np.tile(odds, 2),
        sample_weight=np.concatenate([spiking, silent]),
    )
    threshold[1:] = expit(threshold[1:])
    area = float(auc(false_positive, true_positive))
    return Roc(false_positive, true_positive, threshold, area, name)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration(AsTable):
    """Predicted probability against observed frequency, in groups of like predictions.

    Attributes
    ----------
    predicted, observed : ndarray, shape (n_groups,)
        Mean prediction, increasing, and share of bins with a spike, of each group.
    lower, upper : ndarray, shape (n_groups,)
        5 % and 95 % bounds of counting noise: where the share would lie if every bin of the group
        spiked on its own with the mean prediction.
    n_bins : ndarray of int64, shape (n_groups,)
        Bins in each group; when units are pooled, a bin counts once for each.
    error : float
        Calibration error: mean of ``|observed - predicted|`` over groups, by their weight.
    """

    _columns = ("predicted", "observed", "lower", "upper", "n_bins")

    predicted: Floats
    observed: Floats
    lower: Floats
    upper: Floats
    n_bins: NDArray[np.int64]
    error: float

    def __repr__(self) -> str:
        return f"Calibration({counted(self.n_bins.size, 'group')}, error {self.error:.2g})"


def calibration(
    prediction: Prediction, unit: int | str | None = None, n_groups: int = 10
) -> Calibration:
    """Compare how often spikes came with how often they were predicted.

    Parameters
    ----------
    prediction : Prediction
        From :func:`~microcolumn.evaluate.predict`.
    unit : int or str, optional
        Position of the unit among the recorded ones, or its id; all predicted units pooled by
        default.
    n_groups : int
        Groups of about equal size, by quantiles of the prediction. Equal predictions stay in one
        group, so that there may be fewer.

    Examples
    --------
    >>> from microcolumn.evaluate._prediction import predict
    >>> from microcolumn.models import Independent
    >>> words = [[0], [1], [0], [0]]
    >>> found = calibration(predict(Independent().fit(words), words), unit=0)
    >>> found.predicted.round(3).tolist(), found.observed.tolist(), found.n_bins.tolist()
    ([0.25], [0.25], [4])
    """
    n_groups = whole_number("n_groups", n_groups, least=1)
    columns = [*range(len(prediction.positions))] if unit is None else [prediction.column(unit)]
    log_odds = prediction.log_odds[:, columns].ravel()
    weights = prediction.weights
    squares = None if weights is None else weights**2
    counts, weight, square = (
        np.repeat(_counts(prediction, w), len(columns)) for w in (None, weights, squares)
    )
    group = _quantile_groups(log_odds, weight, n_groups)

    def total(values: Floats) -> Floats:
        return np.bincount(group, values).astype(np.float64)

    size = total(weight)
    predicted = total(weight * expit(log_odds)) / size
    observed = total(weight * prediction.bits[:, columns].ravel()) / size
    # Bins of equal weight that would have the same counting noise.
    effective = np.maximum(1, np.rint(size**2 / total(square))).astype(np.int64)
    lower, upper = counting_bounds(predicted, effective)
    return Calibration(
        predicted=predicted,
        observed=observed,
        lower=lower,
        upper=upper,
        n_bins=total(counts).astype(np.int64),
        error=float(np.average(np.abs(observed - predicted), weights=size)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class PredictionGain(AsTable):
    """How much better than the firing rate each unit is predicted, by :func:`prediction_gain`.

    Attributes
    ----------
    unit : tuple of str, length n_chosen
        Ids of the units.
    bits_per_second : ndarray, shape (n_chosen,)
        Log loss at the training rate minus that of the prediction: the conditional gain.
    brier, rate_brier : ndarray, shape (n_chosen,)
        Mean squared difference of prediction and spike, and the same at the training rate.
    """

    _columns = ("unit", "bits_per_second", "brier", "rate_brier")

    unit: tuple[str, ...]
    bits_per_second: Floats
    brier: Floats
    rate_brier: Floats

    @property
    def brier_skill(self) -> Floats:
        """1 for a perfect prediction, 0 for one as good as the rate, shape (n_chosen,)."""
        return 1.0 - self.brier / self.rate_brier


def prediction_gain(prediction: Prediction) -> PredictionGain:
    """Score a prediction against the firing rates of the training words.

    Parameters
    ----------
    prediction : Prediction
        From :func:`~microcolumn.evaluate.predict`, of a trained model or with ``baseline``.

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=6, minutes=1).bin()
    >>> prediction_gain(mc.evaluate.predict(mc.Ising().fit(words), words)).bits_per_second.shape
    (6,)
    """
    if prediction.rate_log_odds is None:
        raise BadInput(
            "the model of this prediction was never fitted, so it knows no training rates",
            "pass baseline= to predict",
        )
    counts, bits = _counts(prediction, prediction.weights), prediction.bits.astype(np.float64)
    sign = 1.0 - 2.0 * bits
    gain = np.logaddexp(0.0, sign * prediction.rate_log_odds)
    gain -= np.logaddexp(0.0, sign * prediction.log_odds)
    n_bins = counts.sum()
    return PredictionGain(
        unit=prediction.units.ids,
        bits_per_second=counts @ gain / (n_bins * prediction.bin_width * math.log(2.0)),
        brier=counts @ (expit(prediction.log_odds) - bits) ** 2 / n_bins,
        rate_brier=counts @ (expit(prediction.rate_log_odds) - bits) ** 2 / n_bins,
    )


def _counts(prediction: Prediction, weights: Floats | None) -> Floats:
    """Summed weight of the bins in which each distinct word occurs, shape (n_distinct,)."""
    n_distinct = prediction.bits.shape[0]
    return np.bincount(prediction.index, weights, n_distinct).astype(np.float64)


def _quantile_groups(log_odds: Floats, weight: Floats, n_groups: int) -> NDArray[np.intp]:
    """Group of each prediction, by the quantile that the middle of its ties has; none is empty."""
    odds, level = np.unique(log_odds, return_inverse=True)
    size = np.bincount(level, weight, odds.size)
    upto = np.cumsum(size)
    middle = (upto - size / 2.0) / upto[-1]
    _, group = np.unique(np.floor(n_groups * middle), return_inverse=True)
    return np.asarray(group[level])


@dataclass(frozen=True, slots=True, eq=False)
class PatternStatistics(AsTable):
    """Each distinct observed word: how often it came, and how often the model expects it.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_distinct, n_units)
        The words.
    n_active : ndarray of int64, shape (n_distinct,)
        Active bits of each word.
    empirical, model : ndarray, shape (n_distinct,)
        Observed frequency and model probability, per word.
    lower, upper : ndarray, shape (n_distinct,)
        5 % and 95 % bounds of counting noise: where the frequency of a word with the model's
        probability would lie. Words are listed because they occurred, so those expected less than
        about once lie above their bounds by selection.
    n_words : int
        Words that the bounds are for.
    """

    _columns = ("n_active", "empirical", "model", "lower", "upper")

    X: NDArray[np.uint8]
    n_active: NDArray[np.int64]
    empirical: Floats
    model: Floats
    lower: Floats
    upper: Floats
    n_words: int

    def __repr__(self) -> str:
        return f"PatternStatistics({counted(len(self.X), 'distinct word')} of {self.n_words:,})"


def pattern_statistics(model: WordModel, words: Words | ArrayLike) -> PatternStatistics:
    """Compare observed and predicted probabilities of all observed words.

    Parameters
    ----------
    model : WordModel
        A fitted model.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words. Weighted words count as (sum of weights)² / (sum of squared weights) bins.

    Examples
    --------
    >>> from microcolumn.models import Independent
    >>> words = [[0, 0], [0, 1], [0, 0], [1, 0]]
    >>> patterns = pattern_statistics(Independent().fit(words), words)
    >>> patterns.n_active.tolist(), patterns.empirical.tolist()
    ([0, 1, 1], [0.5, 0.25, 0.25])
    >>> patterns.model.round(4).tolist()
    [0.5625, 0.1875, 0.1875]
    """
    held = words_for(model, words, None)
    probability = np.exp(model._score_distinct(held))
    n_words = held.n_bins
    if held.weights is not None:  # bins of equal weight with the same counting noise
        n_words = max(1, round(float(held.weights.sum() ** 2 / (held.weights**2).sum())))
    lower, upper = counting_bounds(probability, n_words)
    return PatternStatistics(
        X=held.X,
        n_active=held.X.sum(axis=1, dtype=np.int64),
        empirical=held.counts / held.counts.sum(),
        model=probability,
        lower=lower,
        upper=upper,
        n_words=n_words,
    )


def counting_bounds(
    probability: ArrayLike, n_words: int | NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """5 % and 95 % binomial quantiles of a frequency among ``n_words`` independent words.

    Parameters
    ----------
    probability : array_like
        Of the word; an estimate that rounding or sampling put above 1 counts as 1.
    n_words : int or array_like
        Number of words.

    Examples
    --------
    >>> lower, upper = counting_bounds([0.5, 1e-6], 100)
    >>> lower.tolist(), upper.tolist()
    ([0.42, 0.0], [0.58, 0.0])
    """
    p = np.minimum(np.asarray(probability, dtype=np.float64), 1.0)
    lower, upper = (np.asarray(binom.ppf(q, n_words, p)) for q in (0.05, 0.95))
    return lower / n_words, upper / n_words
