"""The search that draws its own words against exact fits of small models."""

import math
from dataclasses import replace

import numpy as np
import pytest
from few_draws import FEW_DRAWS
from scipy.special import logit, logsumexp
from threads import on_one_and_all

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import NegativeLogLikelihood, WordPool
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.parameters import Parameters
from microcolumn.partition.exact import exact_log_partition
from microcolumn.penalties import L1, Smoothness
from microcolumn.solvers import minimise
from microcolumn.solvers._stochastic import (
    SampledProblem,
    accept_step,
    first_state,
    run_round,
    search,
)
from microcolumn.words import Words


def log_z(theta):
    return exact_log_partition(theta, progress=False).value


class Searching:
    """A problem with few draws, and where its search is."""

    def __init__(self, words, start, l1, seed=0, settings=FEW_DRAWS):
        layout, self.rng = Layout.of(start), np.random.default_rng(seed)
        self.problem = SampledProblem(DataMoments(words), L1(l1), l1, layout, settings=settings)
        at_start = layout.pack(start), log_z(start), 0.0
        self.state, self.has_spurious_mode = first_state(self.rng, self.problem, *at_start)

    @property
    def theta(self):
        return self.problem.layout.unpack(self.state.x)

    def run(self, max_iter):
        self.state = search(self.rng, self.state, self.problem, max_iter)
        return self

    @property
    def penalised(self):
        """Exact value, with the normaliser summed."""
        likelihood = NegativeLogLikelihood(self.problem.data.words)
        return likelihood(self.theta)[0] + self.problem.penalty.value(
            self.state.x, self.problem.layout
        )

    @property
    def noise(self):
        """Fitting noise costs half of one over the number of draws for each parameter."""
        n_draws = sum(draws.n_draws for draws in self.state.draws)
        return self.problem.noise(self.state.x, n_draws)


def uncoupled(words):
    return Parameters(b=logit(words.rates), J=np.zeros((words.n_dims, words.n_dims)))


@pytest.fixture(scope="module")
def pairwise(draw, random_parameters):
    """Words of 7 coupled units, most of them silent in most words."""
    theta = random_parameters("ising", 7, scale=0.5, seed=1)
    return Words.from_array(draw(Parameters(b=theta.b - 1.0, J=theta.J), 3000))


def test_a_convex_fit_is_the_exact_one_within_the_noise_of_its_draws(pairwise):
    l1, start = 5e-3, uncoupled(pairwise)
    found = Searching(pairwise, start, l1).run(1000)
    exact = minimise(NegativeLogLikelihood(pairwise), start, L1(l1), tol=1e-9)
    assert 0.0 <= found.penalised - exact.objective < 5.0 * found.noise
    assert found.state.log_z == pytest.approx(log_z(found.theta), abs=0.02)
    value = found.problem.value(found.state.x, found.state.log_z)
    assert value == pytest.approx(found.penalised, abs=0.02)
    is_pair, is_true = found.theta.J != 0.0, exact.parameters.J != 0.0
    assert (is_pair != is_true).sum() <= 0.1 * is_true.size
    assert (is_pair & ~is_true).sum() < is_true.sum()
    # An error of 0.02 in a moment of variance 0.1 is one of about 0.2 in its parameter.
    assert np.abs(found.theta.b - exact.parameters.b).max() < 0.2
    assert np.abs(found.theta.J - exact.parameters.J).max() < 0.2


def test_the_error_of_log_z_is_that_of_many_searches(pairwise):
    errors, stderrs = [], []
    for seed in range(8):
        found = Searching(pairwise, uncoupled(pairwise), 5e-3, seed).run(1000)
        errors.append(found.state.log_z - log_z(found.theta))
        stderrs.append(math.sqrt(found.state.log_z_variance))
    # Words of one chain are not quite independent.
    assert 0.3 < np.mean(stderrs) / np.sqrt(np.mean(np.square(errors))) < 3.0


def test_draws_are_sized_by_the_l1_penalty_alone(pairwise):
    """Smoothing of a potential is no reason to draw fewer words: rare pairs would run away."""
    settings = replace(FEW_DRAWS, most_draws=1 << 20)
    weak = Searching(pairwise, uncoupled(pairwise), 1e-4, settings=settings).problem
    smooth = replace(weak, penalty=L1(1e-4) + Smoothness(1.0))
    assert smooth.first_draws() == weak.first_draws() > 32.0 / 1.1e-4 * 0.9


