"""The definitions against loops written out from docs/method.md, section 2."""

import math
from itertools import product

import numpy as np
from hypothesis import given, settings, strategies as st

from microcolumn.energy import hidden_mean, log_weight
from microcolumn.parameters import Parameters


def _random(kind, seed, scale=1.5, n_units=4, n_hidden=3):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=scale, size=(n_units, n_units)), 1)
    W = rng.normal(scale=scale, size=(n_units, n_hidden))
    return Parameters(
        b=rng.normal(scale=scale, size=n_units),
        J=J + J.T if kind in ("ising", "kpairwise", "srbm") else None,
        W=W if kind in ("rbm", "srbm") else None,
        c=rng.normal(scale=scale, size=n_hidden) if kind in ("rbm", "srbm") else None,
        v=[0.0, 0.0, *rng.normal(scale=scale, size=n_units - 1)] if kind == "kpairwise" else None,
    )


def _softplus(z):
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


def _fields(theta, x):
    return [
        theta.c[i] + sum(theta.W[n, i] * x[n] for n in range(theta.n_visible))
        for i in range(theta.n_hidden)
    ]


def _log_weight(theta, x):
    units = range(theta.n_visible)
    total = sum(theta.b[n] * x[n] for n in units)
    if theta.J is not None:
        total += sum(theta.J[n, m] * x[n] * x[m] for n in units for m in units)
    if theta.v is not None:
        total += theta.v[sum(x)]
    return total + sum(_softplus(z) for z in _fields(theta, x))


MODELS = st.builds(
    _random,
    st.sampled_from(["independent", "ising", "kpairwise", "rbm", "srbm"]),
    st.integers(0, 1000),
    st.sampled_from([0.1, 1.5, 20.0]),
    st.integers(1, 5),
    st.integers(1, 4),
)


@settings(deadline=None, max_examples=60)
@given(MODELS)
def test_log_weight_and_hidden_mean_are_the_written_out_sums(theta):
    X = list(product([0, 1], repeat=theta.n_visible))
    expected = [_log_weight(theta, x) for x in X]
    np.testing.assert_allclose(log_weight(theta, X), expected, rtol=1e-12, atol=1e-12)
    posterior = [[1.0 / (1.0 + math.exp(-z)) for z in _fields(theta, x)] for x in X]
    assert hidden_mean(theta, X).shape == (len(X), theta.n_hidden)
    np.testing.assert_allclose(
        hidden_mean(theta, X), np.reshape(posterior, (len(X), -1)), rtol=1e-12
    )


def test_huge_weights_neither_overflow_nor_lose_the_sum():
    theta = Parameters(b=[0.0, 0.0], W=[[2000.0, -2000.0], [-1.0, 1.0]], c=[5.0, -5.0])
    assert log_weight(theta, [[1, 0]]).tolist() == [2005.0]
    assert hidden_mean(theta, [[1, 1]]).tolist() == [[1.0, 0.0]]


def test_many_words_are_handled_in_chunks_with_the_same_result(monkeypatch):
    theta = _random("srbm", 0)
    X = np.random.default_rng(0).integers(0, 2, size=(50, 4), dtype=np.uint8)
    whole = log_weight(theta, X)
    monkeypatch.setattr("microcolumn.validation._MOST_ELEMENTS", 12)
    np.testing.assert_allclose(log_weight(theta, X), whole, rtol=1e-14, atol=1e-14)
