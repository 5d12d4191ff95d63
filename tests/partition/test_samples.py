"""Exact samples against the probabilities they are drawn from."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import chi2
from threads import on_one_and_all

from microcolumn.kernels.loops import threads as kernel_threads
from microcolumn.parameters import Parameters
from microcolumn.partition import can_sample_exactly, exact_samples


def g_test(words, X, p):
    """p-value of the likelihood-ratio test of observed words against all words' probabilities.

    Words expected fewer than five times are pooled.
    """
    n = words.shape[0]
    powers = 2.0 ** np.arange(X.shape[1])
    number = {int(key): k for k, key in enumerate(X @ powers)}
    observed = np.bincount([number[int(key)] for key in words @ powers], minlength=p.size)
    rare = n * p < 5.0
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = n * np.append(p[~rare], p[rare].sum())
    observed, expected = observed[expected > 1e-9], expected[expected > 1e-9]
    seen = observed > 0
    statistic = 2.0 * np.sum(observed[seen] * np.log(observed[seen] / expected[seen]))
    return chi2.sf(statistic, observed.size - 1)


@pytest.mark.parametrize("kind", ["independent", "ising", "rbm", "srbm"])
@pytest.mark.parametrize("n_units", [1, 3, 10])
def test_words_occur_as_often_as_their_probability_says(
    kind, n_units, random_model, enumerate_words
):
    theta = random_model(kind, n_units, n_hidden=4, scale=1.0, seed=n_units)
    words = exact_samples(theta, 20_000, np.random.default_rng(7))
    X, _, p = enumerate_words(theta)
    assert words.shape == (20_000, n_units)
    assert words.dtype == np.uint8
    assert g_test(words, X, p) > 1e-3


@pytest.mark.parametrize("n_units", [12, 15])
def test_strongly_coupled_words_occur_as_often_as_they_should(
    n_units, random_model, enumerate_words
):
    """More units than one chunk holds, hence every stage of the drawing."""
    theta = random_model("srbm", n_units, n_hidden=3, scale=2.0, seed=4)
    words = exact_samples(theta, 20_000, np.random.default_rng(1))
    X, _, p = enumerate_words(theta)
    assert g_test(words, X, p) > 1e-3


def test_a_wrong_distribution_fails_the_same_test(random_model, enumerate_words):
    theta = random_model("ising", 8, seed=2)
    words = exact_samples(theta, 20_000, np.random.default_rng(0))
    off = Parameters(b=theta.b + 0.1, J=theta.J)
    X, _, p = enumerate_words(off)
    assert g_test(words, X, p) < 1e-6


def test_many_units_with_few_hidden_ones_are_drawn_through_them(random_model):
    theta = random_model("rbm", 120, n_hidden=3, scale=1.0)
    words = exact_samples(theta, 40_000, np.random.default_rng(3))
    states = np.array([[k >> i & 1 for i in range(3)] for k in range(8)], dtype=float)
    inputs = theta.b + states @ theta.W.T
    log_weights = states @ theta.c + np.logaddexp(0.0, inputs).sum(axis=1)
    p = np.exp(log_weights - np.logaddexp.reduce(log_weights))
    rates = p @ expit(inputs)
    z = (words.mean(axis=0) - rates) / np.sqrt(rates * (1.0 - rates) / words.shape[0])
    assert np.abs(z).max() < 4.5


def test_samples_come_in_no_particular_order(random_model):
    """Neighbouring samples are independent: their first bits are uncorrelated."""
    words = exact_samples(random_model("ising", 11), 20_000, np.random.default_rng(5))
    bits = words.astype(float)
    centred = bits - bits.mean(axis=0)
    lagged = (centred[1:] * centred[:-1]).mean(axis=0) / centred.var(axis=0)
    assert np.abs(lagged).max() < 4.5 / np.sqrt(words.shape[0])


def test_the_same_seed_gives_the_same_words_for_any_number_of_threads(random_model, monkeypatch):
    monkeypatch.setattr(kernel_threads, "OPERATIONS_PER_THREAD", 1.0)
    theta = random_model("srbm", 13, n_hidden=3)
    drawn = on_one_and_all(lambda: exact_samples(theta, 100, np.random.default_rng(9)))
    np.testing.assert_array_equal(*drawn)


def test_units_that_are_never_or_always_active_stay_so():
    theta = Parameters(b=[-800.0, 800.0, 0.0], J=np.zeros((3, 3)), W=[[0.0], [0.0], [1.0]])
    words = exact_samples(theta, 1000, np.random.default_rng(0))
    assert not words[:, 0].any()
    assert words[:, 1].all()
    assert 0 < words[:, 2].sum() < 1000


def test_one_word_and_no_word_can_be_drawn(random_model):
    theta = random_model("ising", 5)
    assert exact_samples(theta, 1, np.random.default_rng(0)).shape == (1, 5)
    assert exact_samples(theta, 0, np.random.default_rng(0)).shape == (0, 5)


def test_only_models_small_enough_are_sampled_exactly(random_model):
    assert can_sample_exactly(random_model("ising", 26))
    assert can_sample_exactly(random_model("srbm", 26, n_hidden=25))
    assert can_sample_exactly(random_model("rbm", 400, n_hidden=10))
    assert not can_sample_exactly(random_model("ising", 40))
    assert not can_sample_exactly(random_model("rbm", 100, n_hidden=60))
