"""The conditional likelihood of the newest bin of a window given the bins before it.

log p(newest | past) = log p~(window) - log of the sum of p~ over the 2^n_units states of the newest
bin: no log Z of the window. What does not touch the newest bin cancels, and stays where it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..energy import log_weight
from ..errors import BadInput
from ..kernels import ModelArrays, NewestMoments, newest_moments, one_blas_thread
from ..kernels.states import states
from ..packing import distinct_pasts
from ..parameters import Parameters
from ..validation import Bits, Floats
from ..words import Words, as_words
from ._objective import Objective
from .data_moments import DataMoments, difference

#: Most units of a bin whose states are summed.
MOST_UNITS_OF_PAST = 16


def negative_conditional_likelihood(
    theta: Parameters, words: Words | ArrayLike
) -> tuple[float, Parameters]:
    """Minus the mean log likelihood of the newest bin given those before it, and its gradient.

    In nats per window; the gradient is 0 for biases of earlier bins and couplings between them,
    on which it does not depend. Of words of single bins it is the negative log likelihood.

    Examples
    --------
    >>> words = Words.from_array([[0], [1], [1], [1], [0]]).embed(2)
    >>> value, gradient = negative_conditional_likelihood(Parameters(b=[5.0, 0.0]), words)
    >>> round(value, 4), gradient.b.tolist()
    (0.6931, [0.0, -0.25])
    """
    return ConditionalLikelihood(as_words(words))(theta)


class ConditionalLikelihood(Objective):
    """:func:`negative_conditional_likelihood` prepared for many evaluations on the same words."""

    def __init__(self, words: Words) -> None:
        check_summable(words.n_units)
        self._data, self._newest = DataMoments(words), slice(words.n_dims - words.n_units, None)
        self._pasts, past = distinct_pasts(words.X, words.n_units)
        shares = np.bincount(past, words.counts, len(self._pasts))
        self._shares: Floats = shares / shares.sum()
        self._states = states(words.n_units)

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value, nats per window, and gradient at ``theta``."""
        with one_blas_thread():
            return self._at(theta)

    def _at(self, theta: Parameters) -> tuple[float, Parameters]:
        if theta.is_gaussian:
            value, slopes = self._at(theta.as_pairs()[0])
            return value, theta.pulled_back(slopes)
        theta = of_newest(theta, self._newest.start)
        mean_log_weight, data = self._data(theta)
        live, log_factor = theta.drop_dead_units()
        found = newest_moments(live.arrays, len(self._states[0]), self._pasts, self._shares)
        value = float(self._shares @ found.log_z) + log_factor - mean_log_weight
        model = self._model(found, data)
        if theta.c is not None:
            model = model.with_dead_units(theta.c, theta.live)
        J = None if theta.J is None else model.J
        return value, difference(Parameters.trusted(model.b, J, model.W, model.c), data)

    def _model(self, found: NewestMoments, data: Parameters) -> ModelArrays:
        """What the model expects where pasts are those of the data; of live hidden units."""
        newest, past = self._newest, slice(self._newest.start)
        x, shares = self._pasts.astype(np.float64), self._shares
        b, hidden = data.b.copy(), shares[:, None] * found.hidden
        b[newest] = shares @ found.active
        J = np.zeros((b.size, b.size)) if data.J is None else data.J.copy()
        J[newest, past] = (shares[:, None] * found.active).T @ x
        J[past, newest] = J[newest, past].T
        J[newest, newest] = (found.states[:, None] * self._states).T @ self._states
        np.fill_diagonal(J, 0.0)
        W = np.concatenate([x.T @ hidden, found.W])
        return ModelArrays(b, J, W, hidden.sum(axis=0))


def log_conditional(theta: Parameters, X: Bits, n_units: int) -> Floats:
    """Log probability of the newest bin of windows given the bins before it, nats, (n_words,).

    ``X`` (n_words, n_bits) are windows of bins of ``n_units`` units.
    """
    check_summable(n_units)
    if theta.is_gaussian:
        theta, _ = theta.as_pairs()
    theta = of_newest(theta, X.shape[1] - n_units)
    pasts, past = distinct_pasts(X, n_units)
    log_z = newest_moments(theta.arrays, n_units, pasts, np.ones(len(pasts))).log_z
    log_p: Floats = log_weight(theta, X) - log_z[past]
    return log_p


def of_newest(theta: Parameters, n_past: int) -> Parameters:
    """The model without biases of the past and couplings within it, which cancel."""
    if theta.v is not None or theta.term is not None:
        problem = "the conditional likelihood knows biases, couplings and hidden units alone"
        raise BadInput(problem, "use the likelihood")
    b, J, past = theta.b.copy(), theta.J, slice(n_past)
    b[past] = 0.0
    if J is not None:
        J = J.copy()
        J[past, past] = 0.0
    return Parameters.trusted(b, J, theta.W, theta.c)


def check_summable(n_units: int) -> None:
    """Refuse bins of so many units that their states take too long to sum."""
    if n_units > MOST_UNITS_OF_PAST:
        raise BadInput(
            f"the newest bin has {n_units} units, and summing out more than "
            f"{MOST_UNITS_OF_PAST} takes too long",
            "take fewer units (words.subset), or given='rest' for predictions",
        )
