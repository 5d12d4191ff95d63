"""scikit-learn's own checks of K-pairwise, and the choice of its penalty as that of a rival."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from thresholded import Thresholded

import microcolumn as mc


class _KPairwise(Thresholded, mc.KPairwise):
    pass


# A loose tolerance: the checks fit dozens of times and compare no parameters. One of them feeds
# silent words alone, whose sampled likelihood has nothing to converge to.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([_KPairwise(tol=1e-3)])
def test_every_check_of_scikit_learn_passes_once_its_numbers_are_thresholded(estimator, check):
    check(estimator)


def test_numbers_other_than_0_and_1_are_refused_and_copies_fit_alike():
    X = np.random.default_rng(0).integers(0, 2, (50, 3))
    with pytest.raises(ValueError, match="words are binary"):
        mc.KPairwise().fit(X * 2)
    fitted = mc.KPairwise().fit(X)
    again = clone(fitted).fit(X.astype(bool))
    assert np.array_equal(again.v_, fitted.v_)
    copy = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(copy.score_samples(X), fitted.score_samples(X))


def test_it_is_chosen_like_a_rival():
    words = mc.simulate.microcolumn(n_units=5, minutes=1.0, seed=3).bin()
    train, held = words.split(0.7, random_state=0)
    choice = mc.choose(mc.KPairwise(), train, held)
    assert [set(settings) for settings in choice.settings] == [{"l1"}] * 4
    assert choice.best.l1 == choice.settings[choice.chosen]["l1"]
    grid = [{"l1": 1e-3, "smoothing": s} for s in (1.0, 100.0)]
    assert [fit.smoothing for fit in mc.choose(mc.KPairwise(), train, held, grid).fits] == [
        1.0,
        100.0,
    ]
    assert mc.compare({"K": choice.best}, held).best.spec.is_rival
