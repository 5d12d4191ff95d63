"""Views and bundles against the NumPy arrays they look into."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from microcolumn.kernels.simd.lanes import REGISTER
from microcolumn.kernels.simd.views import aligned, sub_arrays, sub_views, sub_views_size, views


class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray


class Arrays(NamedTuple):
    number: float
    vector: np.ndarray
    table: np.ndarray


@njit
def double_entry(arrays):
    seen = views(arrays)
    vector, table = seen.vector, seen.table
    for n in range(table.shape[0]):
        table[n, table.shape[1] - 1] += seen.number * vector[n]


@njit
def write_places(buffer, k, shapes):
    pair = sub_views(buffer, k, shapes)
    a, b = pair.a, pair.b
    for i in range(a.shape[0]):
        a[i] = i
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] = 100 + 10 * i + j


def test_a_view_reads_and_writes_the_array_it_looks_into():
    arrays = Arrays(2.0, np.arange(3.0), np.ones((3, 4)))
    double_entry(arrays)
    expected = np.ones((3, 4))
    expected[:, 3] += [0.0, 2.0, 4.0]
    np.testing.assert_array_equal(arrays.table, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_carved_views_are_the_parts_that_numpy_sees_and_nothing_else_changes(dtype):
    shapes = Pair((5,), (2, 3))
    buffer = aligned((3, sub_views_size(shapes)), dtype)
    buffer.fill(-1)
    write_places(buffer, 1, shapes)
    parts = sub_arrays(buffer[1], shapes)
    np.testing.assert_array_equal(parts.a, np.arange(5))
    np.testing.assert_array_equal(parts.b, [[100, 101, 102], [110, 111, 112]])
    assert (buffer[[0, 2]] == -1).all()
    assert (buffer == -1).sum() == buffer.size - 11
    for part in parts:
        assert part.ctypes.data % REGISTER == 0
