"""Steps with a penalty and curvature of low rank against their optimality conditions."""

import numpy as np
import pytest

from microcolumn.layout import Layout
from microcolumn.parameters import Parameters
from microcolumn.solvers._proximal_newton import proximal_step, unit_columns


@pytest.mark.parametrize("stiffness", [0.0, 1.0, 100.0])
def test_steps_are_optimal(stiffness):
    rng, n = np.random.default_rng(0), 300
    x = rng.normal(size=n) * (rng.random(n) < 0.5)
    gradient, diagonal = rng.normal(size=n), rng.uniform(0.5, 2.0, size=n)
    columns = stiffness * rng.normal(size=(n, 5))
    strengths = np.where(np.arange(n) < 250, 0.4, 0.0)
    d = proximal_step(x, gradient, diagonal, columns, strengths)
    slopes = gradient + diagonal * d + columns @ (columns.T @ d)
    is_zero = x + d == 0.0
    tolerance = 1e-3 * max(stiffness, 1.0)
    assert is_zero[:250].any()
    assert not is_zero[250:].any()
    assert np.abs(slopes[is_zero]).max() < 0.4 + tolerance
    moving = ~is_zero
    np.testing.assert_allclose(
        slopes[moving], -(strengths * np.sign(x + d))[moving], atol=tolerance
    )


def test_columns_of_units_are_the_curvature_of_independent_ones(every_word):
    rates = np.array([0.2, 0.5, 0.7])
    theta = Parameters(b=np.log(rates / (1 - rates)), J=np.zeros((3, 3)))
    layout, rng = Layout.of(theta), np.random.default_rng(0)
    words = (rng.random((200_000, 3)) < rates).astype(np.uint8)
    columns = unit_columns(layout, words, 3, np.arange(layout.size))
    found = columns @ columns.T
    # Products of independent units vary with each unit, and a little more with both together.
    design = layout.design(theta, words)
    exact = np.cov(design.T)
    both = 4.0 * np.prod((rates * (1 - rates))[np.array(layout.pairs)], axis=0)
    exact[:3, :3] -= np.diag(both)
    np.testing.assert_allclose(found, exact, atol=0.01)
