"""Minimum probability flow at the ends of its range, and what its objects keep."""

import numpy as np
import pytest
from flips import KINDS, assert_agrees, brute_force, random_model, random_words
from hypothesis import given, settings, strategies as st

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import MinimumProbabilityFlow, mpf
from microcolumn.parameters import Parameters
from microcolumn.words import Words


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_inputs_of_many_hidden_units_that_all_leave_the_range_of_exp_stay_exact(rng, sign):
    theta = Parameters(
        b=rng.normal(size=60), W=sign * rng.uniform(0.5, 1.5, (60, 300)), c=rng.normal(size=300)
    )
    assert_agrees(mpf, theta, random_words(rng, 30, 60, 0.5))


@pytest.mark.parametrize("scale", [1e-9, 1e-5, 1e-2])
def test_tiny_weights_keep_the_digits_of_the_gradient_of_hidden_biases(rng, scale):
    theta = random_model(rng, "srbm", 5, 3, scale, hidden_bias=-1.0)
    assert_agrees(mpf, theta, random_words(rng, 20, 5))


def test_a_flow_near_the_largest_double_does_not_overflow():
    theta = Parameters(b=[1400.0, -1400.0, 3.0], W=[[20.0], [-20.0], [1.0]], c=[-2.0])
    words = Words.from_array([[0, 1, 0], [1, 1, 1], [1, 1, 0]])
    K, _ = mpf(theta, words)
    assert 1e300 < K < np.inf
    assert_agrees(mpf, theta, words)


def test_a_flow_near_the_smallest_double_keeps_its_digits():
    theta = Parameters(b=[-1390.0, -1392.0], W=[[0.5, -1.0], [1.0, 0.3]], c=[0.2, -0.1])
    value, gradient = mpf(theta, [[0, 0]])
    assert 0.0 < value < 1e-300
    expected, derivatives = brute_force(theta, Words.from_array([[0, 0]]))
    assert value == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(gradient.W, derivatives["W"], rtol=1e-10)


@pytest.mark.parametrize("c", [-30.0, 30.0])
def test_the_gradient_of_a_unit_far_from_its_threshold_is_exact_though_tiny(c):
    theta = Parameters(b=[0.1, -0.2], W=[[1.0], [-2.0]], c=[c])
    words = Words.from_array([[0, 0], [0, 1], [1, 1]])
    _, gradient = mpf(theta, words)
    _, derivatives = brute_force(theta, words)
    assert abs(derivatives["c"][0]) < 1e-11
    np.testing.assert_allclose(gradient.c, derivatives["c"], rtol=1e-10)


@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(KINDS), n_units=st.integers(1, 12))
@settings(deadline=None, max_examples=40)
def test_flat_evaluations_are_those_of_the_parameters_that_the_vector_stands_for(
    seed, kind, n_units
):
    rng = np.random.default_rng(seed)
    theta = random_model(rng, kind, n_units, 5, 0.7)
    never = np.triu(rng.random((n_units, n_units)) < 0.2, 1)
    layout = Layout.of(theta, rng.random(n_units) < 0.3, never | never.T)
    objective = MinimumProbabilityFlow(random_words(rng, 30, n_units))
    for share in (1.0, 0.4, 0.0):  # of the hidden units that are alive
        x = layout.pack(theta)
        x[layout.weights] *= np.tile(rng.random(theta.n_hidden) < share, layout.free.size)
        gradient = np.full(layout.size, np.nan)
        value = objective.evaluate(x, layout, gradient)
        expected, slopes = objective(layout.unpack(x))
        assert value == expected
        np.testing.assert_array_equal(gradient, layout.pack_gradient(slopes))


def test_an_objective_can_be_asked_about_models_of_different_sizes(rng):
    words = random_words(rng, 30, 6)
    objective = MinimumProbabilityFlow(words)
    models = [random_model(rng, kind, 6, m, 0.5) for kind, m in (("srbm", 9), ("rbm", 2))]
    models = [*models, random_model(rng, "ising", 6, 0, 0.5), models[0]]
    for theta in models:
        value, gradient = objective(theta)
        fresh, derivatives = mpf(theta, words)
        assert value == fresh
        np.testing.assert_array_equal(gradient.b, derivatives.b)


def test_earlier_gradients_survive_later_evaluations(rng):
    objective = MinimumProbabilityFlow(random_words(rng, 30, 6))
    theta = random_model(rng, "srbm", 6, 4, 0.5)
    _, gradient = objective(theta)
    kept = {name: getattr(gradient, name).copy() for name in "bJWc"}
    objective(random_model(rng, "srbm", 6, 4, 0.5))
    for name, part in kept.items():
        np.testing.assert_array_equal(getattr(gradient, name), part)


def test_a_flow_beyond_the_largest_double_is_an_overflow_error():
    with pytest.raises(OverflowError, match="larger than a floating-point number can be"):
        mpf(Parameters(b=[1500.0]), [[0]])


def test_a_flow_near_the_largest_double_with_300_hidden_units_is_still_right():
    theta = Parameters(b=np.full(4, 1405.0), W=np.full((4, 300), 0.05))
    K, gradient = mpf(theta, [[0, 0, 0, 0]])
    log_K = np.log(4.0) + 0.5 * (log_weight(theta, [[1, 0, 0, 0]]) - log_weight(theta, [[0] * 4]))
    assert log_K > 707.0
    assert np.log(K) == pytest.approx(float(log_K[0]), rel=1e-12)
    np.testing.assert_allclose(gradient.b, K / 8.0, rtol=1e-12)


@pytest.fixture
def rng():
    return np.random.default_rng(0)
