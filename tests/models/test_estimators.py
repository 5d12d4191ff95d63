"""scikit-learn's own checks, and its tools at work on the models."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from thresholded import Thresholded

import microcolumn as mc


class _RBM(Thresholded, mc.RBM):
    pass


class _CommonDrive(Thresholded, mc.models.CommonDrive):
    pass


# A loose tolerance: the checks fit dozens of times and compare no parameters.
@parametrize_with_checks([_RBM(n_hidden=2, tol=1e-3), _CommonDrive()])
def test_every_check_of_scikit_learn_passes_once_its_numbers_are_thresholded(estimator, check):
    check(estimator)


@pytest.fixture
def X():
    return mc.simulate.microcolumn(n_units=5, minutes=0.5, seed=3).bin().expand()


@pytest.mark.parametrize(
    "estimator", [mc.Ising(), mc.RBM(n_hidden=2, tol=1e-4)], ids=lambda e: type(e).__name__
)
def test_a_grid_search_over_the_penalty_finds_the_best_held_out_score(estimator, X):
    grid = {"l1": [1e-3, 1e-2, 1.0]}
    search = GridSearchCV(estimator, grid, cv=2).fit(X)
    scores = [
        cross_val_score(clone(estimator).set_params(l1=l1), X, cv=2).mean() for l1 in grid["l1"]
    ]
    assert search.best_params_ == {"l1": grid["l1"][int(np.argmax(scores))]}
    assert search.best_score_ == max(scores)
    assert search.best_params_["l1"] < 1.0, "the words are correlated"


@pytest.mark.parametrize("cls", [mc.RBM, mc.SemiRBM])
def test_hidden_activations_are_features_of_a_pipeline(cls, X):
    pipeline = make_pipeline(Binarizer(threshold=0.5), cls(n_hidden=3), StandardScaler())
    features = pipeline.fit_transform(X * 2)
    model = cls(n_hidden=3).fit(X)
    # p(h = 1 | x) from the energies of both states of a hidden unit (docs/method.md, section 2)
    by_hand = 1.0 / (1.0 + np.exp(-(model.c_ + X @ model.W_)))
    np.testing.assert_allclose(model.transform(X), by_hand)
    np.testing.assert_allclose(features, StandardScaler().fit_transform(by_hand), atol=1e-9)
    name = cls.__name__.lower()
    assert model.get_feature_names_out().tolist() == [f"{name}{k}" for k in range(3)]


def test_names_of_columns_are_kept_and_compared(X, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"))
    model = mc.Ising().fit(frame)
    assert model.feature_names_in_.tolist() == list("abcde")
    assert model.score(frame) == mc.Ising().fit(X).score(X)
    with pytest.raises(ValueError, match="feature names"):
        model.score(frame[list("edcba")])
    [on_path] = mc.Ising().fit_path(frame, [1e-3])
    assert on_path.feature_names_in_.tolist() == list("abcde")
    model.save(tmp_path / "model.safetensors")
    loaded = mc.load(tmp_path / "model.safetensors")
    assert loaded.feature_names_in_.tolist() == list("abcde")
    assert loaded.score(frame) == model.score(frame)
    model.fit(mc.Words.from_array(X))
    assert not hasattr(model, "feature_names_in_")
