"""Random models of every kind, and their distribution by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters


def _random_model(kind, n_units, n_hidden=3, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.uniform(-scale, scale, (n_units, n_units)), 1)
    b = rng.uniform(-scale, scale, n_units)
    J = upper + upper.T if kind in ("ising", "kpairwise", "srbm") else None
    if kind == "kpairwise":
        v = np.concatenate([[0.0, 0.0], rng.uniform(-scale, scale, n_units - 1)])
        return Parameters(b=b, J=J, v=v)
    if kind in ("independent", "ising"):
        return Parameters(b=b, J=J)
    W = rng.uniform(-scale, scale, (n_units, n_hidden))
    return Parameters(b=b, J=J, W=W, c=rng.uniform(-scale, scale, n_hidden))


def _enumerate(theta):
    """All words, log Z and each word's probability."""
    X = np.array(list(itertools.product((0, 1), repeat=theta.n_visible)), dtype=np.uint8)
    log_weights = log_weight(theta, X)
    log_z = float(logsumexp(log_weights))
    return X, log_z, np.exp(log_weights - log_z)


def _expectations(theta):
    """E[x_n], E[x_n x_m] (zero diagonal), E[x_n sigmoid(z_i)], E[sigmoid(z_i)] and P(K)."""
    X, _, p = _enumerate(theta)
    counts = np.bincount(X.sum(axis=1), weights=p, minlength=theta.n_visible + 1)
    X = X.astype(float)
    pairs = X.T @ (p[:, None] * X)
    np.fill_diagonal(pairs, 0.0)
    W = np.zeros((theta.n_visible, 0)) if theta.W is None else theta.W
    c = np.zeros(0) if theta.c is None else theta.c
    hidden = expit(c + X @ W)
    return p @ X, pairs, X.T @ (p[:, None] * hidden), p @ hidden, counts


@pytest.fixture(scope="session")
def random_model():
    return _random_model


@pytest.fixture(scope="session")
def enumerate_words():
    return _enumerate


@pytest.fixture(scope="session")
def enumerated_expectations():
    return _expectations
