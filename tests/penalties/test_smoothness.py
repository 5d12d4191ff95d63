"""The smoothness penalty on a potential against its definition and finite differences."""

import numpy as np
import pytest

from microcolumn.layout import Layout
from microcolumn.penalties import L1, Smoothness


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
