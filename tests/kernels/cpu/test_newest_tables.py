"""Log odds of the newest bin from a model's arrays, against sums over all its states."""

import numba
import numpy as np
import pytest
from scipy.special import logsumexp

from microcolumn.kernels import ModelArrays, newest_log_odds
from microcolumn.kernels.cpu.newest_tables import NewestBin


def model(n_units, n_hidden, scale=0.4, seed=0):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(size=(n_units, n_units)), 1)
    W = scale * rng.normal(size=(n_units, n_hidden))
    W[rng.random(W.shape) < 0.3] = 0.0
    return ModelArrays(rng.normal(size=n_units), J + J.T, W, rng.normal(size=n_hidden))


def by_hand(arrays, n, pasts):
    """From the weight of every state of the newest bin after each past."""
    states = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    odds = np.empty((len(pasts), n))
    for row, past in enumerate(pasts):
        x = np.hstack([np.tile(past, (len(states), 1)), states]).astype(float)
        log_w = x @ arrays.b
        if arrays.J is not None:
            log_w += np.einsum("sn,nm,sm->s", x, arrays.J, x)
        if arrays.W is not None:
            log_w += np.logaddexp(0.0, arrays.c + x @ arrays.W).sum(axis=1)
        for k, spike in enumerate(states.T == 1):
            odds[row, k] = logsumexp(log_w[spike]) - logsumexp(log_w[~spike])
    return odds


def random_pasts(n_pasts, n_units, seed=1):
    return (np.random.default_rng(seed).random((n_pasts, n_units)) < 0.3).astype(np.uint8)


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("lacks", ["", "J", "Wc", "JWc"])
def test_log_odds_are_those_of_all_states(n, lacks):
    arrays, pasts = model(n + 4, 9)._replace(**dict.fromkeys(lacks)), random_pasts(20, 4)
    expected = by_hand(arrays, n, pasts)
    np.testing.assert_allclose(newest_log_odds(arrays, n, pasts), expected, rtol=1e-12, atol=1e-12)


def test_pasts_are_independent_of_each_other_however_many():
    arrays, pasts = model(6, 7), random_pasts(9000, 3)
    whole = newest_log_odds(arrays, 3, pasts)
    parts = [newest_log_odds(arrays, 3, part) for part in (pasts[:100], pasts[-100:])]
    np.testing.assert_allclose(whole[:100], parts[0], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(whole[-100:], parts[1], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("most_nats", [600.0, 12.0])
def test_products_of_hidden_units_are_cut_without_a_trace(most_nats):
    arrays, pasts = model(6, 25), random_pasts(20, 3)
    found = NewestBin.of(arrays, 3).log_odds(pasts, most_nats)
    np.testing.assert_allclose(found, by_hand(arrays, 3, pasts), rtol=1e-12, atol=1e-12)


def test_products_beyond_the_range_are_cut():
    arrays, pasts = model(8, 60, scale=20.0), random_pasts(20, 3)
    assert np.maximum(arrays.W[3:], 0.0).sum() > 1000.0  # exp of it would be infinite
    found = newest_log_odds(arrays, 5, pasts)
    np.testing.assert_allclose(found, by_hand(arrays, 5, pasts), rtol=1e-12, atol=1e-11)


def test_values_too_unlikely_for_the_range_are_no_number():
    # Independent units, one of which is silent with probability exp(-290), and a hidden unit that
    # makes it exp(-580).
    W = np.zeros((4, 1))
    W[2] = 290.0
    arrays = ModelArrays(np.array([0.5, -1.0, 290.0, 2.0]), None, W, np.array([400.0]))
    [found] = newest_log_odds(arrays, 4, np.zeros((1, 0), dtype=np.uint8))
    assert np.isnan(found).tolist() == [False, False, True, False]
    np.testing.assert_allclose(found[[0, 1, 3]], [0.5, -1.0, 2.0], rtol=1e-12)


def test_any_number_of_threads_gives_the_same_bits():
    arrays, pasts = model(11, 30), random_pasts(8000, 3)
    allowed, found = numba.get_num_threads(), []
    for n_threads in (1, allowed):
        numba.set_num_threads(n_threads)
        try:
            found.append(newest_log_odds(arrays, 8, pasts))
        finally:
            numba.set_num_threads(allowed)
    np.testing.assert_array_equal(*found)


def test_no_number_is_given_where_logarithms_must_be_summed():
    pasts = random_pasts(4, 3)
    assert np.isnan(newest_log_odds(model(6, 25, scale=300.0), 3, pasts)).all()
    potential = model(6, 2)._replace(v=np.arange(7.0))
    assert np.isnan(newest_log_odds(potential, 3, pasts)).all()


def test_units_that_few_hidden_units_need_come_last():
    W = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 1]], dtype=float)
    newest = NewestBin.of(ModelArrays(np.zeros(4), None, W, np.zeros(4)), 4)
    assert newest.order[-1] == 1
    for weights, level in zip(newest.W.T, newest.levels, strict=True):
        assert not weights[level:].any()
    assert newest.levels.tolist() == [2, 3, 3, 4]
