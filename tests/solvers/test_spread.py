"""Words spread over all numbers of active units against sums over all words."""

import math
from dataclasses import replace

import numpy as np
import pytest
from few_draws import FEW_DRAWS
from scipy.special import logsumexp

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import Draws, NegativeLogLikelihood
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.packing import packed
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1
from microcolumn.solvers import minimise
from microcolumn.solvers._certificate import MOST_MEAN_SQUARE, sampled_certificate
from microcolumn.solvers._spread import (
    FlipRates,
    first_draws,
    grown,
    independent_words,
    masses_of_numbers,
    next_draws,
    spread_pool,
    target_of,
    with_potential,
)
from microcolumn.solvers._stochastic import Effort, SampledProblem, first_state, search
from microcolumn.words import Words

N_UNITS = 14
SETTINGS = replace(FEW_DRAWS, spread_units=2)


def plateau(strength=0.25, seed=0):
    """Few units are active in most words, but all numbers of them hold some mass."""
    rng = np.random.default_rng(seed)
    J = np.triu(strength + 0.1 * rng.normal(size=(N_UNITS, N_UNITS)), 1)
    return Parameters(b=-3.6 - 0.3 * rng.random(N_UNITS), J=J + J.T)


def two_modes():
    """A fifth of the mass is on nearly all units active, with next to nothing in between."""
    n_pairs = N_UNITS * (N_UNITS - 1) // 2
    J = np.triu(30.0 / n_pairs + 0.05 * np.random.default_rng(3).normal(size=(N_UNITS,) * 2), 1)
    return Parameters(b=np.full(N_UNITS, -(2.0 * J.sum() + 1.5) / N_UNITS), J=J + J.T)


def exact(theta, every):
    """Log Z, log probabilities of the numbers of active units, rates and pairs."""
    log_p = log_weight(theta, every)
    log_z = logsumexp(log_p)
    p = np.exp(log_p - log_z)
    by_number = np.bincount(every.sum(axis=1), p)
    return log_z, np.log(by_number), (every.T * p) @ every


def moments(pool, theta):
    _, _, means = pool.mass_moments(theta)
    return means.J + np.diag(means.b)


def test_masses_of_numbers_are_exact_for_words_in_their_shares(every):
    theta = with_potential(plateau(), np.random.default_rng(1).normal(size=N_UNITS + 1))
    log_z, log_p, _ = exact(theta, every)
    # However chains have spread over the numbers of active units.
    spread = np.random.default_rng(2).random(N_UNITS + 1)[every.sum(axis=1)]
    draws = Draws.of(theta, packed(every), log_z)
    counts = np.exp(draws.words.log_weights(theta))
    rates = FlipRates.of(draws.theta, draws.keys, counts * spread[_order(draws, every)])
    found, _ = masses_of_numbers(draws.theta, rates)
    np.testing.assert_allclose(found, log_z + log_p, rtol=1e-10)


def _order(draws, every):
    """Which of all words the draws are, one by one."""
    _, places = np.unique(packed(every), axis=1, return_index=True)
    assert np.array_equal(packed(every)[:, places], draws.keys)
    return places


@pytest.mark.parametrize("theta", [plateau(), plateau(0.3, seed=1), two_modes()])
def test_spread_words_stand_for_all_of_a_model(theta, quiet, every):
    log_z, log_p, pairs = exact(theta, every)
    assert log_p[8:].min() > -17.0
    errors, stderrs, shares = [], [], []
    for seed in range(6):
        found = first_draws(np.random.default_rng(seed), theta, quiet, 1 << 14, SETTINGS)
        pool = spread_pool((found.draws,), theta, found.bias, SETTINGS)
        errors.append(logsumexp(pool.log_masses(theta)) - log_z)
        stderrs.append(math.sqrt(found.variance))
        shares.append(found.shares)
        np.testing.assert_allclose(moments(pool, theta), pairs, atol=0.015)
        np.testing.assert_allclose(found.log_p, log_p, atol=0.5)
    assert np.abs(errors).max() < 0.03
    assert 0.3 < np.sqrt(np.mean(np.square(errors))) / np.mean(stderrs) < 3.0
    # Half of the words are spread over all numbers.
    assert np.min(np.array(shares) / np.exp(target_of(quiet))) > 0.3


