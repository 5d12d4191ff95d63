"""Matching of hidden units against all pairings by hand, and its null."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.evaluate.recurrence import mean_weights, oriented_weights, paired, recurrence
from microcolumn.parameters import Parameters


def _best_sum(similarity):
    """Largest sum of positive entries over all one-to-one pairings."""
    rows, columns = similarity.shape
    if rows > columns:
        return _best_sum(similarity.T)
    positive = np.maximum(similarity, 0.0)
    return max(
        positive[range(rows), list(chosen)].sum() for chosen in permutations(range(columns), rows)
    )


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (4, 4), (5, 3), (3, 6)])
def test_the_pairing_is_the_best_of_all(shape):
    similarity = np.random.default_rng(sum(shape)).uniform(-1, 1, size=shape)
    rows, columns = paired(similarity)
    assert len(set(rows)) == len(set(columns)) == len(rows)
    assert (similarity[rows, columns] > 0).all()
    assert similarity[rows, columns].sum() == pytest.approx(_best_sum(similarity))


def _groups(n_units=20):
    """Three groups of cells with weights of their own."""
    rng = np.random.default_rng(0)
    W = np.zeros((n_units, 3))
    for k, group in enumerate(np.split(np.arange(15), 3)):
        W[group, k] = rng.uniform(1, 3, size=group.size)
    return W


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_hidden_units_are_found_again_in_any_order_and_orientation(seed):
    rng = np.random.default_rng(seed)
    W = _groups()
    order, on = rng.permutation(3), rng.random(3) < 0.5
    sign = np.where(on, -1.0, 1.0)
    theta = Parameters(
        b=np.zeros(20) + W[:, order][:, on].sum(axis=1), W=W[:, order] * sign, c=2 * sign * -1
    )
    found = recurrence(W, [oriented_weights(theta)], 20, np.random.default_rng(0))
    assert found.similarity == pytest.approx(np.ones((1, 3)))
    assert found.recurs.all()


def test_the_p_value_is_that_of_all_permutations():
    """Of 5 units in all 120 orders; the cosine with the better of two hidden units counts."""
    rng = np.random.default_rng(3)
    w, other = rng.normal(size=(5, 1)), rng.normal(size=(5, 2))
    u, v = w / np.linalg.norm(w), other / np.linalg.norm(other, axis=0)
    observed = max((u.T @ v)[0].max(), 0.0)
    null = [max((u[list(order)].T @ v)[0].max(), 0.0) for order in permutations(range(5))]
    expected = np.mean(np.array(null) >= observed - 1e-12)
    found = recurrence(w, [other], 5, rng)
    assert found.p_value[0, 0] == pytest.approx(expected, abs=0.05)  # 3 errors of 999 draws


def test_unrelated_groups_recur_at_the_nominal_rate_or_less():
    rng = np.random.default_rng(1)
    fits = [rng.exponential(size=(20, 6)) * (rng.random((20, 6)) < 0.3) for _ in range(21)]
    found = recurrence(fits[0], fits[1:], 20, rng)
    assert (found.p_value <= 0.05).mean() <= 0.1  # 120 tests at 5 %
    assert found.recurs.mean() <= 0.1


def test_a_unit_moves_with_all_its_bins():
    """A group over two bins is the same group, and one in other bins is another."""
    W = _groups()
    both, late = np.vstack((W, W)), np.vstack((np.zeros_like(W), W))
    early = late[::-1].reshape(2, 20, 3)[:, ::-1].reshape(40, 3)
    found = recurrence(both, [both, early], 20, np.random.default_rng(0))
    assert found.recurs.tolist() == [[True] * 3, [True] * 3]  # cosine 0.71: half in common
    assert recurrence(late, [early], 20, np.random.default_rng(0)).similarity.max() == 0.0


def test_a_fit_without_hidden_units_has_no_partner():
    found = recurrence(
        _groups(), [np.zeros((20, 0)), np.zeros((20, 3))], 20, np.random.default_rng(0)
    )
    assert not found.recurs.any()
    assert (found.p_value == 1.0).all()


def test_mean_weights_are_those_of_the_fits_in_which_each_hidden_unit_recurs():
    W, rng = _groups(), np.random.default_rng(0)
    alike = W + rng.normal(scale=0.1, size=W.shape)
    others = [alike[:, [2, 0, 1]], np.hstack((W[::-1, :1], alike[:, 1:2])), np.zeros((20, 0))]
    found = mean_weights(W, others, recurrence(W, others, 20, rng))
    expected = [
        (W[:, 0] + alike[:, 0]) / 2,
        (W[:, 1] + 2 * alike[:, 1]) / 3,
        (W[:, 2] + alike[:, 2]) / 2,
    ]
    np.testing.assert_allclose(found, np.column_stack(expected))
