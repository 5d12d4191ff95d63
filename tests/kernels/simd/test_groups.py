"""Rows of several words against NumPy."""

from typing import NamedTuple

import numpy as np
from numba import njit

from microcolumn.kernels.simd.elementary import frexp
from microcolumn.kernels.simd.groups import (
    GROUP,
    group_max,
    group_sum,
    hadd,
    row_products,
    row_sums,
    tile,
    unpack_rows,
)
from microcolumn.kernels.simd.lanes import WIDTH, vmax, vmin
from microcolumn.kernels.simd.memory import (
    broadcast_group,
    broadcast_rows,
    gather_rows,
    hadd_finish,
    load,
    load_group,
    load_rows,
    store,
    store_rows,
)
from microcolumn.kernels.simd.views import views


class Data(NamedTuple):
    table: np.ndarray  # (n, 8 * WIDTH)
    picks: np.ndarray  # (n_picks,)
    out: np.ndarray  # (n_results, 4 * WIDTH)


@njit
def move(data):
    seen = views(data)
    table, out = seen.table, seen.out
    store(out, (0, 0), tile(load(table, (1, 3))))
    store(out, (1, 0), load_group(table, (2, 5)))
    store(out, (2, 0), load_rows(table, 1, WIDTH))
    store(out, (3, 0), broadcast_rows(table, 2, 7))
    store(out, (4, 0), gather_rows(table, seen.picks, 1, 2))
    store(out, (5, 0), gather_rows(table, seen.picks, 1, 0, 1))
    store(out, (5, GROUP), load(table, (3, 4), GROUP))
    store_rows(out, 6, WIDTH, load_group(table, (0, 0)))
    store(out, (10, 0), broadcast_group(table, (3, 4)))
    store(out, (11, 0), broadcast_rows(table, 2, 7, 4))
    store(out, (12, 0), load_group(table, (2, 5), 4))


@njit
def reduce(data):
    seen = views(data)
    table, out = seen.table, seen.out
    store(out, (0, 0), group_sum(load_group(table, (0, 0))))
    store(out, (0, WIDTH), group_max(load_group(table, (0, 0))))
    store(out, (1, 0), row_sums(load_group(table, (1, 0))))
    store(out, (1, GROUP), row_products(load_group(table, (1, 0))))
    store(out, (2, 0), vmax(load_group(table, (0, 0)), load_group(table, (1, 0))))
    store(out, (3, 0), vmin(load_group(table, (0, 0)), load_group(table, (1, 0))))
    mantissa, exponent = frexp(load_group(table, (2, 0)))
    store(out, (4, 0), mantissa)
    store(out, (5, 0), exponent)
    first, second, third, fourth = unpack_rows(load_group(table, (0, 0)))
    store(out, (6, 0), (first - second) + (third - fourth))


@njit
def add_lanes_up(data):
    """Totals of 4 * WIDTH rows of two times two registers: pairs first, then all the way."""
    seen = views(data)
    table, out = seen.table, seen.out
    for j in range(2 * WIDTH):
        store(
            out, (1 + j, 0), hadd(load_group(table, (2 * j, 0)), load_group(table, (2 * j + 1, 0)))
        )
    store(out, (0, 0), hadd_finish(out, 1, 2 * WIDTH))


def data(n_rows, n_out):
    rng = np.random.default_rng(0)
    table = rng.uniform(0.5, 1.5, (n_rows, 8 * WIDTH))
    return Data(table, np.array([9, 3, 0, 3, 5, 1]), np.zeros((n_out, 4 * WIDTH)))


def test_rows_are_loaded_and_stored_where_they_belong():
    given = data(12, 13)
    move(given)
    table, out = given.table, given.out
    np.testing.assert_array_equal(out[0], np.tile(table[1, 3 : 3 + WIDTH], GROUP))
    np.testing.assert_array_equal(out[1], table[2, 5 : 5 + 4 * WIDTH])
    np.testing.assert_array_equal(out[2], table[1:5, WIDTH : 2 * WIDTH].ravel())
    np.testing.assert_array_equal(out[3], np.repeat(table[2:6, 7], WIDTH))
    np.testing.assert_array_equal(out[4], table[[3, 0, 3, 5], 2 : 2 + WIDTH].ravel())
    np.testing.assert_array_equal(out[5, :GROUP], table[[3, 0, 3, 5], 0])
    np.testing.assert_array_equal(out[5, GROUP : 2 * GROUP], table[3, 4 : 4 + GROUP])
    np.testing.assert_array_equal(
        out[6:10, WIDTH : 2 * WIDTH], table[0, : 4 * WIDTH].reshape(GROUP, WIDTH)
    )
    np.testing.assert_array_equal(out[10], np.repeat(table[3, 4 : 4 + GROUP], WIDTH))
    np.testing.assert_array_equal(out[11, :16], np.repeat(table[2:6, 7], 4))
    np.testing.assert_array_equal(out[12, :16], table[2, 5 : 5 + 16])


def test_words_and_lanes_are_reduced_as_numpy_does():
    given = data(3, 7)
    given.table[2] *= np.logspace(-20, 20, 8 * WIDTH)
    reduce(given)
    first, second = (line[: 4 * WIDTH].reshape(GROUP, WIDTH) for line in given.table[:2])
    out = given.out
    close = {"rtol": 10 * np.finfo(float).eps}
    np.testing.assert_allclose(out[0, :WIDTH], first.sum(axis=0), **close)
    np.testing.assert_array_equal(out[0, WIDTH : 2 * WIDTH], first.max(axis=0))
    np.testing.assert_allclose(out[1, :GROUP], second.sum(axis=1), **close)
    np.testing.assert_allclose(out[1, GROUP : 2 * GROUP], second.prod(axis=1), **close)
    np.testing.assert_array_equal(out[2], np.maximum(first, second).ravel())
    np.testing.assert_array_equal(out[3], np.minimum(first, second).ravel())
    mantissa, exponent = np.frexp(given.table[2, : 4 * WIDTH])
    np.testing.assert_array_equal(out[4], 2 * mantissa)
    np.testing.assert_array_equal(out[5], exponent - 1)
    expected = (first[0] - first[1]) + (first[2] - first[3])
    np.testing.assert_array_equal(out[6, :WIDTH], expected)


def test_lanes_are_added_up_two_rows_at_a_time():
    given = data(4 * WIDTH, 1 + 2 * WIDTH)
    add_lanes_up(given)
    # The column asked for belongs to the third word of the group.
    expected = given.table[:, 2 * WIDTH : 3 * WIDTH].sum(axis=1)
    np.testing.assert_allclose(given.out[0], expected, rtol=10 * np.finfo(float).eps)
