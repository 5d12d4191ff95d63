"""Bad input: one sentence each that names the problem and the remedy."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import microcolumn as mc

X = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 0]])
ALL = [mc.Independent(), mc.Ising(), mc.RBM(n_hidden=2), mc.SemiRBM(n_hidden=2)]
EVERY_MODEL = pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
PENALISED = pytest.mark.parametrize("cls", [mc.Ising, mc.RBM, mc.SemiRBM])


@EVERY_MODEL
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (X + X[:, [1, 0, 2]], "words are binary: binarise counts first"),
        (np.ma.array(X, mask=X == 1), "X has masked entries; fill them or drop them first"),
    ],
    ids=["counts", "masked"],
)
def test_every_method_checks_its_words(model, words, sentence):
    # What is refused, and in which words, is tested in tests/test_validation.py.
    ready = clone(model).fit(X)
    for method in (model.fit, ready.score, ready.score_samples, ready.energy, ready.hidden):
        with pytest.raises(ValueError, match=sentence):
            method(words)
    with pytest.raises(ValueError, match=sentence):
        ready.conditional(words, unit=0)


def test_a_start_that_overflows_is_named():
    steep = mc.Parameters(b=np.zeros(3), J=[[0, -5000, 0], [-5000, 0, 0], [0, 0, 0]])
    with pytest.raises(OverflowError, match="too large for these words"):
        mc.Ising(objective="mpf").fit(X, start=steep)


@pytest.mark.parametrize("model", [*ALL, mc.models.Tree()], ids=lambda m: type(m).__name__)
def test_an_array_with_its_bins_in_columns_is_not_fitted(model):
    sentence = "X has 6 rows and 2,000 columns, which looks transposed: rows are bins"
    with pytest.raises(ValueError, match=sentence):
        model.fit(np.zeros((6, 2000), dtype=bool))


@pytest.mark.parametrize("shape", [(1, 1), (1, 10), (2, 999)])
def test_a_small_sample_may_have_more_units_than_bins(shape):
    assert mc.Independent().fit(np.zeros(shape)).n_features_in_ == shape[1]


_STRENGTH = "it must be a float in the range [0.0, inf)"
_COUNT = "it must be an int in the range [1, inf)"
_BAD_SETTINGS = [
    ("l1", (-1e-3, np.nan, np.inf, "big", True, None, [1e-3]), _STRENGTH),
    ("group_l1", (-1e-3, np.nan, np.inf, "big", True, None), _STRENGTH),
    ("objective", ("cd", None), "it must be 'likelihood' or 'mpf' or 'pseudolikelihood'"),
    ("n_init", (0, 1.5), _COUNT),
    ("max_iter", (0, True), _COUNT),
    ("n_hidden", (0, -1, 1.5, True, None, "many", 10**6), "it must be an int in the range [1, 10"),
    ("tol", (0.0, np.nan, "small"), "it must be a float in the range (0.0, inf)"),
    ("random_state", ("seed", -1), "pass a whole number, 0 or more, a"),
]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [(name, value, sentence) for name, values, sentence in _BAD_SETTINGS for value in values],
)
def test_bad_settings_are_named(name, value, sentence):
    for cls in (mc.Ising, mc.RBM, mc.SemiRBM):
        if name not in cls().get_params():
            continue
        with pytest.raises(ValueError, match=re.escape(f"{name} is {value!r}; {sentence}")):
            cls(**{name: value}).fit(X)


_WEIGHTS = {
    "negative": ([1, -1, 1, 1, 1], "sample_weight[1] is -1.0; weights must be finite and not"),
    "NaN": ([1, np.nan, 1, 1, 1], "sample_weight[1] is nan; weights must be finite and not"),
    "too few": ([1, 1], "sample_weight has shape (2,) for 5 bins; pass one per bin"),
    "all zero": ([0] * 5, "sample_weight is zero for every bin; give some a positive weight"),
}


@EVERY_MODEL
@pytest.mark.parametrize("name", _WEIGHTS)
def test_bad_weights_are_named(model, name):
    weights, sentence = _WEIGHTS[name]
    with pytest.raises(ValueError, match=re.escape(sentence)):
        model.fit(X, sample_weight=weights)


def test_a_start_of_another_kind_or_size_is_named(random_parameters):
    sentence = "kind 'rbm' with 3 units and 2 hidden units; it must be 'ising' with 3 and 0"
    with pytest.raises(ValueError, match=sentence):
        mc.Ising().fit(X, start=random_parameters("rbm", 3, 2))
    with pytest.raises(ValueError, match="with 4 units and 0 hidden units; it must be 'ising'"):
        mc.Ising().fit(X, start=random_parameters("ising", 4))
    with pytest.raises(ValueError, match="it must be 'srbm' with 3 and 2"):
        mc.SemiRBM(n_hidden=2).fit(X, start=random_parameters("srbm", 3, 3))
    with pytest.raises(TypeError, match="start is an Ising; pass Parameters, for example a fitted"):
        mc.Ising().fit(X, start=mc.Ising().fit(X))


@EVERY_MODEL
def test_a_model_that_is_not_fitted_says_so(model):
    unfitted = type(model)(**model.get_params())
    calls = [
        lambda: unfitted.score(X),
        lambda: unfitted.energy(X),
        lambda: unfitted.hidden(X),
        lambda: unfitted.conditional(X, unit=0),
        lambda: unfitted.log_partition(),
        lambda: unfitted.sample(3),
        lambda: unfitted.J_,
        lambda: unfitted.n_live_hidden_,
    ]
    for call in calls:
        with pytest.raises(NotFittedError, match=r"is not fitted yet\. Call 'fit'"):
            call()


@PENALISED
def test_a_refused_fit_leaves_the_earlier_one_in_place(cls):
    model = cls(tol=1e-4).fit(X)
    before = model.b_.copy()
    with pytest.raises(ValueError, match="binarise counts first"):
        model.fit(X * 2)
    assert np.array_equal(model.b_, before)
    assert np.isfinite(model.score(X))
