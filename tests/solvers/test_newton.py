"""Steps by the curvature: the same minima as by gradients alone, in fewer evaluations."""

import numpy as np
import pytest
from fitting_problems import volleys
from hypothesis import given, settings, strategies as st
from sklearn.linear_model import Lasso

from microcolumn.kernels.loops.l1_descent import minimise_quadratic
from microcolumn.layout import Layout
from microcolumn.objectives import MinimumProbabilityFlow, NegativeLogLikelihood
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1, GroupL1
from microcolumn.solvers._newton import NewtonSearch, search_for
from microcolumn.solvers._quasi_newton import Search


def _ising(n_units):
    return Parameters(b=np.full(n_units, -2.0), J=np.zeros((n_units, n_units)))


def _search(kind, X, start, l1):
    layout = Layout.of(start)
    return kind(NegativeLogLikelihood(X), L1(l1), layout, layout.pack(start))


@pytest.mark.parametrize("l1", [0.0, 1e-3, 1e-2, 1.0])
@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_a_convex_likelihood_has_the_minimum_that_gradients_find(l1, seed):
    X = volleys(seed, 6, 400)
    by_curvature, by_gradient = (_search(kind, X, _ising(6), l1) for kind in (NewtonSearch, Search))
    for search in (by_curvature, by_gradient):
        search.run(1e-9, 3000)
    assert by_curvature.value <= by_gradient.value + 1e-9
    if l1 > 0.0:  # without a penalty a pair that is never active together runs away
        assert by_curvature.optimality <= 1e-9
        assert np.array_equal(by_curvature.x == 0.0, by_gradient.x == 0.0)


def test_hidden_units_take_fewer_evaluations():
    rng = np.random.default_rng(0)
    start = Parameters(b=np.full(8, -2.0), W=rng.normal(size=(8, 5)), c=np.full(5, -2.0))
    X = volleys(1, 8, 5000)
    by_curvature, by_gradient = (_search(kind, X, start, 1e-3) for kind in (NewtonSearch, Search))
    for search in (by_curvature, by_gradient):
        search.run(1e-7, 3000)
        assert search.optimality <= 1e-7
    assert by_curvature.n_evaluations < by_gradient.n_evaluations


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((50, 4), dtype=np.uint8),
        np.ones((50, 4), dtype=np.uint8),
        np.repeat(volleys(2, 2, 400), 2, axis=1),
        np.eye(4, dtype=np.uint8)[[0, 0, 1, 2, 3]],
        np.array([[1, 0, 1, 0]], dtype=np.uint8),
    ],
    ids=["silent", "always", "duplicates", "never together", "one word"],
)
def test_odd_words_lower_the_objective_and_end(X):
    search = _search(NewtonSearch, X, _ising(4), 1e-3)
    first = search.value
    search.run(1e-8, 500)
    assert search.value <= first
    assert np.isfinite(search.x).all()


def test_a_penalty_that_is_too_strong_leaves_nothing():
    search = _search(NewtonSearch, volleys(3, 6, 400), _ising(6), 10.0)
    search.run(1e-9, 100)
    assert search.optimality <= 1e-9
    assert np.count_nonzero(search.x) == 6


def test_objectives_without_curvature_and_groups_are_searched_by_gradients():
    X, start = volleys(4, 6, 400), _ising(6)
    layout = Layout.of(start)
    x, likelihood = layout.pack(start), NegativeLogLikelihood(X)
    assert isinstance(search_for(likelihood, L1(0.1), layout, x), NewtonSearch)
    assert not isinstance(search_for(likelihood, L1(0.1) + GroupL1(0.1), layout, x), NewtonSearch)
    assert not isinstance(search_for(MinimumProbabilityFlow(X), L1(0.1), layout, x), NewtonSearch)


def test_a_search_ends_where_the_last_steps_gained_too_little():
    search = _search(NewtonSearch, volleys(5, 6, 4000), _ising(6), 1e-4)
    search.run(1e-14, 1000, least_gain=1e-4)
    assert 0.0 <= search.recent_gain <= 1e-4
    n_iter = search.n_iter
    search.run(1e-9, 1000)
    assert search.n_iter > n_iter
    assert search.optimality <= 1e-9


def test_the_quadratic_with_an_l1_penalty_is_that_of_the_lasso():
    rng = np.random.default_rng(6)
    A, y = rng.normal(size=(40, 10)), rng.normal(size=40)
    expected = Lasso(alpha=0.1, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(A, y).coef_
    H, slopes = A.T @ A / 40, -A.T @ y / 40
    goal, ends = minimise_quadratic(H, slopes, np.zeros(10), np.full(10, 0.1), 1e-12)
    np.testing.assert_allclose(goal, expected, atol=1e-8)
    np.testing.assert_allclose(ends, slopes + H @ expected, atol=1e-8)
