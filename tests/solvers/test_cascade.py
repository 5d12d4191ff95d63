"""Regressions on running counts and units before, against scikit-learn and the conditions."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from microcolumn.solvers.cascade import CascadeRegressions
from microcolumn.words import Words


@pytest.fixture(scope="module")
def words():
    """Words of 8 units that fire together, with the silent and the full one among them."""
    rng = np.random.default_rng(0)
    drive = rng.random((400, 1)) < 0.3
    X = rng.random((400, 8)) < np.where(drive, 0.5, 0.1)
    X[0], X[1] = 0, 1
    return Words.from_array(X, sample_weight=rng.integers(1, 5, size=400))


ORDER = np.array([3, 0, 7, 1, 6, 2, 5, 4])
THRESHOLDS = np.array([1, 2, 3, 5])


def design(words, i):
    """Predictors of the unit at place i of the order, and its bits."""
    X = words.X[:, ORDER].astype(float)
    before = X[:, :i]
    return np.column_stack([before, before.sum(axis=1, keepdims=True) >= THRESHOLDS]), X[:, i]


def solved(words, l1, tol=1e-10, **settings):
    biases = np.log(words.rates / (1.0 - words.rates))[ORDER]
    return CascadeRegressions(words, ORDER, THRESHOLDS, biases).solve(l1, tol, 100, **settings)


@pytest.mark.parametrize("l1", [3e-3, 0.02])
def test_each_regression_is_that_of_scikit_learn(words, l1):
    """By their log odds: with one unit before, its weight and the first step are the same term."""
    found, counts = solved(words, l1), words.counts.astype(int)
    assert found.optimality <= 1e-10
    for i in (1, 4, 7):
        F, y = design(words, i)
        # C weighs the sum of losses against the sum of absolute coefficients.
        # Without a seed, saga now and then ends at once, where a first pass leaves all at zero.
        peer = LogisticRegression(
            l1_ratio=1.0,
            solver="saga",
            C=1.0 / (l1 * counts.sum()),
            tol=1e-9,
            max_iter=20_000,
            random_state=0,
        ).fit(np.repeat(F, counts, axis=0), np.repeat(y, counts))
        theta = np.concatenate([found.weights[i, :i], found.steps[i]])
        log_odds = F @ theta + found.biases[i]
        np.testing.assert_allclose(log_odds, peer.decision_function(F), atol=1e-5)


def test_the_violation_is_that_of_the_conditions_at_dense_gradients(words):
    """Also far from the minimum, where it is large."""
    l1, shares = 0.01, words.counts / words.counts.sum()
    for max_iter in (0, 1, 100):
        found = CascadeRegressions(words, ORDER, THRESHOLDS, np.linspace(-2.0, 0.0, 8)).solve(
            l1, 1e-9, max_iter
        )
        worst = 0.0
        for i in range(8):
            F, y = design(words, i)
            theta = np.concatenate([found.weights[i, :i], found.steps[i]])
            residual = shares * (expit(F @ theta + found.biases[i]) - y)
            slopes = F.T @ residual
            at_zero = np.maximum(np.abs(slopes) - l1, 0.0)
            violations = np.where(theta == 0.0, at_zero, np.abs(slopes + l1 * np.sign(theta)))
            worst = max(worst, violations.max(initial=0.0), abs(residual.sum()))
        assert found.optimality == pytest.approx(worst, rel=1e-6, abs=1e-12)


def test_a_start_from_another_strength_leads_to_the_same_minimum(words):
    cold, warm = solved(words, 3e-3), solved(words, 3e-3, start=solved(words, 0.02))
    for i in range(8):
        F, _ = design(words, i)
        apart = [cold.weights[i, :i] - warm.weights[i, :i], cold.steps[i] - warm.steps[i]]
        constant = cold.biases[i] - warm.biases[i]
        np.testing.assert_allclose(F @ np.concatenate(apart) + constant, 0.0, atol=1e-6)
    assert not np.triu(cold.weights).any()


def test_units_become_independent_exactly_at_the_largest_strength(words):
    biases = np.log(words.rates / (1.0 - words.rates))[ORDER]
    regressions = CascadeRegressions(words, ORDER, THRESHOLDS, biases)
    largest = regressions.largest_l1()
    at, below = (regressions.solve(share * largest, 1e-9, 100) for share in (1.0, 0.99))
    assert not at.weights.any()
    assert not at.steps.any()
    assert below.weights.any() or below.steps.any()
