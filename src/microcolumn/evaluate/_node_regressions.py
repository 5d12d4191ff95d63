"""Each bit of the words regressed on all others, with errors from blocks of time.

The conditional distribution of one bit of an Ising model given the others is a logistic
regression, bit n on bit m with coefficient 2 J_nm and constant b_n (docs/method.md, section 2).
Without an L1 penalty its estimate is not shrunk. Firth's penalty (1993), half the log determinant
of the information, removes the first-order bias and keeps estimates finite where a pair never
fires together; for two bits it adds half a count to each cell of their table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from ..kernels.loops.node_regressions import node_block_scores, node_scores
from ..validation import Floats, chunks
from ..words import Words
from .bootstrap import block_table

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
    X: Any = csr_array(words.X * usable, dtype=np.float64)
    counts = words.counts / alike
    by_block = block_table(words.index, block_of_bin, len(words), words.weights)
    by_block.data /= alike
    coefficients, stderr = np.full((n, n), np.nan), np.full((n, n), np.nan)
    influence = np.zeros((n, by_block.shape[0], n), dtype=np.float32)
    converged = np.zeros(n, dtype=bool)
    nodes = np.flatnonzero(usable)
    # Threads of BLAS would change the last digits.
    with threadpool_limits(limits=1, user_api="blas"):
        for part in chunks(nodes.size, n * n, _BATCH_ENTRIES):
            batch = nodes[part]
            found, inverses, residuals, done = _solve(X, counts, batch, start[batch], usable)
            influence[batch] = node_block_scores(X, by_block, batch, residuals) @ inverses
            coefficients[batch], converged[batch] = found, done
            stderr[batch] = np.sqrt(np.diagonal(inverses, axis1=1, axis2=2))
    for each in (coefficients, stderr):
        each[:, ~usable] = np.nan
    return NodeRegressions(coefficients, stderr, influence, converged)


def _solve(
    X: csr_array,
    counts: Floats,
    nodes: NDArray[np.intp],
    start: Floats,
    usable: NDArray[np.bool_],
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Coefficients, inverse informations, residuals, and whether the steps came to an end."""
    n = start.shape[1]
    found, inverses = np.clip(start * usable, -10.0, 10.0), np.zeros((nodes.size, n, n))
    scores, informations = np.empty((nodes.size, n)), np.empty((nodes.size, n, n))
    residuals = np.empty((nodes.size, counts.size))
    left_out = np.diag(np.where(usable, 0.0, 1.0))
    moved = np.full(nodes.size, np.inf)
    for k in range(_MOST_STEPS):
        node_scores(X, counts, nodes, found, inverses, scores, informations, residuals)
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
