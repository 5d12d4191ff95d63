"""What the likelihood needs of the data: the mean of log p~ and its gradient."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..energy import FreeTerm, Tables, log_weight, term_moments
from ..kernels import ModelArrays
from ..kernels.gates import softplus_and_sigmoid
from ..parameters import Parameters
from ..validation import Floats, chunks
from ..words import Words
from ._objective import check_same_units
from ._strengths import pair_rates
from .sparse_words import SparseWords

#: Units from which on hidden units are given the active bits of words alone.
_MANY_UNITS = 64
#: Bits of words that are kept as floats, and inputs of hidden units that stay in the cache.
_MOST_FLOATS, _MOST_INPUTS = 1 << 23, 1 << 15


class MeanLogWeight(Protocol):
    """The mean of log p~ over data, and its gradient, at any parameters."""

    words: Words  # of the data, or alike where the data are none: chains start there

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Mean of log p~ (nats per word) and its gradient at ``theta``."""


class DataMoments:
    """Mean of log p~ over words, and its gradient, for many evaluations on the same words.

    Means of x, xx' and the number of active units do not depend on the parameters; they are
    summed once. What hidden units add is summed at each evaluation.

    ``prior`` (n_units,) are rates, neither 0 nor 1, of independent units of which one more word is
    counted. Then the means are those of a distribution that is positive everywhere, so that biases
    and strengths of functions of a few units have a finite optimum, whatever the data; other
    parameters know no prior.
    """

    def __init__(self, words: Words, prior: Floats | None = None) -> None:
        self.words, self._prior = words, prior
        # Whole weights count as that many words.
        n_words = max(float(words.counts.sum()), float(words.n_bins))
        self._prior_share = 0.0 if prior is None else 1.0 / (n_words + 1.0)
        self._weights, n_dims = words.counts / words.counts.sum(), words.n_dims
        self._pairs = pair_rates(words)
        self._rates = np.diagonal(self._pairs).copy()
        np.fill_diagonal(self._pairs, 0.0)
        active = words.X.sum(axis=1, dtype=np.intp)
        self._counts: Floats = np.bincount(active, self._weights, n_dims + 1).astype(np.float64)
        self._sparse = SparseWords.of(words.X) if n_dims >= _MANY_UNITS else None
        if self._sparse is None:  # words in columns, after a bit that is always on
            bits = np.insert(words.X.T, 0, 1, axis=0)
            self._bits = bits.astype(np.float64) if bits.size <= _MOST_FLOATS else bits
            self._memory = np.empty((2, 0, 0))
        self._means: tuple[Floats, Floats] | None = None  # functions and their means
        self._word_rates = self._rates.copy()
        if prior is not None:
            self._rates += self._prior_share * (prior - self._rates)

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Mean of log p~ (nats per word) and its gradient at ``theta``."""
        check_same_units(theta.n_visible, self._rates.size)
        if theta.is_gaussian:
            pairs, constant = theta.as_pairs()
            mean, moments = self(pairs)
            return mean + constant, theta.pulled_back(moments, 1.0)
        mean = float(theta.b @ self._rates)
        J = W = c = v = None
        if theta.J is not None:
            J, mean = self._pairs, mean + float(np.vdot(theta.J, self._pairs))
        if theta.W is not None and theta.c is not None:
            of_hidden, W, c = self._hidden(theta.W, theta.c)
            mean += of_hidden
        if theta.v is not None:
            v, mean = self._counts, mean + float(theta.v @ self._counts)
        term = theta.term
        if term is not None and not term.is_linear:
            return self._nonlinear(theta)
        if term is not None:
            means = self._term_means(term)
            mean, term = mean + float(term.total @ means), term.with_strengths(means)
        return mean, Parameters.trusted(self._rates, J, W, c, v, theta.hidden, term)

    def _nonlinear(self, theta: Parameters) -> tuple[float, Parameters]:
        """The same where slopes depend on the parameters, but for the prior."""
        assert theta.term is not None
        parts = chunks(len(self._weights), theta.n_visible, _MOST_FLOATS)
        words = [(self.words.X[part], self._weights[part]) for part in parts]
        mean = sum(float(weights @ log_weight(theta, X)) for X, weights in words)
        of_term = term_moments(theta, words)
        if theta.term.holds_fields:
            return mean, of_term
        mean += float(theta.b @ (self._rates - self._word_rates))
        return mean, Parameters.trusted(self._rates, None, None, None, term=of_term.term)

    def _term_means(self, term: FreeTerm) -> Floats:
        """Means of the slopes of a linear term, kept for models with other strengths of it."""
        if self._means is None or self._means[0] is not term.fixed:
            means = term.means(self.words.X, self._weights)
            if self._prior is not None and isinstance(term, Tables):
                means += self._prior_share * (term.independent_means(self._prior) - means)
            self._means = term.fixed, means
        return self._means[1]

    def _hidden(self, weights: Floats, biases: Floats) -> tuple[float, Floats, Floats]:
        """Mean of sum_i softplus(z_i), of x*sigmoid(z) and of sigmoid(z)."""
        live = np.asarray(weights.any(axis=0))
        if live.all() or not live.any():
            return self._live(weights, biases)
        value, of_live, means = self._live(weights[:, live], biases[live])
        moments = ModelArrays(self._word_rates, None, of_live, means).with_dead_units(biases, live)
        return value + float(np.logaddexp(0.0, biases[~live]).sum()), *moments.hidden

    def _live(self, weights: Floats, biases: Floats) -> tuple[float, Floats, Floats]:
        if self._sparse is not None:
            hidden = Parameters.trusted(np.zeros(len(weights)), None, weights, biases)
            log_weights, moments = self._sparse.sums(hidden, self._weights)
            return float(self._weights @ log_weights), np.asarray(moments.W), np.asarray(moments.c)
        parts = chunks(len(self._weights), biases.size, _MOST_INPUTS)
        if self._memory.shape != (shape := (2, biases.size, parts[0].stop)):
            self._memory = np.empty(shape)
        all_weights = np.concatenate([biases[:, None], weights.T], axis=1)
        value, sums = 0.0, np.zeros_like(all_weights)
        for part in parts:
            bits = self._bits[:, part].astype(np.float64, copy=False)
            z, factors = self._memory[:, :, : bits.shape[1]]
            np.matmul(all_weights, bits, out=z)
            softplus, sigmoid = softplus_and_sigmoid(z, factors)
            value += float(self._weights[part] @ softplus)
            sigmoid *= self._weights[part]
            sums += sigmoid @ bits.T
        return value, sums[:, 1:].T, sums[:, 0]


def difference(first: Parameters, second: Parameters) -> Parameters:
    """First minus second, part by part; both have the same kind."""
    pairs = ((getattr(first, name), getattr(second, name)) for name in "JWcv")
    J, W, c, v = (None if a is None or b is None else a - b for a, b in pairs)
    term = first.term
    if term is not None and second.term is not None:
        term = term.with_strengths(term.strengths - second.term.strengths)
    return Parameters.trusted(first.b - second.b, J, W, c, v, first.hidden, term)
