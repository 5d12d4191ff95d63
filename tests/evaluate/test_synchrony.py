"""Synchrony of words by counting, of models by enumeration and by their own samples."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.evaluate import synchrony
from microcolumn.models import RBM, Ising
from microcolumn.parameters import Parameters
from microcolumn.words import Words


def _enumerated(p, n_units):
    total = np.zeros(n_units + 1)
    for word, probability in p.items():
        total[sum(word)] += probability
    return total


@settings(deadline=None, max_examples=30)
@given(
    kind=st.sampled_from(["independent", "ising", "kpairwise", "rbm", "srbm"]),
    seed=st.integers(0, 1000),
    n_units=st.integers(1, 6),
    n_hidden=st.sampled_from([1, 3, 8]),
)
def test_small_models_are_exact(random_model, distribution, kind, seed, n_units, n_hidden):
    model = random_model(kind, seed, n_units, n_hidden)
    result = synchrony(model)
    expected = _enumerated(distribution(model), n_units)
    np.testing.assert_allclose(result.probability, expected, rtol=1e-9, atol=1e-14)
    assert result.method == "exact"
    np.testing.assert_array_equal(result.stderr, np.zeros(n_units + 1))


def test_dead_hidden_units_and_large_weights_do_no_harm():
    W = np.zeros((40, 30))
    W[:, 7] = 50.0
    c = np.full(30, 2.0)
    c[7] = -800.0
    model = RBM.from_parameters(Parameters(b=np.full(40, -30.0), W=W, c=c))
    # Hidden unit 7 off: 40 silent units. On: e^-800 times (1 + e^20)^40, all but equal to 1.
    result = synchrony(model)
    all_on = 40 * 20.0 - 800.0 + 40 * math.log1p(math.exp(-20.0))
    expected = math.exp(all_on) / (1.0 + math.exp(all_on)) * (1.0 / (1.0 + math.exp(-20.0))) ** 40
    assert result.method == "exact"
    assert result.probability[40] == pytest.approx(expected, rel=1e-9)
    assert result.probability.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("kind", ["ising", "srbm"])
def test_samples_agree_with_the_exact_distribution_within_their_errors(random_model, kind):
    model = random_model(kind, 4, n_units=5)
    exact, drawn = synchrony(model), synchrony(model, n_samples=20_000, random_state=1)
    assert drawn.method == "samples"
    expected_stderr = np.sqrt(exact.probability * (1.0 - exact.probability) / 20_000)
    seen = drawn.probability > 0.01
    np.testing.assert_allclose(drawn.stderr[seen], expected_stderr[seen], rtol=0.1)
    deviation = (drawn.probability - exact.probability)[seen] / drawn.stderr[seen]
    assert np.abs(deviation).max() < 4.0


def _pairs(bias, coupling):
    """Thirty pairs of units and P(k active): a convolution of the distribution of one pair."""
    J = np.kron(np.eye(30), coupling * np.array([[0.0, 1.0], [1.0, 0.0]]))
    pair = np.array([1.0, 2.0 * math.exp(bias), math.exp(2.0 * (bias + coupling))])
    expected = np.ones(1)
    for _ in range(30):
        expected = np.convolve(expected, pair / pair.sum())
    return Ising.from_parameters(Parameters(b=np.full(60, bias), J=J)), expected


def test_models_too_large_for_sums_are_sampled():
    model, expected = _pairs(-2.0, 1.0)
    result = synchrony(model)
    assert result.method == "samples"
    seen = expected > 1e-3
    assert np.abs((result.probability - expected)[seen] / result.stderr[seen]).max() < 4.5


def test_errors_of_samples_know_that_words_of_a_chain_depend_on_each_other():
    # Pairs are both silent or both active and seldom change: few words of a chain are news.
    model, expected = _pairs(-6.0, 6.0)
    seen = expected > 0.01
    deviations, inflation = [], []
    for seed in range(4):
        result = synchrony(model, n_samples=20_000, random_state=seed)
        deviations.append((result.probability - expected)[seen] / result.stderr[seen])
        counting = np.sqrt(expected * (1.0 - expected) / 20_000)
        inflation.append((result.stderr / counting)[seen])
    assert 0.5 < np.mean(np.square(deviations)) < 2.0
    assert np.mean(inflation) > 1.5


def test_words_are_counted_and_weighted():
    X = [[0, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 1]]
    result = synchrony(X)
    assert result.method == "words"
    np.testing.assert_allclose(result.probability, [0.4, 0.2, 0.4, 0.0])
    assert result.stderr[3] == 0.0
    weighted = synchrony(Words.from_array(X, sample_weight=[1.0, 2.0, 3.0, 4.0, 0.0]))
    np.testing.assert_allclose(weighted.probability, [0.5, 0.3, 0.2, 0.0])


def test_errors_of_independent_words_are_those_of_counting_and_of_repeats_the_same(random_model):
    X = random_model("ising", 2).sample(20_000, random_state=0)
    p = synchrony(X).probability
    parts = [synchrony(part) for part in np.split(X, 50)]
    variance = np.mean([part.stderr**2 for part in parts], axis=0)
    seen = p > 0.01
    np.testing.assert_allclose(variance[seen], (p * (1 - p) / 400)[seen], rtol=0.25)
    repeated = synchrony(np.repeat(X[:400], 9, axis=0))
    np.testing.assert_allclose(repeated.stderr, parts[0].stderr, rtol=1e-9)


def test_a_single_word_has_no_known_error():
    result = synchrony([[1, 0]])
    assert result.probability.tolist() == [0.0, 1.0, 0.0]
    assert math.isnan(result.stderr[1])


def test_chains_that_start_from_data_find_the_distribution(too_large):
    model, words, probability = too_large
    drawn = synchrony(model, n_samples=20_000, initial=words)
    likely = probability > 1e-3
    z = (drawn.probability - probability)[likely] / drawn.stderr[likely]
    assert np.abs(z).max() < 4.5
