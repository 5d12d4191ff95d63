"""Tables over all states against matrix products."""

import numpy as np
import pytest

from microcolumn.kernels.states import pairwise_log_weights, states, sum_over_sets, sums_over_states


@pytest.mark.parametrize("n_units", [0, 1, 6])
def test_tables_over_states_are_sums_over_active_units(n_units):
    X, rng = states(n_units), np.random.default_rng(0)
    np.testing.assert_array_equal(X @ 2.0 ** np.arange(n_units), np.arange(1 << n_units))
    rows = rng.normal(size=(n_units, 3))
    np.testing.assert_allclose(sums_over_states(rows), X @ rows, atol=1e-14)
    b, J = rng.normal(size=n_units), rng.normal(size=(n_units, n_units))
    expected = [x @ b + x @ J @ x for x in X]
    np.testing.assert_allclose(pairwise_log_weights(b, J), expected, atol=1e-13)


def test_states_with_given_numbers_are_their_bits():
    np.testing.assert_array_equal(states(3, np.array([5, 2])), [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


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
