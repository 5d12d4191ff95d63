"""Rows of several words against NumPy, in both precisions."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from microcolumn.kernels.cpu.grouped import (
    GROUP,
    bits_of,
    chosen,
    chosen_numbers,
    each,
    finish_pair_sums,
    fold,
    larger,
    largest,
    numbers,
    pair_sums,
    products_across,
    put,
    put_each,
    repeat,
    row,
    rows,
    smaller,
    split,
    spread,
    sums_across,
)
from microcolumn.kernels.cpu.views import REGISTER, views


class Data(NamedTuple):
    table: np.ndarray  # (n, 8 * bits)
    picks: np.ndarray  # (n_picks,)
    out: np.ndarray  # (n_results, 4 * bits)


@njit
def move(data):
    seen = views(data)
    table, out, width = seen.table, seen.out, bits_of(seen.table)
    put(out, (0, 0), repeat(row(table, (1, 3))))
    put(out, (1, 0), rows(table, (2, 5)))
    put(out, (2, 0), each(table, 1, width))
    put(out, (3, 0), spread(table, 2, 7))
    put(out, (4, 0), chosen(table, seen.picks, 1, 2))
    put(out, (5, 0), chosen_numbers(table, seen.picks, 1))
    put(out, (5, GROUP), numbers(table, (3, 4)))
    put_each(out, 6, width, rows(table, (0, 0)))


@njit
def reduce(data):
    seen = views(data)
    table, out, width = seen.table, seen.out, bits_of(seen.table)
    put(out, (0, 0), fold(rows(table, (0, 0))))
    put(out, (0, width), largest(rows(table, (0, 0))))
    put(out, (1, 0), sums_across(rows(table, (1, 0))))
    put(out, (1, GROUP), products_across(rows(table, (1, 0))))
    put(out, (2, 0), larger(rows(table, (0, 0)), rows(table, (1, 0))))
    put(out, (3, 0), smaller(rows(table, (0, 0)), rows(table, (1, 0))))
    mantissa, exponent = split(rows(table, (2, 0)))
    put(out, (4, 0), mantissa)
    put(out, (5, 0), exponent)


@njit
def add_lanes_up(data):
    """Totals of 4 * bits rows of two times two registers: pairs first, then all the way."""
    seen = views(data)
    table, out, width = seen.table, seen.out, bits_of(seen.table)
    for j in range(2 * width):
        put(out, (1 + j, 0), pair_sums(rows(table, (2 * j, 0)), rows(table, (2 * j + 1, 0))))
    put(out, (0, 0), finish_pair_sums(out, 1, 2 * width))


def data(dtype, n_rows, n_out):
    bits = REGISTER // np.dtype(dtype).itemsize
    rng = np.random.default_rng(0)
    table = rng.uniform(0.5, 1.5, (n_rows, 8 * bits)).astype(dtype)
    return Data(table, np.array([9, 3, 0, 3, 5, 1]), np.zeros((n_out, 4 * bits), dtype)), bits


@pytest.fixture(params=[np.float64, np.float32])
def dtype(request):
    return request.param


def test_rows_are_loaded_and_stored_where_they_belong(dtype):
    given, bits = data(dtype, 12, 10)
    move(given)
    table, out = given.table, given.out
    np.testing.assert_array_equal(out[0], np.tile(table[1, 3 : 3 + bits], GROUP))
    np.testing.assert_array_equal(out[1], table[2, 5 : 5 + 4 * bits])
    np.testing.assert_array_equal(out[2], table[1:5, bits : 2 * bits].ravel())
    np.testing.assert_array_equal(out[3], np.repeat(table[2:6, 7], bits))
    np.testing.assert_array_equal(out[4], table[[3, 0, 3, 5], 2 : 2 + bits].ravel())
    np.testing.assert_array_equal(out[5, :GROUP], table[[3, 0, 3, 5], 0])
    np.testing.assert_array_equal(out[5, GROUP : 2 * GROUP], table[3, 4 : 4 + GROUP])
    np.testing.assert_array_equal(
        out[6:10, bits : 2 * bits], table[0, : 4 * bits].reshape(GROUP, bits)
    )


def test_words_and_lanes_are_reduced_as_numpy_does(dtype):
    given, bits = data(dtype, 3, 6)
    given.table[2] *= np.logspace(-20, 20, 8 * bits)
    reduce(given)
    first, second = (line[: 4 * bits].reshape(GROUP, bits) for line in given.table[:2])
    out = given.out
    close = {"rtol": 10 * np.finfo(dtype).eps}
    np.testing.assert_allclose(out[0, :bits], first.sum(axis=0), **close)
    np.testing.assert_array_equal(out[0, bits : 2 * bits], first.max(axis=0))
    np.testing.assert_allclose(out[1, :GROUP], second.sum(axis=1), **close)
    np.testing.assert_allclose(out[1, GROUP : 2 * GROUP], second.prod(axis=1), **close)
    np.testing.assert_array_equal(out[2], np.maximum(first, second).ravel())
    np.testing.assert_array_equal(out[3], np.minimum(first, second).ravel())
    mantissa, exponent = np.frexp(given.table[2, : 4 * bits])
    np.testing.assert_array_equal(out[4], 2 * mantissa)
    np.testing.assert_array_equal(out[5], exponent - 1)


def test_lanes_are_added_up_two_rows_at_a_time(dtype):
    bits = REGISTER // np.dtype(dtype).itemsize
    given, _ = data(dtype, 4 * bits, 1 + 2 * bits)
    add_lanes_up(given)
    # The column asked for belongs to the third word of the group.
    expected = given.table[:, 2 * bits : 3 * bits].sum(axis=1)
    np.testing.assert_allclose(given.out[0], expected, rtol=10 * np.finfo(dtype).eps)
