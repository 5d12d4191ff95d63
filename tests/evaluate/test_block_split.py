"""Folds of blocks of time, alone and in scikit-learn's searches."""

import numpy as np
from hypothesis import given, strategies as st
from sklearn.model_selection import GridSearchCV, cross_val_score

from microcolumn import Ising, Words
from microcolumn.evaluate import BlockSplit


@given(st.integers(2, 6), st.integers(60, 500), st.integers(0, 10))
def test_every_bin_is_tested_once_and_never_beside_itself(n_splits, n_bins, seed):
    splitter = BlockSplit(n_splits, random_state=seed)
    folds = list(splitter.split(np.zeros((n_bins, 2))))
    assert len(folds) == splitter.get_n_splits() == n_splits
    np.testing.assert_array_equal(
        np.sort(np.concatenate([test for _, test in folds])), np.arange(n_bins)
    )
    for train, test in folds:
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n_bins))


def test_a_fold_is_a_few_contiguous_blocks():
    [(_, test), *_] = BlockSplit(5).split(np.zeros((1000, 3)))
    assert np.count_nonzero(np.diff(test) > 1) + 1 <= 4
    assert test.size == 200


def test_scikit_learn_searches_by_blocks():
    X = np.random.default_rng(0).integers(0, 2, size=(400, 3))
    words = Words.from_array(X)
    search = GridSearchCV(Ising(), {"l1": [1e-3, 1e-1]}, cv=BlockSplit(4)).fit(words)
    assert search.n_splits_ == 4
    scores = cross_val_score(Ising(l1=1e-3), X, cv=BlockSplit(4))
    np.testing.assert_allclose(search.cv_results_["mean_test_score"][0], scores.mean())
