"""Exact maximum likelihood: minus the mean log likelihood, with exact gradients."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import ExactSums, one_blas_thread
from ..layout import Layout
from ..parameters import Parameters
from ..partition import exact_expectations
from ..validation import Floats
from ..words import Words, as_words
from ._fisher import FisherInformation
from ._objective import Objective
from .data_moments import DataMoments, difference


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
    ``DataMoments``.
    """

    has_curvature = True

    def __init__(self, words: Words | ArrayLike, prior: Floats | None = None) -> None:
        words = as_words(words)
        self._data, self._fisher = DataMoments(words, prior), FisherInformation(words)
        self._sums = ExactSums()

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
