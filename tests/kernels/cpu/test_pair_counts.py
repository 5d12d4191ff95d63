"""Lists of active bits and counts of pairs against dense NumPy."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from microcolumn.kernels.cpu.pair_counts import list_active, list_members, pair_counts


def listed(X):
    offsets = np.concatenate([[0], np.cumsum(X.sum(axis=1, dtype=np.int64))])
    active = np.full(offsets[-1], -1, dtype=np.int32)
    list_active(X, offsets, active)
    starts = np.concatenate([[0], np.cumsum(X.sum(axis=0, dtype=np.int64))])
    members = np.full(offsets[-1], -1, dtype=np.int32)
    list_members(offsets, active, starts, members)
    return offsets, active, starts, members


@pytest.mark.parametrize("density", [0.0, 0.1, 0.6, 1.0])
@pytest.mark.parametrize("shape", [(1, 1), (5, 1), (1, 9), (40, 70)])
def test_lists_and_counts_are_those_of_dense_products(shape, density):
    rng = np.random.default_rng(3)
    X = (rng.random(shape) < density).astype(np.uint8)
    counts = rng.random(shape[0]) * 3.0
    offsets, active, starts, members = listed(X)
    assert np.array_equal(active, np.nonzero(X)[1])
    assert np.array_equal(members, np.nonzero(X.T)[1])
    out = np.full((shape[1], shape[1]), np.nan)
    pair_counts(offsets, active, starts, members, counts, out)
    np.testing.assert_allclose(out, X.T @ (counts[:, None] * X), rtol=1e-12)


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(0)
    X = (rng.random((300, 50)) < 0.2).astype(np.uint8)
    lists, counts, before = listed(X), rng.random(300), numba.get_num_threads()
    found = []
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(n_threads)
        try:
            found.append(np.empty((50, 50)))
            pair_counts(*lists, counts, found[-1])
        finally:
            numba.set_num_threads(before)
    assert np.array_equal(*found)
