"""The certificate of a sampled likelihood against exact optima and exact gains."""

import math

import numpy as np
import pytest
from threads import on_one_and_all

from microcolumn.layout import Layout
from microcolumn.objectives import NegativeLogLikelihood
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1
from microcolumn.solvers import Certificate, SamplerSettings, minimise
from microcolumn.solvers._certificate import MOST_MEAN_SQUARE, sampled_certificate
from microcolumn.solvers._stochastic import Effort, SampledProblem
from microcolumn.words import Words

SETTINGS = SamplerSettings(judging_chains=1024, judging_settling=50, judging_words=16)


def certified(theta, words, l1, seed=0, fixed=None):
    data, layout = DataMoments(words), Layout.of(theta, fixed)
    problem = SampledProblem(data, L1(l1), l1, layout, settings=SETTINGS)
    effort = Effort(n_rounds=3)
    return sampled_certificate(np.random.default_rng(seed), theta, problem, effort)


@pytest.fixture(scope="module", params=["ising", "rbm", "srbm"])
def optimum(request, draw, random_parameters):
    """Words, the strength of a penalty, and the exact penalised optimum near the truth."""
    drawn = random_parameters(request.param, 6, 3, scale=0.7, seed=1)
    hidden = {} if drawn.W is None else {"W": 2.5 * drawn.W, "c": drawn.c - 1.0}
    theta = Parameters(b=drawn.b - 1.0, J=drawn.J, **hidden)
    words, l1 = Words.from_array(draw(theta, 4000)), 1e-3
    return words, l1, minimise(NegativeLogLikelihood(words), theta, L1(l1), tol=1e-9).parameters


def moved(theta, distance, seed=0):
    """Some distance from a model, along all parameters that are not zero."""
    layout = Layout.of(theta)
    x = layout.pack(theta)
    step = np.random.default_rng(seed).normal(size=x.size) * (x != 0.0)
    return layout.unpack(x + distance * step / np.linalg.norm(step))


def test_at_the_optimum_violations_are_the_noise_of_the_chains(optimum):
    words, l1, theta = optimum
    found = [certified(theta, words, l1, seed) for seed in range(12)]
    assert all(each.converged for each in found)
    assert np.mean([each.mean_square_z for each in found]) == pytest.approx(1.0, abs=0.4)
    assert np.mean([each.chains_agree for each in found]) == pytest.approx(1.0, abs=0.4)
    gains = [each.gain for each in found]
    assert abs(np.mean(gains)) < 3.0 * np.std(gains) / math.sqrt(len(gains))
    # Errors are right although the moments are correlated.
    told = math.sqrt(np.mean([each.gain_stderr**2 for each in found]))
    assert 0.6 < told / np.std(gains, ddof=1) < 2.5
    n_pairs = 0 if theta.J is None else np.count_nonzero(theta.J) // 2
    n_weights = 0 if theta.W is None else np.count_nonzero(theta.W) + theta.live.sum()
    assert n_pairs + n_weights > 10
    assert {each.n_moments for each in found} == {theta.n_visible + n_pairs + n_weights}
    assert found[0].n_rounds == 3


def test_a_wrong_model_is_told_from_the_optimum(optimum):
    words, l1, theta = optimum
    found = certified(moved(theta, 0.5), words, l1)
    assert not found.converged
    assert found.mean_square_z > 4.0 * MOST_MEAN_SQUARE
    assert found.gain > 4.0 * found.gain_stderr > 0.0
    # The chains themselves have reached the wrong model.
    assert found.chains_agree < MOST_MEAN_SQUARE
    assert found.optimality > 0.01


def test_a_gain_beyond_its_error_and_what_matters_is_no_convergence(draw, random_parameters):
    words = Words.from_array(draw(random_parameters("ising", 6, scale=0.7, seed=2), 4000))
    start, l1 = Parameters(b=np.zeros(6), J=np.zeros((6, 6))), 1e-4
    theta = minimise(NegativeLogLikelihood(words), start, L1(l1), tol=1e-9).parameters
    layout = Layout.of(theta)
    # Along the flattest direction single moments hardly differ from the data's.
    covariance = np.cov(layout.design(theta, words.X).T, aweights=words.counts, ddof=0)
    scale = 1.0 / np.sqrt(np.diag(covariance))
    [least, *_], vectors = np.linalg.eigh(covariance * np.outer(scale, scale))
    step = math.sqrt(2.0 * 3e-3 / least) * vectors[:, 0] * scale
    found = certified(layout.unpack(layout.pack(theta) + step), words, l1)
    assert found.mean_square_z < MOST_MEAN_SQUARE > found.chains_agree
    assert found.gain > 3.0 * found.gain_stderr
    assert not found.converged


