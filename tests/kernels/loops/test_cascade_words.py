"""What a cascade says of words, against dense sums."""

import numpy as np
import pytest

from microcolumn.kernels.loops.cascade_words import cascade_log_odds, cascade_log_probability


@pytest.fixture
def tables():
    """Weights and biases by count of a cascade of 11 units: more than one row of lanes."""
    rng = np.random.default_rng(1)
    return np.triu(rng.normal(size=(11, 11)), 1), rng.normal(size=(12, 11))


def dense(X, weights, by_count):
    before = np.cumsum(X, axis=1) - X
    log_odds = X @ weights + by_count[before, np.arange(X.shape[1])]
    return -np.logaddexp(0.0, np.where(X == 1, -log_odds, log_odds)).sum(axis=1)


def test_log_probabilities_are_dense_sums(tables):
    X = (np.random.default_rng(2).random((40, 11)) < 0.4).astype(np.uint8)
    out = np.empty(40)
    cascade_log_probability(X, *tables, out)
    np.testing.assert_allclose(out, dense(X.astype(int), *tables), rtol=1e-13)


def test_log_odds_are_differences_of_log_probabilities(tables):
    X = (np.random.default_rng(3).random((40, 11)) < 0.4).astype(np.uint8)
    units = np.array([10, 0, 5])
    out = np.empty((40, 3))
    cascade_log_odds(X, units, *tables, out)
    for k, unit in enumerate(units):
        one, zero = X.astype(int), X.astype(int)
        one[:, unit], zero[:, unit] = 1, 0
        np.testing.assert_allclose(
            out[:, k], dense(one, *tables) - dense(zero, *tables), rtol=1e-12, atol=1e-12
        )
