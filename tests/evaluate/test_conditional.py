"""Conditional gains against conditionals taken from the joint distribution by enumeration."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import microcolumn as mc
from microcolumn.evaluate import conditional_gain
from microcolumn.models import Independent, Ising, SemiRBM
from microcolumn.parameters import Parameters
from microcolumn.words import Words


def _words(n_bins, n_units, seed=0, **options):
    rng = np.random.default_rng(seed)
    return Words.from_array(rng.random((n_bins, n_units)) < 0.3, **options)


def _by_hand(p, words, rates, unit):
    """Mean of log2 p(x_n | rest) - log2 p(x_n) per second, one bin after the other."""
    total = 0.0
    weights = np.ones(words.n_bins) if words.weights is None else words.weights
    for weight, word in zip(weights, words.expand().tolist(), strict=True):
        x = tuple(word)
        other = (*x[:unit], 1 - x[unit], *x[unit + 1 :])
        conditional = p[x] / (p[x] + p[other])
        rate = rates[unit] if x[unit] else 1.0 - rates[unit]
        total += weight * (math.log2(conditional) - math.log2(rate))
    return total / weights.sum() / words.bin_width


@settings(deadline=None, max_examples=25)
@given(
    kind=st.sampled_from(["independent", "ising", "kpairwise", "rbm", "srbm"]),
    seed=st.integers(0, 1000),
    n_units=st.integers(1, 5),
    weighted=st.booleans(),
)
def test_the_gain_is_the_mean_over_enumerated_conditionals(
    random_model, distribution, kind, seed, n_units, weighted
):
    model = random_model(kind, seed, n_units)
    weights = np.random.default_rng(seed).uniform(0.1, 2.0, 40) if weighted else None
    words = _words(40, n_units, seed, bin_width=0.013, sample_weight=weights)
    rates = np.random.default_rng(seed).uniform(0.05, 0.9, n_units)
    p = distribution(model)
    expected = [_by_hand(p, words, rates, unit) for unit in range(n_units)]
    np.testing.assert_allclose(
        conditional_gain(model, words, baseline=rates), expected, rtol=1e-9, atol=1e-9
    )


def test_of_spatiotemporal_words_the_newest_bin_is_predicted_per_bin(random_model, distribution):
    words = _words(60, 2, bin_width=0.0067).embed(3)
    model, rates = random_model("srbm", 5, n_units=6), np.full(6, 0.3)
    p = distribution(model)
    gains = conditional_gain(model, words, baseline=rates)
    np.testing.assert_allclose(gains, [_by_hand(p, words, rates, n) for n in (4, 5)], rtol=1e-9)
    oldest = conditional_gain(model, words, positions=[1, 0], baseline=rates)
    np.testing.assert_allclose(oldest, [_by_hand(p, words, rates, n) for n in (1, 0)], rtol=1e-9)


def test_firing_rates_gain_nothing_over_themselves():
    train, test = _words(300, 5).split(0.5, random_state=0)
    np.testing.assert_array_equal(conditional_gain(Independent().fit(train), test), np.zeros(5))


def test_cells_of_a_pair_gain_their_mutual_information_and_a_lone_cell_nothing():
    theta = Parameters(b=[-1.0, -1.5, -0.5], J=[[0, 1.2, 0], [1.2, 0, 0], [0, 0, 0]])
    joint = np.exp([[0.0, -1.5], [-1.0, -2.5 + 2.4]])
    joint /= joint.sum()
    first, second = joint.sum(axis=1), joint.sum(axis=0)
    information = np.sum(joint * np.log2(joint / np.outer(first, second)))
    lone = 1.0 / (1.0 + math.exp(0.5))
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    third = [1.0 - lone, lone]
    weights = [joint[a, b] * third[c] for a, b, c in X]
    words = Words.from_array(X, bin_width=0.5, sample_weight=weights)
    gains = conditional_gain(
        Ising.from_parameters(theta), words, baseline=[first[1], second[1], lone]
    )
    np.testing.assert_allclose(gains, [information / 0.5, information / 0.5, 0.0], atol=1e-12)


def test_held_out_gains_of_coupled_cells_are_positive_after_a_fit():
    rng = np.random.default_rng(1)
    together = rng.random((4000, 1)) < 0.1
    words = Words.from_array(rng.random((4000, 4)) < np.where(together, 0.7, 0.05))
    train, test = words.split(0.5, random_state=0)
    assert np.all(conditional_gain(SemiRBM(n_hidden=2, l1=2e-3).fit(train), test) > 1.0)


def test_weights_of_hundreds_stay_finite_and_right():
    b, W, c = np.array([-300.0, 5.0]), np.array([[400.0], [-350.0]]), np.array([-100.0])
    model = SemiRBM.from_parameters(Parameters(b=b, J=[[0, 90.0], [90.0, 0]], W=W, c=c))
    # x = (1, 0): the unit's own log odds are b + softplus(c + W) - softplus(c) = -300 + 300 - tiny.
    # x = (0, 1): -300 + 180 + softplus(-50) - softplus(-450) = -120: silence is certain.
    gains = conditional_gain(model, [[1, 0]], positions=[0], baseline=[0.5, 0.5], bin_width=1.0)
    np.testing.assert_allclose(gains, [0.0], atol=1e-12)
    gains = conditional_gain(model, [[0, 1]], positions=[0], baseline=[0.5, 0.5], bin_width=1.0)
    np.testing.assert_allclose(gains, [1.0], rtol=1e-12)
    gains = conditional_gain(model, [[1, 1]], positions=[0], baseline=[0.5, 0.5], bin_width=1.0)
    np.testing.assert_allclose(gains, [1.0 - 120.0 / math.log(2)], rtol=1e-12)


@pytest.mark.parametrize("given", ["rest", "past"])
def test_alternatives_gain_what_their_predictions_are_worth(given):
    rng = np.random.default_rng(3)
    up = rng.random((3000, 1)) < 0.2
    words = Words.from_array(rng.random((3000, 3)) < np.where(up, 0.6, 0.05)).embed(2)
    model = mc.models.PopulationTracking().fit(words)
    expected = mc.evaluate.prediction_gain(
        mc.evaluate.predict(model, words, given=given)
    ).bits_per_second
    gain = conditional_gain(model, words, given=given)
    np.testing.assert_allclose(gain, expected, rtol=1e-9)
