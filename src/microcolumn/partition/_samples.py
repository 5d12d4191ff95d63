"""Independent samples from a model, exact where all its states can be summed."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from .. import kernels
from ..parameters import Parameters
from ..validation import Bits, random_generator
from .cost import EXACT_SAMPLES, operations, pick_side, transposed
from .gibbs import RandomState
from .term_sums import draw_words


def can_sample_exactly(theta: Parameters) -> bool:
    """Whether ``exact_samples`` takes no more than seconds and tens of megabytes.

    That is the case up to 2^33 multiply-adds by ``operations``: words of 32 coupled units, of 27
    with 25 live hidden units, or of any number of units with about 25 live hidden units and no
    couplings.

    >>> can_sample_exactly(Parameters(b=[0.0] * 100))
    True
    """
    return operations(theta) <= EXACT_SAMPLES


def exact_samples(theta: Parameters, n_samples: int, random_state: RandomState = 0) -> Bits:
    """Draw independent words from the model's own distribution, without a Markov chain.

    Parameters
    ----------
    theta : Parameters
        The model. Without couplings and with few live hidden units, hidden states are drawn
        first and words given them.
    n_samples : int
        Number of words.
    random_state : int, Generator or None
        Source of the draws; None takes fresh entropy. The words do not depend on the number of
        threads.

    Examples
    --------
    >>> exact_samples(Parameters(b=[9.0, -9.0]), 2)
    array([[1, 0],
           [1, 0]], dtype=uint8)
    """
    rng, n = random_generator(random_state), n_samples
    live, _ = theta.drop_dead_units()
    if pick_side(live, "auto", "draw them by Gibbs sampling")[0] == "visible":
        if live.term is not None:
            return draw_words(live, n, rng)
        return kernels.exact_samples(live.arrays, n, rng)
    if live.W is None:
        rates = np.broadcast_to(expit(live.b), (n, live.n_visible))
    else:
        hidden = exact_samples(transposed(live), n, rng)
        rates = expit(live.b + hidden @ live.W.T)
    return (rng.random(rates.shape) < rates).astype(np.uint8)
