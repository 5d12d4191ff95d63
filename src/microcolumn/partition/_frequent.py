"""Plausibility of log Z from the most frequent words (docs/method.md, section 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..energy import log_weight
from ..parameters import Parameters


def frequent_words_estimate(theta: Parameters, X: ArrayLike, shares: ArrayLike) -> float:
    """Mean of log p~(x) minus the log of x's observed share, over frequent words, nats.

    This is log Z of a model that gives the frequent words their observed probabilities. An L1
    penalty shrinks the model away from them, which biases the estimate.

    ``shares`` (n_words,) of the frequent words among all words are also the weights of the mean.
    """
    observed = np.asarray(shares, dtype=np.float64)
    return float(np.average(log_weight(theta, X) - np.log(observed), weights=observed))
