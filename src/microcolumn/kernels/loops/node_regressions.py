"""Logistic regressions of each bit of sparse words on all the others.

Words come as in a sparse matrix: the active bits of word u are ``active`` from ``offsets[u]`` to
``offsets[u + 1]``. In the regression of bit n the place of bit n itself holds the constant, whose
coefficient is the bias, so that coefficients of all regressions are one square matrix. Sums over
words are products of sparse matrices with one column for each regression.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit

from ...validation import Floats, chunks

Places = NDArray[np.int64]

#: Numbers, one for each word and regression, that are held at once.
_ENTRIES = 1 << 21


def node_scores(
    offsets: Places,
    active: Places,
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
        X = _bits(offsets, active, n)[part]
        pairs = _pairs(X)
        logits = X @ others.T + coefficients[own]
        p, q = expit(logits), expit(-logits)
        residuals[:, part] = np.where(X[:, nodes].toarray(), q, -p).T
        # Quadratic forms f' inverse f of the predictors f: of the constant, of the constant with
        # each active bit, and of all pairs of these.
        forms = inverses[(*own, nodes)] + X @ linear.T + pairs @ by_pair.reshape(nodes.size, -1).T
        weights = counts[part, None] * p * q
        slopes = counts[part, None] * residuals[:, part].T + weights * forms * 0.5 * (q - p)
        scores += (X.T @ slopes).T
        informations += (pairs.T @ weights).T.reshape(informations.shape)
        constants += slopes.sum(axis=0), weights.sum(axis=0)
    with_constant = np.einsum("inn->in", informations).copy()
    scores[own], with_constant[own] = constants
    informations[own], informations[own[0], :, nodes] = with_constant, with_constant


def node_block_scores(
    offsets: Places,
    active: Places,
    nodes: Places,
    residuals: Floats,
    first: Places,
    words: Places,
    weights: Floats,
    out: Floats,
) -> None:
    """Fill ``out`` (n_nodes, n_blocks, n) with the sums of residual times predictors.

    Block B of time holds the ``words`` listed from ``first[B]`` to ``first[B + 1]``.
    """
    n_blocks, n = out.shape[1:]
    X, place = _bits(offsets, active, n)[words], np.arange(words.size)
    n_active, block = np.diff(X.indptr), np.repeat(np.arange(n_blocks), np.diff(first))
    slopes = (residuals[:, words] * weights).T
    into = np.repeat(block, n_active) * n + X.indices, np.repeat(place, n_active)
    sums = csr_array((X.data, into), (n_blocks * n, words.size)) @ slopes
    out[:] = sums.T.reshape(out.shape)
    constant = csr_array((np.ones(words.size), (block, place)), (n_blocks, words.size)) @ slopes
    out[np.arange(nodes.size), :, nodes] = np.asarray(constant).T


def _bits(offsets: Places, active: Places, n: int) -> csr_array:
    """Words as a sparse matrix (n_words, n)."""
    return csr_array((np.ones(active.size), active, offsets), (offsets.size - 1, n))


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
