"""L1 logistic regressions against scikit-learn and against the conditions of a minimum."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from microcolumn.kernels.loops.sparse_logistic import SparseRows, regress


def _problem(n_rows=300, n_features=8, n_responses=2, seed=0):
    """Features of which two thirds are zero, counts of rows, and responses that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(n_rows, n_features)) * (rng.random((n_rows, n_features)) < 0.3)
    counts = rng.integers(1, 4, size=n_rows)
    effects = rng.normal(size=(n_features, n_responses))
    y = rng.binomial(counts[:, None], expit(X @ effects - 1.0))
    return X, counts, y


def _rows(X, counts, y):
    listed = [np.flatnonzero(row) for row in X]
    fired = [np.repeat(np.arange(len(X)), column) for column in y.T]
    return SparseRows(
        offsets=np.concatenate([[0], np.cumsum([each.size for each in listed])]),
        columns=np.concatenate(listed).astype(np.int32),
        values=X[X != 0.0],
        shares=counts / counts.sum(),
        fired_offsets=np.concatenate([[0], np.cumsum([each.size for each in fired])]),
        fired=np.concatenate(fired).astype(np.int32),
        fired_shares=np.full(y.sum(), 1.0 / counts.sum()),
        limits=np.full(y.shape[1], X.shape[1]),
        usable=np.ones(X.shape[1], dtype=bool),
        table=np.ones((1, 1)),
    )


def _solved(X, counts, y, l1, tol=1e-10, max_iter=50):
    coefficients = np.zeros((y.shape[1], X.shape[1] + 1))
    optimality, n_iter = np.empty(y.shape[1]), np.empty(y.shape[1], dtype=np.int64)
    nodes = np.arange(y.shape[1])
    regress(_rows(X, counts, y), nodes, l1, tol, max_iter, coefficients, optimality, n_iter)
    return coefficients, optimality, n_iter


@pytest.mark.parametrize("l1", [0.0, 3e-3, 3e-2])
def test_coefficients_are_those_of_scikit_learn(l1):
    X, counts, y = _problem()
    found, optimality, _ = _solved(X, counts, y, l1)
    assert (optimality <= 1e-10).all()
    for response in range(y.shape[1]):
        both = np.concatenate([y[:, response], counts - y[:, response]])
        # liblinear would penalise the constant, and saga is as exact as its tolerance.
        penalty = {"l1_ratio": 1.0, "C": 1.0 / (l1 * counts.sum())} if l1 else {"C": np.inf}
        peer = LogisticRegression(
            solver="saga" if l1 else "newton-cholesky",
            tol=1e-10,
            max_iter=20_000,
            random_state=0,
            **penalty,
        ).fit(np.vstack([X, X]), np.repeat([1, 0], len(X)), sample_weight=both)
        np.testing.assert_allclose(found[response, :-1], peer.coef_[0], atol=2e-6)
        np.testing.assert_allclose(found[response, -1], peer.intercept_[0], atol=2e-6)


@pytest.mark.parametrize("l1", [0.0, 1e-3, 2e-2])
def test_the_violation_it_reports_is_that_of_the_dense_gradient(l1):
    X, counts, y = _problem(seed=1)
    found, optimality, n_iter = _solved(X, counts, y, l1, max_iter=2)
    assert n_iter.tolist() == [2, 2]
    for w, reported, spikes in zip(found, optimality, y.T, strict=True):
        slopes = (counts * expit(X @ w[:-1] + w[-1]) - spikes) / counts.sum()
        gradient = X.T @ slopes
        at_zero = np.maximum(np.abs(gradient) - l1, 0.0)
        violations = np.where(w[:-1], np.abs(gradient + l1 * np.sign(w[:-1])), at_zero)
        assert reported == pytest.approx(max(violations.max(), abs(slopes.sum())), rel=1e-9)


def test_strong_penalties_leave_exact_zeros_and_the_rate():
    X, counts, y = _problem()
    found, _, _ = _solved(X, counts, y, 10.0)
    assert not found[:, :-1].any()
    np.testing.assert_allclose(expit(found[:, -1]), y.sum(axis=0) / counts.sum(), rtol=1e-9)


def test_large_features_are_approached_by_shorter_steps():
    X, counts, y = _problem()
    far = np.zeros((2, 9))
    far[:, 0] = 30.0  # where the loss is nearly linear and a full step leads astray
    optimality, n_iter = np.empty(2), np.empty(2, dtype=np.int64)
    regress(_rows(X, counts, y), np.arange(2), 1e-3, 1e-9, 100, far, optimality, n_iter)
    np.testing.assert_allclose(far, _solved(X, counts, y, 1e-3)[0], atol=1e-6)
