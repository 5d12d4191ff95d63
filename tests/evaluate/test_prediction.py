"""Predicted spikes against conditionals of the enumerated distribution, bin after bin."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import expit

from microcolumn.evaluate import conditional_gain
from microcolumn.evaluate._prediction import log_odds_of_bits, predict
from microcolumn.models import Ising, SemiRBM
from microcolumn.parameters import Parameters
from microcolumn.recording import Recording
from microcolumn.units import Units
from microcolumn.words import Words

KINDS = ["independent", "ising", "kpairwise", "rbm", "srbm"]


def _words(n_bins, n_units, seed=0, **options):
    rng = np.random.default_rng(seed)
    return Words.from_array(rng.random((n_bins, n_units)) < 0.3, **options)


def _given_rest(p, word, bit):
    spike = (*word[:bit], 1, *word[bit + 1 :])
    silence = (*word[:bit], 0, *word[bit + 1 :])
    return p[spike] / (p[spike] + p[silence])


def _given_past(p, word, bit, n_past):
    same_past = {x: q for x, q in p.items() if x[:n_past] == word[:n_past]}
    return math.fsum(q for x, q in same_past.items() if x[bit]) / math.fsum(same_past.values())


@settings(deadline=None, max_examples=25)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 1000),
    shape=st.sampled_from([(3, 2), (2, 3), (4, 1), (1, 4), (1, 1)]),
)
def test_every_bin_is_predicted_as_in_the_enumerated_distribution(
    random_model, distribution, kind, seed, shape
):
    n_units, window = shape
    words = _words(25, n_units, seed).embed(window)
    model = random_model(kind, seed, n_units * window, scale=1.0)
    p, n_past = distribution(model), n_units * (window - 1)
    windows = [tuple(window) for window in words.expand().tolist()]
    bits = range(n_past, n_past + n_units)
    rest, past = predict(model, words), predict(model, words, given="past")
    expected = [[_given_rest(p, window, bit) for bit in bits] for window in windows]
    np.testing.assert_allclose(rest.probability, expected, rtol=1e-11)
    expected = [[_given_past(p, window, bit, n_past) for bit in bits] for window in windows]
    np.testing.assert_allclose(past.probability, expected, rtol=1e-11)
    np.testing.assert_array_equal(rest.spikes, [window[n_past:] for window in windows])


@pytest.mark.parametrize("condition", ["rest", "past"])
def test_chosen_units_come_in_the_order_asked_for_with_their_names(random_model, condition):
    words = _words(50, 3, units=Units(["a", "b", "c"])).embed(2)
    model = random_model("srbm", 3, 6)
    every = predict(model, words, given=condition)
    some = predict(model, words, given=condition, positions=iter([2, 0]))
    assert some.units.ids == ("c", "a")
    assert some.positions == (2, 0)
    np.testing.assert_allclose(some.probability, every.probability[:, [2, 0]], rtol=1e-13)
    np.testing.assert_array_equal(some.spikes, words.expand()[:, [5, 3]])
    assert np.abs(some.probability[:, 0] - some.probability[:, 1]).max() > 0.01


def test_times_are_those_of_the_newest_bin_and_go_on_over_epochs(random_model):
    words = _words(10, 2, bin_width=0.5, epoch_starts=[0, 4]).embed(2)
    found = predict(random_model("ising", 0, 4), words)
    # Newest bins: 1 to 3 in the first epoch, 5 to 9 in the second.
    np.testing.assert_array_equal(found.times_s, [0.5, 1.0, 1.5, 2.5, 3.0, 3.5, 4.0, 4.5])
    np.testing.assert_array_equal(found.epoch_starts, [0, 3])
    bits = _words(10, 2).expand()
    np.testing.assert_array_equal(found.spikes, bits[found.bins])


@settings(deadline=None, max_examples=30)
@given(
    start=st.integers(0, 99),
    length=st.integers(1, 60),
    bin_width=st.sampled_from([0.02, 0.0067, 0.1, 1 / 3]),
    weighted=st.booleans(),
)
def test_a_stretch_is_a_slice_of_the_traces(random_model, start, length, bin_width, weighted):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 100) if weighted else None
    words = _words(100, 3, bin_width=bin_width, epoch_starts=[0, 30, 31], sample_weight=weights)
    whole = predict(random_model("srbm", 1, 3), words)
    part = whole.stretch(start * bin_width, (start + length) * bin_width)
    kept = slice(start, start + length)
    np.testing.assert_array_equal(part.times_s, whole.times_s[kept])
    np.testing.assert_array_equal(part.probability, whole.probability[kept])
    np.testing.assert_array_equal(part.spikes, whole.spikes[kept])
    assert part.log_odds.shape[0] == np.unique(words.index[kept]).size
    inside = [edge - start for edge in (30, 31) if start < edge < start + part.n_bins]
    np.testing.assert_array_equal(part.epoch_starts, [0, *inside])
    if weighted:
        np.testing.assert_array_equal(part.weights, weights[kept])


def test_near_certainty_keeps_its_digits():
    # Log odds b + 2J: -40 alone, +60 beside a spike of the other.
    theta = Parameters(b=[-40.0, -40.0], J=[[0.0, 50.0], [50.0, 0.0]])
    words = Words.from_array([[0, 0], [1, 0], [1, 1]])
    found = predict(Ising.from_parameters(theta), words, positions=[0])
    np.testing.assert_allclose(found.log_odds[:, 0], [-40.0, -40.0, 60.0], rtol=1e-12)


@pytest.mark.parametrize("condition", ["rest", "past"])
def test_certainty_stays_finite(condition):
    theta = Parameters(b=[-3000.0, 3000.0], W=[[400.0], [-350.0]], c=[-100.0])
    model = SemiRBM.from_parameters(theta)
    found = predict(model, [[0, 1], [1, 0], [1, 1], [0, 0]], given=condition)
    assert np.isfinite(found.log_odds).all()
    np.testing.assert_allclose(found.probability, np.tile([0.0, 1.0], (4, 1)), atol=1e-300)


def test_near_certainty_does_not_depend_on_what_came():
    model = Ising.from_parameters(Parameters(b=[-3000.0, 720.0, 3000.0]))
    found = predict(model, [[0, 0, 0], [1, 1, 1]])
    np.testing.assert_array_equal(found.log_odds[0], found.log_odds[1])


def test_a_prediction_does_not_depend_on_what_came(random_model, every_word):
    model = random_model("srbm", 2, 6)
    words = Words.from_array(every_word(6))
    found = predict(model, words).log_odds
    for unit in range(6):
        flipped = words.X.copy()
        flipped[:, unit] ^= 1
        partner = [np.flatnonzero((row == words.X).all(axis=1))[0] for row in flipped]
        np.testing.assert_array_equal(found[:, unit], found[partner, unit])


def test_times_are_those_of_the_recording_across_gaps_and_splits():
    spikes = np.sort(np.random.default_rng(0).uniform(0.0, 100.0, 400))
    recording = Recording([spikes[::2], spikes[1::2]], epochs=[[10.0, 30.0], [90.0, 100.0]])
    words = recording.bin(0.5).embed(2)
    model = Ising(l1=1e-3).fit(words)
    times = predict(model, words).times_s
    np.testing.assert_allclose(
        times, [*np.arange(10.5, 30.0, 0.5), *np.arange(90.5, 100.0, 0.5)], rtol=1e-15
    )
    _, test = words.split(0.5, n_blocks=4, random_state=0)
    found = predict(model, test)
    assert set(found.times_s) < set(times)
    late = found.stretch(90.0, np.inf)
    bins = {int(t // 0.5) for t in spikes[::2]}
    assert late.spikes[:, 0].tolist() == [int(t // 0.5) in bins for t in late.times_s]


def _windows(n_bins, n_units, window, seed=0, **options):
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
    words = _windows(30, n_units, window, seed, bin_width=0.0067)
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
