"""Penalised maximum likelihood of one model whose likelihood is concave."""

from __future__ import annotations

import numpy as np

from ..layout import Layout
from ..objectives import NegativeLogLikelihood
from ..objectives.data_moments import DataMoments
from ..parameters import Parameters
from ..partition.cost import EXACT_FIT, operations
from ..penalties import L1
from ..validation import Floats
from ..words import Words
from ._likelihood_paths import certified_fit
from ._minimise import FitResult
from ._newton import search_for
from ._stochastic import SampledProblem, first_state
from .resolution import resolution


def fit_convex(
    start: Parameters,
    words: Words,
    l1: float,
    *,
    prior: Floats,
    log_z: float | None = None,
    tol: float,
    max_iter: int,
    rng: np.random.Generator,
) -> FitResult:
    """Minimise minus the mean log likelihood plus an L1 penalty, from ``start``.

    By sums over all words where they are quick, else by words that the model draws. One more word
    is counted, of independent units with the rates ``prior`` (n_units,). ``log_z`` of ``start``,
    nats, is needed where its units are not independent. ``tol`` is the largest violation of the
    optimality conditions, where sums are exact.
    """
    layout, penalty = Layout.of(start), L1(l1)
    if operations(start) <= EXACT_FIT:
        objective = NegativeLogLikelihood(words, prior)
        exact = search_for(objective, penalty, layout, layout.pack(start))
        exact.run(tol, max_iter)
        return FitResult.of(exact, tol)
    problem = SampledProblem(DataMoments(words, prior), penalty, l1, layout, resolution(words))
    if log_z is None:
        log_z = float(np.logaddexp(0.0, start.b).sum())
    state, _ = first_state(rng, problem, layout.pack(start), log_z, 0.0)
    result, _ = certified_fit(rng, state, problem, max_iter)
    return result
