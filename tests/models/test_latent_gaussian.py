"""Normal probabilities and correlation matrices, against SciPy and closed forms."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from microcolumn.models._latent_gaussian import (
    bivariate_normal,
    latent_correlations,
    nearest_correlations,
    orthant_probabilities,
)


def _cases(n=150):
    rng = np.random.default_rng(0)
    h, k = rng.normal(-1.5, 1.0, (2, n))
    k[::3] = h[::3] + 0.01 * rng.normal(size=len(h[::3]))  # the sharpest turn is where h = k
    near_one = np.sign(rng.normal(size=n)) * (1.0 - 10.0 ** rng.uniform(-5, 0, n))
    return h, k, near_one


def test_bivariate_probabilities_are_those_of_scipy():
    h, k, correlation = _cases()
    expected = [
        multivariate_normal.cdf([a, b], cov=[[1.0, r], [r, 1.0]])
        for a, b, r in zip(h, k, correlation, strict=True)
    ]
    np.testing.assert_allclose(bivariate_normal(h, k, correlation), expected, atol=1e-9)


def test_correlations_are_found_again_from_their_probabilities():
    h, k, correlation = _cases()
    both = bivariate_normal(h, k, correlation)
    found = latent_correlations(h, k, both)
    np.testing.assert_allclose(bivariate_normal(h, k, found), both, atol=1e-11)
    # The slope is the density at (h, k); where it is flat, rounding decides.
    slopes = [
        multivariate_normal.pdf([a, b], cov=[[1.0, r], [r, 1.0]])
        for a, b, r in zip(h, k, correlation, strict=True)
    ]
    steep = np.array(slopes) > 1e-3
    assert steep.sum() > 40
    np.testing.assert_allclose(found[steep], correlation[steep], atol=1e-8)


def test_probabilities_out_of_reach_give_the_largest_correlations():
    h = np.array([-1.0, -1.0])
    found = latent_correlations(h, h, np.array([0.0, 1.0]))
    assert found[0] < -0.9999
    assert found[1] == pytest.approx(0.99999, rel=1e-9)


def test_the_nearest_correlation_matrix_is_the_published_one():
    """Higham (2002), IMA J Numer Anal 22, section 1."""
    matrix = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    found = nearest_correlations(matrix)
    np.testing.assert_allclose(found[0], [1.0, 0.7607, 0.1573], atol=1e-4)
    assert np.linalg.eigvalsh(found)[0] > 0.0
    assert np.array_equal(found, found.T)
    assert np.array_equal(np.diagonal(found), np.ones(3))


def test_a_correlation_matrix_stays_as_it_is():
    matrix = 0.3 + 0.7 * np.eye(4)
    assert nearest_correlations(matrix) is matrix


@pytest.mark.parametrize("r", [-0.4, 0.5, 0.95])
def test_orthants_at_zero_have_their_closed_form(r):
    """P(all three positive) = 1/8 + 3 asin(r) / (4 pi)."""
    matrix = r + (1.0 - r) * np.eye(3)
    probabilities, errors = orthant_probabilities(np.zeros(3), matrix)
    closed = 0.125 + 3 * np.arcsin(r) / (4 * np.pi)
    assert abs(probabilities[7] - closed) < 5.0 * errors[7]
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert (errors < 1e-4).all()


def test_orthants_of_five_are_those_of_scipy_within_their_errors():
    rng = np.random.default_rng(1)
    factor = rng.normal(size=(5, 5))
    covariance = factor @ factor.T + np.eye(5)
    scale = np.sqrt(np.diagonal(covariance))
    matrix, thresholds = covariance / scale / scale[:, None], rng.normal(-1.0, 0.5, 5)
    probabilities, errors = orthant_probabilities(thresholds, matrix)
    for pattern in (0, 9):
        signs = np.where((pattern >> np.arange(5)) & 1, 1.0, -1.0)
        flipped = matrix * signs * signs[:, None]
        expected = multivariate_normal.cdf(
            signs * thresholds, cov=flipped, abseps=1e-7, releps=1e-6, maxpts=10**5
        )
        assert abs(probabilities[pattern] - expected) < 5.0 * errors[pattern] + 1e-6
    assert (errors / probabilities).max() < 0.01
