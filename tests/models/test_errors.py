"""Bad input: one sentence each that names the problem and the remedy."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import microcolumn as mc
from microcolumn.models import to_bytes

X = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 0]])
ALL = [mc.Independent(), mc.Ising(), mc.RBM(n_hidden=2), mc.SemiRBM(n_hidden=2)]
EVERY_MODEL = pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
PENALISED = pytest.mark.parametrize("cls", [mc.Ising, mc.RBM, mc.SemiRBM])


@EVERY_MODEL
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (X + X[:, [1, 0, 2]], "words are binary: binarise X first"),
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


@pytest.mark.parametrize("shape", [(1, 1), (1, 10), (2, 999)])
def test_a_small_sample_may_have_more_units_than_bins(shape):
    assert mc.Independent().fit(np.zeros(shape)).n_features_in_ == shape[1]


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
        lambda: to_bytes(unfitted),
    ]
    for call in calls:
        with pytest.raises(NotFittedError, match=r"is not fitted yet\. Call 'fit'"):
            call()


@PENALISED
def test_a_refused_fit_leaves_the_earlier_one_in_place(cls):
    model = cls(tol=1e-4).fit(X)
    before = model.b_.copy()
    with pytest.raises(ValueError, match="binarise X first"):
        model.fit(X * 2)
    assert np.array_equal(model.b_, before)
    assert np.isfinite(model.score(X))
