"""The Fisher information of the data: against finite differences, and where words are many."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import _maximum_likelihood
from microcolumn.objectives._maximum_likelihood import FisherInformation
from microcolumn.words import Words


def _by_differences(x, layout, words):
    """Covariance over the words of the derivatives of log p~ along each coordinate."""
    step = 1e-5
    slopes = [
        (
            log_weight(layout.unpack(x + step * unit), words.X)
            - log_weight(layout.unpack(x - step * unit), words.X)
        )
        / (2.0 * step)
        for unit in np.eye(layout.size)
    ]
    return np.cov(np.array(slopes), fweights=words.counts.astype(int), bias=True)


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10_000))
def test_it_is_the_covariance_of_the_slopes_of_log_p(random_parameters, kind, seed):
    theta = random_parameters(kind, 5, 3, seed=seed)
    layout = Layout.of(theta)
    words = Words.from_array(np.random.default_rng(seed).random((60, 5)) < 0.4)
    x, every = layout.pack(theta), np.arange(layout.size)
    expected = _by_differences(x, layout, words)
    np.testing.assert_allclose(FisherInformation(words)(x, layout, every), expected, atol=1e-8)
    some = every[:: 1 + seed % 3]
    found = FisherInformation(words)(x, layout, some)
    np.testing.assert_allclose(found, expected[np.ix_(some, some)], atol=1e-8)


def test_draws_stand_for_very_many_words(random_parameters):
    X = np.random.default_rng(0).random((60_000, 20)) < 0.4
    words = Words.from_array(X)
    assert len(words) > _maximum_likelihood._MOST_WORDS
    theta = random_parameters("rbm", 20, 2, seed=0)
    layout = Layout.of(theta)
    x, units = layout.pack(theta), np.arange(20)
    found = FisherInformation(words)(x, layout, units)
    np.testing.assert_allclose(found, np.cov(X.T, bias=True), atol=0.02)
