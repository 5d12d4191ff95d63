"""Logistic regressions of each bit of sparse words on all the others.

Words are rows of a sparse matrix X (n_words, n). In the regression of bit n the place of bit n
itself holds the constant, whose coefficient is the bias, so that coefficients of all regressions
are one square matrix. Sums over words are products of sparse matrices with one column for each
regression.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit

from ...validation import Floats, chunks

Places = NDArray[np.int64]

#: Numbers, one for each word and regression, that are held at once.
_ENTRIES = 1 << 21


def node_scores(
    X: csr_array,
    counts: Floats,
    nodes: Places,
    coefficients: Floats,
    inverses: Floats,
    scores: Floats,
    informations: Floats,
    residuals: Floats,
) -> None:
    """Fill scores (n_nodes, n), lower halves of informations (n_nodes, n, n) and residuals.

    Score and information are those of Firth's penalised likelihood, whose term uses the leverages
    at the inverse information that is given, so that repeated calls converge to it; an inverse of
    zeros leaves it out. ``nodes`` (n_nodes,) are the bits, ``coefficients`` (n_nodes, n) their
    coefficients; ``residuals`` (n_nodes, n_words) are response minus probability.
    """
    n, own = coefficients.shape[1], (np.arange(nodes.size), nodes)
    others, linear, by_pair = coefficients.copy(), 2.0 * inverses[own], inverses * (2.0 - np.eye(n))
    others[own], linear[own], by_pair[own], by_pair[own[0], :, nodes] = 0.0, 0.0, 0.0, 0.0
    scores[:], informations[:] = 0.0, 0.0
    constants = np.zeros((2, nodes.size))
    for part in chunks(counts.size, nodes.size, _ENTRIES):
        x = X[part]
        pairs = _pairs(x)
        logits = x @ others.T + coefficients[own]
        p, q = expit(logits), expit(-logits)
        residuals[:, part] = np.where(x[:, nodes].toarray(), q, -p).T
        # Quadratic forms f' inverse f of the predictors f: of the constant, of the constant with
        # each active bit, and of all pairs of these.
        forms = inverses[(*own, nodes)] + x @ linear.T + pairs @ by_pair.reshape(nodes.size, -1).T
        weights = counts[part, None] * p * q
        slopes = counts[part, None] * residuals[:, part].T + weights * forms * 0.5 * (q - p)
        scores += (x.T @ slopes).T
        informations += (pairs.T @ weights).T.reshape(informations.shape)
        constants += slopes.sum(axis=0), weights.sum(axis=0)
    with_constant = np.einsum("inn->in", informations).copy()
    scores[own], with_constant[own] = constants
    informations[own], informations[own[0], :, nodes] = with_constant, with_constant


def node_block_scores(
    X: csr_array, by_block: csr_array, nodes: Places, residuals: Floats
) -> Floats:
    """Sums of residual times predictors over each block of time, shape (n_nodes, n_blocks, n).

    ``by_block`` (n_blocks, n_words) is how often each word occurs in each block.
    """
    out = np.empty((nodes.size, by_block.shape[0], X.shape[1]))
    for block, (first, last) in enumerate(pairwise(by_block.indptr)):
        words = by_block.indices[first:last]
        slopes = (residuals[:, words] * by_block.data[first:last]).T
        out[:, block] = (X[words].T @ slopes).T
        out[np.arange(nodes.size), block, nodes] = slopes.sum(axis=0)
    return out


def _pairs(X: csr_array) -> csr_array:
    """Pairs a >= b of active bits of each word, at a * n + b of a matrix (n_words, n * n)."""
    n_active, n = np.diff(X.indptr), X.shape[1]
    word = np.repeat(np.arange(n_active.size), n_active)
    first = np.repeat(np.arange(word.size), n_active[word])
    starts = np.cumsum(n_active[word]) - n_active[word] - X.indptr[word]
    second = np.arange(first.size) - starts[first]
    first, second = first[first >= second], second[first >= second]
    places = word[first], X.indices[first].astype(np.int64) * n + X.indices[second]
    return csr_array((np.ones(first.size), places), (n_active.size, n * n))
