"""Penalised maximum likelihood of models whose energy is linear in given features."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from ..layout import Layout
from ..objectives._feature_likelihood import ExactFeatureLikelihood, Features
from ..partition import LogPartition
from ..partition._local_terms import MOST_EXACT, ExactTerms
from ..penalties import L1
from ..validation import Floats
from ..words import Words
from ._certificate import Certificate
from ._quasi_newton import Search


class FeatureLayout(Layout):
    """Biases, which are free, then strengths of features, which a penalty holds like weights.

    Only the places in a vector are meant: there are no ``Parameters`` to pack.
    """

    def __init__(self, features: Features) -> None:
        n, m = features.n_units, len(features.inputs)
        unfixed = np.zeros(n, dtype=bool)
        super().__init__(np.zeros(n), 0, False, unfixed, np.zeros((0, 0), dtype=bool))
        object.__setattr__(self, "borders", (0, n, n + m, n + m))
        object.__setattr__(self, "entries", np.ones(n + m))


@dataclass(frozen=True, slots=True, eq=False)
class FeatureFit:
    """Parameters of a fit, biases first, with its certificate and log Z.

    ``objective`` is minus the mean log likelihood plus the penalty, nats per word.
    """

    x: Floats
    objective: float
    n_iter: int
    certificate: Certificate
    log_z: LogPartition


def fit_features(
    features: Features,
    words: Words,
    rates: Floats,
    l1: float,
    *,
    start: Floats | None = None,
    tol: float,
    max_iter: int,
) -> FeatureFit:
    """Minimise minus the mean log likelihood plus l1 * sum |lambda_j|.

    Parameters
    ----------
    features : Features
        Of at most ``MOST_EXACT`` units.
    words : Words
        The data.
    rates : ndarray, shape (n_units,)
        Rates of the prior word (:meth:`Features.data_means`), neither 0 nor 1.
    l1 : float
        Strength of the penalty; biases are free.
    start : ndarray, shape (features.size,), optional
        Where to begin; by default at independent units.
    tol, max_iter
        Largest violation of the optimality conditions, and most steps.
    """
    means = features.data_means(words, rates)
    if start is None:
        start = np.zeros(features.size)
        start[: features.n_units] = logit(means[: features.n_units])
    objective = ExactFeatureLikelihood(features, means)
    search = Search(objective, L1(l1), FeatureLayout(features), start)
    search.run(tol, max_iter)
    certificate = Certificate(search.optimality <= tol, search.optimality)
    log_z = summed(features, search.x)
    return FeatureFit(search.x, search.value, search.n_iter, certificate, log_z)


def summed(features: Features, x: Floats) -> LogPartition:
    """Log Z by the sum over all words."""
    started = time.perf_counter()
    sums = ExactTerms(features.n_units, features.inputs)
    value = sums.log_probabilities(features.terms(x))[1]
    n_operations = float(features.n_units + 20) * 2.0**features.n_units
    seconds = time.perf_counter() - started
    return LogPartition(value, 0.0, "exact", n_operations, seconds, True, side="visible")


def is_summable(n_units: int) -> bool:
    """Whether sums run over all words of so many units."""
    return n_units <= MOST_EXACT
