"""Bad input: one sentence each that names the problem and the remedy."""

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import microcolumn as mc

X = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 0]])
ALL = [mc.Independent(), mc.Ising(), mc.RBM(n_hidden=2), mc.SemiRBM(n_hidden=2)]
EVERY_MODEL = pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
PENALISED = pytest.mark.parametrize("cls", [mc.Ising, mc.RBM, mc.SemiRBM])


def _assert_sentence(caught, sentence):
    message = str(caught.value)
    assert sentence in message
    assert "\n" not in message
    assert ";" in message, "a problem, then a remedy"


_BAD_WORDS = {
    "NaN": ([[0, 1], [0, np.nan]], "X[1, 1] is NaN; words are binary: leave out or repair"),
    "infinity": ([[0, 1], [-np.inf, 0]], "X[1, 0] is -inf; words are binary: leave out or repair"),
    "counts": ([[0, 1], [0, 2]], "X[1, 1] is 2; words are binary: binarise counts first"),
    "float counts": ([[0.0, 3.0]], "X[0, 1] is 3.0; words are binary: binarise counts first"),
    "negative": ([[1, 0], [-1, 0]], "X[1, 0] is -1; words are binary: recode to 0 and 1 first"),
    "probabilities": ([[0.5, 1]], "X[0, 0] is 0.5; words are binary: threshold to 0 and 1 first"),
    "no words": (np.zeros((0, 3)), "0 sample(s) (shape=(0, 3)) while a minimum of 1 is required;"),
    "no units": (np.zeros((3, 0)), "0 feature(s) (shape=(3, 0)) while a minimum of 1 is required;"),
    "an empty list": ([], "X is empty (Expected 2D array, got 1D array instead"),
    "one dimension": ([0, 1, 1], "Expected 2D array, got 1D array instead (shape=(3,)); Reshape"),
    "three dimensions": (np.zeros((2, 2, 2)), "got 3D array instead (shape=(2, 2, 2)); Reshape"),
    "a single number": (1, "Expected 2D array, got scalar array instead; Reshape"),
    "nothing": (None, "X is None; pass a matrix with one row per bin"),
    "text": ([["0", "1"]], "X has dtype <U1, which holds no numbers; words are binary: pass"),
    "complex numbers": ([[1j, 0]], "Complex data not supported: X has dtype complex128; words"),
    "dates": (np.array([["2020-01-01"]], dtype="M8[D]"), "X has dtype datetime64[D], which holds"),
    "rows of unequal length": ([[0, 1], [0]], "pass rows of equal length, one per bin"),
}


@EVERY_MODEL
@pytest.mark.parametrize("name", _BAD_WORDS)
def test_bad_words_to_fit_are_named(model, name):
    words, sentence = _BAD_WORDS[name]
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        model.fit(words)
    _assert_sentence(caught, sentence)


@pytest.mark.parametrize("name", _BAD_WORDS)
@pytest.mark.parametrize("method", ["score", "score_samples", "energy", "hidden"])
def test_bad_words_to_evaluate_are_named(name, method):
    model = mc.SemiRBM.from_parameters(mc.Parameters(b=[0.0] * 2, J=np.zeros((2, 2)), W=[[1], [2]]))
    words, sentence = _BAD_WORDS[name]
    with pytest.raises(ValueError, match=re.escape(sentence)):
        getattr(model, method)(words)


@EVERY_MODEL
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (sparse.csr_matrix(X), "X is a sparse matrix; words are dense: pass X.toarray()"),
        (np.array([[{}, 0]], dtype=object), "X has dtype object and not all of it is a number"),
    ],
)
def test_words_of_a_wrong_type_are_named(model, words, sentence):
    with pytest.raises(TypeError, match=re.escape(sentence)) as caught:
        model.fit(words)
    _assert_sentence(caught, sentence)


@EVERY_MODEL
@pytest.mark.parametrize("method", ["score", "score_samples", "energy", "hidden"])
@pytest.mark.parametrize("n_units", [2, 4])
@pytest.mark.parametrize("as_words", [False, True])
def test_a_wrong_number_of_units_is_named(model, method, n_units, as_words):
    name = type(model).__name__
    words = np.zeros((2, n_units), dtype=int)
    fitted = type(model)(**model.get_params()).fit(X)
    sentence = (
        f"X has {n_units} features, but {name} is expecting 3 features as input; "
        "pass the units it was fitted on"
    )
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        getattr(fitted, method)(mc.Words.from_array(words) if as_words else words)
    _assert_sentence(caught, sentence)


_BAD_SETTINGS = [
    ({"l1": -1e-3}, "l1 is -0.001; the penalty must be a finite number, 0 or more"),
    ({"l1": np.nan}, "l1 is nan; the penalty must be a finite number, 0 or more"),
    ({"l1": np.inf}, "l1 is inf; the penalty must be a finite number, 0 or more"),
    ({"l1": "big"}, "l1 is 'big'; the penalty must be a finite number, 0 or more"),
    ({"l1": True}, "l1 is True; the penalty must be a finite number, 0 or more"),
    ({"l1": None}, "l1 is None; the penalty must be a finite number, 0 or more"),
    ({"l1": [1e-3]}, "l1 is [0.001]; the penalty must be a finite number, 0 or more"),
    ({"objective": "cd"}, "objective is 'cd'; choose 'mpf' or 'likelihood'"),
    ({"objective": None}, "objective is None; choose 'mpf' or 'likelihood'"),
    ({"device": "tpu"}, "device is 'tpu'; choose"),
    ({"device": None}, "device is None; choose"),
    ({"complement": "no"}, "complement is 'no'; it must be True or False"),
    (
        {"complement": True, "objective": "likelihood"},
        "leave it False with objective='likelihood'",
    ),
    ({"n_init": 0}, "n_init is 0; it must be a whole number, 1 or more"),
    ({"n_init": 1.5}, "n_init is 1.5; it must be a whole number, 1 or more"),
    ({"max_iter": 0}, "max_iter is 0; it must be a whole number, 1 or more"),
    ({"max_iter": True}, "max_iter is True; it must be a whole number, 1 or more"),
    ({"tol": 0.0}, "tol is 0.0; it must be a finite positive number"),
    ({"tol": np.nan}, "tol is nan; it must be a finite positive number"),
    ({"tol": "small"}, "tol is 'small'; it must be a finite positive number"),
    ({"random_state": "seed"}, "random_state is 'seed'; pass a whole number, 0 or more, a"),
    ({"random_state": -1}, "random_state is -1; pass a whole number, 0 or more, a"),
]


