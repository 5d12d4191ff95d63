"""Pseudolikelihood against brute force over flips, conditionals and logistic regression."""

from dataclasses import replace

import numba
import numpy as np
import pytest
from flips import KINDS, assert_same_slopes, brute_force, random_model, random_words
from hypothesis import given, settings, strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import microcolumn as mc
from microcolumn.layout import Layout
from microcolumn.objectives import PseudoLikelihood, pseudolikelihood
from microcolumn.parameters import Parameters
from microcolumn.words import Words


def logistic(change):
    """Term of minus the log pseudolikelihood, and its slope."""
    return np.logaddexp(0.0, change), expit(change)


def assert_agrees(theta, words, tolerance=1e-10):
    """Value and each gradient array to ``tolerance``, relative to one nat or to their own size."""
    value, gradient = pseudolikelihood(theta, words)
    expected, derivatives = brute_force(theta, words, link=logistic)
    assert value == pytest.approx(expected, rel=tolerance, abs=1e-14 * theta.n_visible)
    assert_same_slopes(gradient, derivatives, tolerance)


@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(KINDS),
    n_units=st.integers(1, 30),
    n_hidden=st.integers(1, 40),
    n_words=st.integers(1, 30),
    scale=st.sampled_from([0.01, 0.3, 1.0, 3.0, 15.0]),
    rate=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
@settings(deadline=None, max_examples=120)
def test_value_and_gradient_match_brute_force_for_random_models_of_every_kind(
    seed, kind, n_units, n_hidden, n_words, scale, rate
):
    rng = np.random.default_rng(seed)
    theta = random_model(rng, kind, n_units, n_hidden, scale)
    assert_agrees(theta, random_words(rng, n_words, n_units, rate))


