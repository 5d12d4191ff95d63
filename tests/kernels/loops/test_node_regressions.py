"""Scores and informations of regressions on sparse words against dense matrices."""

import numpy as np
import pytest
from scipy.special import expit

from microcolumn.kernels.loops.node_regressions import node_block_scores, node_scores


@pytest.fixture
def words():
    """Words with the silent and the full one among them, and their counts."""
    rng = np.random.default_rng(0)
    X = (rng.random((30, 6)) < 0.3).astype(np.uint8)
    X[0], X[1] = 0, 1
    return X, rng.integers(1, 9, size=30).astype(float)


def listed(X):
    offsets = np.concatenate([[0], np.cumsum(X.sum(axis=1, dtype=np.int64))])
    return offsets, np.nonzero(X)[1].astype(np.int64)


def design(X, node):
    """Predictors of one bit: the others, and the constant in the bit's own place."""
    F = X.astype(float)
    F[:, node] = 1.0
    return F


@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0])
def test_scores_are_those_of_dense_words(words, scale):
    X, counts = words
    rng = np.random.default_rng(1)
    nodes = np.array([4, 1])
    beta = rng.normal(scale=scale, size=(2, 6))
    root = rng.normal(size=(2, 6, 6))
    inverses = root @ root.transpose(0, 2, 1)
    out = np.empty((2, 6)), np.empty((2, 6, 6)), np.empty((2, 30))
    node_scores(*listed(X), counts, nodes, beta, inverses, *out)
    for i, node in enumerate(nodes):
        F, p = design(X, node), expit(design(X, node) @ beta[i])
        q = expit(-design(X, node) @ beta[i])
        residual = np.where(X[:, node] == 1, q, -p)
        leverage = p * q * np.einsum("uf,fg,ug->u", F, inverses[i], F)
        np.testing.assert_allclose(out[2][i], residual, rtol=1e-12)
        score = F.T @ (counts * (residual + leverage * (q - p) / 2))
        np.testing.assert_allclose(out[0][i], score, rtol=1e-9, atol=1e-9)
        information = (F * (counts * p * q)[:, None]).T @ F
        np.testing.assert_allclose(np.tril(out[1][i]), np.tril(information), rtol=1e-9, atol=1e-12)


def test_block_scores_add_up_to_the_score(words):
    X, counts = words
    residuals = np.random.default_rng(2).normal(size=(1, 30))
    first, node = np.array([0, 12, 12, 30]), np.array([2])
    out = np.empty((1, 3, 6))
    node_block_scores(*listed(X), node, residuals, first, np.arange(30), counts, out)
    F = design(X, 2) * (counts * residuals[0])[:, None]
    np.testing.assert_allclose(out[0], [F[:12].sum(axis=0), np.zeros(6), F[12:].sum(axis=0)])
