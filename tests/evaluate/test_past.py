"""Predictions from the past against marginals of the whole enumerated joint distribution."""

import math

import numpy as np
from hypothesis import given, settings, strategies as st
from scipy.special import expit

from microcolumn.evaluate import conditional_gain
from microcolumn.evaluate._prediction import log_odds_of_bits
from microcolumn.models import SemiRBM
from microcolumn.words import Words

KINDS = ["independent", "ising", "kpairwise", "rbm", "srbm"]


def _words(n_bins, n_units, window, seed=0, **options):
    rng = np.random.default_rng(seed)
    return Words.from_array(rng.random((n_bins, n_units)) < 0.3, **options).embed(window)


def probability_given_past(model, words):
    """Of a spike of each unit of the newest bin, from its log odds."""
    newest = range(words.n_dims - words.n_units, words.n_dims)
    return expit(log_odds_of_bits(model, words, newest, "past"))


def _enumerated(p, words):
    """p(x_n = 1 | earlier bins) of each word and unit, from the probability of every window."""
    first = words.n_dims - words.n_units
    out = np.empty((len(words), words.n_units))
    for row, word in enumerate(words.X.tolist()):
        same_past = {x: q for x, q in p.items() if x[:first] == tuple(word[:first])}
        total = math.fsum(same_past.values())
        for n in range(words.n_units):
            out[row, n] = math.fsum(q for x, q in same_past.items() if x[first + n]) / total
    return out


def _gain_by_hand(probability, words, rates):
    """Bits/s of each unit of the newest bin, one window after the other."""
    first = words.n_dims - words.n_units
    total = np.zeros(words.n_units)
    for row in words.index:
        for n in range(words.n_units):
            bit, p, rate = words.X[row, first + n], probability[row, n], rates[first + n]
            total[n] += math.log2(p / rate) if bit else math.log2((1.0 - p) / (1.0 - rate))
    return total / words.n_bins / words.bin_width


@settings(deadline=None, max_examples=25)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 1000),
    shape=st.sampled_from([(3, 2), (3, 3), (2, 3), (4, 2), (1, 4), (3, 1)]),
)
def test_probabilities_and_gains_are_those_of_the_enumerated_windows(
    random_model, distribution, kind, seed, shape
):
    n_units, window = shape
    words = _words(30, n_units, window, seed, bin_width=0.0067)
    model = random_model(kind, seed, n_units * window, scale=1.0)
    expected = _enumerated(distribution(model), words)
    np.testing.assert_allclose(
        probability_given_past(model, words), expected, rtol=1e-12, atol=1e-15
    )
    rates = np.random.default_rng(seed).uniform(0.05, 0.9, words.n_dims)
    np.testing.assert_allclose(
        conditional_gain(model, words, baseline=rates, given="past"),
        _gain_by_hand(expected, words, rates),
        rtol=1e-9,
        atol=1e-9,
    )


def test_the_past_predicts_a_follower_and_leaves_its_leader_alone():
    rng = np.random.default_rng(5)
    leader = rng.random(4001) < 0.2
    follower = rng.random(4000) < np.where(leader[:-1], 0.8, 0.05)
    words = Words.from_array(np.column_stack([leader[1:], follower]), bin_width=0.020).embed(2)
    train, test = words.split(0.5, random_state=0)
    gains = conditional_gain(SemiRBM(n_hidden=2, l1=2e-3).fit(train), test, given="past")
    assert gains[1] > 5.0
    assert abs(gains[0]) < 1.0
