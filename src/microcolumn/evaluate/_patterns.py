"""Observed against predicted probability of every word (docs/method.md, section 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from ..formatting import counted
from ..models import WordModel
from ..parameters import Floats
from ..tables import AsTable
from ..words import Words
from .inputs import words_for


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


def counting_bounds(probability: ArrayLike, n_words: int) -> tuple[Floats, Floats]:
    """5 % and 95 % binomial quantiles of a frequency among ``n_words`` independent words.

    Parameters
    ----------
    probability : array_like
        Of the word; an estimate that rounding or sampling put above 1 counts as 1.
    n_words : int
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
