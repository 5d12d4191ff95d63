"""The largest useful l1 is where the first coupling leaves zero; grids lead down from there."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import logit

import microcolumn as mc
from microcolumn.objectives import (
    further_l1,
    l1_grid,
    largest_l1,
    mpf,
    negative_conditional_likelihood,
    negative_log_likelihood,
    pair_counts,
    pair_rates,
)

OBJECTIVES = {
    "mpf": mpf,
    "likelihood": negative_log_likelihood,
    "conditional": negative_conditional_likelihood,
}


def _words(seed, n_units=5, n_words=400):
    rng = np.random.default_rng(seed)
    together = rng.random((n_words, 1)) < 0.2
    return (rng.random((n_words, n_units)) < np.where(together, 0.6, 0.1)).astype(np.uint8)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_largest_slope_along_a_coupling_at_the_independent_model(objective, seed):
    words = mc.Words.from_array(_words(seed)).embed(2)
    independent = mc.Parameters(b=logit(words.rates), J=np.zeros((10, 10)))
    _, slopes = OBJECTIVES[objective](independent, words)
    np.testing.assert_allclose(slopes.b, 0.0, atol=1e-12)
    assert largest_l1(words, objective) == pytest.approx(np.abs(slopes.J).max(), rel=1e-10)


def test_pseudolikelihood_is_the_sum_of_the_logistic_regressions_of_all_units():
    X = _words(0, n_units=3)
    b = logit(X.mean(axis=0))

    def value(coupling):
        J = np.zeros((3, 3))
        J[0, 1] = J[1, 0] = coupling
        odds = b + 2.0 * X @ J
        return np.logaddexp(0.0, np.where(X == 1, -odds, odds)).sum(axis=1).mean()

    rates = pair_rates(mc.Words.from_array(X))
    others = np.abs(rates - np.outer(X.mean(axis=0), X.mean(axis=0)))
    slope = abs(value(1e-6) - value(-1e-6)) / 2e-6 / 2.0  # per entry, of which a pair has two
    assert slope == pytest.approx(2.0 * others[0, 1], rel=1e-6)
    np.fill_diagonal(others, 0.0)
    assert largest_l1(X, "pseudolikelihood") == pytest.approx(2.0 * others.max(), rel=1e-10)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_an_ising_model_has_couplings_just_below_and_none_above(objective):
    words = mc.Words.from_array(_words(3)).embed(2)
    largest = largest_l1(words, objective)
    assert mc.Ising(l1=1.001 * largest, objective=objective).fit(words).n_couplings_ == 0
    assert mc.Ising(l1=0.99 * largest, objective=objective).fit(words).n_couplings_ >= 1


@pytest.mark.parametrize(
    "X", [[[0], [1]], [[0, 1]] * 3, [[1, 0], [1, 1]], [[0, 0], [0, 1], [1, 0], [1, 1]]],
    ids=["one unit", "constant units", "an always active unit", "independent units"],
)  # fmt: skip
@pytest.mark.parametrize("objective", ["mpf", "pseudolikelihood", "likelihood"])
def test_without_correlations_no_strength_is_useful(X, objective):
    assert largest_l1(X, objective) == 0.0
    assert l1_grid(0.0) == (0.0,)


def test_weights_count_as_repetition():
    X = np.array([[0, 0], [1, 1], [1, 0]])
    counted = mc.Words.from_array(X, sample_weight=[6, 3, 1])
    assert largest_l1(counted) == pytest.approx(largest_l1(np.repeat(X, [6, 3, 1], axis=0)))


@settings(deadline=None)
@given(largest=st.floats(1e-8, 1e3), per_decade=st.integers(1, 4))
def test_a_grid_spans_three_decades_in_equal_ratios(largest, per_decade):
    grid = l1_grid(largest, per_decade)
    assert len(grid) == 3 * per_decade + 1
    assert largest * (1 - 1e-9) <= grid[-1] <= 1.011 * largest
    np.testing.assert_allclose(np.diff(np.log10(grid)), 1.0 / per_decade, atol=5e-3)
    assert grid[0] == pytest.approx(grid[-1] / 1000, rel=1e-2)
    assert all(float(f"{l1:.3g}") == l1 for l1 in grid)


def test_a_grid_goes_on_in_the_same_ratio_in_both_directions():
    assert further_l1(1e-3, 1, 2) == (0.00316, 0.01)
    assert further_l1(1e-3, -1, 2) == (1e-4, 0.000316)


@pytest.mark.parametrize("density", [0.0, 0.05, 0.6, 1.0])  # listed where sparse, else dense
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_of_pairs_are_those_of_dense_products(density, weighted):
    rng = np.random.default_rng(3)
    X = (rng.random((600, 130)) < density).astype(np.uint8)
    weights = rng.uniform(0.5, 3.0, 600) if weighted else np.ones(600)
    words = mc.Words.from_array(X, sample_weight=weights if weighted else None)
    found = pair_counts(words)
    np.testing.assert_allclose(found, X.T @ (weights[:, None] * X), rtol=1e-13)
    assert np.array_equal(found, found.T)
    assert np.array_equal(found == 0.0, X.T.astype(int) @ X == 0)
