"""Weights of words count alike in fits, splits, scores and comparisons."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.models import BernoulliMixture

RNG = np.random.default_rng(0)
X = RNG.random((400, 4)) < np.where(RNG.random((400, 1)) < 0.2, 0.6, 0.1)
WEIGHTS = RNG.integers(1, 4, 400)


@pytest.fixture(scope="module")
def models():
    train = mc.Words.from_array(X[:200], sample_weight=WEIGHTS[:200])
    models = {"rates": mc.Independent(), "Ising": mc.Ising(), "mixture": BernoulliMixture(2)}
    return {name: model.fit(train) for name, model in models.items()}


def test_scores_and_comparisons_are_weighted_means(models):
    weighted = mc.Words.from_array(X[200:], sample_weight=WEIGHTS[200:])
    repeated = mc.Words.from_array(np.repeat(X[200:], WEIGHTS[200:], axis=0))
    compared, expected = (mc.compare(models, words) for words in (weighted, repeated))
    for name, model in models.items():
        log_p = np.average(model.score_samples(X[200:]), weights=WEIGHTS[200:])
        assert model.score(weighted) == pytest.approx(log_p)
        gain = expected.scores[name].bits_per_second
        assert compared.scores[name].bits_per_second == pytest.approx(gain, abs=1e-9)
        assert mc.score(model, weighted).bits_per_second == pytest.approx(gain, abs=1e-9)


@pytest.mark.parametrize("by", ["blocks", "words"])
def test_parts_of_a_split_keep_their_weights(by):
    words = mc.Words.from_array(X, sample_weight=WEIGHTS)
    for part in words.split(0.3, by=by):
        np.testing.assert_array_equal(part.weights, WEIGHTS[part.bins])
        np.testing.assert_array_equal(part.expand(), X[part.bins])
        assert part.counts.sum() == WEIGHTS[part.bins].sum()


def test_weights_that_are_all_alike_change_no_comparison():
    plain, alike = (mc.Words.from_array(X, sample_weight=w) for w in (None, np.ones(400)))
    compared = [mc.compare(["Independent", "Ising"], words) for words in (plain, alike)]
    for name in ("Independent", "Ising"):
        first, second = (each.scores[name].bits_per_second for each in compared)
        assert first == pytest.approx(second, abs=1e-9)
