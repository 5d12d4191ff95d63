"""Gains of sampled fits against linear algebra, and what noise alone makes of them."""

import numpy as np
import pytest

from microcolumn.layout import Layout
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1
from microcolumn.solvers._gain import Fisher, gain_of

N_GROUPS, N_UNITS = 8, 12
LAYOUT = Layout.of(Parameters(b=np.zeros(N_UNITS), J=np.zeros((N_UNITS, N_UNITS))))


@pytest.fixture(scope="module")
def curvature():
    """A covariance of moments that are correlated: curvatures differ by a factor of 100."""
    rng = np.random.default_rng(0)
    turned, _ = np.linalg.qr(rng.normal(size=(LAYOUT.size, LAYOUT.size)))
    return (turned * np.geomspace(0.01, 1.0, LAYOUT.size)) @ turned.T


def gains(slopes, curvature, noise, seed=0, l1=0.0, x=None):
    """Of slopes with noise that is as large and as correlated as that of chains."""
    rng, root = np.random.default_rng(seed), np.linalg.cholesky(curvature)
    noisy = [slopes + noise * rng.normal(size=(N_GROUPS, LAYOUT.size)) @ root.T for _ in range(2)]
    x = np.ones(LAYOUT.size) if x is None else x
    return gain_of(x, LAYOUT, L1(l1), noisy, [curvature] * 2)


def test_without_noise_the_gain_is_that_of_a_newton_step(curvature):
    slopes = 1e-3 * np.random.default_rng(1).normal(size=LAYOUT.size)
    exact = 0.5 * slopes @ np.linalg.solve(curvature, slopes)
    gain, stderr = gains(slopes, curvature, 0.0)
    assert gain == pytest.approx(exact, rel=0.02)
    assert stderr < 1e-9
    # Each parameter by itself would be far off along a common direction.
    common = np.linalg.eigh(curvature)[1][:, -1] * 1e-3
    gain, _ = gains(common, curvature, 0.0)
    assert gain == pytest.approx(0.5e-6, rel=0.02)
    assert 0.5 * (common**2 / np.diag(curvature)).sum() > 3.0 * gain


@pytest.mark.parametrize("size", [0.0, 3e-3])
def test_noise_neither_adds_to_the_gain_nor_takes_from_it(curvature, size):
    slopes = size * np.random.default_rng(1).normal(size=LAYOUT.size)
    exact = 0.5 * slopes @ np.linalg.solve(curvature, slopes)
    found = np.array([gains(slopes, curvature, 0.03, seed) for seed in range(200)])
    # What noise seems to gain on its own slopes.
    assert 0.5 * LAYOUT.size * 0.03**2 / N_GROUPS > 3.0 * found[:, 1].mean()
    errors = (found[:, 0] - exact) / found[:, 1]
    assert found[:, 0].mean() == pytest.approx(exact, abs=3.0 * found[:, 0].std() / 200**0.5)
    assert (np.abs(errors) <= 2.0).mean() >= 0.9


def test_a_parameter_gains_no_more_than_on_its_way_to_zero():
    x = np.zeros(LAYOUT.size)
    x[0] = 1e-3
    flat = np.diag(np.r_[1e-6, np.ones(LAYOUT.size - 1)])
    gain, _ = gains(np.zeros(LAYOUT.size), flat, 0.0, l1=0.01, x=x)
    assert gain == pytest.approx(2.0 * 0.01 * 1e-3, rel=1e-3)


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm", "kpairwise"])
def test_products_are_those_with_the_covariance_of_all_slopes(kind, random_parameters):
    theta = random_parameters("ising" if kind == "kpairwise" else kind, 5, 3, scale=0.7, seed=1)
    if kind == "kpairwise":
        theta = Parameters(b=theta.b, J=theta.J, v=[0.0, 0.0, 0.1, 0.3, 0.2, -0.1])
    layout, rng = Layout.of(theta), np.random.default_rng(2)
    X = rng.integers(0, 2, (40, 5)).astype(np.uint8)
    weights = rng.random(40)
    units = np.eye(40)
    slopes = np.stack([layout.pack_gradient(theta.moments(X.astype(float), u)) for u in units])
    covariance = np.cov(slopes.T, aweights=weights, ddof=0)
    fisher = Fisher.of(theta, layout, [(X, weights), (X, 3.0 * weights)])
    vector = rng.normal(size=layout.size)
    np.testing.assert_allclose(fisher @ vector, covariance @ vector, atol=1e-12)
    np.testing.assert_allclose(fisher.diagonal(), np.diag(covariance), atol=1e-12)
