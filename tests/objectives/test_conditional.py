"""The likelihood of the newest bin given its past, against sums over all its states."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from threads import on_one_and_all

import microcolumn as mc
from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import (
    ConditionalLikelihood,
    negative_conditional_likelihood,
    negative_log_likelihood,
)
from microcolumn.parameters import Parameters

KINDS = ["independent", "ising", "rbm", "srbm"]


def windows(n_units, window, n_bins=60, seed=0):
    rng = np.random.default_rng(seed)
    return mc.Words.from_array(rng.random((n_bins, n_units)) < 0.3).embed(window)


def enumerated(theta, words):
    """Log probability of the newest bin of each distinct window, nats."""
    n = words.n_units
    newest = np.array(list(itertools.product((0, 1), repeat=n)), dtype=np.uint8)
    out = np.empty(len(words))
    for row, x in enumerate(words.X):
        same_past = np.hstack([np.tile(x[:-n], (len(newest), 1)), newest])
        log_w = log_weight(theta, np.vstack([x, same_past]))
        out[row] = log_w[0] - logsumexp(log_w[1:])
    return out


@pytest.mark.parametrize("scale", [0.5, 40.0])
@pytest.mark.parametrize("kind", KINDS)
def test_the_value_is_that_of_all_states_of_ten_units(random_parameters, kind, scale):
    words, theta = windows(10, 2), random_parameters(kind, 20, 30, scale=scale)
    expected = -np.average(enumerated(theta, words), weights=words.counts)
    assert negative_conditional_likelihood(theta, words)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("hidden", ["bernoulli", "gaussian"])
@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=10)
@given(n_units=st.integers(1, 4), window=st.integers(1, 4), seed=st.integers(0, 99))
def test_slopes_are_finite_differences(random_parameters, kind, hidden, n_units, window, seed):
    own = random_parameters(kind, n_units * window, 5, scale=0.5, seed=seed)
    if own.W is not None:
        own.W[:, 3] = 0.0  # a dead hidden unit
    theta = Parameters(own.b, own.J, own.W, own.c, hidden=hidden)
    words = windows(n_units, window, seed=seed)
    objective, layout = ConditionalLikelihood(words), Layout.of(theta)
    x, gradient, ignored = layout.pack(theta), np.empty(layout.size), np.empty(layout.size)
    theta = layout.unpack(x)  # without biases of Gaussian hidden units
    assert objective.evaluate(x, layout, gradient) == pytest.approx(
        -np.average(enumerated(theta, words), weights=words.counts), abs=1e-10
    )
    step = 1e-5 * np.random.default_rng(seed).normal(size=layout.size)
    ends = [objective.evaluate(x + way * step, layout, ignored) for way in (1.0, -1.0)]
    assert 0.5 * (ends[0] - ends[1]) == pytest.approx(gradient @ step, rel=1e-6, abs=1e-11)


def test_of_single_bins_it_is_the_likelihood(random_parameters):
    words, theta = windows(5, 1), random_parameters("srbm", 5)
    found, expected = (
        Layout.of(theta).pack_gradient(objective(theta, words)[1])
        for objective in (negative_conditional_likelihood, negative_log_likelihood)
    )
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_any_number_of_threads_gives_the_same_bits(random_parameters):
    words, theta = windows(7, 3, n_bins=4000), random_parameters("srbm", 21, 9)
    objective, layout = ConditionalLikelihood(words), Layout.of(theta)
    several = on_one_and_all(lambda: layout.pack_gradient(objective(theta)[1]))
    np.testing.assert_array_equal(*several)


def test_a_fit_to_one_unit_is_a_logistic_regression_on_its_past():
    words = windows(1, 4, n_bins=3000)
    model = mc.Ising(l1=0.0, objective="conditional", tol=1e-10).fit(words)
    X = words.X[words.index]
    regression = LogisticRegression(C=np.inf, tol=1e-10).fit(X[:, :3], X[:, 3])
    np.testing.assert_allclose(2.0 * model.J_[3, :3], regression.coef_[0], atol=1e-5)
    assert model.b_[3] == pytest.approx(regression.intercept_[0], abs=1e-5)


@pytest.fixture(scope="module")
def followed():
    """Spike trains of known couplings to the bin before, from the column's unit to the row's."""
    coupling = np.array([[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.0, -1.5, 1.0]])
    rng, x = np.random.default_rng(0), np.zeros((30_000, 3), dtype=np.uint8)
    for t in range(1, len(x)):
        x[t] = rng.random(3) < 1.0 / (1.0 + np.exp(1.5 - coupling @ x[t - 1]))
    return coupling, mc.Words.from_array(x, bin_width=0.01).embed(2)


def test_known_couplings_to_the_past_are_recovered(followed):
    coupling, words = followed
    model = mc.Ising(l1=0.0, objective="conditional").fit(words)
    np.testing.assert_allclose(2.0 * model.J_[3:, :3], coupling, atol=0.12)
    assert not model.J_[:3, :3].any()


def test_a_model_is_scored_and_chosen_by_the_newest_bin(followed):
    train, test = followed[1].split(0.5, by="blocks", random_state=0)
    model = mc.tune(mc.RBM(6, objective="conditional"), train, l1_values=[1e-4, 1e-3]).best
    joint = mc.Ising(l1=1e-4).fit(train)
    log_p = enumerated(model.parameters_, test)
    np.testing.assert_allclose(model.score_samples(test), log_p[test.index], atol=1e-12)
    assert model.conditional(test, unit=3).shape == (test.n_bins,)
    rates = np.array([0.1, 0.2, 0.3])
    log_base = np.log(np.where(test.X[:, 3:], rates, 1.0 - rates)).sum(axis=1)
    expected = np.average(log_p - log_base, weights=test.counts) / np.log(2.0) / 0.01
    by_hand = mc.score(model, test, np.tile(rates, 2))
    assert by_hand.bits_per_second == pytest.approx(expected, rel=1e-10)
    over_joint = mc.score(model, test, joint).bits_per_second
    gains = [mc.evaluate.sequence_gain(each, test).bits_per_second for each in (model, joint)]
    assert over_joint == pytest.approx(gains[0] - gains[1], abs=1e-9)
    whole = mc.evaluate.predict(model, test, given="past")
    assert mc.evaluate.prediction_gain(whole).bits_per_second.sum() == pytest.approx(
        gains[0], rel=0.1
    )  # units are not quite independent given the past
