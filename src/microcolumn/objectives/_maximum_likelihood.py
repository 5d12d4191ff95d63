"""Exact maximum likelihood: minus the mean log likelihood, with exact gradients."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import ExactSums, one_blas_thread
from ..layout import Layout
from ..parameters import Parameters
from ..partition import exact_expectations
from ..validation import Floats, chunks
from ..words import Words, as_words
from ._objective import Objective
from .data_moments import DataMoments, MeanLogWeight, difference

#: Distinct words from which on draws of this many stand for them in the Fisher information.
_MOST_WORDS = 1 << 14


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

    ``prior`` (n_units,) are rates of independent units of which one more word is counted; see
    ``DataMoments``. ``data`` stand for the words where these are not the data themselves.
    """

    has_curvature = True

    def __init__(
        self,
        words: Words | ArrayLike,
        prior: Floats | None = None,
        data: MeanLogWeight | None = None,
    ) -> None:
        words = as_words(words)
        self._data = DataMoments(words, prior) if data is None else data
        self._fisher, self._sums = FisherInformation(words), ExactSums()

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        with one_blas_thread():
            return self._at(theta)

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """Value and derivatives at a vector, within ``one_blas_thread``: to begin it takes long."""
        value, slopes = self._at(layout.unpack(x))
        gradient[:] = layout.pack_gradient(slopes)
        return value

    def _at(self, theta: Parameters) -> tuple[float, Parameters]:
        mean_log_weight, data = self._data(theta)
        log_z, model = exact_expectations(theta, self._sums)
        return log_z - mean_log_weight, difference(model, data)

    def curvature(self, x: Floats, layout: Layout, coordinates: NDArray[np.intp]) -> Floats:
        """The Fisher information that the words show, shape (n, n)."""
        return self._fisher(x, layout, coordinates)


class FisherInformation:
    """Covariance over the words of the slopes of log p~, for many models of the same words.

    Where a model describes the words it is the second derivative of minus the mean log likelihood;
    elsewhere it is a positive matrix of the same scale.
    """

    def __init__(self, words: Words) -> None:
        shares, X = words.counts / words.counts.sum(), words.X
        if len(words) > _MOST_WORDS:
            drawn = np.random.default_rng(0).choice(len(words), size=_MOST_WORDS, p=shares)
            places, counts = np.unique(drawn, return_counts=True)
            X, shares = X[places], counts / _MOST_WORDS
        self._words, self._shares = X, shares

    def __call__(self, x: Floats, layout: Layout, coordinates: NDArray[np.intp]) -> Floats:
        """Covariance (n, n) of the model's slopes along ``coordinates`` (n,), places in ``x``."""
        theta = layout.unpack(x)
        products, means = np.zeros((coordinates.size, coordinates.size)), np.zeros(coordinates.size)
        for part in chunks(self._shares.size, coordinates.size + layout.n_hidden):
            slopes = layout.design(theta, self._words[part], coordinates).T
            roots = np.sqrt(self._shares[part])
            slopes *= roots
            products += slopes @ slopes.T  # symmetric to NumPy, at half the cost
            means += slopes @ roots
        return products - np.outer(means, means)
