"""Probabilities of the newest bin given the earlier bins of the window (docs/method.md, section 6).

For a given past the newest bin is a small model of its own: the past shifts the biases of its
units and the inputs of the hidden units, and all 2^n_units states of the bin are summed. No
partition function of the window is needed. The kernel multiplies factors. Logarithms are summed
instead for the few pasts after which some value is less likely than exp(-575), and for models with
fields or weights of a hidden unit that add up to more than 300 nats.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels import newest_log_odds
from ..kernels.states import pairwise_log_weights, states, sums_over_states
from ..models import PopulationModel
from ..packing import unique_rows
from ..parameters import Parameters
from ..validation import Bits, Floats, chunks
from ..words import Words
from ._inputs import words_for

#: Most units of a bin whose states are summed.
MOST_UNITS_OF_PAST = 16


def probability_given_past(model: PopulationModel, words: Words) -> Floats:
    """Probability that each unit is active in the newest bin, given the earlier bins alone.

    The other units of the newest bin are summed out exactly.

    Parameters
    ----------
    model : PopulationModel
        A fitted model.
    words : Words
        Spatiotemporal words, of at most 16 units. With ``window == 1`` the past is empty, and the
        answer is the model's marginal, the same for all words.

    Returns
    -------
    ndarray, shape (n_distinct, n_units)
        One row per row of ``words.X``; ``[words.index]`` puts them in time order. The newest bin
        of ``words.X`` itself is not used.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> words = Words.from_array([[0], [1], [0], [1], [0], [0], [1], [0]] * 50).embed(2)
    >>> p = probability_given_past(Ising(l1=1e-3).fit(words), words)
    >>> p.shape, bool(p[words.X[:, 0] == 0].min() > p[words.X[:, 0] == 1].max())
    ((3, 1), True)
    """
    if not isinstance(words, Words):
        raise TypeError(
            f"words is of type {type(words).__name__}, which has no window of bins; "
            "pass Words, for example Words.from_array(X).embed(window)"
        )
    held = words_for(model, words, None)
    log_p, past = log_given_past(model.parameters_, held)
    probability: Floats = np.exp(log_p[:, :, 1])[past]
    return probability


def log_given_past(theta: Parameters, words: Words) -> tuple[Floats, NDArray[np.int32]]:
    """Log probability of silence and of a spike of each unit of the newest bin, nats.

    Shape (n_pasts, n_units, 2) over distinct pasts, and the past of each word, shape (n_distinct,).
    """
    odds, past = log_odds_given_past(theta, words)
    # From the log odds alone, so that neither value loses digits when it is unlikely.
    both = np.log1p(np.exp(-np.abs(odds)))
    return np.stack([np.minimum(-odds, 0.0) - both, np.minimum(odds, 0.0) - both], axis=2), past


def log_odds_given_past(theta: Parameters, words: Words) -> tuple[Floats, NDArray[np.int32]]:
    """Log odds (n_pasts, n_units) of a spike of each unit, nats, and the past of each word."""
    if words.n_units > MOST_UNITS_OF_PAST:
        raise ValueError(
            f"the newest bin has {words.n_units} units, and summing out more than "
            f"{MOST_UNITS_OF_PAST} takes too long; fit and score fewer units (words.subset) or "
            "use given='rest'"
        )
    if theta.is_gaussian:
        theta, _ = theta.as_pairs()
    if words.window == 1:
        pasts, past = words.X[:1, :0], np.zeros(len(words), dtype=np.int32)
    else:
        pasts, past = unique_rows(words.X[:, : -words.n_units])
    odds = newest_log_odds(theta.arrays, words.n_units, pasts)
    unlikely = np.flatnonzero(np.isnan(odds).any(axis=1))
    if unlikely.size:
        odds[unlikely] = _log_odds_from_logs(theta, words.n_units, pasts[unlikely])
    return odds, past


def _log_odds_from_logs(theta: Parameters, n: int, pasts: Bits) -> Floats:
    """Log odds of each unit of the newest bin from the logarithm of every state's weight."""
    b, J, W, c, v = theta.arrays
    J = np.zeros((b.size, b.size)) if J is None else J
    past, newest = slice(b.size - n), slice(b.size - n, b.size)
    by_pairs, bin_states = pairwise_log_weights(b[newest], J[newest, newest]), states(n)
    odds = np.empty((len(pasts), n))
    for part in chunks(len(pasts), 1 << n, 1 << 14):  # 128 KiB stay in the cache
        x = pasts[part].astype(np.float64)
        log_w = by_pairs + (2.0 * x @ J[past, newest]) @ bin_states.T
        if W is not None and c is not None:
            z = c + x @ W[past]
            for i in np.flatnonzero(np.any(W[newest] != 0.0, axis=0)):
                log_w += np.logaddexp(0.0, z[:, i, None] + sums_over_states(W[newest, i]))
        if v is not None:
            log_w += v[(x.sum(axis=1)[:, None] + bin_states.sum(axis=1)).astype(np.intp)]
        log_p = _log_marginals(log_w)
        odds[part] = log_p[:, :, 1] - log_p[:, :, 0]
    return odds


def _log_marginals(log_w: Floats) -> Floats:
    """Log of the summed weight of both values of each unit, shape (n_pasts, n_units, 2).

    ``log_w`` (n_pasts, 2^n_units) is halved: the states of one half of the units are summed for
    the other, so that all units together take about two exponentials per state and nothing
    underflows, however unlikely a value.
    """
    n_pasts, n_states = log_w.shape
    n_units = n_states.bit_length() - 1
    if n_units == 1:
        return log_w[:, None, :]
    grid = log_w.reshape(n_pasts, -1, 1 << (n_units // 2))
    halves = [_log_marginals(_log_sum(grid, axis)) for axis in (1, 2)]
    return np.concatenate(halves, axis=1)


def _log_sum(log_w: Floats, axis: int) -> Floats:
    """Logarithm of the sum of finite ``exp(log_w)`` along ``axis``."""
    top = log_w.max(axis=axis, keepdims=True)
    total: Floats = np.log(np.exp(log_w - top).sum(axis=axis)) + top.squeeze(axis)
    return total
