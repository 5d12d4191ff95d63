"""Exact samples against the probabilities they are drawn from."""

import numpy as np
from scipy.special import expit
from threads import on_one_and_all

from microcolumn.kernels.loops import threads as kernel_threads
from microcolumn.parameters import Parameters
from microcolumn.partition import can_sample_exactly, exact_samples


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
