"""The search that draws its own words against exact fits of small models."""

import math

import numba
import numpy as np
import pytest
from scipy.special import logit, logsumexp

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import NegativeLogLikelihood, WordPool
from microcolumn.parameters import Parameters
from microcolumn.partition._exact import exact_log_partition
from microcolumn.penalties import L1
from microcolumn.solvers import _stochastic, minimise
from microcolumn.solvers._stochastic import LikelihoodSearch, log_ratio
from microcolumn.words import Words


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Fits of a second, with noise that tests can tell."""
    for name, value in {
        "_CHAINS": 512,
        "_FIRST_DRAWS": 1 << 13,
        "_MOST_DRAWS": 1 << 14,
        "_MOST_ROUNDS": 30,
    }.items():
        monkeypatch.setattr(_stochastic, name, value)


def log_z(theta):
    return exact_log_partition(theta, progress=False).value


def searching(words, start, l1, seed=0, fixed=None):
    layout = Layout.of(start, fixed)
    return LikelihoodSearch(
        words, L1(l1), layout, layout.pack(start), log_z(start), np.random.default_rng(seed)
    )


def uncoupled(words):
    return Parameters(b=logit(words.rates), J=np.zeros((words.n_dims, words.n_dims)))


@pytest.fixture(scope="module")
def pairwise(draw, random_parameters):
    """Words of 7 coupled units, most of them silent in most words."""
    theta = random_parameters("ising", 7, scale=0.5, seed=1)
    return Words.from_array(draw(Parameters(b=theta.b - 1.0, J=theta.J), 3000))


def test_a_convex_fit_is_the_exact_one_within_the_noise_of_its_draws(pairwise):
    l1, start = 5e-3, uncoupled(pairwise)
    search = searching(pairwise, start, l1)
    search.run(1000)
    exact = minimise(NegativeLogLikelihood(pairwise), start, L1(l1), tol=1e-9)
    likelihood = NegativeLogLikelihood(pairwise)
    value = likelihood(search.theta)[0] + search.penalty.value(search.x, search.layout)
    # Fitting noise costs half of one over the number of draws for each parameter.
    n_draws = sum(draws.n_draws for draws in search._drawn)
    costs = np.count_nonzero(search.x) / (2.0 * n_draws)
    assert 0.0 <= value - exact.objective < 5.0 * costs
    assert search.log_z == pytest.approx(log_z(search.theta), abs=0.02)
    assert search.value == pytest.approx(value, abs=0.02)
    found, wanted = search.theta.J != 0.0, exact.parameters.J != 0.0
    assert (found != wanted).sum() <= 0.1 * wanted.size
    assert (found & ~wanted).sum() < wanted.sum()
    # An error of 0.02 in a moment of variance 0.1 is one of about 0.2 in its parameter.
    assert np.abs(search.theta.b - exact.parameters.b).max() < 0.2
    assert np.abs(search.theta.J - exact.parameters.J).max() < 0.2


def test_a_looser_tolerance_draws_fewer_words_and_ends_at_the_mean_of_rounds(pairwise):
    l1, start = 5e-3, uncoupled(pairwise)
    search = searching(pairwise, start, l1)
    search.tol = 3.5e-4
    assert search.is_capped
    search.run(1000)
    assert search.n_draws == 1 << 13
    exact = minimise(NegativeLogLikelihood(pairwise), start, L1(l1), tol=1e-9)
    likelihood = NegativeLogLikelihood(pairwise)
    value = likelihood(search.theta)[0] + search.penalty.value(search.x, search.layout)
    # The noise of one round's words alone would cost as much on average.
    assert 0.0 <= value - exact.objective < np.count_nonzero(search.x) / (2.0 * search.n_draws)
    assert search.log_z == pytest.approx(log_z(search.theta), abs=0.02)


def test_hidden_units_go_to_the_optimum_of_their_basin(draw, random_parameters):
    theta = random_parameters("rbm", 7, 2, scale=1.5, seed=3)
    words = Words.from_array(draw(theta, 4000))
    search = searching(words, theta, 1e-3)
    search.run(1000)
    likelihood = NegativeLogLikelihood(words)
    exact = minimise(likelihood, search.theta, L1(1e-3), tol=1e-7)
    value = likelihood(search.theta)[0] + search.penalty.value(search.x, search.layout)
    assert value - exact.objective < 5.0 * search.layout.size / (2.0 * search.n_draws)
    before = likelihood(theta)[0] + L1(1e-3).value(search.layout.pack(theta), search.layout)
    assert value < before


def test_a_mode_that_the_data_do_not_show_is_removed(every_word):
    # Half of the mass is on all units active, where no chain from the data ever goes.
    n_units = 10
    start = Parameters(b=np.full(n_units, -7.2), J=0.8 * (1.0 - np.eye(n_units)))
    X = (np.random.default_rng(0).random((4000, n_units)) < 0.02).astype(np.uint8)
    words = Words.from_array(X)
    every = every_word(n_units)
    is_busy = every.sum(axis=1) > n_units // 2

    def false_mass(theta):
        log_p = log_weight(theta, every)
        return math.exp(logsumexp(log_p[is_busy]) - logsumexp(log_p))

    assert false_mass(start) > 0.3
    search = searching(words, start, 1e-3)
    search.run(1000)
    assert false_mass(search.theta) < 1e-3
    np.testing.assert_allclose(X.mean(axis=0), _rates(search.theta, every), atol=0.01)


def test_a_step_that_makes_a_mode_is_refused_and_its_words_are_remembered():
    n_units = 12
    X = (np.random.default_rng(0).random((4000, n_units)) < 0.02).astype(np.uint8)
    search = searching(Words.from_array(X), uncoupled(Words.from_array(X)), 1e-3)
    here = search.theta
    # Silent words stay what they are, and all units active have three times their mass.
    busy = 0.5 * (math.log(3.0) - here.b.sum()) / (n_units * (n_units - 1) / 2)
    theta = Parameters(b=here.b, J=busy * (1.0 - np.eye(n_units)))
    pool = WordPool.of(search._drawn)
    search.objective.take(pool)
    search.objective.share = search.objective.share_at(theta)
    foretold = logsumexp(search.objective.log_masses(theta))
    assert log_z(theta) > foretold + 1.0
    assert not search._lands(theta, pool)
    assert np.array_equal(search.theta.J, here.J)
    # With what was found, the words stand for all of the model.
    search.objective.take(WordPool.of(search._drawn, search._strays))
    assert logsumexp(search.objective.log_masses(theta)) == pytest.approx(log_z(theta), abs=0.3)
    assert search._lands(here, pool)


def _rates(theta, every):
    log_p = log_weight(theta, every)
    return np.exp(log_p - logsumexp(log_p)) @ every


def test_without_a_penalty_moments_are_those_of_the_data(pairwise, every_word):
    search = searching(pairwise, uncoupled(pairwise), 0.0)
    search.run(1000)
    np.testing.assert_allclose(_rates(search.theta, every_word(7)), pairwise.rates, atol=0.01)
    assert np.count_nonzero(search.theta.J) == 42


def test_a_huge_penalty_leaves_every_pair_uncoupled(pairwise):
    search = searching(pairwise, Parameters(b=np.zeros(7), J=0.1 * (1.0 - np.eye(7))), 1e3)
    search.run(1000)
    assert not search.theta.J.any()
    np.testing.assert_allclose(search.theta.b, logit(pairwise.rates), atol=0.15)


def test_no_more_steps_are_taken_than_allowed(pairwise):
    search = searching(pairwise, uncoupled(pairwise), 1e-3)
    search.run(1)
    assert (search.n_iter, search.n_rounds) == (1, 1)
    search.run(3)
    assert search.n_iter <= 3


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(pairwise):
    allowed, found = numba.get_num_threads(), []
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(n_threads)
        try:
            search = searching(pairwise, uncoupled(pairwise), 2e-3, seed=5)
            search.run(20)
        finally:
            numba.set_num_threads(allowed)
        found.append((search.x, search.log_z))
    assert np.array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]
    other = searching(pairwise, uncoupled(pairwise), 2e-3, seed=6)
    other.run(20)
    assert not np.array_equal(other.x, found[0][0])


@pytest.mark.parametrize("sizes", [(6000, 6000), (2000, 12_000), (12_000, 2000), (0, 6000)])
def test_the_ratio_of_two_normalisers_is_the_exact_one(draw, random_parameters, sizes):
    last = random_parameters("srbm", 6, 3, scale=0.6, seed=1)
    layout = Layout.of(last)
    step = np.random.default_rng(2).normal(0.05, 0.1, size=layout.size)
    theta = layout.unpack(layout.pack(last) + step)
    ahead, back = (
        log_weight(theta, X) - log_weight(last, X)
        for X in (draw(last, sizes[0], 3), draw(theta, sizes[1], 4))
    )
    exact = log_z(theta) - log_z(last)
    assert abs(exact) > 0.2
    # Each word tells the ratio with a standard deviation of about a half.
    error = 0.5 / math.sqrt(min(sizes) or 6000)
    assert log_ratio(ahead, back) == pytest.approx(exact, abs=4.0 * error)
