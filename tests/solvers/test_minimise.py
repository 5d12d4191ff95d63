"""The solver against closed forms, an unrelated solver and hand-made certificates."""

import numpy as np
import pytest
from flips import brute_force
from hypothesis import given, settings, strategies as st

from microcolumn.energy import log_weight
from microcolumn.objectives import mpf, negative_log_likelihood
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1
from microcolumn.solvers import minimise
from microcolumn.words import Words

KINDS = ("independent", "ising", "rbm", "srbm")
NAMES = ("J", "b", "W", "c")


def _map(function, *thetas):
    """Parameters from a function of the same entry of several parameters."""
    parts = {name: [getattr(theta, name) for theta in thetas] for name in NAMES}
    return Parameters(**{k: None if v[0] is None else function(*v) for k, v in parts.items()})


def _quadratic(target, curvature):
    """½ * curvature * |theta - target|² over all entries, both of each pair included."""

    def objective(theta):
        gap = _map(lambda a, b: a - b, theta, target)
        parts = [getattr(gap, name) for name in NAMES if getattr(gap, name) is not None]
        value = 0.5 * curvature * sum(float((part**2).sum()) for part in parts)
        return value, _map(lambda part: curvature * part, gap)

    return objective


def _zeros_like(theta):
    return _map(lambda part: 0.0 * part, theta)