@given(seed=st.integers(0, 999), kind=st.sampled_from(KINDS), n_units=st.integers(1, 6))
@settings(deadline=None, max_examples=20)
def test_the_gradient_is_the_slope_of_the_value(seed, kind, n_units):
    rng = np.random.default_rng(seed)
    theta = random_model(rng, kind, n_units, 3, 0.7)
    words = random_words(rng, 20, n_units, 0.4)
    layout, step = Layout.of(theta), 1e-5
    x, objective = layout.pack(theta), PseudoLikelihood(words)
    slopes = [
        (objective(layout.unpack(x + e))[0] - objective(layout.unpack(x - e))[0]) / (2 * step)
        for e in step * np.eye(x.size)
    ]
    found = layout.pack_gradient(objective(theta)[1])
    np.testing.assert_allclose(found, slopes, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_many_words_in_several_chunks_match_brute_force(rng, kind):
    words = random_words(rng, 2000, 13, 0.3)
    assert words.X.shape[0] > 1000
    assert_agrees(random_model(rng, kind, 13, 9, 0.5), words)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_weights_up_to_20_and_300_hidden_units_stay_exact(seed, kind):
    rng = np.random.default_rng(seed)
    theta = random_model(rng, kind, 20, 300, 1.0)
    huge = {name: 20 * np.tanh(getattr(theta, name)) for name in "bJWc" if _has(theta, name)}
    assert_agrees(Parameters(**huge), random_words(rng, 50, 20))


@pytest.mark.parametrize("size", [1e3, 1e6, 1e99])
@pytest.mark.parametrize("kind", ["independent", "ising"])
def test_huge_fields_grow_linearly_and_never_overflow(rng, kind, size):
    assert_agrees(random_model(rng, kind, 9, 0, size), random_words(rng, 40, 9, 0.5))


def test_huge_fields_that_hidden_units_and_couplings_cancel_stay_exact(rng):
    J = np.array([[0.0, 700.0], [700.0, 0.0]])
    theta = Parameters(b=[-1390.0, -1390.0], J=J, W=[[5.0], [5.0]])
    assert_agrees(theta, Words.from_array([[0, 0], [0, 1], [1, 1]]))
    theta = Parameters(b=np.full(3, -9000.0), W=np.full((3, 100), 90.0), c=rng.normal(size=100))
    assert_agrees(theta, random_words(rng, 20, 3, 0.5))


@pytest.mark.parametrize("c", [-500.0, -95.0, -40.0, 40.0, 95.0, 500.0])
def test_saturated_hidden_units_keep_their_digits(rng, c):
    W = rng.uniform(0.5, 1.5, (30, 3)) * -c / 15
    theta = Parameters(b=rng.normal(size=30), W=np.clip(W, -20, 20), c=[c, c / 2, c / 3])
    assert_agrees(theta, random_words(rng, 40, 30, 0.5))


def test_slopes_keep_their_digits_where_every_word_is_all_but_certain():
    theta = Parameters(b=[-300.0, -302.0], W=[[0.5, -1.0], [1.0, 0.3]], c=[0.2, -0.1])
    value, gradient = pseudolikelihood(theta, [[0, 0]])
    _, derivatives = brute_force(theta, Words.from_array([[0, 0]]), link=logistic)
    assert value == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(gradient.W, derivatives["W"], rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "X",
    [[[0]], [[1]], [[0, 0, 0]], [[1, 1, 1]], [[0, 1, 0], [0, 0, 1]], [[1, 1, 0], [0, 0, 0]]],
    ids=["off", "on", "all off", "all on", "silent unit", "both"],
)
def test_words_at_the_edges_match_brute_force(rng, kind, X):
    assert_agrees(random_model(rng, kind, len(X[0]), 2, 1.0), Words.from_array(X))


@pytest.mark.parametrize("scale", [0.3, 30.0], ids=["plain", "careful"])
def test_words_count_by_their_weights_and_not_at_all_with_weight_zero(rng, scale):
    theta = random_model(rng, "srbm", 4, 3, scale)
    words = Words.from_array([[0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0]])
    value, gradient = pseudolikelihood(theta, replace(words, counts=np.array([2.0, 0.0, 3.0])))
    expected, slopes = pseudolikelihood(theta, words.X[[0, 0, 2, 2, 2]])
    assert value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(gradient.W, slopes.W, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("dead", [[1], [0, 2], [0, 1, 2]])
def test_hidden_units_without_weights_leave_the_kernel_and_keep_their_gradient(rng, dead):
    theta = random_model(rng, "srbm", 6, 3, 1.0, hidden_bias=0.5)
    W = theta.W.copy()
    W[:, dead] = 0.0
    assert_agrees(Parameters(b=theta.b, J=theta.J, W=W, c=theta.c), random_words(rng, 20, 6))


@pytest.mark.parametrize("kind", ["Ising", "RBM", "SemiRBM"])
def test_the_value_is_what_the_conditionals_of_a_fitted_model_give(random_parameters, draw, kind):
    X = draw(random_parameters("srbm", 5, seed=3), 300)
    settings = {} if kind == "Ising" else {"n_hidden": 2}
    model = getattr(mc, kind)(l1=1e-2, objective="pseudolikelihood", **settings).fit(X)
    p = np.column_stack([model.conditional(X, unit) for unit in range(5)])
    expected = -np.log(np.where(X == 1, p, 1 - p)).sum(axis=1).mean()
    assert pseudolikelihood(model.parameters_, X)[0] == pytest.approx(expected, rel=1e-12)
    penalty = 1e-2 * (np.abs(model.J_).sum() + np.abs(model.W_).sum())
    assert model.objective_ == pytest.approx(expected + penalty, rel=1e-12)
    assert model.certificate_.converged


def test_an_unpenalised_ising_fit_solves_the_logistic_regressions_coupled_by_symmetry(
    random_parameters, draw
):
    X = draw(random_parameters("ising", 5, scale=0.5, seed=1), 4000).astype(float)
    model = mc.Ising(l1=0.0, objective="pseudolikelihood").fit(X)
    off = ~np.eye(5, dtype=bool)
    residual = np.empty((5, 5))  # of unit n's regression, with each other unit
    for n in range(5):
        error = expit(model.b_[n] + 2.0 * X @ model.J_[n]) - X[:, n]
        assert error.mean() == pytest.approx(0.0, abs=1e-9)
        residual[n] = error @ X / X.shape[0]
    np.testing.assert_allclose((residual + residual.T)[off], 0.0, atol=1e-9)


def test_two_units_are_one_logistic_regression(draw):
    # The coupling of two units is all that both regressions have beside their intercepts: both
    # find the same one, the log odds ratio.
    X = draw(Parameters(b=[-0.5, -1.0], J=[[0.0, 0.4], [0.4, 0.0]]), 2000)
    model = mc.Ising(l1=0.0, objective="pseudolikelihood").fit(X)
    for n in (0, 1):
        regression = LogisticRegression(C=np.inf, tol=1e-10).fit(X[:, [1 - n]], X[:, n])
        assert 2.0 * model.J_[0, 1] == pytest.approx(regression.coef_[0, 0], abs=1e-5)
        assert model.b_[n] == pytest.approx(regression.intercept_[0], abs=1e-5)


@pytest.mark.parametrize("n_words", [2_000, 200_000])
def test_parameters_of_a_model_are_found_from_its_words(random_parameters, draw, n_words):
    truth = random_parameters("ising", 8, scale=0.4, seed=5)
    model = mc.Ising(l1=0.0, objective="pseudolikelihood").fit(draw(truth, n_words))
    # Log odds ratios of units active a share p of the time have errors near 1 / sqrt(p**2 n).
    np.testing.assert_allclose(model.J_, truth.J, atol=20.0 / np.sqrt(n_words))


@pytest.mark.parametrize("kind", ["ising", "srbm"])
def test_results_are_bitwise_the_same_for_any_number_of_threads(rng, kind):
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("one thread is all this machine has")
    theta = random_model(rng, kind, 13, 9, 0.5)
    objective = PseudoLikelihood(random_words(rng, 3000, 13, 0.4))
    results, at_first = [], numba.get_num_threads()
    for n_threads in (1, 2):
        numba.set_num_threads(n_threads)
        value, gradient = objective(theta)
        results.append([value, *(getattr(gradient, n).tobytes() for n in "bJ")])
    numba.set_num_threads(at_first)
    assert results[0] == results[1]


def test_fields_beyond_the_range_of_numbers_are_an_overflow_error():
    layout = Layout.of(Parameters(b=[0.0, 0.0], J=np.zeros((2, 2))))
    tried = np.full(layout.size, 1.7e308)  # as a step of the solver may, which then backs off
    with pytest.raises(OverflowError, match="larger than a floating-point number can be"):
        PseudoLikelihood([[0, 1]]).evaluate(tried, layout, np.empty(layout.size))


def test_a_weight_beyond_the_range_of_exp_is_an_overflow_error():
    with pytest.raises(OverflowError, match=r"a hidden weight is 2e\+03"):
        pseudolikelihood(Parameters(b=[0.0], W=[[2000.0]]), [[0]])


def test_words_with_another_number_of_units_are_an_error():
    with pytest.raises(ValueError, match="the model has 2 units but the words have 3"):
        pseudolikelihood(Parameters(b=[0.0, 0.0]), [[0, 1, 0]])


def _has(theta, name):
    return getattr(theta, name) is not None


@pytest.fixture
def rng():
    return np.random.default_rng(0)
