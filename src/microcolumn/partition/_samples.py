"""Independent samples from a model, exact where all its states can be summed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from ..parameters import Parameters
from ..validation import Bits, Floats, chunks
from ._cost import operations, pick_side, transposed
from ._enumeration import EnumerationPlan, KernelLimits, states
from ._inner_sums import InnerSums
from ._table_sums import draw_words

#: Few inner units: their conditional distribution is tabulated for every sample.
_SAMPLING = KernelLimits(
    inner=(4,), min_inner=4, max_outer=10, max_table=1 << 17, per_state=3.0, per_hidden=2.0
)
#: Words times inner states times hidden units handled at once.
_BATCH_ELEMENTS = 1 << 22


def can_sample_exactly(theta: Parameters) -> bool:
    """Whether ``exact_samples`` takes no more than seconds and tens of megabytes.

    That is the case up to 2^33 multiply-adds by ``operations``: words of 32 coupled units, of 27
    with 25 live hidden units, or of any number of units with about 25 live hidden units and no
    couplings.
    """
    return operations(theta) <= 2.0**33


def exact_samples(theta: Parameters, n: int, rng: np.random.Generator) -> Bits:
    """Draw independent words from the model's own distribution, without a Markov chain.

    Parameters
    ----------
    theta : Parameters
        The model. Without couplings and with few live hidden units, hidden states are drawn
        first and words given them.
    n : int
        Number of words.
    rng : numpy.random.Generator
        Source of randomness; the words do not depend on the number of threads.
    """
    live, _ = theta.only_live()
    if pick_side(live, "auto", "draw them by Gibbs sampling")[0] == "visible":
        return (_sample_states if live.tables is None else draw_words)(live, n, rng)
    if live.W is None:
        rates = np.broadcast_to(expit(live.b), (n, live.n_visible))
    else:
        hidden = exact_samples(transposed(live), n, rng)
        rates = expit(live.b + hidden @ live.W.T)
    return (rng.random(rates.shape) < rates).astype(np.uint8)


def _sample_states(theta: Parameters, n: int, rng: np.random.Generator) -> Bits:
    """Fixed, outer and inner units in turn, each group given those before it."""
    sums = InnerSums.of(theta, _SAMPLING)
    plan = sums.plan
    fixed = _draw_fixed(sums, n, rng)
    outer = _draw_outer(sums, fixed, rng)
    distinct, which = np.unique(fixed << plan.outer.size | outer, return_inverse=True)
    words = np.zeros((distinct.size, theta.n_visible + 1), dtype=np.uint8)  # last: free units
    words[:, plan.fixed] = states(plan.fixed.size, distinct >> plan.outer.size)
    words[:, plan.outer] = states(plan.outer.size, distinct)
    edges = _inner_edges(theta, plan, words)
    samples = words[which]
    samples[:, plan.inner] = _draw_inner(edges, which, rng)
    return rng.permutation(samples[:, :-1])


def _draw_fixed(sums: InnerSums, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """State of the fixed units in each sample, the number of its chunk, in order."""
    logs = []
    for numbers in sums.plan.batches(sums.batch_size):
        scales, totals = sums.in_chunks(numbers)
        logs.append(scales + np.log(totals.sum(axis=1)))
    log_weights = np.concatenate(logs)
    edges = np.cumsum(np.exp(log_weights - logsumexp(log_weights)))
    heights = np.sort(rng.random(n)) * edges[-1]
    drawn: NDArray[np.int64] = np.searchsorted(edges, heights, side="right")
    return drawn


def _draw_outer(
    sums: InnerSums, fixed: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Outer state of each sample given its fixed units, which are in order."""
    distinct, first = np.unique(fixed, return_index=True)
    bounds = np.append(first, fixed.size)
    outer = np.empty(fixed.size, dtype=np.int64)
    for start in range(0, distinct.size, sums.batch_size):
        _, totals = sums.in_chunks(distinct[start : start + sums.batch_size])
        for k, chunk_edges in enumerate(np.cumsum(totals, axis=1), start):
            members = slice(bounds[k], bounds[k + 1])
            heights = rng.random(bounds[k + 1] - bounds[k]) * chunk_edges[-1]
            outer[members] = np.searchsorted(chunk_edges, heights, side="right")
    return outer


def _inner_edges(theta: Parameters, plan: EnumerationPlan, words: Bits) -> Floats:
    """Cumulative weights, up to a factor, of the inner states given the other units of each word.

    Shape (n_words, n_inner_states).
    """
    units = plan.inner[plan.inner < theta.n_visible]
    Y = states(plan.inner.size)[:, plan.inner < theta.n_visible]
    edges, n_active = np.empty((words.shape[0], Y.shape[0])), Y.sum(axis=1).astype(np.intp)
    within = Y @ theta.b[units]
    if theta.J is not None:
        within += np.einsum("bn,nm,bm->b", Y, theta.J[np.ix_(units, units)], Y)
    for part in chunks(len(words), (theta.n_hidden + 1) * len(Y), _BATCH_ELEMENTS):
        X = words[part, :-1].astype(np.float64)  # inner units are still off
        log_weights = np.tile(within, (X.shape[0], 1))
        if theta.J is not None:
            log_weights += 2.0 * X @ theta.J[:, units] @ Y.T
        if theta.W is not None and theta.c is not None:
            inputs = (theta.c + X @ theta.W)[:, None, :] + Y @ theta.W[units]
            log_weights += np.logaddexp(0.0, inputs).sum(axis=2)
        if theta.v is not None:
            log_weights += theta.v[X.sum(axis=1).astype(np.intp)[:, None] + n_active]
        weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
        edges[part] = np.cumsum(weights, axis=1)
    return edges


def _draw_inner(edges: Floats, which: NDArray[np.intp], rng: np.random.Generator) -> Floats:
    """Inner state of each sample, whose cumulative weights are in row ``which`` of ``edges``."""
    numbers = np.empty(which.size, dtype=np.int64)
    for part in chunks(which.size, edges.shape[1], _BATCH_ELEMENTS):
        rows = edges[which[part]]
        heights = rng.random((len(rows), 1)) * rows[:, -1:]
        numbers[part] = (rows <= heights).sum(axis=1)
    return states(edges.shape[1].bit_length() - 1, numbers)
