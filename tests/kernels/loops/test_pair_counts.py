"""Counts of pairs from packed columns against dense NumPy."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import microcolumn as mc
from microcolumn.kernels.loops.pair_counts import add_pairs, mirror
from microcolumn.models._counting import _columns, counted_pairs


@pytest.mark.parametrize("density", [0.0, 0.1, 0.6, 1.0])
@pytest.mark.parametrize("shape", [(1, 1), (5, 2), (64, 9), (600, 130)])
def test_counts_are_those_of_dense_products(shape, density):
    X = (np.random.default_rng(3).random(shape) < density).astype(np.uint8)
    out = np.zeros((shape[1], shape[1]))
    add_pairs(_columns(X), 1.0, out)
    add_pairs(_columns(X), 2.5, out)
    wanted = 3.5 * (X.T.astype(float) @ X)
    assert np.array_equal(out, np.tril(wanted))
    mirror(out)
    assert np.array_equal(out, wanted)


@pytest.mark.parametrize("counts", [[1, 2, 3, 1000, 7], [0.5, 2.25, 3.0, 11.0, 0.125]])
def test_words_count_as_often_as_they_occur(counts):
    X = np.array([[1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1], [1, 0, 0]])
    words = mc.Words.from_array(X, sample_weight=counts)
    np.testing.assert_allclose(
        counted_pairs(words), X.T @ (np.array(counts)[:, None] * X), rtol=1e-13
    )


def test_any_number_of_threads_gives_the_same_bits():
    X = (np.random.default_rng(0).random((300, 51)) < 0.2).astype(np.uint8)
    before, found = numba.get_num_threads(), []
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(n_threads)
        try:
            found.append(np.zeros((51, 51)))
            add_pairs(_columns(X), 0.1, found[-1])
        finally:
            numba.set_num_threads(before)
    assert np.array_equal(*found)
