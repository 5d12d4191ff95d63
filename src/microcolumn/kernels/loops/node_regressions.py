"""Logistic regressions of each bit of sparse words on all the others.

Words come as in a sparse matrix: the active bits of word u are ``active`` from ``offsets[u]`` to
``offsets[u + 1]``. In the regression of bit n the place of bit n itself holds the constant, whose
coefficient is the bias, so that coefficients of all regressions are one square matrix.
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel, subroutine


@subroutine
def _predictors(offsets, active, u, node, listed):
    """List the predictors that are 1 in word u, the constant first; how many, and the response."""
    listed[0] = node
    n_listed, response = 1, 0.0
    for k in range(offsets[u], offsets[u + 1]):
        if active[k] == node:
            response = 1.0
        else:
            listed[n_listed] = active[k]
            n_listed += 1
    return n_listed, response


@subroutine
def _leverage(listed, n_listed, inverse):
    """Quadratic form f' inverse f of the listed predictors."""
    total = 0.0
    for k in range(n_listed):
        row = inverse[listed[k]]
        total += row[listed[k]]
        for j in range(k):
            total += 2.0 * row[listed[j]]
    return total


# Score and information of Firth's penalised likelihood, and residuals, of the regressions of some
# bits. Firth's term uses the leverages at the inverse information that is given, so that repeated
# calls converge to it; an inverse of zeros leaves it out.
# Cost: two multiply-adds per pair of active bits of each distinct word, for each regression.
# Pinned to a dense computation by tests/evaluate/test_intervals.py.
@kernel(parallel=True)
def node_scores(
    offsets, active, counts, nodes, coefficients, inverses, scores, informations, residuals
):  # fmt: skip
    """Fill scores (n_nodes, n), lower halves of informations (n_nodes, n, n) and residuals.

    ``nodes`` (n_nodes,) are the bits, ``coefficients`` (n_nodes, n) their coefficients;
    ``residuals`` (n_nodes, n_words) are response minus probability.
    """
    n_bits = coefficients.shape[1]
    for i in prange(nodes.size):
        listed = np.empty(n_bits, dtype=np.int64)
        score, information = np.zeros(n_bits), np.zeros((n_bits, n_bits))
        for u in range(counts.size):
            n_listed, response = _predictors(offsets, active, u, nodes[i], listed)
            logit = 0.0
            for k in range(n_listed):
                logit += coefficients[i, listed[k]]
            p, q = 1.0 / (1.0 + math.exp(-logit)), 1.0 / (1.0 + math.exp(logit))
            residuals[i, u] = q if response else -p
            leverage = p * q * _leverage(listed, n_listed, inverses[i])
            slope = counts[u] * (residuals[i, u] + leverage * 0.5 * (q - p))
            weight = counts[u] * p * q
            for k in range(n_listed):
                score[listed[k]] += slope
                for j in range(k + 1):
                    information[max(listed[k], listed[j]), min(listed[k], listed[j])] += weight
        scores[i], informations[i] = score, information


# Sums of the scores over blocks of time; block B holds words listed from first[B] to first[B + 1].
# Cost: one addition per active bit of the distinct words of each block, for each regression.
# Pinned to a dense computation by tests/evaluate/test_intervals.py.
@kernel(parallel=True)
def node_block_scores(offsets, active, nodes, residuals, first, words, weights, out):
    """Fill ``out`` (n_nodes, n_blocks, n) with the sums of residual times predictors."""
    n_bits = out.shape[2]
    for i in prange(nodes.size):
        listed = np.empty(n_bits, dtype=np.int64)
        for block in range(first.size - 1):
            sums = np.zeros(n_bits)
            for k in range(first[block], first[block + 1]):
                n_listed, _ = _predictors(offsets, active, words[k], nodes[i], listed)
                slope = weights[k] * residuals[i, words[k]]
                for j in range(n_listed):
                    sums[listed[j]] += slope
            out[i, block] = sums
