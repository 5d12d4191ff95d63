"""Population tracking against the formula of O'Donnell et al. and sums over all words."""

import math

import numpy as np
import pytest
from scipy import stats

import microcolumn as mc
from microcolumn.energy import log_symmetric
from microcolumn.models._population_tracking import chances_without, log_chances

N_UNITS = 6


def words_of(n_words=500, seed=0):
    """Words of up to four active units; two units take part in busy words only."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_words, N_UNITS)) < 0.3).astype(np.uint8)
    X[X.sum(axis=1) < 3, :2] = 0
    return X[X.sum(axis=1) < 5]


def by_the_paper(model, X):
    """p(K) prod_i p(x_i|K) / a_K with a_K summed over all words of K active units."""
    log_p = np.empty(len(X))
    n_active = X.sum(axis=1)
    for place, k in enumerate(model.seen_):
        chances = np.where(X, model.probabilities_[place], 1.0 - model.probabilities_[place])
        products = chances.prod(axis=1)
        a = products[n_active == k].sum()
        log_p[n_active == k] = np.log(model.active_distribution_[k] * products / a)[n_active == k]
    return log_p


def test_words_have_the_probability_of_the_paper(every_word):
    X = every_word(N_UNITS)
    model = mc.models.PopulationTracking(strength=2.0).fit(words_of())
    assert model.seen_.tolist() == [1, 2, 3, 4]
    seen = np.isin(X.sum(axis=1), model.seen_)
    log_p = model.score_samples(X)
    np.testing.assert_allclose(log_p[seen], by_the_paper(model, X)[seen], rtol=1e-12)
    assert np.exp(log_p).sum() == pytest.approx(1.0, abs=1e-13)
    found = np.bincount(X.sum(axis=1), weights=np.exp(log_p))
    np.testing.assert_allclose(found, model.active_distribution_, rtol=1e-12)
    np.testing.assert_allclose(mc.evaluate.synchrony(model).probability, found, rtol=1e-12)


def test_priors_are_as_stated(every_word):
    X = words_of()
    strength = 7.0
    model = mc.models.PopulationTracking(strength=strength).fit(X)
    n_active, states = X.sum(axis=1), every_word(N_UNITS)
    counts = np.bincount(n_active, minlength=N_UNITS + 1) + 0.01
    np.testing.assert_allclose(model.active_distribution_, counts / counts.sum(), rtol=1e-12)
    odds = X.mean(axis=0) / (1.0 - X.mean(axis=0))
    for k, found in zip(model.seen_, model.probabilities_, strict=True):
        there = X[n_active == k]
        prior = (found * (len(there) + strength) - there.sum(axis=0)) / strength
        assert prior.sum() == pytest.approx(k, abs=1e-9)
        ratio = prior / (1.0 - prior) / odds  # one number for all units
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)
    # Five active units were never seen: independent units of which five happen to be active.
    busy = states[states.sum(axis=1) == 5]
    wanted = np.prod(np.where(busy, odds, 1.0), axis=1)
    p = np.exp(model.score_samples(busy))
    np.testing.assert_allclose(p / p.sum(), wanted / wanted.sum(), rtol=1e-10)


def test_a_strong_prior_leaves_units_independent_given_their_number(every_word):
    X, states = words_of(), every_word(N_UNITS)
    model = mc.models.PopulationTracking(strength=1e12).fit(X)
    independent = np.exp(mc.Independent().fit(X).score_samples(states))
    n_active = states.sum(axis=1)
    wanted = independent / np.bincount(n_active, weights=independent)[n_active]
    wanted *= model.active_distribution_[n_active]
    np.testing.assert_allclose(np.exp(model.score_samples(states)), wanted, rtol=1e-6)


def test_chances_are_found_again_from_its_own_words(every_word):
    X = every_word(N_UNITS)
    truth = mc.models.PopulationTracking(strength=1.0).fit(words_of(2_000))
    again = mc.models.PopulationTracking(strength=1.0).fit(truth.sample(60_000, random_state=1))
    p, q = np.exp(truth.score_samples(X)), np.exp(again.score_samples(X))
    # Frequencies given K are not the most likely chances, so that it comes close and no closer.
    assert np.abs(p - q).max() < 0.01


def test_hundreds_of_units_neither_overflow_nor_vanish():
    rng = np.random.default_rng(0)
    X = (rng.random((200, 600)) < rng.choice([0.02, 0.5], (200, 1))).astype(np.uint8)
    model = mc.models.PopulationTracking().fit(X)
    ends = np.stack([np.zeros(600), np.ones(600), np.arange(600) < 450]).astype(np.uint8)
    log_p = model.score_samples(ends)
    assert np.isfinite(log_p).all()
    np.testing.assert_allclose(log_p[:2], np.log(model.active_distribution_[[0, 600]]), atol=1e-8)
    # Of the words with 450 active units, never seen, each has about its share.
    share = math.lgamma(451) + math.lgamma(151) - math.lgamma(601)
    assert log_p[2] == pytest.approx(np.log(model.active_distribution_[450]) + share, abs=30.0)
    assert model.n_parameters_ == 600 + len(model.seen_) * 599


def chances_of_words(probabilities, X):
    return np.where(X, probabilities, 1.0 - probabilities).prod(axis=1)


def test_chances_are_sums_over_all_words(every_word):
    X = every_word(6)
    P = np.random.default_rng(0).random((5, 6))
    totals = np.arange(1, 6)
    found = log_chances(P, totals)
    for k, row, value in zip(totals, P, found, strict=True):
        wanted = chances_of_words(row, X)[X.sum(axis=1) == k].sum()
        assert math.exp(value) == pytest.approx(wanted, rel=1e-13)


def test_chances_without_a_unit_are_sums_over_the_words_of_the_others(every_word):
    X, P = every_word(4), np.random.default_rng(0).random((3, 5))
    found = chances_without(P)
    for row, i in np.ndindex(3, 5):
        weights = chances_of_words(np.delete(P[row], i), X)
        np.testing.assert_allclose(
            found[row, i], np.bincount(X.sum(axis=1), weights=weights), rtol=1e-13
        )


@pytest.mark.parametrize(("n_units", "total"), [(1000, 30), (3000, 1500)])
def test_equal_units_have_the_binomial_distribution(n_units, total):
    found = log_chances(np.full((1, n_units), total / n_units), np.array([total]))
    wanted = stats.binom.logpmf(total, n_units, total / n_units)
    assert found[0] == pytest.approx(wanted, rel=1e-11)


def test_symmetric_polynomials_are_sums_over_all_words(every_word):
    X = every_word(7)
    log_odds = np.random.default_rng(1).normal(scale=3.0, size=7)
    found = log_symmetric(log_odds)
    weights = np.bincount(X.sum(axis=1), weights=np.exp(X @ log_odds))
    np.testing.assert_allclose(found, np.log(weights), rtol=1e-12, atol=1e-12)


def test_symmetric_polynomials_reach_where_probabilities_would_underflow():
    found = log_symmetric(np.full(1000, -20.0))
    binomials = [
        math.lgamma(1001) - math.lgamma(k + 1) - math.lgamma(1001 - k) for k in range(1001)
    ]
    np.testing.assert_allclose(found, np.array(binomials) - 20.0 * np.arange(1001), rtol=1e-10)
