"""Exact sums: log Z and expectations, all in float64 (docs/method.md, section 5)."""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.special import expit
from tqdm import tqdm

from ..kernels import ExactSums, ModelArrays, exact_log_z, exact_moments
from ..parameters import Parameters
from .cost import MOMENTS_RATE, SUM_RATE, Side, pick_side, transposed, warn_if_long
from .result import LogPartition
from .term_sums import term_expectations, word_probabilities

#: A bar appears by itself for sums that take longer, seconds.
_PATIENCE = 3.0
_REMEDY = "estimate them from the words that gibbs_samples draws"


def exact_log_partition(
    theta: Parameters, side: Side = "auto", progress: bool | None = None
) -> LogPartition:
    """Sum over all states, to rounding error; arguments are as of :func:`log_partition`."""
    started = time.perf_counter()
    live, log_factor = theta.drop_dead_units()
    picked, n_operations = pick_side(live, side)
    warn_if_long(n_operations, SUM_RATE, "use method='ais'")
    if progress is None:
        progress = n_operations / SUM_RATE > _PATIENCE and sys.stderr.isatty()
    value = _log_z(live, picked, progress)
    return LogPartition(
        value=value + log_factor,
        stderr=0.0,
        method="exact",
        side=picked,
        n_operations=n_operations,
        seconds=time.perf_counter() - started,
        converged=True,
    )


def _log_z(live: Parameters, side: Side, progress: bool) -> float:
    if side == "hidden" and live.W is None:  # one hidden state: the units are independent
        return float(np.logaddexp(0.0, live.b).sum())
    if live.term is not None:
        return word_probabilities(live)[1]
    summed = transposed(live) if side == "hidden" else live
    layout = "{l_bar}{bar}| [{elapsed}<{remaining}]"
    with tqdm(total=1.0, desc="exact sum", bar_format=layout, disable=not progress) as bar:
        return exact_log_z(summed.arrays, bar.update)


def exact_expectations(
    theta: Parameters, sums: ExactSums | None = None
) -> tuple[float, Parameters]:
    """Find log Z (nats) and its gradient, the expectations under the model, from one exact sum.

    Without couplings the sum runs over words or over states of the live hidden units, whichever are
    fewer; ``sums`` are kept between the evaluations of one fit, within ``one_blas_thread``.

    ``b`` of the gradient holds E[x_n], ``J`` E[x_n x_m] off the diagonal, ``W`` E[x_n sigmoid(z_i)]
    and ``c`` E[sigmoid(z_i)]; ``sum(gradient.J * dJ)`` is the change of log Z for a symmetric step
    dJ. ``v`` holds the probability of each number of active units.

    Examples
    --------
    >>> log_z, gradient = exact_expectations(Parameters(b=[0.0, 0.0], J=np.zeros((2, 2))))
    >>> gradient.b.round(12).tolist(), gradient.J.round(12).tolist()
    ([0.5, 0.5], [[0.0, 0.25], [0.25, 0.0]])
    """
    if theta.term is not None:
        pick_side(theta, "visible", _REMEDY)  # refuses what would take too long
        return term_expectations(theta)
    if theta.is_gaussian:
        pairwise, log_factor = theta.as_pairs()
        log_z, moments_of_pairs = exact_expectations(pairwise, sums)
        return log_z + log_factor, theta.pulled_back(moments_of_pairs, 1.0)
    # A potential that is zero still has a gradient.
    live, log_factor = (theta, 0.0) if theta.v is not None else theta.drop_dead_units()
    # Only words give E[x_n x_m], unless the units are independent.
    needs_words = theta.v is not None or (theta.J is not None and live.W is not None)
    side, n_operations = pick_side(live, "visible" if needs_words else "auto", _REMEDY)
    warn_if_long(n_operations, MOMENTS_RATE, _REMEDY)
    if side == "visible":
        log_z, moments = exact_moments(live.arrays, sums)
    elif live.W is None:
        log_z, moments = _of_independent_units(live)
    else:  # with the roles exchanged E[x_n h_i] is the same
        log_z, other = exact_moments(transposed(live).arrays, sums)
        W, c = other.hidden
        moments = ModelArrays(c, None, W.T, other.b)
    if theta.c is not None and theta.n_hidden > live.n_hidden:
        moments = moments.with_dead_units(theta.c, theta.live)
    return log_z + log_factor, Parameters.trusted(*moments)


def _of_independent_units(theta: Parameters) -> tuple[float, ModelArrays]:
    rates, pairs = expit(theta.b), None
    if theta.J is not None:
        pairs = np.outer(rates, rates)
        np.fill_diagonal(pairs, 0.0)
    return float(np.logaddexp(0.0, theta.b).sum()), ModelArrays(rates, pairs)
