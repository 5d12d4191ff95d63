"""Sigmoids of many inputs and sums of their softplus, from one exponential each."""

from __future__ import annotations

import numpy as np

from ..validation import Floats

#: exp of an input up to this one is finite, and so is a product of factors within _PRODUCT nats.
_LARGEST, _PRODUCT = 600.0, 690.0


def softplus_and_sigmoid(z: Floats, factors: Floats | None = None) -> tuple[Floats, Floats]:
    """Sum of softplus(z) over hidden units, shape (n_words,), and sigmoid(z), written over ``z``.

    Parameters
    ----------
    z : ndarray, shape (n_hidden, n_words)
        Inputs. It is overwritten.
    factors : ndarray, shape (n_hidden, n_words), optional
        Memory to work in.
    """
    top, sums = float(z.max(initial=0.0)), np.zeros(z.shape[1])
    if top > _LARGEST:
        sums += np.maximum(z - _LARGEST, 0.0).sum(axis=0)
        np.minimum(z, _LARGEST, out=z)
        top = _LARGEST
    np.exp(z, out=z)
    factors = np.add(z, 1.0, out=factors)
    # The logarithm of a product of as many factors as stay in range serves all of them.
    step = int(_PRODUCT / (top + 0.7))
    for first in range(0, len(z), step):
        sums += np.log(np.multiply.reduce(factors[first : first + step], axis=0))
    z /= factors
    return sums, z
