"""scikit-learn's own checks, and its tools at work on the models."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from thresholded import Thresholded

import microcolumn as mc

#: Checks that feed numbers other than 0 and 1; these are an error here that names the first one.
_FEED_OTHER_NUMBERS = (
    "check_all_zero_sample_weights_error",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_transformer_n_iter",
    "check_transformer_preserve_dtypes",
)


def _reason(error):
    """What an error says, with the one in whose handling it was raised."""
    return f"{error} {error.__context__}"


@pytest.mark.parametrize(
    "estimator", [mc.Ising(), mc.models.Tree()], ids=lambda e: type(e).__name__
)
def test_scikit_learns_checks_pass_unless_they_feed_other_numbers(estimator):
    declared = dict.fromkeys(_FEED_OTHER_NUMBERS, "feeds numbers other than 0 and 1")
    results = check_estimator(estimator, expected_failed_checks=declared, on_skip=None)
    failed = [result for result in results if result["status"] == "xfail"]
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    known = {result["check_name"] for result in results}  # older releases have fewer checks
    assert {result["check_name"] for result in failed} == (set(declared) & known) - skipped
    for result in failed:
        assert "words are binary" in _reason(result["exception"])


class _Ising(Thresholded, mc.Ising):
    pass


class _RBM(Thresholded, mc.RBM):
    pass


class _TwoTree(Thresholded, mc.models.TwoTree):
    pass


class _HistoryGLM(Thresholded, mc.models.HistoryGLM):
    pass


# A loose tolerance: the checks fit dozens of times and compare no parameters.
@parametrize_with_checks(
    [_Ising(), _RBM(n_hidden=2, tol=1e-3), _TwoTree(), _HistoryGLM(n_lags=2, basis=2)]
)
def test_every_check_of_scikit_learn_passes_once_its_numbers_are_thresholded(estimator, check):
    check(estimator)


@pytest.fixture
def X():
    return mc.simulate.microcolumn(n_units=5, minutes=0.5, seed=3).bin().expand()


def test_settings_can_be_read_and_set():
    model = mc.SemiRBM(n_hidden=7, l1=0.5, objective="mpf", random_state=4)
    settings = model.get_params()
    assert settings == {
        "n_hidden": 7,
        "l1": 0.5,
        "group_l1": 0.0,
        "objective": "mpf",
        "n_init": 1,
        "tol": None,
        "max_iter": 5000,
        "random_state": 4,
    }
    assert mc.SemiRBM().set_params(**settings).get_params() == settings
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(lambda_=1.0)


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


def test_a_pipeline_binarises_counts_first(X):
    counts = X * 3
    pipeline = make_pipeline(Binarizer(threshold=0.5), mc.Ising())
    assert pipeline.fit(counts).score(counts) == mc.Ising().fit(X).score(X)


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
