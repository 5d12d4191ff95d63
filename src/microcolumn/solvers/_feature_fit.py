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
from ..partition._term_annealing import annealed_log_partition
from ..penalties import L1
from ..validation import Floats
from ..words import Words
from ._certificate import Certificate
from ._feature_certificate import feature_certificate
from ._feature_sampling import FeatureSearch
from ._quasi_newton import Search

#: Words of the data from which chains start.
_STARTS = 4096


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
    start: FeatureFit | None = None,
    tol: float,
    max_iter: int,
    rng: np.random.Generator,
) -> FeatureFit:
    """Minimise minus the mean log likelihood plus l1 * sum |lambda_j|.

    Up to ``MOST_EXACT`` units by sums over all words, beyond by words that the model draws.

    Parameters
    ----------
    features : Features
        Of the model.
    words : Words
        The data.
    rates : ndarray, shape (n_units,)
        Rates of the prior word (:meth:`Features.data_means`), neither 0 nor 1.
    l1 : float
        Strength of the penalty; biases are free.
    start : FeatureFit, optional
        With the same features, to begin at; by default independent units.
    tol, max_iter
        Largest violation of the optimality conditions, where sums are exact, and most steps.
    rng : numpy.random.Generator
        Source of draws, where they are not.
    """
    means, layout = features.data_means(words, rates), FeatureLayout(features)
    x = np.zeros(features.size)
    x[: features.n_units] = logit(means[: features.n_units])
    log_z = -float(np.log1p(-means[: features.n_units]).sum())
    if start is not None and start.log_z.converged:
        x, log_z = start.x, start.log_z.value
    if is_summable(features.n_units):
        objective = ExactFeatureLikelihood(features, means)
        exact = Search(objective, L1(l1), layout, x)
        exact.run(tol, max_iter)
        certificate = Certificate(exact.optimality <= tol, exact.optimality)
        whole = summed(features, exact.x)
        return FeatureFit(exact.x, exact.value, exact.n_iter, certificate, whole)
    shares = words.counts / words.counts.sum()
    data = words.X[rng.choice(len(words), size=_STARTS, p=shares)]
    sampled = FeatureSearch(features, means, l1, layout, x, log_z, data, rng)
    sampled.run(max_iter)
    judged = feature_certificate(
        features,
        sampled.x,
        means,
        l1,
        layout,
        data,
        logit(rates),
        rng,
        sampled.n_rounds,
        sampled.n_sites,
    )
    annealed = annealed_log_partition(features.terms(sampled.x), rates, data, rng)
    penalty = l1 * float(np.abs(sampled.x[features.n_units :]).sum())
    value = annealed.value - float(sampled.x @ means) + penalty
    return FeatureFit(sampled.x, value, sampled.n_iter, judged, annealed)


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
