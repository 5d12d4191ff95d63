"""Words drawn given their number of active units, against sums over all words."""

import numpy as np
import pytest
from scipy import stats

from microcolumn.kernels.loops.poisson_binomial import draw_given_total


def chances_of_words(probabilities, X):
    return np.where(X, probabilities, 1.0 - probabilities).prod(axis=1)


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
