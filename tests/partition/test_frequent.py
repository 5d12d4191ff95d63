"""The plausibility check from frequent words against exact sums."""

import numpy as np
import pytest
from scipy.special import logsumexp

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.partition import LogPartition
from microcolumn.partition.frequent import frequent_words_check


def _sparse_ising(seed=0, n_units=10):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=0.3, size=(n_units, n_units)), 1)
    theta = Parameters(b=rng.normal(size=n_units) - 2.0, J=J + J.T)
    words = (np.arange(2**n_units)[:, None] >> np.arange(n_units)) & 1
    logs = log_weight(theta, words)
    return theta, words, np.exp(logs - logsumexp(logs)), float(logsumexp(logs))


def _estimate(*given):
    return frequent_words_check(*given, LogPartition(0.0, 0.0, "exact", 1.0, 0.0, True))[0]


def test_shares_that_are_the_models_own_probabilities_give_log_z():
    theta, words, probabilities, log_z = _sparse_ising()
    top = np.argsort(-probabilities)[:10]
    estimate = _estimate(theta, words[top], probabilities[top])
    assert estimate == pytest.approx(log_z)


def test_shares_drawn_from_an_unpenalised_model_come_close():
    theta, words, probabilities, log_z = _sparse_ising()
    counts = np.random.default_rng(1).multinomial(100_000, probabilities)
    top = np.argsort(-counts)[:10]
    estimate = _estimate(theta, words[top], counts[top] / 100_000)
    # The frequent words' own counting noise, nats.
    noise = 4 * np.sqrt((1 / counts[top]).mean() / 10) + 4 / np.sqrt(counts[top].sum())
    assert abs(estimate - log_z) < noise


def test_a_model_shrunk_by_a_penalty_is_biased_by_what_it_lost_on_the_frequent_words():
    theta, words, probabilities, _ = _sparse_ising()
    shrunk = Parameters(b=theta.b + 0.4, J=0.5 * theta.J)
    logs = log_weight(shrunk, words)
    log_z = float(logsumexp(logs))
    top = np.argsort(-probabilities)[:10]
    ratios = logs[top] - log_z - np.log(probabilities[top])
    bias = np.average(ratios, weights=probabilities[top])
    assert abs(bias) > 0.1
    estimate = _estimate(shrunk, words[top], probabilities[top])
    assert estimate == pytest.approx(log_z + bias)


@pytest.mark.parametrize(
    ("off", "stderr", "doubted"),
    [
        (0.0, 0.01, False),
        (-0.2, 0.01, False),
        (-1.0, 0.01, True),
        (-1.0, 0.3, False),
        (3.0, 0, False),
    ],
)
def test_an_annealed_value_far_below_what_frequent_words_agree_on_is_doubted(off, stderr, doubted):
    theta, words, probabilities, log_z = _sparse_ising()
    top = np.argsort(-probabilities)[:10]
    given = (theta, words[top], probabilities[top])
    annealed = LogPartition(log_z + off, stderr, "ais", 1.0, 0.0, True)
    _, found = frequent_words_check(*given, annealed)
    assert (found is not None) == doubted
    if doubted:
        assert f"{np.exp(1.0):.2g} times their observed share" in found
    exact = LogPartition(log_z + off, 0.0, "exact", 1.0, 0.0, True)
    assert frequent_words_check(*given, exact)[1] is None
