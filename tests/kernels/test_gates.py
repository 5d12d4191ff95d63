"""Sigmoids and sums of softplus against those of single numbers."""

import math

import numpy as np
import pytest
from scipy.special import expit

from microcolumn.kernels.gates import softplus_and_sigmoid


@pytest.mark.parametrize("n_hidden", [0, 1, 7, 2500])
def test_sums_of_softplus_and_sigmoids_are_those_of_single_numbers(n_hidden):
    rng = np.random.default_rng(n_hidden)
    z = rng.normal(size=(n_hidden, 5)) * np.array([1e-3, 1.0, 30.0, 700.0, 1e4])
    for columns in (slice(1), slice(3), slice(5)):  # by the largest input products are shorter
        sums, sigmoid = softplus_and_sigmoid(z[:, columns].copy())
        expected = [math.fsum(map(_softplus, column)) for column in z[:, columns].T.tolist()]
        np.testing.assert_allclose(sums, expected, rtol=1e-13)
        np.testing.assert_allclose(sigmoid, expit(z[:, columns]), rtol=1e-13, atol=1e-300)


def _softplus(z):
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))
