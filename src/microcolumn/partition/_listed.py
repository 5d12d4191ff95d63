"""Expectations of small models by listing all words: the definition, as matrix products."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..energy import softplus_and_sigmoid
from ..parameters import Parameters
from ..validation import Floats
from ._enumeration import states

_all_words = lru_cache(maxsize=4)(states)


def listed_expectations(theta: Parameters) -> tuple[float, Parameters]:
    """Log Z and its gradient, as :func:`exact_expectations` gives them, from a list of all words.

    Where they are few, this is quicker than to plan a sum and to run a kernel.
    """
    X: Floats = _all_words(theta.n_visible)
    n_active = X.sum(axis=1).astype(np.intp)
    log_p = X @ theta.b
    if theta.J is not None:
        log_p += np.einsum("xn,xn->x", X @ theta.J, X)
    if theta.v is not None:
        log_p += theta.v[n_active]
    if theta.W is not None and theta.c is not None:
        added, hidden = softplus_and_sigmoid(theta.c + X @ theta.W)
        log_p += added
    highest = float(log_p.max())
    p = np.exp(log_p - highest)
    total = float(p.sum())
    p /= total
    weighted = X * p[:, None]
    J = W = c = v = None
    if theta.J is not None:
        J = weighted.T @ X
        J = 0.5 * (J + J.T)  # which is symmetric only up to rounding
        np.fill_diagonal(J, 0.0)
    if theta.W is not None:
        W, c = weighted.T @ hidden, p @ hidden
    if theta.v is not None:
        v = np.bincount(n_active, p).astype(np.float64)
    gradient = Parameters.trusted(weighted.sum(axis=0), J, W, c, v)
    return highest + float(np.log(total)), gradient
