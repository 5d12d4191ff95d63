"""What an objective over single flips takes from each: a term, and the term's slope.

With Delta the change of log p~ along a flip, minimum probability flow adds up exp(Delta / 2) and
pseudolikelihood, which is ``logistic``, softplus(Delta) (docs/method.md, section 3).

A flip comes as exp(Delta / 2) = ``base * sqrt(mantissa)``. Where the kernel is careful, ``base`` is
a logarithm, and ``exponent`` counts further factors of sqrt(2). The sum of terms so far is kept as
``total`` plus the log of ``product``, so that one logarithm is taken of many factors.
"""

import numpy as np

from ..compile import subroutine
from ..simd.elementary import exp, frexp, log
from ..simd.lanes import fma, select, sqrt, vmax

_LN2 = np.log(2.0)
_HALF_LN2 = 0.5 * _LN2


@subroutine(forceinline=True)
def slopes(logistic, careful, base, mantissa, exponent, weight, product, total):
    """Slopes g = weight * d term / d Delta of a row of flips, then ``product`` and ``total``.

    Of flow, half the weight is a part of ``base``, so that both may be tiny: then terms are their
    own slopes. Of pseudolikelihood, the plain way's exp(Delta) is in range because exp(Delta / 2)
    keeps within the bounds of ``mpf_tables.py``; the careful way's Delta may have any size.
    """
    if not logistic:
        if careful is not None:
            g = exp(fma(exponent, _HALF_LN2, base)) * sqrt(mantissa)
        else:
            g = base * sqrt(mantissa)
        return g, product, total + g
    if careful is not None:
        delta = base + base + fma(exponent, _LN2, log(mantissa))
        positive = vmax(delta, 0.0)
        odds = exp(delta - positive - positive)  # of the less likely of the two words
        factor = 1.0 + odds
        sigmoid = select(delta > 0.0, 1.0, odds) / factor
        total = total + positive
    else:
        odds = base * base * mantissa
        factor = 1.0 + odds
        sigmoid = odds / factor
    product, powers = frexp(product * factor)
    return weight * sigmoid, product, fma(powers, _LN2, total)


@subroutine(forceinline=True)
def terms(logistic, weight, product, total):
    """The row's sums of terms."""
    return weight * (total + log(product)) if logistic else total
