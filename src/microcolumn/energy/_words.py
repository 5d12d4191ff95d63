"""Energies and hidden means of the model family, and numbers of active units (docs/method.md).

Plain NumPy on dense arrays: these are the definitions that the kernels are tested against, and
they are fast enough for everything that is done once per word.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..parameters import Parameters
from ..validation import Floats, chunks


def log_weight(theta: Parameters, X: ArrayLike) -> Floats:
    """Unnormalised log probability log p~(x) of each word, nats, shape (n_words,).

    ``X`` are binary words, shape (n_words, n_visible). The energy is the negative of it.
    """
    words = np.asarray(X)
    out = np.zeros(words.shape[0])
    for part in chunks(len(words), max(theta.n_visible, theta.n_hidden), 1 << 22):
        x = words[part].astype(np.float64)
        for term in theta.terms:
            out[part] += term.log_weight(x)
    return out


def term_moments(
    theta: Parameters, parts: Iterable[tuple[NDArray[np.generic], Floats]]
) -> Parameters:
    """Slopes of log p~ of biases and a further term, summed over words (n_words, n_visible).

    Words come with their weights (n_words,), some at a time.
    """
    assert theta.term is not None
    b, strengths = np.zeros(theta.n_visible), np.zeros(theta.term.strengths.size)
    for words, weights in parts:
        found = theta.moments(words.astype(np.float64), weights)
        assert found.term is not None
        b, strengths = b + found.b, strengths + found.term.strengths
    return Parameters.trusted(b, None, None, None, term=theta.term.with_strengths(strengths))


def hidden_mean(theta: Parameters, X: ArrayLike) -> Floats:
    """Mean of each hidden unit given each word, shape (n_words, n_hidden): p(h_i = 1 | x)."""
    words = np.asarray(X, dtype=np.float64)
    if theta.W is None or theta.c is None:
        return np.zeros((words.shape[0], 0))
    return theta.hidden.mean(theta.c + words @ theta.W)


def number_active(active: Floats, silent: Floats, most: int | None = None) -> Floats:
    """P(k active) of independent units, the Poisson binomial distribution, (n_rows, most + 1).

    ``active`` and ``silent`` (n_rows, n_units) are probabilities of a spike and of none, which add
    up to 1: all terms are positive, so that nothing cancels. By default ``most`` is ``n_units``.
    """
    n_rows, n_units = active.shape
    most = n_units if most is None else most
    p = np.zeros((n_rows, most + 1))
    p[:, 0] = 1.0
    for n in range(n_units):
        k = min(n + 1, most)
        p[:, 1 : k + 1] = p[:, 1 : k + 1] * silent[:, n, None] + p[:, :k] * active[:, n, None]
        p[:, 0] *= silent[:, n]
    return p


def log_symmetric(log_odds: Floats, most: int | None = None) -> Floats:
    """Log of the sum over words of K active units of the product of their odds, for every K.

    Along the last axis, of units; by default K runs up to their number.
    """
    n_units = log_odds.shape[-1]
    most = n_units if most is None else most
    out = np.full((*log_odds.shape[:-1], most + 1), -np.inf)
    out[..., 0] = 0.0
    for n in range(n_units):
        k = min(n + 1, most)
        grown = out[..., :k] + log_odds[..., n, None]
        out[..., 1 : k + 1] = np.logaddexp(out[..., 1 : k + 1], grown)
    return out
