"""Sums over subsets and supersets, against sums over pairs of sets."""

import numpy as np
import pytest

from microcolumn.kernels.cpu.subset_sums import sum_over_sets


def _by_pairs(values, supersets):
    sets = np.arange(values.size)
    inside = (sets[:, None] & sets) == (sets[:, None] if supersets else sets)
    return inside @ values


@pytest.mark.parametrize("n_units", [0, 1, 2, 9])
@pytest.mark.parametrize("supersets", [False, True])
def test_sums_run_over_the_sets_within_or_around_each(n_units, supersets):
    values = np.random.default_rng(n_units).normal(size=1 << n_units)
    expected = _by_pairs(values, supersets)
    sum_over_sets(values, supersets)
    np.testing.assert_allclose(values, expected, atol=1e-12)


@pytest.mark.parametrize("supersets", [False, True])
def test_sets_of_many_units_are_summed_unit_by_unit(supersets):
    """Beyond the block that stays in the cache; 14 units are 4 blocks."""
    values = np.random.default_rng(0).normal(size=1 << 14)
    expected = values.reshape((2,) * 14).copy()
    for axis in range(14):
        low, high = expected.take(0, axis), expected.take(1, axis)
        pair = (low + high, high) if supersets else (low, low + high)
        expected = np.stack(pair, axis)
    sum_over_sets(values, supersets)
    np.testing.assert_allclose(values, expected.ravel(), atol=1e-10)
