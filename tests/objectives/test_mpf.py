"""Minimum probability flow against brute force over all flips, with independent derivatives."""

import math
from dataclasses import replace

import numba
import numpy as np
import pytest
from flips import KINDS, assert_same_slopes, brute_force, random_model, random_words
from hypothesis import given, settings, strategies as st

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import MinimumProbabilityFlow, mpf
from microcolumn.parameters import Parameters
from microcolumn.words import Words


def assert_agrees(theta, words):
    """K to ten digits; each gradient array relative to its own largest entry."""
    value, gradient = mpf(theta, words)
    expected, derivatives = brute_force(theta, words)
    assert value == pytest.approx(expected, rel=1e-10)
    assert_same_slopes(gradient, derivatives, 1e-10)


@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(KINDS),
    n_units=st.integers(1, 30),
    n_hidden=st.integers(1, 40),
    n_words=st.integers(1, 30),
    scale=st.sampled_from([0.01, 0.3, 1.0, 3.0]),
    rate=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
@settings(deadline=None, max_examples=120)
def test_value_and_gradient_match_brute_force_for_random_models_of_every_kind(
    seed, kind, n_units, n_hidden, n_words, scale, rate
):
    rng = np.random.default_rng(seed)
    theta = random_model(rng, kind, n_units, n_hidden, scale)
    assert_agrees(theta, random_words(rng, n_words, n_units, rate))


@pytest.mark.parametrize("kind", KINDS)
def test_many_words_in_several_chunks_match_brute_force(rng, kind):
    theta = random_model(rng, kind, 13, 9, 0.5)
    words = random_words(rng, 2000, 13, 0.3)
    assert words.X.shape[0] > 1000
    assert_agrees(theta, words)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_weights_up_to_20_and_300_hidden_units_stay_exact(seed, kind):
    rng = np.random.default_rng(seed)

    def uniform(*shape):
        return rng.uniform(-20, 20, shape)

    J = np.triu(uniform(20, 20), 1)
    hidden = kind in ("rbm", "srbm")
    theta = Parameters(
        b=uniform(20),
        J=J + J.T if kind in ("ising", "srbm") else None,
        W=uniform(20, 300) if hidden else None,
        c=uniform(300) if hidden else None,
    )
    assert_agrees(theta, random_words(rng, 50, 20))


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_inputs_of_many_hidden_units_that_all_leave_the_range_of_exp_stay_exact(rng, sign):
    theta = Parameters(
        b=rng.normal(size=60), W=sign * rng.uniform(0.5, 1.5, (60, 300)), c=rng.normal(size=300)
    )
    assert_agrees(theta, random_words(rng, 30, 60, 0.5))


@pytest.mark.parametrize("scale", [1e-9, 1e-5, 1e-2])
def test_tiny_weights_keep_the_digits_of_the_gradient_of_hidden_biases(rng, scale):
    theta = random_model(rng, "srbm", 5, 3, scale, hidden_bias=-1.0)
    assert_agrees(theta, random_words(rng, 20, 5))


def test_a_flow_near_the_largest_double_does_not_overflow():
    theta = Parameters(b=[1400.0, -1400.0, 3.0], W=[[20.0], [-20.0], [1.0]], c=[-2.0])
    words = Words.from_array([[0, 1, 0], [1, 1, 1], [1, 1, 0]])
    K, _ = mpf(theta, words)
    assert 1e300 < K < np.inf
    assert_agrees(theta, words)


def test_couplings_that_cancel_huge_fields_do_not_overflow():
    J = np.array([[0.0, 700.0], [700.0, 0.0]])
    theta = Parameters(b=[-1390.0, -1390.0], J=J, W=[[5.0], [5.0]])
    words = Words.from_array([[0, 0], [0, 1], [1, 1]])
    assert_agrees(theta, words)


def test_a_flow_near_the_smallest_double_keeps_its_digits():
    theta = Parameters(b=[-1390.0, -1392.0], W=[[0.5, -1.0], [1.0, 0.3]], c=[0.2, -0.1])
    value, gradient = mpf(theta, [[0, 0]])
    assert 0.0 < value < 1e-300
    expected, derivatives = brute_force(theta, Words.from_array([[0, 0]]))
    assert value == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(gradient.W, derivatives["W"], rtol=1e-10)


@pytest.mark.parametrize("c", [-500.0, -95.0, -40.0, 40.0, 95.0, 500.0])
def test_saturated_hidden_units_keep_their_digits(rng, c):
    W = rng.uniform(0.5, 1.5, (30, 3)) * -math.copysign(c / 15, c)
    theta = Parameters(b=rng.normal(size=30), W=np.clip(W, -20, 20), c=[c, c / 2, c / 3])
    words = random_words(rng, 40, 30, 0.5)
    assert_agrees(theta, words)


