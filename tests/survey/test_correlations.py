import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from microcolumn.survey.cross_correlation import lagged_correlations, pairwise_correlations
from microcolumn.words import Words


def by_numpy(X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant columns have no correlation
        with np.errstate(all="ignore"):
            found = np.atleast_2d(np.corrcoef(X, rowvar=False))
    found[X.std(axis=0) == 0] = np.nan
    found[:, X.std(axis=0) == 0] = np.nan
    return found


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.uint8, st.tuples(st.integers(2, 40), st.integers(1, 6)), elements=st.integers(0, 1))
)
def test_any_words_agree_with_numpy_constant_units_included(X):
    found = pairwise_correlations(X)
    np.testing.assert_allclose(found, by_numpy(X), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)


@settings(max_examples=30, deadline=None)
@given(
    arrays(np.uint8, (12, 3), elements=st.integers(0, 1)),
    arrays(np.int64, 12, elements=st.integers(1, 5)),
)
def test_a_word_of_weight_k_counts_like_k_words(X, weights):
    weighted = Words.from_array(X, sample_weight=weights / 7.0)
    repeated = np.repeat(X, weights, axis=0)
    np.testing.assert_allclose(
        pairwise_correlations(weighted), pairwise_correlations(repeated), rtol=0, atol=1e-12
    )


def test_twins_have_correlation_one_and_opposites_minus_one():
    first = np.random.default_rng(1).random(1000) < 0.003
    found = pairwise_correlations(np.column_stack((first, first, ~first)))
    np.testing.assert_allclose(found, [[1, 1, -1], [1, 1, -1], [-1, -1, 1]], atol=1e-12)
    assert np.abs(found).max() == 1.0


def test_chunks_do_not_change_the_result(monkeypatch):
    X = np.random.default_rng(2).random((300, 9)) < 0.3
    whole = pairwise_correlations(X)
    monkeypatch.setattr("microcolumn.validation._MOST_ELEMENTS", 20)
    np.testing.assert_array_equal(pairwise_correlations(X), whole)


def test_words_of_several_bins_have_a_row_for_each_unit_and_bin():
    X = np.random.default_rng(3).random((200, 2)) < 0.3
    words = Words.from_array(X).embed(3)
    np.testing.assert_allclose(
        pairwise_correlations(words), by_numpy(words.expand()), rtol=0, atol=1e-12
    )


@pytest.fixture
def followed():
    """Unit 1 repeats unit 0 two bins later, within epochs; unit 2 never spikes."""
    rng = np.random.default_rng(0)
    X = np.zeros((900, 3), dtype=int)
    X[:, 0] = rng.random(900) < 0.2
    X[2:, 1] = X[:-2, 0]
    return Words.from_array(X, epoch_starts=[0, 400])


def test_lagged_correlations_are_of_pairs_of_bins_within_an_epoch(followed):
    found = lagged_correlations(followed, 0, 1, 4)
    a, b = followed.expand()[:, 0], followed.expand()[:, 1]
    for lag in range(-4, 5):
        pairs = [
            (a[t], b[t + lag])
            for start, stop in ((0, 400), (400, 900))
            for t in range(start, stop)
            if start <= t + lag < stop
        ]
        together = sum(x * y for x, y in pairs) / len(pairs)
        expected = (together - a.mean() * b.mean()) / (a.std() * b.std())
        assert found[4 + lag] == pytest.approx(expected)
    assert np.argmax(found) == 4 + 2
    assert found[4] == pytest.approx(pairwise_correlations(followed)[0, 1])
    np.testing.assert_allclose(lagged_correlations(followed, 1, 0, 4), found[::-1])


def test_a_silent_unit_and_lags_longer_than_epochs_have_no_correlation(followed):
    assert np.isnan(lagged_correlations(followed, 0, 2, 3)).all()
    short = Words.from_array([[0, 1], [1, 0], [1, 1]])
    assert (
        np.isnan(lagged_correlations(short, 0, 1, 5)).tolist()
        == [True] * 3 + [False] * 5 + [True] * 3
    )