def _certificate(gradient, theta, l1):
    """Largest violation of the optimality conditions, entry by entry."""
    worst = max(np.abs(gradient.b).max(), 0.0 if gradient.c is None else np.abs(gradient.c).max())
    for slopes, values in ((gradient.J, theta.J), (gradient.W, theta.W)):
        if slopes is None:
            continue
        for slope, value in zip(slopes.ravel(), values.ravel(), strict=True):
            on, off = abs(slope + l1 * np.sign(value)), max(abs(slope) - l1, 0.0)
            worst = max(worst, on if value != 0.0 else off)
    return worst


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("l1", [0.0, 0.3, 2.0, 1e6])
@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 999), curvature=st.sampled_from([0.5, 1.0, 40.0]))
def test_a_separable_quadratic_is_soft_thresholded(random_parameters, kind, l1, seed, curvature):
    target = random_parameters(kind, seed=seed)
    found = minimise(_quadratic(target, curvature), _zeros_like(target), L1(l1))
    assert found.converged
    assert found.optimality <= 1e-8
    for name in NAMES:
        wanted = getattr(target, name)
        if wanted is None:
            assert getattr(found.parameters, name) is None
            continue
        if name in ("J", "W"):
            wanted = np.sign(wanted) * np.maximum(np.abs(wanted) - l1 / curvature, 0.0)
            assert np.array_equal(getattr(found.parameters, name) == 0.0, wanted == 0.0)
        np.testing.assert_allclose(getattr(found.parameters, name), wanted, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("objective", [mpf, negative_log_likelihood])
@pytest.mark.parametrize("l1", [0.0, 0.01, 0.1])
def test_the_certificate_is_the_one_recomputed_by_hand(
    random_parameters, draw, kind, objective, l1
):
    X = draw(random_parameters("ising", 4, scale=0.7, seed=1), 300)
    start = random_parameters(kind, 4, 2, seed=2)
    found = minimise(lambda theta: objective(theta, X), start, L1(l1), tol=1e-5, max_iter=40)
    by_hand = _certificate(objective(found.parameters, X)[1], found.parameters, l1)
    assert found.optimality == pytest.approx(by_hand, rel=1e-9, abs=1e-15)
    assert found.converged == (by_hand <= 1e-5)


@pytest.mark.parametrize("l1", [0.0, 0.02, 0.05])
def test_ising_agrees_with_proximal_gradient_descent_on_brute_force_flow(
    random_parameters, draw, l1
):
    X = draw(random_parameters("ising", 3, seed=5), 200)
    words, pairs = Words.from_array(X), np.triu_indices(3, 1)

    def theta_of(v):
        J = np.zeros((3, 3))
        J[pairs] = v[:3]
        return Parameters(b=v[3:], J=J + J.T)

    def flow(v):
        return brute_force(theta_of(v), words)[0]

    def slope(v, step=1e-5):
        return np.array([flow(v + e) - flow(v - e) for e in step * np.eye(6)]) / (2 * step)

    v, rate = np.zeros(6), 0.4
    for _ in range(1500):
        moved = v - rate * slope(v)
        shrunk = np.sign(moved[:3]) * np.maximum(np.abs(moved[:3]) - 2 * l1 * rate, 0.0)
        step = np.append(shrunk, moved[3:]) - v
        v = v + step
        if np.abs(step).max() < 1e-10:
            break
    found = minimise(lambda theta: mpf(theta, X), theta_of(np.zeros(6)), L1(l1), tol=1e-10)
    np.testing.assert_allclose(found.parameters.J[pairs], v[:3], atol=1e-6)
    np.testing.assert_allclose(found.parameters.b, v[3:], atol=1e-6)
    assert np.array_equal(found.parameters.J[pairs] == 0.0, v[:3] == 0.0)
    assert (l1 < 0.05) or (v[:3] == 0.0).any()


def test_no_iterations_only_certify_the_start(random_parameters, draw):
    X = draw(random_parameters("ising", 3), 100)
    start = random_parameters("ising", 3, seed=1)
    found = minimise(lambda theta: mpf(theta, X), start, L1(0.1), max_iter=0)
    assert (found.n_iter, found.n_evaluations) == (0, 1)
    assert np.array_equal(found.parameters.J, start.J)
    assert found.optimality == pytest.approx(_certificate(mpf(start, X)[1], start, 0.1), rel=1e-12)


@pytest.mark.parametrize("margin", [0.01, 1.0, 3.0])
@pytest.mark.parametrize("l1", [0.0, 0.5])
def test_overflow_on_the_way_is_survived(margin, l1):
    # v -> exp(v - t) - v has its minimum at t, with a penalty at t + log(1 - l1). Beyond t + margin
    # it is said to overflow, and the constant slope at the start makes steps leap there.
    J_target, b_target, n_overflows = 4.0, np.array([3.0, 8.0]), 0

    def objective(theta):
        nonlocal n_overflows
        if (theta.b > b_target + margin).any() or theta.J[0, 1] > J_target + margin:
            n_overflows += 1
            raise OverflowError("too large")
        rise_b, rise_J = np.exp(theta.b - b_target), np.exp(theta.J - J_target)
        value = float((rise_b - theta.b).sum() + (rise_J - theta.J)[[0, 1], [1, 0]].sum())
        return value, Parameters(b=rise_b - 1.0, J=(rise_J - 1.0) * (1.0 - np.eye(2)))

    start = Parameters(b=[-3.0, -3.0], J=np.zeros((2, 2)))
    found = minimise(objective, start, L1(l1))
    assert n_overflows > 0
    assert found.converged
    np.testing.assert_allclose(found.parameters.b, b_target, atol=1e-7)
    assert found.parameters.J[0, 1] == pytest.approx(J_target + np.log1p(-l1), abs=1e-7)


def test_overflow_at_the_start_is_the_callers_error():
    X = np.array([[0, 1], [1, 0], [1, 1]])
    J = np.array([[0.0, -1e4], [-1e4, 0.0]])
    with pytest.raises(OverflowError, match="start from smaller ones"):
        minimise(lambda theta: mpf(theta, X), Parameters(b=[0.0, 0.0], J=J), L1(0.1))


@pytest.mark.parametrize("kind", KINDS)
def test_one_unit_is_fitted_to_its_rate(random_parameters, kind):
    X = np.array([[0]] * 7 + [[1]] * 3)
    found = minimise(
        lambda theta: negative_log_likelihood(theta, X),
        random_parameters(kind, 1, 2, seed=4),
        L1(0.1),
        max_iter=5000,
    )
    assert found.converged
    W = np.zeros((1, 0)) if found.parameters.W is None else found.parameters.W
    p = np.exp(log_weight(found.parameters, [[0], [1]]))
    assert not W.any()
    assert p[1] / p.sum() == pytest.approx(0.3, abs=1e-7)


def test_with_all_units_fixed_the_start_comes_back(random_parameters):
    start = Parameters(b=[-1.0, -2.0], J=[[0.0, 0.7], [0.7, 0.0]])
    found = minimise(
        lambda theta: mpf(theta, [[0, 0]]), start, L1(0.1), fixed=np.ones(2, dtype=bool)
    )
    assert (found.converged, found.optimality, found.n_iter) == (True, 0.0, 0)
    assert np.array_equal(found.parameters.b, start.b)
    assert not found.parameters.J.any()


def test_fixed_units_are_left_out_of_the_certificate():
    X = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    fixed = np.array([False, False, True])
    start = Parameters(b=[0.0, 0.0, -5.0], J=np.zeros((3, 3)))
    found = minimise(lambda theta: mpf(theta, X), start, L1(0.01), fixed=fixed)
    slopes = mpf(found.parameters, X)[1]
    assert found.converged
    assert found.parameters.b[2] == -5.0
    assert abs(slopes.b[2]) > 1e-3
    assert np.abs(slopes.b[:2]).max() <= 1e-8


@pytest.mark.parametrize("kind", ["rbm", "srbm"])
@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), l1=st.sampled_from([0.0, 1e-3, 1e-2]))
def test_the_objective_never_ends_above_its_start(random_parameters, draw, kind, seed, l1):
    X = draw(random_parameters("srbm", 4, seed=seed), 60, seed)
    start = random_parameters(kind, 4, 3, scale=2.0, seed=seed + 1)
    parts = [part for part in (start.J, start.W) if part is not None]
    before = mpf(start, X)[0] + l1 * sum(np.abs(part).sum() for part in parts)
    found = minimise(lambda theta: mpf(theta, X), start, L1(l1), max_iter=30)
    assert found.objective <= before * (1 + 1e-12)