@pytest.mark.parametrize("c", [-30.0, 30.0])
def test_the_gradient_of_a_unit_far_from_its_threshold_is_exact_though_tiny(c):
    theta = Parameters(b=[0.1, -0.2], W=[[1.0], [-2.0]], c=[c])
    words = Words.from_array([[0, 0], [0, 1], [1, 1]])
    _, gradient = mpf(theta, words)
    _, derivatives = brute_force(theta, words)
    assert abs(derivatives["c"][0]) < 1e-11
    np.testing.assert_allclose(gradient.c, derivatives["c"], rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "X",
    [[[0]], [[1]], [[0, 0, 0]], [[1, 1, 1]], [[0, 1, 0], [0, 0, 1]], [[1, 1, 0], [0, 0, 0]]],
    ids=["off", "on", "all off", "all on", "silent unit", "both"],
)
def test_words_at_the_edges_match_brute_force(rng, kind, X):
    theta = random_model(rng, kind, len(X[0]), 2, 1.0)
    assert_agrees(theta, Words.from_array(X))


def test_a_word_counts_as_often_as_it_occurs(rng):
    theta = random_model(rng, "srbm", 4, 3, 1.0)
    X = np.array([[0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    value, gradient = mpf(theta, X)
    silent, rest = mpf(theta, X[:1]), mpf(theta, X[1:2])
    assert value == pytest.approx(0.75 * silent[0] + 0.25 * rest[0], rel=1e-12)
    np.testing.assert_allclose(
        gradient.W, 0.75 * silent[1].W + 0.25 * rest[1].W, rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize("scale", [0.3, 30.0], ids=["plain", "careful"])
def test_a_word_of_weight_zero_changes_nothing(rng, scale):
    theta = random_model(rng, "srbm", 4, 3, scale)
    words = Words.from_array([[0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0]])
    counts = np.array([2.0, 0.0, 3.0])
    value, gradient = mpf(theta, replace(words, counts=counts))
    without = Words.from_array(words.X[[0, 2]], sample_weight=counts[[0, 2]])
    expected, derivatives = brute_force(theta, without)
    assert value == pytest.approx(expected, rel=1e-10)
    for name in "bJWc":
        np.testing.assert_allclose(getattr(gradient, name), derivatives[name], rtol=1e-9)


@pytest.mark.parametrize("dead", [[1], [0, 2], [0, 1, 2]])
def test_hidden_units_without_weights_leave_the_kernel_and_keep_their_gradient(rng, dead):
    theta = random_model(rng, "srbm", 6, 3, 1.0, hidden_bias=0.5)
    W = theta.W.copy()
    W[:, dead] = 0.0
    theta = Parameters(b=theta.b, J=theta.J, W=W, c=theta.c)
    assert_agrees(theta, random_words(rng, 20, 6))


@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(KINDS),
    n_units=st.integers(1, 12),
)
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


def test_the_gradient_of_symmetric_couplings_is_halved_between_the_two_entries(rng):
    theta = random_model(rng, "srbm", 5, 3, 0.5)
    words = random_words(rng, 20, 5)
    step = np.triu(rng.normal(size=(5, 5)), 1)
    step = step + step.T
    _, gradient = mpf(theta, words)

    def K(size):
        J = theta.J + size * step
        return mpf(Parameters(b=theta.b, J=J, W=theta.W, c=theta.c), words)[0]

    slope = (K(1e-5) - K(-1e-5)) / 2e-5
    assert np.sum(gradient.J * step) == pytest.approx(slope, rel=1e-7)
    np.testing.assert_array_equal(gradient.J, gradient.J.T)
    assert not np.diag(gradient.J).any()


@pytest.mark.parametrize("kind", ["ising", "srbm"])
def test_results_are_bitwise_the_same_for_any_number_of_threads(rng, kind):
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("one thread is all this machine has")
    theta = random_model(rng, kind, 13, 9, 0.5)
    objective = MinimumProbabilityFlow(random_words(rng, 3000, 13, 0.4))
    results, at_first = [], numba.get_num_threads()
    for n_threads in (1, 2):
        numba.set_num_threads(n_threads)
        value, gradient = objective(theta)
        parts = [getattr(gradient, name) for name in "bJWc"]
        results.append([value, *(part.tobytes() for part in parts if part is not None)])
    numba.set_num_threads(at_first)
    assert results[0] == results[1]


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


def test_a_weight_beyond_the_range_of_exp_is_an_overflow_error():
    with pytest.raises(OverflowError, match=r"a hidden weight is 2e\+03"):
        mpf(Parameters(b=[0.0], W=[[2000.0]]), [[0]])


def test_words_with_another_number_of_units_are_an_error():
    with pytest.raises(ValueError, match="the model has 2 units but the words have 3"):
        mpf(Parameters(b=[0.0, 0.0]), [[0, 1, 0]])


@pytest.fixture
def rng():
    return np.random.default_rng(0)
