"""Whole hidden units that die: against closed forms and proximal gradient descent."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import logit

from microcolumn.layout import Layout
from microcolumn.objectives import mpf
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1, GroupL1
from microcolumn.solvers import minimise

N_UNITS, N_HIDDEN = 5, 4


def _shrunk(W, l1, group):
    """Entries shrunk by ``l1``, then columns by ``group``: the proximal operator."""
    W = np.sign(W) * np.maximum(np.abs(W) - l1, 0.0)
    norms = np.linalg.norm(W, axis=0)
    return W * np.where(norms > group, 1.0 - group / np.maximum(norms, 1e-300), 0.0)


def _on_weights(function):
    """An objective of W alone, as the solver wants it."""

    def objective(theta):
        value, slopes = function(theta.W)
        return value, Parameters(b=np.zeros(N_UNITS), W=slopes, c=np.zeros(N_HIDDEN))

    return objective


def _start(W):
    return Parameters(b=np.zeros(N_UNITS), W=W, c=np.zeros(N_HIDDEN))


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 9999),
    l1=st.sampled_from([0.0, 0.3, 1.0]),
    group=st.sampled_from([0.0, 0.2, 0.6, 2.0]),
    curvature=st.sampled_from([0.5, 1.0, 20.0]),
)
def test_a_separable_quadratic_is_shrunk_entry_by_entry_and_unit_by_unit(
    seed, l1, group, curvature
):
    rng = np.random.default_rng(seed)
    target, start = rng.normal(scale=2.0, size=(2, N_UNITS, N_HIDDEN))

    def quadratic(W):
        return 0.5 * curvature * float(((W - target) ** 2).sum()), curvature * (W - target)

    found = minimise(_on_weights(quadratic), _start(start), L1(l1) + GroupL1(group))
    wanted = _shrunk(target, l1 / curvature, group * np.sqrt(N_UNITS) / curvature)
    assert found.converged
    np.testing.assert_allclose(found.parameters.W, wanted, atol=1e-7)
    assert np.array_equal(found.parameters.W == 0.0, wanted == 0.0)


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 9999), l1=st.sampled_from([0.0, 0.05]), group=st.sampled_from([0.1, 0.3])
)
def test_a_coupled_quadratic_agrees_with_proximal_gradient_descent(seed, l1, group):
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(30, N_UNITS * N_HIDDEN)) / np.sqrt(30)
    aims = mixing @ (rng.normal(size=(N_UNITS, N_HIDDEN)) * [1.5, 0.4, 0.0, 0.0]).ravel()
    aims += 0.1 * rng.normal(size=30)

    def squares(W):
        gaps = mixing @ W.ravel() - aims
        return 0.5 * float(gaps @ gaps), (mixing.T @ gaps).reshape(W.shape)

    rate = 1.0 / np.linalg.norm(mixing, 2) ** 2
    W = np.zeros((N_UNITS, N_HIDDEN))
    for _ in range(20_000):
        moved = _shrunk(W - rate * squares(W)[1], rate * l1, rate * group * np.sqrt(N_UNITS))
        if np.abs(moved - W).max() < 1e-13:
            break
        W = moved
    start = _start(rng.normal(size=W.shape))
    found = minimise(_on_weights(squares), start, L1(l1) + GroupL1(group), tol=1e-10)
    assert found.converged
    np.testing.assert_allclose(found.parameters.W, W, atol=1e-7)
    assert np.array_equal(found.parameters.W.any(axis=0), W.any(axis=0))


def _certificate(gradient, theta, l1, group):
    """Largest entry of the least subgradient, column by column."""
    threshold = group * np.sqrt(theta.n_visible)
    worst = [np.abs(gradient.b).max(), np.abs(gradient.c).max()]
    for w, g in zip(theta.W.T, gradient.W.T, strict=True):
        off = np.sign(g) * np.maximum(np.abs(g) - l1, 0.0)
        if w.any():
            on = g + l1 * np.sign(w) + threshold * w / np.linalg.norm(w)
            worst.append(np.abs(np.where(w != 0.0, on, off)).max())
        else:
            norm = np.linalg.norm(off)
            worst.append(np.abs(off).max() * max(norm - threshold, 0.0) / max(norm, 1e-300))
    return max(worst)


@pytest.mark.parametrize("l1", [0.0, 2e-3])
@pytest.mark.parametrize("group", [2e-3, 1e-2])
def test_the_certificate_of_a_flow_is_the_one_recomputed_by_hand(
    random_parameters, draw, l1, group
):
    X = draw(random_parameters("rbm", N_UNITS, 2, scale=1.5, seed=1), 500)
    start = random_parameters("rbm", N_UNITS, N_HIDDEN, seed=2)
    for max_iter in (10, 2000):
        found = minimise(
            lambda theta: mpf(theta, X), start, L1(l1) + GroupL1(group), max_iter=max_iter
        )
        K, gradient = mpf(found.parameters, X)
        by_hand = _certificate(gradient, found.parameters, l1, group)
        assert found.optimality == pytest.approx(by_hand, rel=1e-6, abs=1e-15)
        W = found.parameters.W
        norms = np.sqrt(N_UNITS) * np.linalg.norm(W, axis=0).sum()
        assert found.objective == pytest.approx(K + l1 * np.abs(W).sum() + group * norms, rel=1e-12)
    assert found.converged
    # The proximal step from a minimum leads nowhere.
    stepped = _shrunk(W - gradient.W, l1, group * np.sqrt(N_UNITS))
    np.testing.assert_allclose(stepped, W, atol=1e-7)


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
def test_a_huge_group_penalty_kills_all_hidden_units_and_nothing_else(
    random_parameters, draw, kind
):
    X = draw(random_parameters("ising", 4, scale=0.5, seed=7), 300)
    start = random_parameters(kind, 4, 2, seed=8)
    found = minimise(lambda theta: mpf(theta, X), start, GroupL1(1e3), tol=1e-9)
    without = Parameters(b=start.b, J=start.J)
    wanted = minimise(lambda theta: mpf(theta, X), without, L1(0.0), tol=1e-9).parameters
    assert found.converged
    assert found.parameters.W is None or not found.parameters.W.any()
    np.testing.assert_allclose(found.parameters.b, wanted.b, atol=1e-6)
    if kind == "rbm":
        np.testing.assert_allclose(found.parameters.b, logit(X.mean(axis=0)), atol=1e-7)
    else:
        np.testing.assert_allclose(found.parameters.J, wanted.J, atol=1e-6)


@pytest.mark.parametrize("kind", ["rbm", "srbm"])
def test_a_group_penalty_of_no_strength_changes_no_bit(random_parameters, draw, kind):
    X = draw(random_parameters("srbm", 4, seed=7), 300)
    start = random_parameters(kind, 4, 3, seed=8)
    alone, beside = (
        minimise(lambda theta: mpf(theta, X), start, penalty)
        for penalty in (L1(2e-3), L1(2e-3) + GroupL1(0.0))
    )
    layout = Layout.of(start)
    assert np.array_equal(layout.pack(alone.parameters), layout.pack(beside.parameters))
    assert alone.n_evaluations == beside.n_evaluations
