"""The kernel of the newest bin against sums written out state by state."""

import numba
import numpy as np
import pytest
from scipy.special import logsumexp

from microcolumn.kernels.cpu.newest_bin import BLOCK, LANE_UNITS, Newest, log_odds_of_newest
from microcolumn.kernels.simd.groups import GROUP


def bits(n_units):
    return (np.arange(1 << n_units)[:, None] >> np.arange(n_units)) & 1


def random_model(n_units, n_hidden, scale=1.0, seed=0):
    """Fields and hidden inputs of some pasts, weights in order of the last unit they need."""
    rng = np.random.default_rng(seed)
    levels = np.sort(rng.integers(LANE_UNITS, n_units + 1, n_hidden))
    W = rng.normal(size=(n_units, n_hidden)) * scale
    W[np.arange(n_units)[:, None] >= levels] = 0.0
    J = np.triu(rng.normal(size=(n_units, n_units)), 1) * scale
    n_pasts = 3 * BLOCK
    fields, z = (rng.normal(size=(n_pasts, n)) * scale for n in (n_units, n_hidden))
    return levels, W, J, fields, z


def run(model, wide, longest=1000):
    """Log odds by the kernel, hidden units in stretches of at most ``longest``."""
    levels, W, J, fields, z = model
    n_units = len(W)
    cuts = []
    for level in range(LANE_UNITS, n_units + 1):
        first, last = np.searchsorted(levels, [level, level + 1])
        starts = [*range(first, last, longest)] or [first]
        cuts += [(level, start, min(start + longest, last)) for start in starts]
    low, high = bits(LANE_UNITS), bits(n_units - LANE_UNITS)
    newest = Newest(
        boosts=np.exp(fields),
        r=np.exp(-z),
        low=np.exp(np.ascontiguousarray((low @ W[:LANE_UNITS]).T)),
        high=np.exp(high @ W[LANE_UNITS:]),
        pair_low=np.exp(np.ascontiguousarray((low @ J[:LANE_UNITS]).T)),
        pair_high=np.exp(high @ J[LANE_UNITS:]),
        stretches=np.array(cuts, dtype=np.int64),
    )
    odds = np.empty((len(fields) // GROUP, n_units, GROUP))
    log_odds_of_newest(newest, wide, odds)
    return odds.transpose(0, 2, 1).reshape(fields.shape)


def by_hand(model):
    _, W, J, fields, z = model
    S = bits(len(W))
    log_w = fields @ S.T + np.einsum("sj,jk,sk->s", S, J, S)
    log_w += np.logaddexp(0.0, z[:, None, :] + S @ W).sum(axis=2)
    on = [logsumexp(log_w[:, S[:, k] == 1], axis=1) for k in range(len(W))]
    off = [logsumexp(log_w[:, S[:, k] == 0], axis=1) for k in range(len(W))]
    return np.column_stack(on) - np.column_stack(off)


@pytest.mark.parametrize(("n_units", "n_hidden"), [(3, 0), (3, 4), (5, 0), (6, 7), (8, 30)])
@pytest.mark.parametrize(("wide", "longest"), [(False, 1000), (True, 1000), (True, 2)])
def test_log_odds_are_those_of_all_states(n_units, n_hidden, wide, longest):
    model = random_model(n_units, n_hidden)
    np.testing.assert_allclose(run(model, wide, longest), by_hand(model), rtol=1e-12, atol=1e-12)


def test_powers_of_two_taken_out_keep_products_that_leave_the_range():
    model = random_model(5, 60, scale=20.0)
    assert np.isnan(run(model, wide=False)).any()
    found = run(model, wide=True, longest=2)
    np.testing.assert_allclose(found, by_hand(model), rtol=1e-12, atol=1e-11)


def test_values_beyond_the_range_are_no_number():
    model = random_model(4, 2)
    model[3][0, 2] = 590.0  # exp(-590) of the weight is left to silence
    found, expected = run(model, wide=False), by_hand(model)
    assert np.isnan(found[0]).tolist() == [False, False, True, False]
    np.testing.assert_allclose(found[1:], expected[1:], rtol=1e-12, atol=1e-12)


def test_any_number_of_threads_gives_the_same_bits():
    model = random_model(6, 9)
    model = (*model[:3], np.tile(model[3], (20, 1)), np.tile(model[4], (20, 1)))
    allowed = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = run(model, wide=True)
    finally:
        numba.set_num_threads(allowed)
    np.testing.assert_array_equal(run(model, wide=True), alone)
