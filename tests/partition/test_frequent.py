"""The plausibility check from frequent words against exact sums."""

import numpy as np
import pytest
from scipy.special import logsumexp

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.partition.frequent import frequent_words_estimate


def _sparse_ising(seed=0, n_units=10):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=0.3, size=(n_units, n_units)), 1)
    theta = Parameters(b=rng.normal(size=n_units) - 2.0, J=J + J.T)
    words = (np.arange(2**n_units)[:, None] >> np.arange(n_units)) & 1
    logs = log_weight(theta, words)
    return theta, words, np.exp(logs - logsumexp(logs)), float(logsumexp(logs))


def test_expected_counts_of_the_model_itself_give_log_z():
    theta, words, probabilities, log_z = _sparse_ising()
    assert frequent_words_estimate(theta, words, 1e6 * probabilities) == pytest.approx(log_z)


def test_counts_drawn_from_an_unpenalised_model_come_close():
    theta, words, probabilities, log_z = _sparse_ising()
    counts = np.random.default_rng(1).multinomial(100_000, probabilities)
    seen = counts > 0
    estimate = frequent_words_estimate(theta, words[seen], counts[seen])
    # The frequent words' own counting noise, nats.
    top = np.sort(counts)[::-1][:10]
    assert abs(estimate - log_z) < 4 * np.sqrt((1 / top).mean() / 10) + 4 / np.sqrt(top.sum())


def test_a_model_shrunk_by_a_penalty_is_biased_by_what_it_lost_on_the_frequent_words():
    theta, words, probabilities, _ = _sparse_ising()
    shrunk = Parameters(b=theta.b + 0.4, J=0.5 * theta.J)
    logs = log_weight(shrunk, words)
    log_z = float(logsumexp(logs))
    top = np.argsort(-probabilities)[:10]
    ratios = logs[top] - log_z - np.log(probabilities[top])
    bias = np.average(ratios, weights=probabilities[top])
    assert abs(bias) > 0.1
    assert frequent_words_estimate(shrunk, words, probabilities) == pytest.approx(log_z + bias)


def test_rare_words_may_be_left_out_when_the_total_is_given():
    theta, words, probabilities, log_z = _sparse_ising()
    top = np.argsort(-probabilities)[:20]
    estimate = frequent_words_estimate(theta, words[top], probabilities[top], total=1.0)
    assert estimate == pytest.approx(log_z)
    assert frequent_words_estimate(theta, words[top], probabilities[top]) < log_z - 0.05


def test_fewer_distinct_words_than_asked_for_are_all_used():
    theta = Parameters(b=[np.log(3.0)])
    estimate = frequent_words_estimate(theta, [[0], [1]], [25, 75], n_words=50)
    assert estimate == pytest.approx(np.log(4.0))
