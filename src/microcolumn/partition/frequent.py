"""Plausibility of log Z from the most frequent words (METHOD section 5); never the answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..energy import log_weight
from ..parameters import Parameters


def frequent_words_estimate(
    theta: Parameters,
    X: ArrayLike,
    counts: ArrayLike,
    n_words: int = 10,
    total: float | None = None,
) -> float:
    """Mean of log p~(x) minus the log of x's observed share, over frequent words.

    A model that gives the frequent words their observed probabilities has this as its log Z. A
    penalty shrinks the model away from them, so the figure is biased then.

    Parameters
    ----------
    theta : Parameters
        The model.
    X : array_like, shape (n_distinct, n_units)
        Distinct words.
    counts : array_like, shape (n_distinct,)
        How often each occurred.
    n_words : int
        How many of the most frequent words to average, each weighted by its count.
    total : float, optional
        What a count of all words would be, where ``X`` leaves rare ones out (1 if ``counts`` are
        shares); by default the sum of ``counts``.

    Returns
    -------
    float
        Nats.

    Examples
    --------
    >>> theta = Parameters(b=[np.log(3.0)])
    >>> round(float(frequent_words_estimate(theta, [[0], [1]], [25, 75]) - np.log(4.0)), 12)
    0.0
    """
    words, seen = np.asarray(X), np.asarray(counts, dtype=np.float64)
    top = np.argsort(-seen, kind="stable")[:n_words]
    gaps = log_weight(theta, words[top]) - np.log(
        seen[top] / (seen.sum() if total is None else total)
    )
    return float(np.average(gaps, weights=seen[top]))
