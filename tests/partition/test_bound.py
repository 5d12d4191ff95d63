"""The sum over known words against brute force."""

import numpy as np
import pytest
from scipy.special import logsumexp

from microcolumn.energy import log_weight
from microcolumn.partition.ais import lower_bound


@pytest.mark.parametrize("kind", ["independent", "ising", "rbm", "srbm"])
def test_it_is_the_sum_over_distinct_words_and_one_and_two_flips_of_the_peaks(
    kind, random_model, enumerate_words
):
    theta = random_model(kind, 7)
    X, log_z, _ = enumerate_words(theta)
    words, peaks = X[[3, 3, 90, 127]], X[[0, 1]]
    near = [(peak != X).sum(axis=1) <= 2 for peak in peaks]
    covered = near[0] | near[1] | np.isin(np.arange(128), [3, 90, 127])
    bound, n_words, heaviest = lower_bound(theta, [words, words[:1]], peaks)
    assert bound == pytest.approx(logsumexp(log_weight(theta, X[covered])), abs=1e-12)
    assert n_words == covered.sum()
    assert bound < log_z
    assert log_weight(theta, heaviest[None])[0] == log_weight(theta, X[covered]).max()


def test_all_words_give_log_z_itself(random_model, enumerate_words):
    theta = random_model("srbm", 5, scale=20.0)
    X, log_z, _ = enumerate_words(theta)
    assert lower_bound(theta, [X], X[:1])[0] == pytest.approx(log_z, rel=1e-12)


def test_of_many_units_only_single_flips_are_added(random_model):
    theta = random_model("independent", 250)
    peak = np.zeros((1, 250), dtype=np.uint8)
    assert lower_bound(theta, [peak], peak)[1] == 251
