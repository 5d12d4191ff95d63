"""Each bit of the words regressed on all others, with errors from blocks of time.

The conditional distribution of one bit of an Ising model given the others is a logistic
regression, bit n on bit m with coefficient 2 J_nm and constant b_n (docs/method.md, section 2).
Without an L1 penalty its estimate is not shrunk. Firth's penalty (1993), half the log determinant
of the information, removes the first-order bias and keeps estimates finite where a pair never
fires together; for two bits it adds half a count to each cell of their table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ..kernels.loops.node_regressions import node_block_scores, node_scores
from ..kernels.loops.threads import threads_for
from ..validation import Floats, chunks
from ..words import Words

#: Entries of the information matrices that are held at once.
_BATCH_ENTRIES = 1 << 22
#: Newton's steps end at this change of the coefficients (nats), or after so many steps.
_TOLERANCE, _MOST_STEPS = 1e-6, 100
#: Longest step of one coefficient, nats: from a poor start a full step overshoots.
_LONGEST_STEP = 3.0
#: After so many full steps the others are halved: Firth's term lags by one step, which would let
#: coefficients of pairs that never fire together swing to and fro.
_FULL_STEPS = 8


class NodeRegressions(NamedTuple):
    """Coefficients of all regressions; row n is the regression of bit n, its diagonal the bias.

    ``model_stderr`` (n, n) follows from the information; ``influence`` (n, n_blocks, n) is what
    each block of time adds to the coefficients, in single precision; ``converged`` (n,).
    """

    coefficients: Floats
    model_stderr: Floats
    influence: NDArray[np.float32]
    converged: NDArray[np.bool_]


class _Lists(NamedTuple):
    """Words as lists of active bits, and the distinct words of each block with their weights."""

    offsets: NDArray[np.int64]
    active: NDArray[np.int64]
    counts: Floats
    first: NDArray[np.int64]
    words: NDArray[np.int64]
    weights: Floats


def node_regressions(
    words: Words,
    usable: NDArray[np.bool_],
    start: Floats,
    block_of_bin: NDArray[np.int64],
    alike: float = 1.0,
) -> NodeRegressions:
    """Regress each of the ``usable`` (n,) bits on the others; rows and columns of the rest are NaN.

    Coefficients ``start`` (n, n) are those to start from, and ``block_of_bin`` (n_bins,) is the
    number of the block of each bin, not decreasing. ``alike`` words tell as much as one independent
    word: all counts are divided by it.
    """
    n = words.n_dims
    lists = _lists(words, usable, block_of_bin, alike)
    n_blocks = lists.first.size - 1
    coefficients, stderr = np.full((n, n), np.nan), np.full((n, n), np.nan)
    influence = np.zeros((n, n_blocks, n), dtype=np.float32)
    converged = np.zeros(n, dtype=bool)
    nodes = np.flatnonzero(usable)
    # Threads of BLAS would change the last digits.
    with threadpool_limits(limits=1, user_api="blas"):
        for part in chunks(nodes.size, n * n, _BATCH_ENTRIES):
            batch = nodes[part]
            found, inverses, residuals, done = _solve(lists, batch, start[batch] * usable, usable)
            sums = np.empty((batch.size, n_blocks, n))
            with threads_for(_operations(lists, batch.size)):
                node_block_scores(lists.offsets, lists.active, batch, residuals, *lists[3:], sums)
            influence[batch] = sums @ inverses
            coefficients[batch], converged[batch] = found, done
            stderr[batch] = np.sqrt(np.diagonal(inverses, axis1=1, axis2=2))
    for each in (coefficients, stderr):
        each[:, ~usable] = np.nan
    return NodeRegressions(coefficients, stderr, influence, converged)


def _lists(
    words: Words, usable: NDArray[np.bool_], block_of_bin: NDArray[np.int64], alike: float
) -> _Lists:
    bits = [np.zeros(0, dtype=np.int64)]
    n_active = np.zeros(len(words), dtype=np.int64)
    for part in chunks(len(words), words.n_dims):
        taking_part = words.X[part] * usable
        n_active[part] = taking_part.sum(axis=1)
        bits.append(np.nonzero(taking_part)[1])
    keys, place = np.unique(block_of_bin * len(words) + words.index, return_inverse=True)
    weights = np.bincount(place, weights=words.weights, minlength=keys.size).astype(np.float64)
    blocks, listed = np.divmod(keys, len(words))
    return _Lists(
        offsets=np.concatenate([[0], np.cumsum(n_active)]),
        active=np.concatenate(bits),
        counts=words.counts / alike,
        first=np.searchsorted(blocks, np.arange(block_of_bin[-1] + 2)),
        words=listed,
        weights=weights / alike,
    )


def _solve(
    lists: _Lists, nodes: NDArray[np.intp], start: Floats, usable: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Coefficients, inverse informations, residuals, and whether the steps came to an end."""
    n = start.shape[1]
    found, inverses = np.clip(start, -10.0, 10.0), np.zeros((nodes.size, n, n))
    scores, informations = np.empty((nodes.size, n)), np.empty((nodes.size, n, n))
    residuals = np.empty((nodes.size, lists.counts.size))
    left_out = np.diag(np.where(usable, 0.0, 1.0))
    moved = np.full(nodes.size, np.inf)
    for k in range(_MOST_STEPS):
        with threads_for(_operations(lists, nodes.size)):
            node_scores(*lists[:3], nodes, found, inverses, scores, informations, residuals)
        inverses = _inverses(informations, left_out)
        if moved.max() < _TOLERANCE:
            break
        steps = np.einsum("inm,im->in", inverses, scores)
        moved = np.abs(steps).max(axis=1)
        share = np.minimum(1.0, _LONGEST_STEP / np.maximum(moved, 1e-300))
        found += steps * (share if k < _FULL_STEPS else 0.5 * share)[:, None]
    return found, inverses, residuals, moved < _TOLERANCE


def _inverses(lower: Floats, left_out: Floats) -> Floats:
    """Inverses of information matrices of which the lower half is given."""
    n = lower.shape[1]
    full = np.tril(lower) + np.tril(lower, -1).transpose(0, 2, 1) + left_out
    # Bits that determine each other leave the information singular: a ridge too small to matter
    # elsewhere makes their errors huge instead.
    full += 1e-9 * np.eye(n) * np.trace(full, axis1=1, axis2=2)[:, None, None] / n
    return np.asarray(np.linalg.inv(full), dtype=np.float64)


def _operations(lists: _Lists, n_nodes: int) -> float:
    """Multiply-adds, roughly: an exponential counts as 20."""
    n_active = np.diff(lists.offsets) + 1.0
    return float(n_nodes * (n_active**2 + 40.0).sum())