def test_spread_words_follow_a_step(quiet, every):
    theta, other = plateau(), plateau(0.28, seed=2)
    there = Parameters(b=theta.b, J=0.4 * theta.J + 0.6 * other.J)
    rng = np.random.default_rng(0)
    first = first_draws(rng, theta, quiet, 1 << 14, SETTINGS)
    pool = spread_pool((first.draws,), theta, first.bias, SETTINGS)
    assert pool.share(theta) > 0.9
    assert 0.2 < pool.share(there) < 0.9
    found = next_draws(rng, pool, there, target_of(quiet), 1 << 14, SETTINGS)
    both = spread_pool((first.draws, found.draws), there, found.bias, SETTINGS)
    log_z, _, pairs = exact(there, every)
    assert logsumexp(both.log_masses(there)) == pytest.approx(log_z, abs=0.03)
    np.testing.assert_allclose(moments(both, there), pairs, atol=0.015)
    # A step that makes much mass, seen or not, goes too far.
    assert pool.share(plateau(0.6)) < SETTINGS.least_share


def test_words_of_a_given_number_are_those_of_independent_units(every):
    rng, b = np.random.default_rng(0), np.linspace(-3.0, 1.0, N_UNITS)
    totals = np.repeat([0, 3, N_UNITS], [10, 20000, 10])
    words = independent_words(rng, b, totals)
    assert np.array_equal(words.sum(axis=1), totals)
    of_three = every[every.sum(axis=1) == 3]
    p = np.exp(of_three @ b)
    np.testing.assert_allclose(words[10:-10].mean(axis=0), p @ of_three / p.sum(), atol=0.015)


def test_grown_words_keep_their_units():
    rng = np.random.default_rng(0)
    words = (rng.random((50, 20)) < 0.2).astype(np.uint8)
    totals = rng.integers(0, 21, size=50)
    more = grown(rng, words, totals)
    assert np.all(more >= words)
    assert more.max() == 1
    n_active, before = more.sum(axis=1), words.sum(axis=1)
    assert np.all(n_active >= before)
    assert n_active.mean() == pytest.approx(np.maximum(totals, before).mean(), abs=2.0)


class Searching:
    """A problem whose words are spread, and its search."""

    def __init__(self, words, start, l1, seed=0):
        self.layout, self.rng = Layout.of(start), np.random.default_rng(seed)
        self.problem = SampledProblem(
            DataMoments(words), L1(l1), l1, self.layout, settings=SETTINGS
        )
        x = self.layout.pack(start)
        self.state, _ = first_state(self.rng, self.problem, x, math.nan, 0.0)

    def run(self):
        self.state = search(self.rng, self.state, self.problem, 1000)
        return self.layout.unpack(self.state.x)


def test_a_fit_by_spread_words_is_the_exact_one(draw):
    words = Words.from_array(draw(plateau(0.15), 4000))
    l1, start = 2e-3, two_modes()  # a start with a mode that no data show
    best = minimise(NegativeLogLikelihood(words), start, L1(l1), tol=1e-8)
    searching = Searching(words, start, l1)
    found = searching.run()
    value = NegativeLogLikelihood(words)(found)[0] + L1(l1).value(
        searching.state.x, searching.layout
    )
    n_draws = sum(draws.n_draws for draws in searching.state.draws)
    noise = searching.problem.noise(searching.state.x, 0.5 * n_draws)
    assert 0.0 <= value - best.objective < 5.0 * noise
    assert np.abs(found.b - best.parameters.b).max() < 0.3


def test_the_certificate_sees_mass_that_plain_chains_do_not(draw, every):
    words = Words.from_array(draw(plateau(0.15), 4000))
    l1, start = 2e-3, plateau(0.15)
    best = minimise(NegativeLogLikelihood(words), start, L1(l1), tol=1e-8).parameters
    # The same distribution for few active units, and a mode for many: a twentieth of the mass.
    log_p = exact(best, every)[1]
    v = np.zeros(N_UNITS + 1)
    v[10:] = math.log(0.05) - logsumexp(log_p[10:])
    false = with_potential(best, v)
    problem = SampledProblem(DataMoments(words), L1(l1), l1, Layout.of(best), settings=SETTINGS)
    judged = []
    for theta in (best, false):
        rng = np.random.default_rng(1)
        spread = first_draws(rng, theta, words, 1 << 14, SETTINGS)
        of_theta = replace(problem, layout=Layout.of(theta))
        judged.append(sampled_certificate(rng, theta, of_theta, Effort(), spread))
    assert judged[0].converged
    assert judged[0].chains_agree < MOST_MEAN_SQUARE
    assert not judged[1].converged
    assert judged[1].mean_square_z > 10.0 * MOST_MEAN_SQUARE


def test_flips_of_the_silent_word_alone_say_nothing_of_more():
    theta = Parameters(b=np.full(3, -1.0), J=np.zeros((3, 3)))
    keys = packed(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], dtype=np.uint8))
    draws = Draws.of(theta, keys, 0.0)
    found, _ = masses_of_numbers(theta, FlipRates.of(theta, draws.keys, draws.counts))
    # Independent units: each number by itself is enough.
    binomial = [math.log(math.comb(3, k)) - k for k in range(4)]
    np.testing.assert_allclose(found, binomial, rtol=1e-12)
