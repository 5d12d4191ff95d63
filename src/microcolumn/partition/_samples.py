"""Independent samples from a model, exact where all its states can be summed."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from .. import kernels
from ..parameters import Parameters
from ..validation import Bits
from ._cost import EXACT_SAMPLES, operations, pick_side, transposed
from ._table_sums import draw_words


def can_sample_exactly(theta: Parameters) -> bool:
    """Whether ``exact_samples`` takes no more than seconds and tens of megabytes.

    That is the case up to 2^33 multiply-adds by ``operations``: words of 32 coupled units, of 27
    with 25 live hidden units, or of any number of units with about 25 live hidden units and no
    couplings.
    """
    return operations(theta) <= EXACT_SAMPLES


def exact_samples(theta: Parameters, n: int, rng: np.random.Generator) -> Bits:
    """Draw independent words from the model's own distribution, without a Markov chain.

    Parameters
    ----------
    theta : Parameters
        The model. Without couplings and with few live hidden units, hidden states are drawn
        first and words given them.
    n : int
        Number of words.
    rng : numpy.random.Generator
        Source of randomness; the words do not depend on the number of threads.
    """
    live, _ = theta.only_live()
    if pick_side(live, "auto", "draw them by Gibbs sampling")[0] == "visible":
        if live.tables is not None:
            return draw_words(live, n, rng)
        return kernels.exact_samples(live.arrays, n, rng)
    if live.W is None:
        rates = np.broadcast_to(expit(live.b), (n, live.n_visible))
    else:
        hidden = exact_samples(transposed(live), n, rng)
        rates = expit(live.b + hidden @ live.W.T)
    return (rng.random(rates.shape) < rates).astype(np.uint8)
