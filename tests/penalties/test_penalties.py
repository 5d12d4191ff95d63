"""Penalties against their definitions, finite differences and brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.layout import Layout
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1, GroupL1, Smoothness

KINDS = ("independent", "ising", "rbm", "srbm")
PENALTIES = {
    "L1": lambda l1, group: L1(l1),
    "group": lambda l1, group: GroupL1(group),
    "both": lambda l1, group: L1(l1) + GroupL1(group),
    "both, the other way round": lambda l1, group: GroupL1(group) + L1(l1),
}
EVERY_PENALTY = pytest.mark.parametrize("name", PENALTIES)


def _definition(name, theta, l1, group):
    value = 0.0
    if name != "group":
        value += l1 * sum(np.abs(part).sum() for part in (theta.J, theta.W) if part is not None)
    if name != "L1" and theta.W is not None:
        value += group * np.sqrt(theta.n_visible) * np.linalg.norm(theta.W, axis=0).sum()
    return value


def _sparse(theta, seed):
    """The same with some weights, couplings and whole hidden units set to zero."""
    rng = np.random.default_rng(seed)
    J, W = theta.J, theta.W
    if J is not None:
        J = np.triu(J * (rng.random(J.shape) < 0.5), 1)
        J = J + J.T
    if W is not None:
        W = W * (rng.random(W.shape) < 0.6) * (rng.random(W.shape[1]) < 0.6)
    return Parameters(b=theta.b, J=J, W=W, c=theta.c)


@EVERY_PENALTY
@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=15)
@given(n_units=st.integers(1, 6), seed=st.integers(0, 999))
def test_the_value_is_that_of_the_definition(random_parameters, name, kind, n_units, seed):
    theta = _sparse(random_parameters(kind, n_units, seed=seed), seed)
    layout = Layout.of(theta)
    value = PENALTIES[name](0.3, 0.7).value(layout.pack(theta), layout)
    assert value == pytest.approx(_definition(name, theta, 0.3, 0.7), rel=1e-13)


@EVERY_PENALTY
@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=15)
@given(n_units=st.integers(1, 6), seed=st.integers(0, 999))
def test_slopes_are_finite_differences_where_nothing_is_zero(
    random_parameters, name, kind, n_units, seed
):
    theta = random_parameters(kind, n_units, seed=seed)
    layout = Layout.of(theta)
    penalty, x = PENALTIES[name](0.3, 0.7), layout.pack(theta)
    # Steps small against every entry, so that none crosses zero.
    steps = 1e-3 * np.abs(x)
    gradient = np.random.default_rng(seed).normal(size=x.size)
    slopes = gradient.copy()
    penalty.add_subgradient(x, layout, slopes)
    for k, step in enumerate(steps):
        there, here = x.copy(), x.copy()
        there[k], here[k] = x[k] + step, x[k] - step
        rise = penalty.value(there, layout) - penalty.value(here, layout)
        assert slopes[k] - gradient[k] == pytest.approx(rise / (2 * step), abs=1e-5)


@EVERY_PENALTY
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 9999), strength=st.sampled_from([0.1, 0.5, 1.5]))
def test_slopes_are_the_steepest_descent_of_the_penalised_problem(
    random_parameters, name, seed, strength
):
    # The least subgradient is minus the direction in which a linear function plus the penalty
    # falls fastest, and its norm is the rate; no other direction may fall faster.
    theta = _sparse(random_parameters("srbm", 3, 2, seed=seed), seed)
    layout = Layout.of(theta)
    penalty, x = PENALTIES[name](strength, 0.6 * strength), layout.pack(theta)
    rng = np.random.default_rng(seed)
    gradient = rng.normal(size=x.size)
    slopes = gradient.copy()
    penalty.add_subgradient(x, layout, slopes)

    def rate(direction, step=1e-7):
        moved = penalty.value(x + step * direction, layout) - penalty.value(x, layout)
        return gradient @ direction + moved / step

    steepest = np.linalg.norm(slopes)
    if steepest > 0.0:
        assert rate(-slopes / steepest) == pytest.approx(-steepest, abs=1e-5)
    for direction in rng.normal(size=(50, x.size)):
        near = direction / np.linalg.norm(direction) - 3.0 * slopes
        near /= np.linalg.norm(near)
        assert rate(near) >= -steepest - 1e-5


@pytest.mark.parametrize("signs", list(itertools.product((-1.0, 1.0), repeat=3)))
def test_a_step_that_carries_entries_across_zero_ends_at_zero(signs):
    layout = Layout.of(Parameters(b=np.zeros(3), W=np.ones((3, 1))))
    origin, slopes = np.ones(layout.size), np.zeros(layout.size)
    for penalty in (L1(0.1), GroupL1(0.1), L1(0.1) + GroupL1(0.1)):
        x = np.full(layout.size, -7.0)
        x[layout.weights] = signs
        penalty.zero(x, origin, layout, slopes)
        entries = np.maximum(signs, 0.0) if penalty.__class__ is not GroupL1 else signs
        turned = np.sum(entries) <= 0.0
        wanted = np.zeros(3) if turned and penalty.__class__ is not L1 else entries
        assert np.array_equal(x[layout.weights], wanted)
        assert (x[layout.offsets[0] : layout.offsets[1]] == -7.0).all(), "biases are free"


@EVERY_PENALTY
def test_what_is_zero_moves_only_against_its_slope(name):
    layout = Layout.of(Parameters(b=np.zeros(2), W=np.zeros((2, 1))))
    origin, slopes = np.zeros(layout.size), np.zeros(layout.size)
    slopes[layout.weights] = [1.0, -2.0]
    penalty = PENALTIES[name](0.1, 0.1)
    for step, kept in (([-1.0, 2.0], True), ([1.0, -2.0], False)):
        x = np.zeros(layout.size)
        x[layout.weights] = step
        penalty.zero(x, origin, layout, slopes)
        assert np.array_equal(x[layout.weights], step if kept else np.zeros(2))


@EVERY_PENALTY
def test_without_strength_nothing_is_penalised(random_parameters, name):
    theta = _sparse(random_parameters("srbm", 4, seed=1), 1)
    layout = Layout.of(theta)
    x, penalty = layout.pack(theta), PENALTIES[name](0.0, 0.0)
    gradient = np.random.default_rng(0).normal(size=x.size)
    slopes, moved = gradient.copy(), -x
    penalty.add_subgradient(x, layout, slopes)
    penalty.zero(moved, x, layout, slopes)
    assert penalty.value(x, layout) == 0.0
    assert np.array_equal(slopes, gradient)
    assert np.array_equal(moved, -x)


@pytest.mark.parametrize("cls", [L1, GroupL1])
@pytest.mark.parametrize("strength", [-1.0, np.nan, np.inf])
def test_a_bad_strength_is_one_sentence(cls, strength):
    with pytest.raises(ValueError, match=f"strength is {strength}; it must be finite"):
        cls(strength)


def _layout(theta, has_basis):
    basis = None
    if has_basis:
        basis = np.random.default_rng(0).normal(size=(theta.n_visible - 1,) * 2)
    plain = Layout.of(theta)
    return Layout(
        plain.biases, 0, True, plain.fixed, plain.never_coactive, counted=True, basis=basis
    )


@pytest.mark.parametrize("has_basis", [False, True])
@pytest.mark.parametrize("n_units", [1, 2, 3, 6])
def test_value_and_slopes_follow_the_definition(random_parameters, n_units, has_basis):
    theta = random_parameters("kpairwise", n_units, seed=n_units)
    layout, penalty = _layout(theta, has_basis), Smoothness(0.7)
    x, v = layout.pack(theta), theta.v
    bends = [v[k + 1] - 2.0 * v[k] + v[k - 1] for k in range(1, n_units)]
    assert penalty.value(x, layout) == pytest.approx(0.35 * np.square(bends).sum(), abs=1e-12)
    gradient = np.random.default_rng(1).normal(size=x.size)
    slopes = gradient.copy()
    penalty.add_subgradient(x, layout, slopes)
    assert np.array_equal(slopes[: layout.offsets[-1]], gradient[: layout.offsets[-1]])
    for k in range(layout.offsets[-1], x.size):
        step = np.eye(x.size)[k] * 1e-5
        rise = penalty.value(x + step, layout) - penalty.value(x - step, layout)
        assert slopes[k] - gradient[k] == pytest.approx(rise / 2e-5, abs=1e-7)


def test_bends_may_be_given_that_cost_nothing(random_parameters):
    theta = random_parameters("kpairwise", 6, seed=1)
    layout = Layout.of(theta)
    x, slopes = layout.pack(theta), np.zeros(layout.size)
    penalty = Smoothness(0.7, np.diff(theta.v, n=2))
    assert penalty.value(x, layout) == 0.0
    penalty.add_subgradient(x, layout, slopes)
    assert not slopes.any()
    x[layout.potential] += 0.5 * np.arange(1, 6)
    assert penalty.value(x, layout) == pytest.approx(0.35 * 0.25)


def test_it_has_no_kinks_and_adds_up_with_others(random_parameters):
    theta = random_parameters("kpairwise", 4)
    layout = Layout.of(theta)
    x = layout.pack(theta)
    both = L1(0.1) + Smoothness(0.2)
    assert both.value(x, layout) == pytest.approx(
        L1(0.1).value(x, layout) + Smoothness(0.2).value(x, layout)
    )
    moved = x.copy()
    Smoothness(0.2).zero(moved, -x, layout, np.zeros(x.size))
    assert np.array_equal(moved, x)
