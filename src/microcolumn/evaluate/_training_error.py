"""How far the error of its training words moves a fitted model (docs/method.md, section 6)."""

from __future__ import annotations

import numpy as np

from ..energy import hidden_posterior
from ..parameters import Parameters
from ..validation import Bits, Floats
from ._goodness import WordSample

#: Words that the information is summed over at most, drawn among those of the model.
_MOST_WORDS = 20_000
#: With more free parameters a fit counts as free to follow all features of its training words.
MOST_PARAMETERS = 2_000


def training_error(
    theta: Parameters,
    X: Bits,
    sample: WordSample,
    rng: np.random.Generator,
    most_parameters: int = MOST_PARAMETERS,
) -> Floats:
    """Directions that fits scatter in, shape (n_directions, n_columns).

    Standard normal numbers (n_directions,) times them, over the root of the number of independent
    training words, are to first order the errors of the model's means of the columns after a fit
    by likelihood. ``X`` (n_distinct, n_dims) are the words of ``sample``, the model's own.
    """
    table, share = sample.table, sample.share / sample.share.sum()
    free = _n_free(theta) <= most_parameters
    most = _MOST_WORDS if free else MOST_PARAMETERS
    if share.size > most:
        counts = rng.multinomial(most, share)
        kept = np.flatnonzero(counts)
        X, table, share = X[kept], table[kept], counts[kept] / most
    root = share[:, None] ** 0.5
    if not free:
        return np.asarray(root * (table.toarray() - share @ table))
    score = _scores(theta, X)
    score = (score - share @ score) * root
    size, direction = np.linalg.eigh(score.T @ score)
    kept = np.flatnonzero(size > 1e-10 * size[-1])
    covariance = np.asarray((score * root).T @ table)
    return np.asarray((direction[:, kept] / size[kept] ** 0.5).T @ covariance)


def _n_free(theta: Parameters) -> int:
    couplings = 0 if theta.J is None else np.count_nonzero(theta.J) // 2
    weights = 0 if theta.W is None else np.count_nonzero(theta.W) + np.count_nonzero(theta.live)
    potential = 0 if theta.v is None else np.count_nonzero(theta.v)
    return int(theta.b.size + couplings + weights + potential)


def _scores(theta: Parameters, X: Bits) -> Floats:
    """Slopes of the log weight of each word with the parameters that a penalty left other than 0.

    Shape (n_words, n_free).
    """
    x = X.astype(np.float64)
    parts = [x]
    if theta.J is not None:
        i, j = np.nonzero(np.triu(theta.J, 1))
        parts.append(x[:, i] * x[:, j])
    if theta.W is not None:
        active = hidden_posterior(theta, X)
        n, k = np.nonzero(theta.W)
        parts += [active[:, theta.live], x[:, n] * active[:, k]]
    if theta.v is not None:
        n_active = X.sum(axis=1, dtype=np.intp)[:, None]
        parts.append((n_active == np.flatnonzero(theta.v)).astype(np.float64))
    return np.hstack(parts)
