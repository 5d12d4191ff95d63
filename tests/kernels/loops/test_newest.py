"""Log odds of the newest bin from a model's arrays, against sums over all its states."""

import numpy as np
import pytest
from scipy.special import logsumexp
from threads import on_one_and_all

from microcolumn.kernels import ModelArrays, newest_log_odds


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
        if arrays.v is not None:
            log_w += arrays.v[x.sum(axis=1).astype(int)]
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


def test_products_beyond_the_range_are_cut():
    arrays, pasts = model(8, 60, scale=20.0), random_pasts(20, 3)
    assert np.maximum(arrays.W[3:], 0.0).sum() > 1000.0  # exp of it would be infinite
    found = newest_log_odds(arrays, 5, pasts)
    np.testing.assert_allclose(found, by_hand(arrays, 5, pasts), rtol=1e-12, atol=1e-11)


def test_any_number_of_threads_gives_the_same_bits():
    arrays, pasts = model(11, 30), random_pasts(8000, 3)
    np.testing.assert_array_equal(*on_one_and_all(lambda: newest_log_odds(arrays, 8, pasts)))


@pytest.mark.parametrize("scale", [0.4, 300.0])
def test_potentials_of_the_count_and_weights_of_hundreds_are_in_the_sum(scale):
    arrays, pasts = model(6, 25, scale)._replace(v=np.arange(7.0) ** 2), random_pasts(20, 3)
    found = newest_log_odds(arrays, 3, pasts)
    np.testing.assert_allclose(found, by_hand(arrays, 3, pasts), rtol=1e-12, atol=1e-10)
