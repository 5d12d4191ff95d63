"""Chances of a number of active units, and draws given it, against sums over all words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from microcolumn.kernels.loops.poisson_binomial import (
    chances_without,
    draw_given_total,
    log_chances,
    log_symmetric,
)


def chances_of_words(probabilities, X):
    return np.where(X, probabilities, 1.0 - probabilities).prod(axis=1)


def test_chances_are_sums_over_all_words(every_word):
    X = every_word(6)
    P = np.random.default_rng(0).random((5, 6))
    totals = np.arange(1, 6)
    found = np.empty(5)
    log_chances(P, totals, found)
    for k, row, value in zip(totals, P, found, strict=True):
        wanted = chances_of_words(row, X)[X.sum(axis=1) == k].sum()
        assert math.exp(value) == pytest.approx(wanted, rel=1e-13)


def test_chances_without_a_unit_are_sums_over_the_words_of_the_others(every_word):
    X, P = every_word(4), np.random.default_rng(0).random((3, 5))
    found = np.full((3, 5, 5), np.nan)
    chances_without(P, found)
    for row, i in np.ndindex(3, 5):
        weights = chances_of_words(np.delete(P[row], i), X)
        np.testing.assert_allclose(
            found[row, i], np.bincount(X.sum(axis=1), weights=weights), rtol=1e-13
        )


@pytest.mark.parametrize(("n_units", "total"), [(1000, 30), (3000, 1500)])
def test_equal_units_have_the_binomial_distribution(n_units, total):
    found = np.empty(1)
    log_chances(np.full((1, n_units), total / n_units), np.array([total]), found)
    wanted = stats.binom.logpmf(total, n_units, total / n_units)
    assert found[0] == pytest.approx(wanted, rel=1e-11)


def test_symmetric_polynomials_are_sums_over_all_words(every_word):
    X = every_word(7)
    log_odds = np.random.default_rng(1).normal(scale=3.0, size=7)
    found = np.empty(8)
    log_symmetric(log_odds, found)
    weights = np.bincount(X.sum(axis=1), weights=np.exp(X @ log_odds))
    np.testing.assert_allclose(found, np.log(weights), rtol=1e-12, atol=1e-12)


def test_symmetric_polynomials_reach_where_probabilities_would_underflow():
    found = np.empty(1001)
    log_symmetric(np.full(1000, -20.0), found)
    binomials = [
        math.lgamma(1001) - math.lgamma(k + 1) - math.lgamma(1001 - k) for k in range(1001)
    ]
    np.testing.assert_allclose(found, np.array(binomials) - 20.0 * np.arange(1001), rtol=1e-10)


@pytest.mark.parametrize("total", [1, 2, 4, 5])
def test_draws_have_the_chances_of_words_with_that_many_active_units(every_word, total):
    rng = np.random.default_rng(total)
    p, n = np.array([0.1, 0.9, 0.4, 0.02, 0.6]), 40_000
    drawn = np.empty((n, 5), dtype=np.uint8)
    draw_given_total(p, total, rng.random((n, 5)), drawn)
    assert (drawn.sum(axis=1) == total).all()
    X = every_word(5)
    wanted = np.where(X.sum(axis=1) == total, chances_of_words(p, X), 0.0)
    wanted = n * wanted / wanted.sum()
    found = np.bincount(drawn @ (1 << np.arange(5)[::-1]), minlength=32)
    common = wanted > 5.0
    if common.sum() > 1:
        z = (found - wanted)[common] / np.sqrt(wanted[common])
        assert stats.chi2.sf((z**2).sum(), common.sum() - 1) > 1e-3
    assert not found[wanted == 0.0].any()


def test_units_that_must_be_active_are():
    drawn = np.zeros((3, 4), dtype=np.uint8)
    draw_given_total(np.full(4, 1e-200), 4, np.full((3, 4), 0.999), drawn)
    assert drawn.all()
