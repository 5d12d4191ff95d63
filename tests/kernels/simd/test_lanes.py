"""Every primitive of the SIMD rows against NumPy, for floats, whole numbers and all row widths."""

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from microcolumn.kernels.simd.lanes import (
    WIDTH,
    any_lane,
    convert,
    fma,
    full_like,
    reduce_add,
    reinterpret,
    rint,
    select,
    splat,
    sqrt,
    vmax,
    vmin,
)
from microcolumn.kernels.simd.memory import load, store


@njit
def _arithmetic(a, b, out):
    x, y = load(a, 0, WIDTH), load(b, 0, WIDTH)
    store(out, (0, 0), x + y)
    store(out, (1, 0), x - y)
    store(out, (2, 0), x * y)
    store(out, (3, 0), x / y)
    store(out, (4, 0), fma(x, y, x))
    store(out, (5, 0), sqrt(y * y))
    store(out, (6, 0), rint(x))
    store(out, (7, 0), vmax(x, y))
    store(out, (8, 0), vmin(x, y))
    store(out, (9, 0), select(x != y, x, full_like(x, 7)))
    store(out, (10, 0), full_like(x, 2.5) * splat(b[0], WIDTH))


@njit
def _with_numbers(a, number, out):
    x = load(a, 0, WIDTH)
    store(out, (0, 0), x + number)
    store(out, (1, 0), number - x)
    store(out, (2, 0), 2 * x)
    store(out, (3, 0), x / number)
    store(out, (4, 0), fma(x, number, 1.5))
    store(out, (5, 0), select(x > number, number, x))
    store(out, (6, 0), select(number < x, 1, 0.0 * x))


@njit
def _integers(a, b, out):
    x, y = load(a, 0, WIDTH), load(b, 0, WIDTH)
    store(out, (0, 0), x + y)
    store(out, (1, 0), x - y)
    store(out, (2, 0), x * y)
    store(out, (3, 0), x & y)
    store(out, (4, 0), x | y)
    store(out, (5, 0), x ^ y)
    store(out, (6, 0), x << 3)
    store(out, (7, 0), x >> 3)
    store(out, (8, 0), select(x < y, x, y))
    store(out, (9, 0), select(x > y, x, y))
    store(out, (10, 0), select(x != y, x, 0))


@njit
def _reductions(a, threshold):
    row = load(a, 0, WIDTH)
    return reduce_add(row), any_lane(row > threshold)


def _rows_of_width(width):
    @njit
    def transpose_free_copy(source, target):
        for i in range(source.shape[0]):
            row = load(source, (i, 0), width)
            store(target, (i, 0), row + 1.0)
        return reduce_add(load(source, (0, 0), width))

    return transpose_free_copy


def test_arithmetic_and_comparisons_of_float_rows_match_numpy():
    rng = np.random.default_rng(0)
    a = rng.normal(scale=10, size=WIDTH)
    b = rng.normal(scale=10, size=WIDTH)
    a[:3] = 2.5, -0.5, b[2]
    out = np.empty((11, WIDTH))
    _arithmetic(a, b, out)
    exact = [a + b, a - b, a * b, a / b]
    for row, expected in zip(out, exact, strict=False):
        np.testing.assert_array_equal(row, expected)
    np.testing.assert_allclose(out[4], a * b + a, rtol=1e-15)
    np.testing.assert_array_equal(out[5], np.sqrt(b * b))
    np.testing.assert_array_equal(out[6], np.rint(a))
    np.testing.assert_array_equal(out[7], np.maximum(a, b))
    np.testing.assert_array_equal(out[8], np.minimum(a, b))
    np.testing.assert_array_equal(out[9], np.where(a != b, a, 7))
    np.testing.assert_array_equal(out[10], np.full(WIDTH, 2.5 * b[0]))


def test_a_number_stands_for_a_row_of_it():
    a = np.random.default_rng(0).normal(size=WIDTH)
    number, out = 0.3, np.empty((7, WIDTH))
    _with_numbers(a, number, out)
    expected = [a + number, number - a, 2 * a, a / number]
    np.testing.assert_array_equal(out[:4], expected)
    np.testing.assert_allclose(out[4], a * number + 1.5, rtol=1e-15)
    np.testing.assert_array_equal(out[5], np.minimum(a, number))
    np.testing.assert_array_equal(out[6], a > number)


def test_rows_that_do_not_fit_together_do_not_compile():
    @njit
    def mixed(a, b):
        return reduce_add(load(a, 0) + load(b, 0))

    @njit
    def fraction(a):
        return any_lane(load(a, 0, WIDTH) + 0.5 != 0)

    single, double, whole = (np.ones(WIDTH, dtype) for dtype in (np.float32, float, int))
    for call in (lambda: mixed(whole, double), lambda: fraction(whole)):
        with pytest.raises(TypingError):
            call()
    with pytest.raises(TypingError, match="rows of floats are rows of doubles, not of float32"):
        mixed(single, single)
    with pytest.raises(TypingError):
        mixed(np.ones(2 * WIDTH)[::2], double)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.uint32])
def test_integer_rows_wrap_shift_and_compare_like_numpy(dtype):
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    a = rng.integers(limits.min, limits.max, WIDTH, dtype=dtype, endpoint=True)
    b = rng.integers(limits.min, limits.max, WIDTH, dtype=dtype, endpoint=True)
    a[0], b[0], a[1], b[1] = limits.max, 1, 5, 5
    out = np.empty((11, WIDTH), dtype)
    _integers(a, b, out)
    three = dtype(3)
    with np.errstate(over="ignore"):
        expected = [a + b, a - b, a * b, a & b, a | b, a ^ b, a << three, a >> three]
    expected += [np.minimum(a, b), np.maximum(a, b), np.where(a != b, a, 0)]
    np.testing.assert_array_equal(out, expected)


def test_sum_and_any_reduce_over_the_lanes():
    a = np.array([1, 2, -3, 4, 5, 0.5, 7, 8])
    sum_of, above = _reductions(a, 7.5)
    assert sum_of == a.sum()
    assert above
    assert not _reductions(a, 8.0)[1]
    assert not _reductions(np.full(WIDTH, np.nan), 0.0)[1]


@pytest.mark.parametrize("width", [8, 16, 32])
def test_rows_of_every_width_load_store_and_reduce(width):
    source = np.arange(3.0 * width).reshape(3, width)
    target = np.zeros_like(source)
    assert _rows_of_width(width)(source, target) == source[0].sum()
    np.testing.assert_array_equal(target, source + 1)


@njit
def _conversions(floats, integers, back, bits, same):
    row = load(floats, 0, WIDTH)
    store(integers, 0, convert(row, np.int64))
    store(back, 0, convert(load(integers, 0, WIDTH), np.float64))
    store(bits, 0, reinterpret(row, np.uint64))
    store(same, 0, reinterpret(load(bits, 0, WIDTH), np.float64))


def test_conversions_go_by_value_and_reinterpretation_by_bits():
    floats = np.array([0.0, -0.0, 1.75, -1.75, 1e6, -(2.0**31), 2.0**31 - 1, 1 / 3])
    integers, bits = np.empty(WIDTH, np.int64), np.empty(WIDTH, np.uint64)
    back, same = np.empty(WIDTH), np.empty(WIDTH)
    _conversions(floats, integers, back, bits, same)
    np.testing.assert_array_equal(integers, floats.astype(np.int64))
    np.testing.assert_array_equal(back, np.trunc(floats))
    np.testing.assert_array_equal(bits, floats.view(np.uint64))
    np.testing.assert_array_equal(same, floats)
