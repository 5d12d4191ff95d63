"""Random models as arrays, and what enumeration says of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from microcolumn.kernels import ModelArrays


def _random_arrays(n_units, n_hidden=0, scale=1.0, seed=0, *, coupled=True, counted=False):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.uniform(-scale, scale, (n_units, n_units)), 1)
    return ModelArrays(
        b=rng.uniform(-scale, scale, n_units),
        J=upper + upper.T if coupled else None,
        W=rng.uniform(-scale, scale, (n_units, n_hidden)) if n_hidden else None,
        c=rng.uniform(-scale, scale, n_hidden) if n_hidden else None,
        v=rng.uniform(-scale, scale, n_units + 1) if counted else None,
    )


def _enumerate(model):
    """All words, log Z, the probability of each word, and all expectations."""
    words = itertools.product((0.0, 1.0), repeat=model.n_units)
    X = np.array(list(words)).reshape(-1, model.n_units)
    n_active = X.sum(axis=1).astype(int)
    log_weights = X @ model.b
    if model.J is not None:
        log_weights = log_weights + np.einsum("xn,nm,xm->x", X, model.J, X)
    if model.v is not None:
        log_weights = log_weights + model.v[n_active]
    hidden = None
    if model.W is not None:
        z = model.c + X @ model.W
        log_weights, hidden = log_weights + np.logaddexp(0.0, z).sum(axis=1), expit(z)
    log_z = logsumexp(log_weights)
    p = np.exp(log_weights - log_z)
    pairs = X.T @ (p[:, None] * X)
    np.fill_diagonal(pairs, 0.0)
    moments = ModelArrays(
        b=p @ X,
        J=None if model.J is None else pairs,
        W=None if hidden is None else X.T @ (p[:, None] * hidden),
        c=None if hidden is None else p @ hidden,
        v=None if model.v is None else np.bincount(n_active, p, model.n_units + 1),
    )
    return X, log_z, p, moments


@pytest.fixture(scope="session")
def random_arrays():
    return _random_arrays


@pytest.fixture(scope="session")
def enumerate_arrays():
    return _enumerate
