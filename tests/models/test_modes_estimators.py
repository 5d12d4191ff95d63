"""scikit-learn's own checks of the models with modes."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from thresholded import Thresholded

import microcolumn as mc


class _BernoulliMixture(Thresholded, mc.BernoulliMixture):
    pass


class _HiddenMarkovModes(Thresholded, mc.HiddenMarkovModes):
    pass


@parametrize_with_checks([_BernoulliMixture(n_components=2), _HiddenMarkovModes(n_modes=2)])
def test_every_check_of_scikit_learn_passes_once_its_numbers_are_thresholded(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [mc.BernoulliMixture(2), mc.HiddenMarkovModes(2)], ids=repr)
def test_numbers_other_than_0_and_1_are_refused_and_copies_fit_alike(estimator):
    X = np.random.default_rng(0).integers(0, 2, (50, 3))
    with pytest.raises(ValueError, match="words are binary"):
        clone(estimator).fit(X * 2)
    fitted = clone(estimator).fit(X)
    with pytest.raises(ValueError, match="words are binary"):
        fitted.score_samples(X * 2)
    again = clone(fitted).fit(X.astype(bool))
    assert np.array_equal(again.modes_, fitted.modes_)
    copy = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(copy.score_samples(X), fitted.score_samples(X))
