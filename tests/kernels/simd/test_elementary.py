"""exp, log, sigmoids and softplus of a row against NumPy and SciPy, over the whole range."""

import numpy as np
from numba import njit
from scipy.special import expit

from microcolumn.kernels.simd.elementary import (
    decay,
    exp,
    gate,
    log,
    sigmoids,
    softplus,
)
from microcolumn.kernels.simd.lanes import WIDTH
from microcolumn.kernels.simd.memory import load, store


def _rowwise(function):
    @njit
    def apply(x, out):
        for i in range(0, x.size, WIDTH):
            store(out, i, function(load(x, i)))

    return apply


_exp, _log, _softplus = _rowwise(exp), _rowwise(log), _rowwise(softplus)


@njit
def _gates(x, up, down, plus):
    for i in range(0, x.size, WIDTH):
        s, sbar, softplus_of = gate(load(x, i))
        store(up, i, s)
        store(down, i, sbar)
        store(plus, i, softplus_of)


@njit
def _sigmoids(x, up, down):
    for i in range(0, x.size, WIDTH):
        s, sbar = sigmoids(load(x, i))
        store(up, i, s)
        store(down, i, sbar)


def _apply(kernel, x):
    padded = np.concatenate([x, np.ones(-x.size % WIDTH)])
    out = np.empty_like(padded)
    kernel(padded, out)
    return out[: x.size]


def _grid(low, high):
    rng = np.random.default_rng(0)
    return np.concatenate([np.linspace(low, high, 4001), rng.normal(size=999), [0.0, -0.0]])


def test_exp_is_accurate_to_a_few_ulp_over_the_normal_range():
    x = _grid(-708, 709)
    expected = np.exp(x.astype(np.longdouble))
    error = np.abs(_apply(_exp, x) / expected - 1).max()
    assert error < 3 * np.finfo(float).eps


def test_exp_saturates_at_zero_and_infinity():
    x = np.array([-1e6, 1e6, -np.inf, np.inf, -0.0])
    np.testing.assert_array_equal(_apply(_exp, x), [0, np.inf, 0, np.inf, 1])


def test_exp_reaches_into_the_subnormal_numbers():
    x = np.array([-709.0, -720.0, -740.0])
    np.testing.assert_allclose(_apply(_exp, x), np.exp(x), rtol=1e-2, atol=1e-323)


def test_log_is_accurate_over_all_normal_numbers_and_near_one():
    info = np.finfo(float)
    exponents = np.linspace(np.log2(float(info.tiny)), np.log2(float(info.max)) - 1e-6, 4001)
    near_one = 1 + np.linspace(-0.5, 0.5, 2001)
    x = np.concatenate([2.0**exponents, near_one, [1 + info.eps, 1 - info.eps]])
    expected = np.log(x.astype(np.longdouble))
    error = np.abs(_apply(_log, x) - expected)
    assert (error <= 3 * info.eps * np.abs(expected)).all()


def test_log_of_one_is_exactly_zero():
    assert _apply(_log, np.ones(8)).tolist() == [0.0] * 8


def test_both_sigmoids_keep_full_relative_accuracy_when_tiny():
    x = _grid(-700, 700)[:4000]
    up, down = np.empty_like(x), np.empty_like(x)
    _sigmoids(x, up, down)
    wide = x.astype(np.longdouble)
    eps = np.finfo(float).eps
    assert np.abs(up * (1 + np.exp(-wide)) - 1).max() < 5 * eps
    assert np.abs(down * (1 + np.exp(wide)) - 1).max() < 5 * eps


def test_sigmoids_saturate_without_nan():
    x = np.array([-1e5, 1e5, -np.inf, np.inf, 0.0, 1.0, 2.0, 3.0])
    up, down = np.empty_like(x), np.empty_like(x)
    _sigmoids(x, up, down)
    np.testing.assert_allclose(up, expit(x), rtol=1e-15)
    np.testing.assert_allclose(down, expit(-x), rtol=1e-15)


def test_softplus_neither_overflows_nor_loses_absolute_accuracy():
    x = np.concatenate([_grid(-1000, 1000), _grid(-3, 3)])
    expected = np.logaddexp(0, x.astype(np.longdouble))
    error = np.abs(_apply(_softplus, x) - expected)
    assert (error <= 3 * np.finfo(float).eps * np.maximum(1, expected)).all()


def test_a_gate_has_the_bits_of_its_parts():
    x = _grid(-50, 50)[:4000]
    parts = [np.empty_like(x) for _ in range(5)]
    _gates(x, *parts[:3])
    _sigmoids(x, *parts[3:])
    np.testing.assert_array_equal(parts[:2], parts[3:])
    np.testing.assert_array_equal(parts[2], _apply(_softplus, x))


_decay = _rowwise(decay)


def test_decays_fall_on_both_sides_of_zero():
    x = np.concatenate(
        [np.linspace(-700.0, 700.0, 8000), [0.0, -0.0, 1e-30, -1e-30, 1, -1, 40, -40]]
    )
    found = np.empty(x.size)
    _decay(x, found)
    np.testing.assert_allclose(found, np.exp(-np.abs(x)), rtol=1e-15)
