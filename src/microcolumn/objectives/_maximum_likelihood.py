"""Exact maximum likelihood: minus the mean log likelihood, with exact gradients."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ..parameters import Parameters
from ..partition import exact_expectations
from ..validation import Floats, chunks
from ..words import Words, as_words
from ._objective import Objective
from ._sparse_words import SparseWords

#: Units from which on sums over the data go through the active bits of its words alone.
_MANY_UNITS = 64


def negative_log_likelihood(
    theta: Parameters, words: Words | ArrayLike
) -> tuple[float, Parameters]:
    """Minus the mean log likelihood of the words (nats per word) and its gradient.

    The gradient is the model's expectation of x, xx', x*sigmoid(z) and sigmoid(z) minus the
    data's, and that of a potential the probability of each number of active units minus its share
    of the words; the model's comes from the same exact sum as log Z (docs/method.md, section 5).

    Examples
    --------
    >>> value, gradient = negative_log_likelihood(Parameters(b=[0.0]), [[0], [1], [1], [1]])
    >>> round(value, 4), gradient.b.tolist()
    (0.6931, [-0.25])
    """
    return NegativeLogLikelihood(words)(theta)


class NegativeLogLikelihood(Objective):
    """The objective prepared for many evaluations on the same words.

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Binary words.
    """

    def __init__(self, words: Words | ArrayLike) -> None:
        self.words = as_words(words)
        self._weights = self.words.counts / self.words.counts.sum()
        n_dims = self.words.X.shape[1]
        self._rates = np.zeros(n_dims)
        self._pairs = np.zeros((n_dims, n_dims))
        active = self.words.X.sum(axis=1, dtype=np.intp)
        self._counts: Floats = np.bincount(active, self._weights, n_dims + 1).astype(np.float64)
        for part in chunks(*self.words.X.shape):
            x = self.words.X[part].astype(np.float64)
            weighted = x * self._weights[part, None]
            self._rates += weighted.sum(axis=0)
            self._pairs += weighted.T @ x
        # The product may be symmetric only up to rounding; the diagonal is not a coupling.
        self._pairs = 0.5 * (self._pairs + self._pairs.T)
        np.fill_diagonal(self._pairs, 0.0)
        self._sparse = SparseWords.of(self.words.X) if n_dims >= _MANY_UNITS else None

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value and gradient at ``theta``."""
        if theta.n_visible != self._rates.size:
            raise ValueError(
                f"the model has {theta.n_visible} units but the words have {self._rates.size}; "
                "fit and score on the same units"
            )
        log_z, model = exact_expectations(theta)
        mean_log_weight = float(theta.b @ self._rates)
        J = W = c = v = None
        if theta.J is not None and model.J is not None:
            mean_log_weight += float((theta.J * self._pairs).sum())
            J = model.J - self._pairs
        if theta.W is not None and theta.c is not None:
            hidden, data_W, data_c = self._hidden(theta.W, theta.c)
            mean_log_weight += hidden
            # Same kind as theta, so the model's expectations have these parts too.
            W, c = np.asarray(model.W) - data_W, np.asarray(model.c) - data_c
        if theta.v is not None:
            mean_log_weight += float(theta.v @ self._counts)
            v = np.asarray(model.v) - self._counts
        gradient = Parameters.trusted(model.b - self._rates, J, W, c, v)
        return log_z - mean_log_weight, gradient

    def _hidden(self, weights: Floats, biases: Floats) -> tuple[float, Floats, Floats]:
        """The data's mean of sum_i softplus(z_i), of x*sigmoid(z) and of sigmoid(z)."""
        if self._sparse is not None:
            hidden = Parameters.trusted(np.zeros(len(weights)), None, weights, biases)
            found = self._sparse.moments(hidden, self._weights)
            mean = float(self._weights @ self._sparse.log_weights(hidden))
            return mean, np.asarray(found.W), np.asarray(found.c)
        value, W, c = 0.0, np.zeros_like(weights), np.zeros_like(biases)
        for part in chunks(self.words.X.shape[0], max(weights.shape)):
            x = self.words.X[part].astype(np.float64)
            z = biases + x @ weights
            value += float(self._weights[part] @ np.logaddexp(0.0, z).sum(axis=1))
            weighted = expit(z) * self._weights[part, None]
            W += x.T @ weighted
            c += weighted.sum(axis=0)
        return value, W, c
