"""Pseudolikelihood with huge fields, and against conditionals and logistic regression."""

import numpy as np
import pytest
from flips import assert_agrees, brute_force, logistic, random_model, random_words
from scipy.special import expit

import microcolumn as mc
from microcolumn.layout import Layout
from microcolumn.objectives import PseudoLikelihood, pseudolikelihood
from microcolumn.parameters import Parameters
from microcolumn.words import Words


@pytest.mark.parametrize("size", [1e3, 1e6, 1e99])
@pytest.mark.parametrize("kind", ["independent", "ising"])
def test_huge_fields_grow_linearly_and_never_overflow(rng, kind, size):
    assert_agrees(
        pseudolikelihood, random_model(rng, kind, 9, 0, size), random_words(rng, 40, 9, 0.5)
    )


def test_huge_fields_that_hidden_units_cancel_stay_exact(rng):
    theta = Parameters(b=np.full(3, -9000.0), W=np.full((3, 100), 90.0), c=rng.normal(size=100))
    assert_agrees(pseudolikelihood, theta, random_words(rng, 20, 3, 0.5))


def test_slopes_keep_their_digits_where_every_word_is_all_but_certain():
    theta = Parameters(b=[-300.0, -302.0], W=[[0.5, -1.0], [1.0, 0.3]], c=[0.2, -0.1])
    value, gradient = pseudolikelihood(theta, [[0, 0]])
    _, derivatives = brute_force(theta, Words.from_array([[0, 0]]), link=logistic)
    assert value == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(gradient.W, derivatives["W"], rtol=1e-10)


@pytest.mark.parametrize("kind", ["Ising", "RBM", "SemiRBM"])
def test_the_value_is_what_the_conditionals_of_a_fitted_model_give(random_parameters, draw, kind):
    X = draw(random_parameters("srbm", 5, seed=3), 300)
    settings = {} if kind == "Ising" else {"n_hidden": 2}
    model = getattr(mc, kind)(l1=1e-2, objective="pseudolikelihood", **settings).fit(X)
    p = model.conditional(X)
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


@pytest.mark.parametrize("n_words", [2_000, 200_000])
def test_parameters_of_a_model_are_found_from_its_words(random_parameters, draw, n_words):
    truth = random_parameters("ising", 8, scale=0.4, seed=5)
    model = mc.Ising(l1=0.0, objective="pseudolikelihood").fit(draw(truth, n_words))
    # Log odds ratios of units active a share p of the time have errors near 1 / sqrt(p**2 n).
    np.testing.assert_allclose(model.J_, truth.J, atol=20.0 / np.sqrt(n_words))


def test_fields_beyond_the_range_of_numbers_are_an_overflow_error():
    layout = Layout.of(Parameters(b=[0.0, 0.0], J=np.zeros((2, 2))))
    tried = np.full(layout.size, 1.7e308)  # as a step of the solver may, which then backs off
    with pytest.raises(OverflowError, match="larger than a floating-point number can be"):
        PseudoLikelihood([[0, 1]]).evaluate(tried, layout, np.empty(layout.size))


@pytest.fixture
def rng():
    return np.random.default_rng(0)
