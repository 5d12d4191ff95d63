"""exp, log, sigmoid and softplus of rows of doubles, without leaving the vector registers.

Range reduction by powers of two and a polynomial (exp: Taylor on |r| <= ln(2)/2; log: the series
of 2*atanh), with as many terms as a double can resolve. Errors stay within a few units in the last
place; ``tests/kernels/simd/test_elementary.py`` pins them to NumPy's.
"""

import math

import numpy as np

from ..compile import subroutine
from .lanes import convert, fma, reinterpret, rint, select

_LOG2_E = 1.0 / math.log(2.0)
_SQRT_2 = math.sqrt(2.0)
# Of a double: bits of the mantissa, bias of the exponent, and its bits in 1.0.
_MANTISSA_BITS, _BIAS = 52, 1023
_MANTISSA, _ONE = (1 << _MANTISSA_BITS) - 1, _BIAS << _MANTISSA_BITS
# ln 2 in two parts, of which the first ends in so many zeros that its product with an exponent is
# exact (Cody & Waite).
_HIGH, _LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_SMALLEST, _LARGEST = -746.0, 710.0  # beyond these e**x is 0 or inf
_EXP_SERIES = tuple(1.0 / math.factorial(k) for k in range(13, -1, -1))
_LOG_SERIES = tuple(2.0 / (2 * k + 1) for k in range(11, 0, -1))


@subroutine
def exp(row):
    """e**x of each lane; 0 below the smallest double, inf above the largest."""
    x = select(row < _SMALLEST, _SMALLEST, row)
    x = select(x > _LARGEST, _LARGEST, x)
    k = rint(x * _LOG2_E)
    r = fma(k, -_LOW, fma(k, -_HIGH, x))
    p = fma(r, _EXP_SERIES[0], _EXP_SERIES[1])
    for coefficient in _EXP_SERIES[2:]:
        p = fma(p, r, coefficient)
    # 2**k in two factors, so that results near the ends of the range do not overflow early.
    whole = convert(k, np.int64)
    half = whole >> 1
    for part in (half, whole - half):
        p = p * reinterpret((part + _BIAS) << _MANTISSA_BITS, np.float64)
    return p


@subroutine
def log(row):
    """Natural logarithm of each lane, which must be positive and not subnormal."""
    m, e = frexp(row)
    above = m > _SQRT_2
    m = select(above, m * 0.5, m)
    e = select(above, e + 1.0, e)
    t = (m - 1.0) / (m + 1.0)
    square = t * t
    p = fma(square, _LOG_SERIES[0], _LOG_SERIES[1])
    for coefficient in _LOG_SERIES[2:]:
        p = fma(p, square, coefficient)
    series = fma(p * square, t, t + t)
    return fma(e, _HIGH, fma(e, _LOW, series))


@subroutine
def frexp(row):
    """Mantissa in [1, 2) and exponent of each lane, which must be positive and not subnormal."""
    bits = reinterpret(row, np.int64)
    exponent = (bits >> _MANTISSA_BITS) - _BIAS
    return reinterpret((bits & _MANTISSA) | _ONE, np.float64), convert(exponent, np.float64)


@subroutine(forceinline=True)
def decay(row):
    """e**-|x| of each lane."""
    return exp(select(row > 0.0, 0.0 - row, row))


@subroutine(forceinline=True)
def _sigmoids(row, e):
    large = 1.0 / (1.0 + e)
    small = e * large
    positive = row > 0.0
    return select(positive, large, small), select(positive, small, large)


@subroutine(forceinline=True)
def _softplus(row, e):
    return select(row > 0.0, row, 0.0) + log(1.0 + e)


@subroutine
def sigmoids(row):
    """sigmoid(x) and sigmoid(-x), both to full relative accuracy (they may be tiny)."""
    return _sigmoids(row, decay(row))


@subroutine
def softplus(row):
    """log(1 + e**x) of each lane, without overflow; absolute error near one ulp of 1."""
    return _softplus(row, decay(row))


@subroutine
def gate(row):
    """sigmoid(x), sigmoid(-x) and softplus(x) of each lane from one exponential."""
    e = decay(row)
    s, sbar = _sigmoids(row, e)
    return s, sbar, _softplus(row, e)
