"""Runs of more and more annealing steps against the sum over all words."""

import numpy as np
import pytest
from scipy.special import logsumexp

from microcolumn.parameters import Parameters
from microcolumn.partition import annealing_convergence


def _model(n_units=8, n_dead=0):
    rng = np.random.default_rng(5)
    J = np.triu(rng.normal(size=(n_units, n_units)), 1)
    W = np.zeros((n_units, 2 + n_dead))
    W[:, :2] = rng.normal(size=(n_units, 2))
    c = np.linspace(-1.0, 2.0, 2 + n_dead)
    return Parameters(b=rng.normal(size=n_units) - 1.5, J=(J + J.T) / 2, W=W, c=c)


@pytest.fixture(scope="module")
def found():
    return annealing_convergence(_model(n_dead=2), steps=(4, 32, 1024))


def test_estimates_are_the_log_mean_of_the_chains_weights(found):
    expected = logsumexp(found.log_weights, axis=1) - np.log(found.n_chains)
    np.testing.assert_allclose(found.estimates, expected, rtol=1e-12)
    relative = np.exp(found.log_weights - expected[:, None])
    np.testing.assert_allclose(found.stderrs, relative.std(axis=1, ddof=1) / np.sqrt(500))


def test_estimates_approach_the_sum_over_all_words_dead_hidden_units_included(
    found, enumerate_words
):
    exact = enumerate_words(_model(n_dead=2))[1]
    assert found.exact == pytest.approx(exact, abs=1e-12)
    assert np.all(np.abs(found.estimates - exact) < 4 * found.stderrs)
    assert abs(found.estimates[-1] - exact) < 0.02 * np.log(2)
    assert np.all(np.diff(found.stderrs) < 0)
    assert found.n_steps == (4, 32, 1024)


def test_runs_have_random_numbers_of_their_own_and_a_seed_fixes_them(found):
    again = annealing_convergence(_model(n_dead=2), steps=(4, 32, 1024), random_state=0)
    np.testing.assert_array_equal(again.log_weights, found.log_weights)
    other = annealing_convergence(_model(n_dead=2), steps=(4, 32), random_state=1, exact=None)
    assert not np.any(other.log_weights[0] == found.log_weights[0])
    few, more = annealing_convergence(_model(), steps=(1000, 1001), exact=None).log_weights
    assert abs(np.corrcoef(few, more)[0, 1]) < 0.2


def test_chains_start_at_the_rates_that_are_given():
    theta = Parameters(b=[-1.0, 0.5])  # at its own rates nothing is left to anneal
    rates = 1 / (1 + np.exp(-theta.b))
    found = annealing_convergence(theta, steps=(1,), rates=rates, n_chains=7)
    np.testing.assert_allclose(found.log_weights, np.logaddexp(0.0, theta.b).sum(), rtol=1e-12)
    assert found.log_weights.shape == (1, 7)
    fair = annealing_convergence(theta, steps=(1,), base="uniform", n_chains=7)
    assert np.ptp(fair.log_weights) > 0.1


def test_an_exact_value_is_taken_left_out_or_summed_only_where_that_is_quick():
    theta = _model()
    assert annealing_convergence(theta, steps=(1,), exact=1.25).exact == 1.25
    assert annealing_convergence(theta, steps=(1,), exact=None).exact is None
    large = Parameters(b=np.full(60, -3.0), J=(np.ones((60, 60)) - np.eye(60)) * 1e-3)
    assert annealing_convergence(large, steps=(1,), n_chains=2).exact is None