@PENALISED
@pytest.mark.parametrize(("settings", "sentence"), _BAD_SETTINGS)
def test_bad_settings_are_named(cls, settings, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        cls(**settings).fit(X)
    _assert_sentence(caught, sentence)


@pytest.mark.parametrize("cls", [mc.RBM, mc.SemiRBM])
@pytest.mark.parametrize("n_hidden", [0, -1, 1.5, True, None, "many"])
def test_a_bad_number_of_hidden_units_is_named(cls, n_hidden):
    sentence = f"n_hidden is {n_hidden!r}; it must be a whole number, 1 or more"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        cls(n_hidden=n_hidden).fit(X)


@PENALISED
def test_a_bad_penalty_of_a_path_is_named(cls):
    with pytest.raises(ValueError, match="l1 is -1; the penalty must be a finite number, 0 or"):
        cls().fit_path(X, [0.1, -1])
    with pytest.raises(TypeError, match=r"penalties is 0\.1; pass a sequence of numbers"):
        cls().fit_path(X, 0.1)


_WEIGHTS = {
    "negative": ([1, -1, 1, 1, 1], "sample_weight[1] is -1.0; weights must be finite and not"),
    "NaN": ([1, np.nan, 1, 1, 1], "sample_weight[1] is nan; weights must be finite and not"),
    "too few": ([1, 1], "sample_weight has shape (2,) for 5 bins; it needs one per bin"),
    "all zero": ([0] * 5, "sample_weight is zero for every bin; give some bin a positive weight"),
}


@EVERY_MODEL
@pytest.mark.parametrize("name", _WEIGHTS)
def test_bad_weights_are_named(model, name):
    weights, sentence = _WEIGHTS[name]
    with pytest.raises(ValueError, match=re.escape(sentence)):
        model.fit(X, sample_weight=weights)


@EVERY_MODEL
def test_weights_beside_words_are_refused(model):
    with pytest.raises(ValueError, match="Words carry their own weights; leave out sample_weight"):
        model.fit(mc.Words.from_array(X), sample_weight=np.ones(5))


def test_a_start_of_another_kind_or_size_is_named(random_parameters):
    sentence = "kind 'rbm' with 3 units and 2 hidden units; it must be 'ising' with 3 and 0"
    with pytest.raises(ValueError, match=sentence):
        mc.Ising().fit(X, start=random_parameters("rbm", 3, 2))
    with pytest.raises(ValueError, match="with 4 units and 0 hidden units; it must be 'ising'"):
        mc.Ising().fit(X, start=random_parameters("ising", 4))
    with pytest.raises(ValueError, match="it must be 'srbm' with 3 and 2"):
        mc.SemiRBM(n_hidden=2).fit(X, start=random_parameters("srbm", 3, 3))
    with pytest.raises(TypeError, match="start is a Ising; pass Parameters, for example a fitted"):
        mc.Ising().fit(X, start=mc.Ising().fit(X))


def test_a_start_that_overflows_is_named():
    J = np.array([[0, -5000, 0], [-5000, 0, 0], [0, 0, 0]])
    with pytest.raises(OverflowError, match="too large for these words, start from smaller ones"):
        mc.Ising().fit(X, start=mc.Parameters(b=np.zeros(3), J=J))


def test_unknown_methods_are_named():
    model = mc.Ising().fit(X)
    with pytest.raises(ValueError, match="method 'magic' is unknown; use one of 'auto', 'exact'"):
        model.log_partition("magic")
    with pytest.raises(ValueError, match="method is 'magic'; choose 'auto', 'exact' or 'gibbs'"):
        model.sample(3, method="magic")


def test_options_of_another_method_are_named():
    model = mc.Ising().fit(X)
    with pytest.raises(TypeError, match="method 'exact' takes no option 'n_chains'; leave it out"):
        model.log_partition("exact", n_chains=3)
    with pytest.raises(TypeError, match="exact samples take no option 'n_sweeps'; leave it out"):
        model.sample(3, method="exact", n_sweeps=3)


@pytest.mark.parametrize("n_samples", [0, -1, 1.5, "many"])
def test_a_bad_number_of_samples_is_named(n_samples):
    sentence = f"n_samples is {n_samples!r}; it must be a whole number, 1 or more"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        mc.Ising().fit(X).sample(n_samples)


@pytest.mark.parametrize("unit", [3, -1, 1.5, "first", None])
def test_a_unit_that_is_not_there_is_named(unit):
    sentence = f"unit is {unit!r}; the model has units 0 to 2"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        mc.Ising().fit(X).conditional(X, unit=unit)


def test_parameters_of_another_type_are_named():
    with pytest.raises(TypeError, match="theta is a dict; pass Parameters"):
        mc.Ising.from_parameters({"b": [0.0]})


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