def test_a_round_leaves_its_state_as_it_is(pairwise):
    found = Searching(pairwise, uncoupled(pairwise), 5e-3)
    before = found.state
    x, effort = before.x.copy(), before.effort
    after, info = run_round(found.rng, before, found.problem, 100)
    assert np.array_equal(before.x, x)
    assert before.effort == effort
    assert after.effort.n_rounds == 1
    assert not np.array_equal(after.x, x)
    assert info.gain > 0.0
    assert info.noise == pytest.approx(7 / (2.0 * before.draws[0].n_draws))
    assert not info.refused


def test_hidden_units_go_to_the_optimum_of_their_basin(draw, random_parameters):
    theta = random_parameters("rbm", 7, 2, scale=1.5, seed=3)
    words = Words.from_array(draw(theta, 4000))
    found = Searching(words, theta, 1e-3)
    before = found.penalised
    found.run(1000)
    exact = minimise(NegativeLogLikelihood(words), found.theta, L1(1e-3), tol=1e-7)
    assert found.penalised - exact.objective < 5.0 * found.noise
    assert found.penalised < before


def test_a_mode_that_the_data_do_not_show_is_removed(every_word):
    # Half of the mass is on all units active, where no chain from the data ever goes.
    n_units = 10
    start = Parameters(b=np.full(n_units, -7.2), J=0.8 * (1.0 - np.eye(n_units)))
    X = (np.random.default_rng(0).random((4000, n_units)) < 0.02).astype(np.uint8)
    words = Words.from_array(X)
    every = every_word(n_units)
    is_busy = every.sum(axis=1) > n_units // 2

    def spurious_mass(theta):
        log_p = log_weight(theta, every)
        return math.exp(logsumexp(log_p[is_busy]) - logsumexp(log_p))

    assert spurious_mass(start) > 0.3
    found = Searching(words, start, 1e-3)
    assert found.has_spurious_mode
    found.run(1000)
    assert spurious_mass(found.theta) < 1e-3
    np.testing.assert_allclose(X.mean(axis=0), _rates(found.theta, every), atol=0.01)


def test_a_step_that_makes_a_mode_is_refused_and_its_words_are_remembered():
    n_units = 12
    X = (np.random.default_rng(0).random((4000, n_units)) < 0.02).astype(np.uint8)
    found = Searching(Words.from_array(X), uncoupled(Words.from_array(X)), 1e-3)
    assert not found.has_spurious_mode
    here, state = found.theta, found.state
    # Silent words stay what they are, and all units active have three times their mass.
    busy = 0.5 * (math.log(3.0) - here.b.sum()) / (n_units * (n_units - 1) / 2)
    theta = Parameters(b=here.b, J=busy * (1.0 - np.eye(n_units)))
    pool, pack = WordPool.of(state.draws), found.problem.layout.pack
    assert log_z(theta) > logsumexp(pool.log_masses(theta)) + 1.0
    refused, reason = accept_step(found.rng, state, found.problem, pool, pack(theta), 1 << 13)
    assert reason == "an unvisited mode"
    assert np.array_equal(refused.x, state.x)
    # With what was found, the words stand for all of the model.
    pool = WordPool.of(refused.draws, refused.unvisited)
    assert logsumexp(pool.log_masses(theta)) == pytest.approx(log_z(theta), abs=0.3)
    _, reason = accept_step(found.rng, refused, found.problem, pool, pack(here), 1 << 13)
    assert reason == ""


def _rates(theta, every):
    log_p = log_weight(theta, every)
    return np.exp(log_p - logsumexp(log_p)) @ every


def test_without_a_penalty_moments_are_those_of_the_data(pairwise, every_word):
    found = Searching(pairwise, uncoupled(pairwise), 0.0).run(1000)
    np.testing.assert_allclose(_rates(found.theta, every_word(7)), pairwise.rates, atol=0.01)
    assert np.count_nonzero(found.theta.J) == 42


def test_no_more_steps_are_taken_than_allowed(pairwise):
    found = Searching(pairwise, uncoupled(pairwise), 1e-3).run(1)
    assert (found.state.effort.n_iter, found.state.effort.n_rounds) == (1, 1)
    assert found.run(3).state.effort.n_iter <= 3


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(pairwise):

    def found(seed=5):
        return Searching(pairwise, uncoupled(pairwise), 2e-3, seed).run(20).state

    one, many = on_one_and_all(found)
    assert np.array_equal(one.x, many.x)
    assert one.log_z == many.log_z
    assert not np.array_equal(found(seed=6).x, one.x)
