"""scikit-learn's own checks on cascades."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from thresholded import Thresholded

import microcolumn as mc


class _CascadedLogistic(Thresholded, mc.CascadedLogistic):
    pass


class _BoostedCascade(Thresholded, mc.BoostedCascade):
    pass


@pytest.mark.filterwarnings("ignore:.*BoostedCascade stopped")
@parametrize_with_checks([_CascadedLogistic(), _BoostedCascade(max_iter=10)])
def test_every_check_of_scikit_learn_passes_once_its_numbers_are_thresholded(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "estimator", [mc.CascadedLogistic(), mc.BoostedCascade()], ids=lambda e: type(e).__name__
)
def test_clones_pickles_and_types_of_numbers_give_the_same_fit(estimator):
    X = mc.simulate.microcolumn(n_units=5, minutes=1.0, seed=3).bin().expand()
    fitted = clone(estimator).fit(X)
    expected = fitted.score_samples(X)
    for same in (
        clone(fitted).fit(X.astype(np.float32)),
        clone(fitted).fit(mc.Words.from_array(X)),
        pickle.loads(pickle.dumps(fitted)),
    ):
        assert np.array_equal(same.score_samples(X), expected)
