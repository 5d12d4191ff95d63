"""exp, log, sigmoid and softplus of rows, without leaving the vector registers.

Range reduction by powers of two and a polynomial (exp: Taylor on |r| <= ln(2)/2; log: the series
of 2*atanh), with as many terms as the element type can resolve. Errors stay within a few units
in the last place; ``tests/kernels/simd/test_elementary.py`` pins them to NumPy's.
"""

import functools
import math

import numpy as np
from numba import types
from numba.extending import overload

from .compile import subroutine
from .lanes import Lanes, convert, fma, reinterpret, rint, select

_LOG2_E = 1.0 / math.log(2.0)
_SQRT_2 = math.sqrt(2.0)
# Number and integer type, bits of the mantissa, bias of the exponent, and ln 2 in two parts, of
# which the first ends in so many zeros that its product with an exponent is exact (Cody & Waite).
_DOUBLE = np.float64, np.int64, 52, 1023, 6.93147180369123816490e-01, 1.90821492927058770002e-10
_SINGLE = np.float32, np.int32, 23, 127, 6.93359375e-01, -2.12194440e-4


def _for_rows(choose):
    """Instruction for rows, implemented by what ``choose`` returns for the type of the row."""

    @functools.wraps(choose)
    def instruction(row):
        raise TypeError(f"{choose.__name__} is for compiled code")

    overload(instruction)(lambda row: choose(row) if isinstance(row, Lanes) else None)
    return instruction


@_for_rows
def exp(row):
    """e**x of each lane; 0 below the smallest double, inf above the largest."""
    is_double = row.dtype == types.float64
    number, integer, mantissa_bits, bias, high, low = _DOUBLE if is_double else _SINGLE
    terms, smallest, largest = (13, -746.0, 710.0) if is_double else (7, -104.0, 89.0)
    coefficients = tuple(1.0 / math.factorial(k) for k in range(terms, -1, -1))

    def implementation(row):
        x = select(row < smallest, smallest, row)
        x = select(x > largest, largest, x)
        k = rint(x * _LOG2_E)
        r = fma(k, -low, fma(k, -high, x))
        p = fma(r, coefficients[0], coefficients[1])
        for coefficient in coefficients[2:]:
            p = fma(p, r, coefficient)
        # 2**k in two factors, so that results near the ends of the range do not overflow early.
        whole = convert(k, integer)
        half = whole >> 1
        for part in (half, whole - half):
            p = p * reinterpret((part + bias) << mantissa_bits, number)
        return p

    return implementation


@_for_rows
def log(row):
    """Natural logarithm of each lane, which must be positive and not subnormal."""
    *_, high, low = _DOUBLE if row.dtype == types.float64 else _SINGLE
    terms = 11 if row.dtype == types.float64 else 5
    coefficients = tuple(2.0 / (2 * k + 1) for k in range(terms, 0, -1))

    def implementation(row):
        m, e = frexp(row)
        above = m > _SQRT_2
        m = select(above, m * 0.5, m)
        e = select(above, e + 1.0, e)
        t = (m - 1.0) / (m + 1.0)
        square = t * t
        p = fma(square, coefficients[0], coefficients[1])
        for coefficient in coefficients[2:]:
            p = fma(p, square, coefficient)
        series = fma(p * square, t, t + t)
        return fma(e, high, fma(e, low, series))

    return implementation


@_for_rows
def frexp(row):
    """Mantissa in [1, 2) and exponent of each lane, which must be positive and not subnormal."""
    number, integer, mantissa_bits, bias = (_DOUBLE if row.dtype == types.float64 else _SINGLE)[:4]
    mask, one = (1 << mantissa_bits) - 1, bias << mantissa_bits

    def implementation(row):
        bits = reinterpret(row, integer)
        exponent = (bits >> mantissa_bits) - bias
        return reinterpret((bits & mask) | one, number), convert(exponent, number)

    return implementation


@subroutine(inline="always")
def _decay(row):
    """e**-|x| of each lane."""
    return exp(select(row > 0.0, 0.0 - row, row))


@subroutine(inline="always")
def _sigmoids(row, e):
    large = 1.0 / (1.0 + e)
    small = e * large
    positive = row > 0.0
    return select(positive, large, small), select(positive, small, large)


@subroutine(inline="always")
def _softplus(row, e):
    return select(row > 0.0, row, 0.0) + log(1.0 + e)


@subroutine
def sigmoids(row):
    """sigmoid(x) and sigmoid(-x), both to full relative accuracy (they may be tiny)."""
    return _sigmoids(row, _decay(row))


@subroutine
def softplus(row):
    """log(1 + e**x) of each lane, without overflow; absolute error near one ulp of 1."""
    return _softplus(row, _decay(row))


@subroutine
def gate(row):
    """sigmoid(x), sigmoid(-x) and softplus(x) of each lane from one exponential."""
    e = _decay(row)
    s, sbar = _sigmoids(row, e)
    return s, sbar, _softplus(row, e)
