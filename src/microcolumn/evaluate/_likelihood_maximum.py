"""The maximum of the likelihood next to a fit, and the information of the words there.

The mean of log p over the words has the gradient E_data[f] - E_model[f], where f = d log p~ / d
theta. The information is Cov_model[f], from words that the model draws, or all words of a few bits:
unlike minus the second derivative it is never negative, so that steps lead upwards from anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from ..energy import log_weight
from ..kernels.states import states
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


class Layout:
    """Parameters of the usable bits as one vector: b, 2 J of pairs, W, c.

    ``free`` are those that are estimated: all biases, and what the fit did not set to zero.
    """

    def __init__(self, theta: Parameters, usable: NDArray[np.bool_]) -> None:
        """``theta`` is of the usable bits alone."""
        self.usable, self.n, self.n_hidden = usable, theta.n_visible, theta.n_hidden
        self.upper = np.triu_indices(self.n, 1) if theta.J is not None else None
        n_pairs = 0 if self.upper is None else self.upper[0].size
        ends = np.cumsum([self.n, n_pairs, self.n * self.n_hidden, self.n_hidden])
        self.size = int(ends[-1])
        self.b, self.J, self.W, self.c = (
            slice(int(end) - size, int(end))
            for end, size in zip(
                ends, (self.n, n_pairs, self.n * self.n_hidden, self.n_hidden), strict=True
            )
        )
        self.free = self.pack(theta) != 0.0
        self.free[self.b] = self.free[self.c] = True

    def pack(self, theta: Parameters, of_pairs: float = 2.0) -> Floats:
        """``of_pairs`` times J: 2 of parameters, 1 of derivatives by 2 J."""
        parts = [theta.b]
        if theta.J is not None and self.upper is not None:
            parts.append(of_pairs * theta.J[self.upper])
        if theta.W is not None and theta.c is not None:
            parts += [theta.W.ravel(), theta.c]
        return np.concatenate(parts)

    def small(self, x: Floats) -> Parameters:
        """Parameters of the usable bits alone."""
        J = W = c = None
        if self.upper is not None:
            J = np.zeros((self.n, self.n))
            J[self.upper] = 0.5 * x[self.J]
            J += J.T
        if self.n_hidden:
            W, c = self.weights(x), x[self.c]
        return Parameters.trusted(x[self.b], J, W, c)

    def unpack(self, x: Floats) -> Parameters:
        """Parameters of all bits, NaN for those that take no part."""
        small, total = self.small(x), self.usable.size
        b, J, W = np.full(total, np.nan), None, None
        b[self.usable] = small.b
        if small.J is not None:
            J = np.full((total, total), np.nan)
            J[np.ix_(self.usable, self.usable)] = small.J
        if small.W is not None:
            W = np.full((total, self.n_hidden), np.nan)
            W[self.usable] = small.W
        return Parameters.trusted(b, J, W, small.c)

    def weights(self, x: Floats) -> Floats:
        """W, shape (n, n_hidden)."""
        return x[self.W].reshape(self.n, self.n_hidden)

    def places(self, i: int) -> NDArray[np.int64]:
        """Where the weights and the bias of hidden unit ``i`` are."""
        weights = self.W.start + np.arange(self.n) * self.n_hidden + i
        return np.append(weights, self.c.start + i)

    def features(self, x: Floats, X: Bits) -> Floats:
        """Derivatives of log p~ by the parameters for some words, shape (n_words, size)."""
        bits = X.astype(np.float64)
        out = np.empty((len(X), self.size))
        out[:, self.b] = bits
        if self.upper is not None:
            out[:, self.J] = bits[:, self.upper[0]] * bits[:, self.upper[1]]
        if self.n_hidden:
            on = expit(x[self.c] + bits @ self.weights(x))
            out[:, self.W] = (bits[:, :, None] * on[:, None, :]).reshape(len(X), -1)
            out[:, self.c] = on
        return out


class Maximum(NamedTuple):
    """Where the likelihood is largest; ``inverse`` is that of the information of one word.

    ``arrived`` says whether the steps came to an end; ``mean`` is E_model[f].
    """

    x: Floats
    inverse: Floats
    mean: Floats
    arrived: bool


class Likelihood:
    """Mean log likelihood of words, with a weak prior, as a function of the free parameters.

    Parameters
    ----------
    layout : Layout
        Which parameters there are.
    X : ndarray of uint8, shape (n_distinct, n)
        Words of the usable bits.
    counts : ndarray, shape (n_distinct,)
        How often each occurs.
    """

    def __init__(self, layout: Layout, X: Bits, counts: Floats) -> None:
        self.layout, self.n_words = layout, float(counts.sum())
        seen = counts > 0.0
        self._objective = NegativeLogLikelihood(
            Words.from_array(X[seen], sample_weight=counts[seen])
        )
        self._prior = np.zeros(layout.size)
        self._prior[layout.n :] = 1.0 / (_PRIOR_SD**2 * self.n_words)

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        """Minus the value and its slope, nats per word."""
        value, gradient = self._objective(self.layout.small(x))
        slope = self.layout.pack(gradient, of_pairs=1.0) + self._prior * x
        return value + 0.5 * float(self._prior @ x**2), slope

    def information(self, x: Floats) -> tuple[Floats, Floats]:
        """Inverse information (0 for what is not free) and the model's E[f]."""
        layout = self.layout
        mean, second = np.zeros(layout.size), np.zeros((layout.size, layout.size))
        X, share = _words_of(layout.small(x))
        for part in chunks(len(X), layout.size, 1 << 21):
            f = layout.features(x, X[part])
            mean += share[part] @ f
            second += (f * share[part, None]).T @ f
        found = second - np.outer(mean, mean) + np.diag(self._prior)
        free = np.ix_(layout.free, layout.free)
        inverse = np.zeros_like(found)
        inverse[free] = _inverse(found[free])
        return inverse, mean

    def climb(self, x: Floats, inverse: Floats) -> tuple[Floats, float]:
        """Steps upwards by L-BFGS, and the largest slope that is left, in standard errors.

        Coordinates are such that the errors are 1 and independent where ``inverse`` holds.
        """
        free = self.layout.free
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

    def maximum(self, x: Floats) -> Maximum:
        """The maximum next to ``x``."""
        left = np.inf
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
