"""Probabilities of the newest bin given the earlier bins of the window (METHOD section 6).

For a given past the newest bin is a small model of its own: the past shifts the biases of its
units and the inputs of the hidden units, and all 2^n_units states of the bin are summed. No
partition function of the whole window is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..binary import Bits, unique_rows
from ..models import PopulationModel
from ..parameters import Floats, Parameters
from ..partition.split import pairwise_log_weights, states, sums_over_states
from ..words import Words
from .held_out import words_for

#: Pasts times states of the newest bin handled at once: 128 KiB, which stay in the cache.
_CHUNK_ELEMENTS = 1 << 14

#: Most units of a bin whose states are summed.
_MOST_UNITS = 16

#: Most nats that the weights of a product of hidden units may span: exp(600) is still finite.
_MOST_NATS = 600.0


def probability_given_past(model: PopulationModel, words: Words) -> Floats:
    """Probability that each unit is active in the newest bin, given the earlier bins alone.

    The other units of the newest bin are summed out exactly.

    Parameters
    ----------
    model : PopulationModel
        A fitted model.
    words : Words
        Spatiotemporal words, of at most 16 units. With ``lags == 1`` the past is empty, and the
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
            f"words is of type {type(words).__name__}, which has no lags; "
            "pass Words, for example Words.from_array(X).embed(lags)"
        )
    held = words_for(model, words, None)
    log_p, past = log_given_past(model.parameters_, held)
    probability: Floats = np.exp(log_p[:, :, 1])[past]
    return probability


def log_given_past(theta: Parameters, words: Words) -> tuple[Floats, NDArray[np.int32]]:
    """Log probability of silence and of a spike of each unit of the newest bin.

    Parameters
    ----------
    theta : Parameters
        The model, with one unit per bit of a word.
    words : Words
        At most 16 units.

    Returns
    -------
    log_p : ndarray, shape (n_pasts, n_units, 2)
        Nats, for each distinct past; the last axis is the unit's value, 0 or 1.
    past : ndarray of int32, shape (n_distinct,)
        Which of the pasts each word has.
    """
    if words.n_units > _MOST_UNITS:
        raise ValueError(
            f"the newest bin has {words.n_units} units, and summing out more than {_MOST_UNITS} "
            "takes too long; fit and score fewer units (words.subset) or use given='rest'"
        )
    pasts, past = _distinct_pasts(words)
    newest = _NewestBin.of(theta, words.n_units)
    log_p = np.empty((len(pasts), words.n_units, 2))
    step = max(1, _CHUNK_ELEMENTS >> words.n_units)
    for start in range(0, len(pasts), step):
        part = slice(start, start + step)
        log_p[part] = _log_marginals(newest.log_weights(pasts[part].astype(np.float64)))
    # Normalised by the log odds alone, so that neither value loses digits when it is unlikely.
    odds = log_p[:, :, 1] - log_p[:, :, 0]
    return -np.logaddexp(0.0, np.stack([odds, -odds], axis=2)), past


@dataclass(frozen=True, slots=True, eq=False)
class _NewestBin:
    """Tables over the 2^n states of the newest bin, and what the past does to them.

    Hidden units without a weight onto the newest bin, dead ones among them, cancel in every
    conditional and are left out.

    Attributes
    ----------
    by_pairs : ndarray, shape (n_states,)
        Log weight of the bin's own biases and couplings, nats.
    states : ndarray, shape (n_states, n_units)
        Zeros and ones.
    J : ndarray, shape (n_past, n_units)
        Couplings from the past to the newest bin.
    W, c : ndarrays, shapes (n_past, n_hidden) and (n_hidden,)
        Weights from the past onto the hidden units, and their biases.
    spans : ndarray, shape (n_hidden,)
        Sum of each hidden unit's absolute weights from the newest bin, increasing.
    factors : ndarray, shape (n_mild, n_states)
        Exponential of what each state adds to the input of each hidden unit whose span is at
        most ``_MOST_NATS``: the first ones.
    inputs : ndarray, shape (n_hidden - n_mild, n_states)
        What it adds to the others, whose exponential could overflow.
    """

    by_pairs: Floats
    states: Floats
    J: Floats
    W: Floats
    c: Floats
    spans: Floats
    factors: Floats
    inputs: Floats

    @classmethod
    def of(cls, theta: Parameters, n: int) -> _NewestBin:
        """Tables of a model whose last ``n`` units are the newest bin."""
        n_past = theta.n_units - n
        J = np.zeros((theta.n_units, n)) if theta.J is None else theta.J[:, n_past:]
        W, c = np.zeros((theta.n_units, 0)), np.zeros(0)
        if theta.W is not None and theta.c is not None:
            reaches = np.flatnonzero(np.any(theta.W[n_past:] != 0.0, axis=0))
            reach = np.abs(theta.W[n_past:, reaches]).sum(axis=0)
            order = reaches[np.argsort(reach, kind="stable")]
            W, c = theta.W[:, order], theta.c[order]
        spans = np.abs(W[n_past:]).sum(axis=0)
        n_mild = int(np.searchsorted(spans, _MOST_NATS, side="right"))
        return cls(
            by_pairs=pairwise_log_weights(theta.b[n_past:], J[n_past:]),
            states=states(n),
            J=J[:n_past],
            W=W[:n_past],
            c=c,
            spans=spans,
            factors=np.exp(_table(W[n_past:, :n_mild])),
            inputs=_table(W[n_past:, n_mild:]),
        )

    def log_weights(self, pasts: Floats) -> Floats:
        """Log weight of every state given each past, up to a constant of the past.

        Parameters
        ----------
        pasts : ndarray, shape (n_pasts, n_past)
            Bits of the earlier bins.

        Returns
        -------
        ndarray, shape (n_pasts, n_states)
            Nats.
        """
        log_w: Floats = self.by_pairs + (2.0 * pasts @ self.J) @ self.states.T
        z = self.c + pasts @ self.W
        on, off = expit(z), expit(-z)
        product, ratio, span = np.ones_like(log_w), np.empty_like(log_w), 0.0
        for i, factor in enumerate(self.factors):
            if span + self.spans[i] > _MOST_NATS:
                log_w += np.log(product)
                product[:], span = 1.0, 0.0
            # (1 + exp(z + input)) / (1 + exp(z)): all terms positive, nothing cancels.
            np.multiply(on[:, i, None], factor, out=ratio)
            ratio += off[:, i, None]
            product *= ratio
            span += self.spans[i]
        log_w += np.log(product)
        for i, added in enumerate(self.inputs, start=len(self.factors)):
            log_w += np.logaddexp(0.0, z[:, i, None] + added)
        return log_w


def _table(W: Floats) -> Floats:
    """What every state of the newest bin adds to each input, shape (n_hidden, 2^n_units)."""
    return np.ascontiguousarray(sums_over_states(W).T)


def _distinct_pasts(words: Words) -> tuple[Bits, NDArray[np.int32]]:
    n_past = words.n_dims - words.n_units
    if n_past == 0:
        return words.X[:1, :0], np.zeros(len(words), dtype=np.int32)
    return unique_rows(words.X[:, :n_past])


def _log_marginals(log_w: Floats) -> Floats:
    """Log of the summed weight of both values of each unit, shape (n_pasts, n_units, 2).

    Halves the units: the states of one half are summed for the other, so that all units together
    take about two exponentials per state and nothing underflows, however unlikely a value.

    Parameters
    ----------
    log_w : ndarray, shape (n_pasts, 2^n_units)
        Nats, bit k of a state's number being unit k.
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
