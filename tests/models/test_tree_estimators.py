"""scikit-learn's own checks on trees, population tracking and universal models."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from thresholded import Thresholded

import microcolumn as mc


class _Tree(Thresholded, mc.Tree):
    pass


class _TwoTree(Thresholded, mc.TwoTree):
    pass


class _PopulationTracking(Thresholded, mc.PopulationTracking):
    pass


class _Universal(Thresholded, mc.Universal):
    pass


@parametrize_with_checks([_Tree(), _TwoTree(), _PopulationTracking(), _Universal(mc.Independent())])
def test_every_check_of_scikit_learn_passes_once_its_numbers_are_thresholded(estimator, check):
    check(estimator)


ESTIMATORS = [
    mc.Tree(n_edges=3),
    mc.TwoTree(n_edges=5),
    mc.PopulationTracking(strength=5.0),
    mc.Universal(mc.Tree(), concentration="evidence"),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_clones_pickles_and_types_of_numbers_give_the_same_fit(estimator):
    X = mc.simulate.microcolumn(n_units=5, minutes=0.5, seed=3).bin().expand()
    fitted = clone(estimator).fit(X)
    expected = fitted.score_samples(X)
    for same in (
        clone(fitted).fit(X.astype(np.float32)),
        clone(fitted).fit(X.tolist()),
        clone(fitted).fit(mc.Words.from_array(X)),
        pickle.loads(pickle.dumps(fitted)),
    ):
        assert np.array_equal(same.score_samples(X), expected)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (mc.Tree(n_edges=-1), "n_edges is -1; it must be"),
        (mc.TwoTree(n_edges=2.5), "n_edges is 2.5; it must be"),
        (mc.PopulationTracking(strength=0.0), "strength is 0.0; it must be"),
        (mc.Universal(mc.Tree(), concentration="validation"), "concentration is 'validation'"),
        (mc.Universal(mc.Tree(), concentration=0.0), "concentration is 0.0; it must be"),
    ],
)
def test_settings_that_make_no_sense_are_refused(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit([[0, 1], [1, 0]])
