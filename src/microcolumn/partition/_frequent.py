"""Plausibility of log Z from the most frequent words (METHOD section 5); never the answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..energy import log_weight
from ..parameters import Parameters


def frequent_words_estimate(theta: Parameters, X: ArrayLike, shares: ArrayLike) -> float:
    """Mean of log p~(x) minus the log of x's observed share, over frequent words.

    A model that gives the frequent words their observed probabilities has this as its log Z. A
    penalty shrinks the model away from them, so the figure is biased then.

    Parameters
    ----------
    theta : Parameters
        The model.
    X : array_like, shape (n_words, n_units)
        The most frequent words.
    shares : array_like, shape (n_words,)
        Share of each among all words; also its weight in the mean.

    Returns
    -------
    float
        Nats.

    Examples
    --------
    >>> theta = Parameters(b=[np.log(3.0)])
    >>> round(float(frequent_words_estimate(theta, [[1]], [0.75]) - np.log(4.0)), 12)
    0.0
    """
    observed = np.asarray(shares, dtype=np.float64)
    return float(np.average(log_weight(theta, X) - np.log(observed), weights=observed))
