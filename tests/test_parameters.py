import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.energy import hidden_mean, log_weight
from microcolumn.layout import Layout
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1, GroupL1

PAIR = [[0.0, 0.5], [0.5, 0.0]]


def test_hidden_biases_are_zero_where_they_are_left_out():
    assert Parameters(b=[0.0], W=[[1.0, 2.0]]).c.tolist() == [0.0, 0.0]


def test_dropping_dead_hidden_visible_keeps_the_distribution():
    W = np.array([[1.0, 0.0, -2.0], [0.5, 0.0, 0.0]])
    theta = Parameters(b=[-1.0, 0.3], J=PAIR, W=W, c=[0.1, 2.0, -0.7])
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert theta.live.tolist() == [True, False, True]
    live, log_factor = theta.drop_dead_units()
    assert live.n_hidden == 2
    np.testing.assert_allclose(log_weight(live, X) + log_factor, log_weight(theta, X), rtol=1e-14)


def test_a_model_whose_hidden_visible_are_all_dead_becomes_one_without_them():
    theta = Parameters(b=[-1.0, 0.3], J=PAIR, W=np.zeros((2, 2)), c=[1.0, 900.0])
    live, log_factor = theta.drop_dead_units()
    assert live.kind == "ising"
    assert log_factor == pytest.approx(np.log1p(np.e) + 900.0)
    assert live.drop_dead_units() == (live, 0.0)


def test_a_potential_of_zero_is_dropped():
    live, log_factor = Parameters(b=[-1.0, 0.3], J=PAIR, v=[0.0, 0.0, 0.0]).drop_dead_units()
    assert live.kind == "ising"
    assert log_factor == 0.0
    theta = Parameters(b=[-1.0, 0.3], J=PAIR, v=[0.0, 0.0, 1.0])
    assert theta.drop_dead_units() == (theta, 0.0)
    assert theta.canonical_sign() == (theta, 0.0)


def test_changing_the_callers_arrays_later_changes_nothing():
    b, W = np.zeros(2), np.ones((2, 3))
    theta = Parameters(b=b, W=W)
    b[0], W[0, 0] = 5.0, 5.0
    assert theta.b[0] == 0.0
    assert theta.W[0, 0] == 1.0


def test_trusted_arrays_are_taken_as_they_are(random_parameters):
    theta = random_parameters("srbm")
    same = Parameters.trusted(theta.b, theta.J, theta.W, theta.c)
    assert same.kind == "srbm"
    assert all(getattr(same, name) is getattr(theta, name) for name in ("b", "J", "W", "c"))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), scale=st.sampled_from([0.1, 1.0, 20.0]))
def test_hidden_units_are_turned_to_be_off_in_the_silent_word(seed, scale):
    rng = np.random.default_rng(seed)
    W, c = rng.normal(scale=scale, size=(4, 3)), rng.normal(scale=scale, size=3)
    theta = Parameters(b=rng.normal(size=4), J=np.zeros((4, 4)), W=W, c=c)
    turned, log_factor = theta.canonical_sign()
    assert (turned.c <= 0.0).all()
    assert log_factor == pytest.approx(c[c > 0.0].sum())
    X = (np.arange(16)[:, None] >> np.arange(4)) & 1
    np.testing.assert_allclose(
        log_weight(turned, X) + log_factor, log_weight(theta, X), atol=1e-13 * max(scale, 1.0)
    )
    before, after = hidden_mean(theta, X), hidden_mean(turned, X)
    np.testing.assert_allclose(after, np.where(c > 0.0, 1.0 - before, before), atol=1e-12)
    layout = Layout.of(theta)
    for penalty in (L1(0.1), GroupL1(0.1), L1(0.1) + GroupL1(0.2)):
        assert penalty.value(layout.pack(turned), layout) == penalty.value(
            layout.pack(theta), layout
        )
    again, nothing = turned.canonical_sign()
    assert nothing == 0.0
    for name in "bWc":
        assert getattr(again, name).tobytes() == getattr(turned, name).tobytes()


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1.0, 2.0], [1.0, 2.0]),
        ([-1.0, -2.0], [1.0, 2.0]),
        ([3.0, -2.0], [3.0, -2.0]),
        ([-3.0, 2.0], [3.0, -2.0]),
        ([0.5, -0.5], [0.5, -0.5]),
        ([-0.5, 0.5], [0.5, -0.5]),
        ([0.0, -0.5], [0.0, 0.5]),
        ([-0.0, 0.0], [0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_weights_decide_where_a_hidden_bias_is_zero(weights, expected, zero):
    theta = Parameters(b=[-1.0, -1.0], W=np.transpose([weights]), c=[zero])
    turned, log_factor = theta.canonical_sign()
    assert turned.W[:, 0].tolist() == expected
    assert log_factor == 0.0
    assert not np.signbit(turned.W[turned.W == 0.0]).any()
    assert not np.signbit(turned.c).any()
    np.testing.assert_allclose(log_weight(turned, [[1, 0]]), log_weight(theta, [[1, 0]]))


def test_a_sum_that_rounding_hides_decides_like_its_exact_value():
    weights = np.array([1e17, 1.0, -1e17])
    for order in ([0, 1, 2], [0, 2, 1], [1, 2, 0]):
        turned, _ = Parameters(b=np.zeros(3), W=-weights[order, None]).canonical_sign()
        assert turned.W[:, 0].tolist() == weights[order].tolist()


def test_dead_hidden_units_and_models_without_any_are_turned_too():
    turned, log_factor = Parameters(b=[-1.0], W=[[0.0, 0.0]], c=[2.0, -3.0]).canonical_sign()
    assert (turned.c.tolist(), log_factor) == ([-2.0, -3.0], 2.0)
    ising = Parameters(b=[-1.0, 0.0], J=PAIR)
    assert ising.canonical_sign() == (ising, 0.0)


def test_live_hidden_units_keep_rows_in_one_piece_as_kernels_need_them():
    theta = Parameters(b=np.zeros(3), W=[[1.0, 0.0, 2.0]] * 3, c=np.zeros(3))
    live, _ = theta.drop_dead_units()
    assert live.W.tolist() == [[1.0, 2.0]] * 3
    assert live.W.flags.c_contiguous


@pytest.mark.parametrize(
    ("parts", "kind", "n_hidden"),
    [
        ({}, "independent", 0),
        ({"J": PAIR}, "ising", 0),
        ({"W": np.eye(2, 3)}, "rbm", 3),
        ({"J": PAIR, "W": [[1.0], [0.0]], "c": [0.5]}, "srbm", 1),
    ],
)
def test_the_kind_follows_from_the_terms_and_a_potential_goes_with_any(parts, kind, n_hidden):
    counted = {"independent": "independent+count", "ising": "kpairwise"}
    theta = Parameters(b=[-1, -2], **parts)
    assert (theta.kind, theta.n_visible, theta.n_hidden) == (kind, 2, n_hidden)
    assert (theta.live.shape, theta.b.dtype) == ((n_hidden,), np.float64)
    theta = Parameters(b=[0.0, 0.0], v=[0.0, 0.0, 2.0], **parts)
    assert theta.kind == counted.get(kind, f"{kind}+count")
    layout = Layout.of(theta)
    again = layout.unpack(layout.pack(theta))
    for name in ("b", "J", "W", "c", "v"):
        np.testing.assert_array_equal(getattr(again, name), getattr(theta, name))
    turned, log_factor = theta.canonical_sign()
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    np.testing.assert_allclose(log_weight(turned, X) + log_factor, log_weight(theta, X), atol=1e-12)
