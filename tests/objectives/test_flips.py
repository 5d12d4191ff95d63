"""What holds for both objectives over single flips, against brute force over all of them."""

from dataclasses import replace

import numpy as np
import pytest
from flips import KINDS, LINKS, assert_agrees, random_model, random_words
from hypothesis import given, settings, strategies as st
from threads import on_one_and_all

from microcolumn.layout import Layout
from microcolumn.objectives import MinimumProbabilityFlow, PseudoLikelihood, mpf
from microcolumn.parameters import Parameters
from microcolumn.words import Words


@pytest.fixture(params=LINKS, ids=lambda function: function.__name__)
def objective(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("objective", LINKS)
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
    objective, seed, kind, n_units, n_hidden, n_words, scale, rate
):
    rng = np.random.default_rng(seed)
    scale = min(scale, 3.0) if objective is mpf else scale  # a larger flow is out of range
    theta = random_model(rng, kind, n_units, n_hidden, scale)
    assert_agrees(objective, theta, random_words(rng, n_words, n_units, rate))


@pytest.mark.parametrize("objective", LINKS)
@given(seed=st.integers(0, 999), kind=st.sampled_from(KINDS), n_units=st.integers(1, 6))
@settings(deadline=None, max_examples=20)
def test_the_gradient_is_the_slope_of_the_value(objective, seed, kind, n_units):
    rng = np.random.default_rng(seed)
    theta = random_model(rng, kind, n_units, 3, 0.7)
    words = random_words(rng, 20, n_units, 0.4)
    layout, step = Layout.of(theta), 1e-5
    x = layout.pack(theta)
    slopes = [
        (objective(layout.unpack(x + e), words)[0] - objective(layout.unpack(x - e), words)[0])
        / (2 * step)
        for e in step * np.eye(x.size)
    ]
    value, gradient = objective(theta, words)
    np.testing.assert_allclose(layout.pack_gradient(gradient), slopes, atol=1e-9 * max(1.0, value))
    if theta.J is not None:
        np.testing.assert_array_equal(gradient.J, gradient.J.T)
        assert not np.diag(gradient.J).any()


@pytest.mark.parametrize("kind", KINDS)
def test_many_words_in_several_chunks_match_brute_force(objective, rng, kind):
    words = random_words(rng, 2000, 13, 0.3)
    assert words.X.shape[0] > 1000
    assert_agrees(objective, random_model(rng, kind, 13, 9, 0.5), words)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_weights_up_to_20_and_300_hidden_units_stay_exact(objective, seed, kind):
    rng = np.random.default_rng(seed)
    theta = random_model(rng, kind, 20, 300, 1.0)
    parts = {name: getattr(theta, name) for name in "bJWc"}
    huge = {name: 20 * np.tanh(part) for name, part in parts.items() if part is not None}
    assert_agrees(objective, Parameters(**huge), random_words(rng, 50, 20))


def test_couplings_that_cancel_huge_fields_do_not_overflow(objective):
    J = np.array([[0.0, 700.0], [700.0, 0.0]])
    theta = Parameters(b=[-1390.0, -1390.0], J=J, W=[[5.0], [5.0]])
    assert_agrees(objective, theta, Words.from_array([[0, 0], [0, 1], [1, 1]]))


@pytest.mark.parametrize("c", [-500.0, -95.0, -40.0, 40.0, 95.0, 500.0])
def test_saturated_hidden_units_keep_their_digits(objective, rng, c):
    W = rng.uniform(0.5, 1.5, (30, 3)) * -c / 15
    theta = Parameters(b=rng.normal(size=30), W=np.clip(W, -20, 20), c=[c, c / 2, c / 3])
    assert_agrees(objective, theta, random_words(rng, 40, 30, 0.5))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "X",
    [[[0]], [[1]], [[0, 0, 0]], [[1, 1, 1]], [[0, 1, 0], [0, 0, 1]], [[1, 1, 0], [0, 0, 0]]],
    ids=["off", "on", "all off", "all on", "silent unit", "both"],
)
def test_words_at_the_edges_match_brute_force(objective, rng, kind, X):
    assert_agrees(objective, random_model(rng, kind, len(X[0]), 2, 1.0), Words.from_array(X))


@pytest.mark.parametrize("scale", [0.3, 30.0], ids=["plain", "careful"])
def test_words_count_by_their_weights_and_not_at_all_with_weight_zero(objective, rng, scale):
    theta = random_model(rng, "srbm", 4, 3, scale)
    words = Words.from_array([[0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0]])
    value, gradient = objective(theta, replace(words, counts=np.array([2.0, 0.0, 3.0])))
    expected, slopes = objective(theta, words.X[[0, 0, 2, 2, 2]])
    assert value == pytest.approx(expected, rel=1e-13)
    for name in "bJWc":
        found, same = getattr(gradient, name), getattr(slopes, name)
        np.testing.assert_allclose(found, same, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("dead", [[1], [0, 2], [0, 1, 2]])
def test_hidden_units_without_weights_leave_the_kernel_and_keep_their_gradient(
    objective, rng, dead
):
    theta = random_model(rng, "srbm", 6, 3, 1.0, hidden_bias=0.5)
    W = theta.W.copy()
    W[:, dead] = 0.0
    theta = Parameters(b=theta.b, J=theta.J, W=W, c=theta.c)
    assert_agrees(objective, theta, random_words(rng, 20, 6))


@pytest.mark.parametrize("cls", [MinimumProbabilityFlow, PseudoLikelihood])
@pytest.mark.parametrize("kind", ["ising", "srbm"])
def test_results_are_bitwise_the_same_for_any_number_of_threads(cls, rng, kind):
    theta = random_model(rng, kind, 13, 9, 0.5)
    objective = cls(random_words(rng, 3000, 13, 0.4))

    def computed():
        value, gradient = objective(theta)
        parts = [getattr(gradient, name) for name in "bJWc"]
        return [value, *(part.tobytes() for part in parts if part is not None)]

    one, many = on_one_and_all(computed)
    assert one == many


def test_a_weight_beyond_the_range_of_exp_is_an_overflow_error(objective):
    with pytest.raises(OverflowError, match=r"a hidden weight is 2e\+03"):
        objective(Parameters(b=[0.0], W=[[2000.0]]), [[0]])
