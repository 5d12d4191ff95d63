"""The maximum of the likelihood next to a fit, and the information of the words there.

The mean of log p over the words has the gradient E_data[f] - E_model[f], where f = d log p~ / d
theta. The information is Cov_model[f], from words that the model draws, or all words of a few bits:
unlike minus the second derivative it is never negative, so that steps lead upwards from anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from ..energy import log_weight
from ..kernels.states import states
from ..layout import Layout
from ..objectives import NegativeLogLikelihood
from ..parameters import Parameters
from ..partition import exact_samples
from ..validation import Bits, Floats, chunks
from ..words import Words

#: Words of so many bits are all taken; of longer ones so many are drawn.
_MOST_BITS_OF_ALL, _DRAWS = 12, 1 << 18
#: Standard deviation (nats) of a weak normal prior on weights, couplings and hidden biases, which
#: keeps what the words do not determine in reach; its error is then too large for an interval.
_PRIOR_SD = 5.0
#: Smallest curvature, of the information with 1 on its diagonal, that counts as one.
_FLAT = 1e-6
#: Steps aim at a slope of this many standard errors, and have arrived below the second number.
_AIM, _ARRIVED = 0.02, 0.3
#: Steps between two computations of the information, and how often that is done.
_STEPS, _ROUNDS = 60, 3


class Maximum(NamedTuple):
    """Where the likelihood is largest."""

    x: Floats
    inverse: Floats  # of the information of one word
    mean: Floats  # E_model[f]
    arrived: bool  # whether the steps came to an end


class Likelihood:
    """Mean log likelihood of words, with a weak prior, as a function of the free parameters.

    Free are all biases, and what the fit ``theta`` did not set to zero. ``X`` (n_distinct, n) are
    the words, which occur ``counts`` (n_distinct,) times.
    """

    def __init__(self, theta: Parameters, X: Bits, counts: Floats) -> None:
        self.X, self.layout = X, (layout := Layout.of(theta))
        self.start, self.n_words = layout.pack(theta), float(counts.sum())
        self.free = self.start != 0.0
        self.free[layout.fields] = self.free[layout.hidden_biases] = True
        seen = counts > 0.0
        self._objective = NegativeLogLikelihood(
            Words.from_array(X[seen], sample_weight=counts[seen])
        )
        # A pair adds twice its coupling to log p~, and that is what the prior is of.
        self._prior = layout.multiplicity**2 / (_PRIOR_SD**2 * self.n_words)
        self._prior[layout.fields] = 0.0

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        """Minus the value and its slope, nats per word."""
        value, gradient = self._objective(self.layout.unpack(x))
        slope = self.layout.pack_gradient(gradient) + self._prior * x
        return value + 0.5 * float(self._prior @ x**2), slope

    def information(self, x: Floats) -> tuple[Floats, Floats]:
        """Inverse information (0 for what is not free) and the model's E[f]."""
        layout = self.layout
        mean, second = np.zeros(layout.size), np.zeros((layout.size, layout.size))
        theta = layout.unpack(x)
        X, share = _words_of(theta)
        for part in chunks(len(X), layout.size, 1 << 21):
            f = layout.design(theta, X[part])
            mean += share[part] @ f
            second += (f * share[part, None]).T @ f
        found = second - np.outer(mean, mean) + np.diag(self._prior)
        free = np.ix_(self.free, self.free)
        inverse = np.zeros_like(found)
        inverse[free] = _inverse(found[free])
        return inverse, mean

    def climb(self, x: Floats, inverse: Floats) -> tuple[Floats, float]:
        """Steps upwards by L-BFGS, and the largest slope that is left, in standard errors.

        Coordinates are such that the errors are 1 and independent where ``inverse`` holds.
        """
        free = self.free
        root = np.linalg.cholesky(inverse[np.ix_(free, free)]) / np.sqrt(self.n_words)

        def moved(u: Floats) -> Floats:
            there = x.copy()
            there[free] += root @ u
            return there

        def value(u: Floats) -> tuple[float, Floats]:
            minus, slope = self(moved(u))
            return self.n_words * minus, self.n_words * (root.T @ slope[free])

        found = minimize(
            value,
            np.zeros(int(free.sum())),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _STEPS, "gtol": _AIM, "ftol": 1e-15, "maxcor": 30},
        )
        return moved(found.x), float(np.max(np.abs(found.jac), initial=0.0))

    def maximum(self) -> Maximum:
        """The maximum next to the fit."""
        x, left = self.start, np.inf
        inverse, mean = self.information(x)
        for _ in range(_ROUNDS):
            x, left = self.climb(x, inverse)
            inverse, mean = self.information(x)
            if left < _ARRIVED:
                break
        return Maximum(x, inverse, mean, left < _ARRIVED)


def _words_of(theta: Parameters) -> tuple[Bits, Floats]:
    """Words of the model and the share of each: all if they are few, else some that it draws."""
    if theta.n_visible <= _MOST_BITS_OF_ALL:
        every = states(theta.n_visible)
        log_p = log_weight(theta, every)
        return every.astype(np.uint8), np.exp(log_p - logsumexp(log_p))
    found = Words.from_array(exact_samples(theta, _DRAWS, np.random.default_rng(0)))
    return found.X, found.counts / found.counts.sum()


def _inverse(information: Floats) -> Floats:
    """Inverse of the information, with so little curvature at least in any direction.

    Errors along directions that have less are too large for an interval.
    """
    scale = np.sqrt(np.maximum(np.diagonal(information), 1e-300))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    scaled = vectors / np.maximum(values, _FLAT) @ vectors.T
    return np.asarray(scaled / np.outer(scale, scale), dtype=np.float64)
