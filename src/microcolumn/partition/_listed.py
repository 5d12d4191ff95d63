"""Expectations of small models by listing all words: the definition, as matrix products."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..energy import softplus_and_sigmoid
from ..parameters import Parameters
from ..validation import Floats
from ._enumeration import states


@lru_cache(maxsize=4)
def _all_words(n_units: int) -> Floats:
    """All words of so many units, shape (2^n_units, n_units)."""
    words = states(n_units)
    words.flags.writeable = False
    return words


def listed_expectations(theta: Parameters) -> tuple[float, Parameters]:
    """Log Z and its gradient, as :func:`exact_expectations` gives them, from a list of all words.

    Where they are few, this is quicker than to plan a sum and to run a kernel.
    """
    X = _all_words(theta.n_visible)
    log_p = X @ theta.b
    hidden: Floats | None = None
    n_active: Floats | None = None
    if theta.J is not None:
        log_p += np.einsum("xn,xn->x", X @ theta.J, X)
    if theta.W is not None and theta.c is not None:
        added, hidden = softplus_and_sigmoid(theta.c + X @ theta.W)
        log_p += added
    if theta.v is not None:
        n_active = X.sum(axis=1)
        log_p += theta.v[n_active.astype(np.intp)]
    highest = float(log_p.max())
    p = np.exp(log_p - highest)
    total = float(p.sum())
    p /= total
    J = W = c = v = None
    weighted = X * p[:, None]
    if theta.J is not None:
        pairs = weighted.T @ X
        J = 0.5 * (pairs + pairs.T)
        np.fill_diagonal(J, 0.0)
    if hidden is not None:
        W, c = weighted.T @ hidden, p @ hidden
    if n_active is not None:
        v = np.bincount(n_active.astype(np.intp), p).astype(np.float64)
    gradient = Parameters.trusted(weighted.sum(axis=0), J, W, c, v)
    return highest + float(np.log(total)), gradient
