"""exp, log and sigmoid of a whole row of lanes, without leaving the vector registers.

Range reduction by powers of two and a polynomial (exp: Taylor on |r| <= ln(2)/2; log: the series
of 2*atanh), with as many terms as the element type can resolve. Errors stay within a few units
in the last place; ``tests/kernels/cpu/test_elementary.py`` pins them to NumPy's.
"""

import math

import numpy as np
from numba import njit, types
from numba.extending import overload

from .lanes import Lanes, convert, fma, like, reinterpret, rint, select

_LOG2_E = 1.0 / math.log(2.0)
# ln 2 in two parts; the first has enough trailing zeros that k * part is exact (Cody & Waite).
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_LN2_HIGH_32, _LN2_LOW_32 = 6.93359375e-01, -2.12194440e-4
_SQRT_2 = math.sqrt(2.0)


def exp(row):
    """e**x of each lane; 0 below the smallest double, inf above the largest."""
    raise TypeError("exp is for compiled code")  # replaced by the overload below


def log(row):
    """Natural logarithm of each lane, which must be positive and not subnormal."""
    raise TypeError("log is for compiled code")


@overload(exp)
def _exp(row):
    if not isinstance(row, Lanes):
        return None
    if row.dtype == types.float64:
        coefficients = tuple(1.0 / math.factorial(k) for k in range(13, -1, -1))
        high, low, smallest, largest = _LN2_HIGH, _LN2_LOW, -746.0, 710.0
        integer, one, mantissa_bits, bias = np.int64, 1, 52, 1023
    else:
        coefficients = tuple(1.0 / math.factorial(k) for k in range(7, -1, -1))
        high, low, smallest, largest = _LN2_HIGH_32, _LN2_LOW_32, -104.0, 89.0
        integer, one, mantissa_bits, bias = np.int32, 1, 23, 127

    def implementation(row):
        x = select(row < like(row, smallest), like(row, smallest), row)
        x = select(x > like(x, largest), like(x, largest), x)
        k = rint(x * like(x, _LOG2_E))
        r = fma(k, like(x, -low), fma(k, like(x, -high), x))
        p = like(x, coefficients[0])
        for coefficient in coefficients[1:]:
            p = fma(p, r, like(x, coefficient))
        # 2**k in two factors, so that results near the ends of the range do not overflow early.
        whole = convert(k, integer)
        half = whole >> like(whole, one)
        for part in (half, whole - half):
            scale = (part + like(part, bias)) << like(part, mantissa_bits)
            p = p * reinterpret(scale, row_dtype)
        return p

    row_dtype = np.float64 if row.dtype == types.float64 else np.float32
    return implementation


@overload(log)
def _log(row):
    if not isinstance(row, Lanes):
        return None
    if row.dtype == types.float64:
        terms = 11
        high, low, integer, mantissa_bits, bias = _LN2_HIGH, _LN2_LOW, np.int64, 52, 1023
        row_dtype = np.float64
    else:
        terms = 5
        high, low, integer, mantissa_bits, bias = _LN2_HIGH_32, _LN2_LOW_32, np.int32, 23, 127
        row_dtype = np.float32
    mantissa_mask = (1 << mantissa_bits) - 1
    coefficients = tuple(2.0 / (2 * k + 1) for k in range(terms, 0, -1))

    def implementation(row):
        bits = reinterpret(row, integer)
        exponent = (bits >> like(bits, mantissa_bits)) - like(bits, bias)
        unit = (bits & like(bits, mantissa_mask)) | like(bits, bias << mantissa_bits)
        m = reinterpret(unit, row_dtype)
        above = m > like(m, _SQRT_2)
        m = select(above, m * like(m, 0.5), m)
        e = convert(exponent, row_dtype)
        e = select(above, e + like(e, 1.0), e)
        t = (m - like(m, 1.0)) / (m + like(m, 1.0))
        square = t * t
        p = like(t, coefficients[0])
        for coefficient in coefficients[1:]:
            p = fma(p, square, like(t, coefficient))
        series = fma(p * square, t, t + t)
        return fma(e, like(e, high), fma(e, like(e, low), series))

    return implementation


@njit(cache=True)
def sigmoids(row):
    """sigmoid(x) and sigmoid(-x), both to full relative accuracy (they may be tiny)."""
    magnitude = select(row < like(row, 0.0), row, like(row, 0.0) - row)
    e = exp(magnitude)
    large = like(row, 1.0) / (like(row, 1.0) + e)
    small = e * large
    positive = row > like(row, 0.0)
    return select(positive, large, small), select(positive, small, large)


@njit(cache=True)
def softplus(row):
    """log(1 + e**x) of each lane, without overflow; absolute error near one ulp of 1."""
    magnitude = select(row < like(row, 0.0), row, like(row, 0.0) - row)
    positive_part = select(row > like(row, 0.0), row, like(row, 0.0))
    return positive_part + log(like(row, 1.0) + exp(magnitude))
