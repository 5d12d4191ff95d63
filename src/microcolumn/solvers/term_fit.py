"""Penalised maximum likelihood of a model with a further term, from one start."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..kernels import one_blas_thread
from ..layout import Layout
from ..objectives import NegativeLogLikelihood
from ..objectives.data_moments import DataMoments
from ..parameters import Parameters
from ..partition.cost import EXACT_FIT, operations
from ..penalties import L1
from ..validation import Floats
from ..words import Words
from ._likelihood_paths import certified_fit
from ._minimise import TAIL, FitResult
from ._newton import search_for
from ._stochastic import SampledProblem, first_state
from .resolution import resolution


def fit_term(
    start: Parameters,
    words: Words,
    l1: float,
    *,
    prior: Floats | None = None,
    fixed: NDArray[np.bool_] | None = None,
    log_z: float | None = None,
    tol: float,
    max_iter: int,
    rng: np.random.Generator,
) -> FitResult:
    """Minimise minus the mean log likelihood plus an L1 penalty, from ``start``.

    By sums over all words where they are quick, else by words that the model draws. One more word
    is counted, of independent units with the rates ``prior`` (n_units,). Units that are ``fixed``
    (n_units,) keep their biases. ``log_z`` of ``start``, nats, is needed where its units are not
    independent. ``tol`` is the largest violation of the optimality conditions, where sums are
    exact. A problem that is not convex also ends where next to nothing is left to be gained.
    """
    layout, penalty, enough = Layout.of(start, fixed), L1(l1), resolution(words)
    assert start.term is not None
    if operations(start) <= EXACT_FIT:
        # Valleys of problems that are not convex have no end that is worth reaching.
        gain = 0.0 if start.term.is_linear else enough
        with one_blas_thread():
            objective = NegativeLogLikelihood(words, prior)
            exact = search_for(objective, penalty, layout, layout.pack(start))
            exact.run(tol, max_iter, least_gain=TAIL * gain if gain else -math.inf)
        return FitResult.of(exact, tol, gain)
    problem = SampledProblem(DataMoments(words, prior), penalty, l1, layout, enough)
    if log_z is None:
        log_z = float(np.logaddexp(0.0, start.b).sum())
    with one_blas_thread():
        state, _ = first_state(rng, problem, layout.pack(start), log_z, 0.0)
        result, _ = certified_fit(rng, state, problem, max_iter)
    return result