def test_pairs_that_should_not_be_zero_are_found(draw, random_parameters):
    words = Words.from_array(draw(random_parameters("ising", 6, scale=0.7, seed=2), 4000))
    empty = Parameters(b=np.log(words.rates / (1.0 - words.rates)), J=np.zeros((6, 6)))
    found = certified(empty, words, 1e-3)
    assert not found.converged
    assert found.n_moments > 6
    # A penalty that leaves nothing to couple makes the same model an optimum.
    assert certified(empty, words, 1.0).converged


def test_the_gain_is_that_of_the_likelihood_for_a_small_step():
    # Independent units: each parameter has its own curvature, and what the certificate adds up
    # is what the likelihood gains.
    rng = np.random.default_rng(1)
    rates = np.array([0.1, 0.3, 0.5, 0.2, 0.4])
    words = Words.from_array((rng.random((5000, 5)) < rates).astype(np.uint8))
    likelihood, l1 = NegativeLogLikelihood(words), 0.0
    start = Parameters(b=np.zeros(5))
    best = minimise(likelihood, start, L1(l1), tol=1e-10)
    wrong = Parameters(b=best.parameters.b + np.array([0.15, -0.1, 0.1, -0.2, 0.15]))
    exact = likelihood(wrong)[0] - best.objective
    found = certified(wrong, words, l1)
    # The next order of the expansion is a share of about the step itself.
    assert found.gain == pytest.approx(exact, abs=3.0 * found.gain_stderr + 0.1 * exact)
    assert found.gain > 5.0 * found.gain_stderr
    bits, error = found.gain_bits_per_second(0.020)
    assert bits == pytest.approx(found.gain / math.log(2.0) / 0.020)
    assert error == pytest.approx(found.gain_stderr / math.log(2.0) / 0.020)


def test_what_no_chain_shows_counts_where_the_data_show_it():
    silent = Parameters(b=np.full(4, -30.0), J=np.zeros((4, 4)))
    X = np.zeros((1000, 4), dtype=np.uint8)
    X[:60, 0] = X[30:100, 1] = 1
    found = certified(silent, Words.from_array(X), 1e-3)
    assert not found.converged
    assert found.gain > 10.0 * found.gain_stderr


def test_chains_that_stay_where_they_started_are_told():
    # Two modes: chains from the data, half of them silent, half active, stay where they are, and
    # annealed ones all end in the silent one.
    theta = Parameters(b=np.full(12, -7.5), J=0.6 * (1.0 - np.eye(12)))
    X = np.zeros((1000, 12), dtype=np.uint8)
    X[:500] = 1
    X[:60, 0], X[900:, 1] = 0, 1
    found = certified(theta, Words.from_array(X), 1e-3)
    assert found.chains_agree > 10.0 * MOST_MEAN_SQUARE
    assert not found.converged


def test_dead_hidden_units_and_fixed_units_have_no_part_in_it():
    rng = np.random.default_rng(0)
    X = (rng.random((2000, 4)) < 0.3).astype(np.uint8)
    X[:, 3] = 0
    words = Words.from_array(X)
    fixed = np.array([False, False, False, True])
    rates = np.clip(words.rates, 1e-3, None)
    theta = Parameters(b=np.log(rates / (1.0 - rates)), W=np.zeros((4, 5)), c=np.full(5, -1.0))
    assert certified(theta, words, 1e-2, fixed=fixed).n_moments == 3
    silent = Words.from_array(np.zeros((10, 4), dtype=np.uint8))
    nothing = certified(theta, silent, 1e-2, fixed=np.ones(4, dtype=bool))
    assert (nothing.n_moments, nothing.mean_square_z, nothing.converged) == (0, 0.0, True)


def test_any_number_of_threads_gives_the_same_certificate(optimum):
    words, l1, theta = optimum
    one, many = on_one_and_all(lambda: certified(theta, words, l1))
    assert one == many


def test_printed_it_is_a_sentence(optimum):
    words, l1, theta = optimum
    told = str(certified(theta, words, l1))
    assert "mean square z" in told
    assert "nats per word still to be gained" in told
    assert str(Certificate(True, 3e-9)) == "optimality 3e-09"
    assert Certificate(True, 3e-9).gain_bits_per_second(0.02) == (0.0, 0.0)
