"""Probabilities of the newest bin given the earlier bins of the window (METHOD section 6).

For a given past the newest bin is a small model of its own: the past shifts the biases of its
units and the inputs of the hidden units, and all 2^n_units states of the bin are summed. No
partition function of the whole window is needed. The kernel works with products; the few pasts
after which some value is less likely than exp(-575), and models with fields or weights of a hidden
unit that add up to more than 600 nats, are summed in logarithms instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..binary import Bits, unique_rows
from ..kernels.cpu.inputs import sums_of_active
from ..kernels.cpu.newest_bin import BLOCK, LANE_UNITS, Newest, log_odds_of_newest
from ..kernels.cpu.threads import threads_for
from ..kernels.simd.groups import GROUP
from ..models import PopulationModel
from ..parameters import Floats, Parameters
from ..partition.split import pairwise_log_weights, states, sums_over_states
from ..words import Words
from .held_out import words_for

#: Pasts whose hidden inputs are in memory together: some MB.
_CHUNK_PASTS = 1 << 13

#: Pasts times states handled at once where logarithms are summed: 128 KiB stay in the cache.
_CHUNK_ELEMENTS = 1 << 14

#: Most units of a bin whose states are summed.
MOST_UNITS = 16

#: Most nats that a product, or what a hidden unit multiplies, may span: exp(600) is still finite.
_MOST_NATS = 600.0

#: A hidden unit so many nats beyond the reach of the newest bin is on or off to the last digit.
_CERTAIN_NATS = 40.0


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
    odds, past = log_odds_given_past(theta, words)
    # From the log odds alone, so that neither value loses digits when it is unlikely.
    both = np.log1p(np.exp(-np.abs(odds)))
    return np.stack([np.minimum(-odds, 0.0) - both, np.minimum(odds, 0.0) - both], axis=2), past


def log_odds_given_past(theta: Parameters, words: Words) -> tuple[Floats, NDArray[np.int32]]:
    """Log odds of a spike of each unit of the newest bin, nats, shape (n_pasts, n_units).

    Parameters and the second array returned as for :func:`log_given_past`.
    """
    if words.n_units > MOST_UNITS:
        raise ValueError(
            f"the newest bin has {words.n_units} units, and summing out more than {MOST_UNITS} "
            "takes too long; fit and score fewer units (words.subset) or use given='rest'"
        )
    pasts, past = _distinct_pasts(words)
    newest = _NewestBin.of(theta, words.n_units)
    odds = np.empty((len(pasts), words.n_units))
    for start in range(0, len(pasts), _CHUNK_PASTS):
        odds[start : start + _CHUNK_PASTS] = newest.log_odds(pasts[start : start + _CHUNK_PASTS])
    unlikely = np.flatnonzero(np.isnan(odds).any(axis=1))
    if unlikely.size:
        odds[unlikely] = _log_odds_from_logs(theta, words.n_units, pasts[unlikely])
    return odds, past


@dataclass(frozen=True, slots=True, eq=False)
class _NewestBin:
    """A model as the kernel wants it: the newest bin's units and hidden units in order of use.

    Hidden units without a weight onto the newest bin, dead ones among them, cancel in every
    conditional and are left out. Units are ordered so that few hidden units need the last ones;
    bins of fewer than ``LANE_UNITS`` units are filled up with free units, which change nothing.

    Attributes
    ----------
    order : list of int, length n_units
        Which unit of the bin each of the first ones is.
    levels : ndarray of int64, shape (n_hidden,)
        Number of first units that each hidden unit needs, increasing.
    W, J : ndarrays, shapes (n_filled, n_hidden) and (n_filled, n_filled)
        Weights onto the hidden units, and couplings within the bin: row j, column k > j.
    rows, start : ndarrays, shapes (n_past, n_hidden + n_filled) and (n_hidden + n_filled,)
        What each bit of the past adds to the hidden inputs and to the fields, and their biases.
    """

    order: list[int]
    levels: NDArray[np.int64]
    W: Floats
    J: Floats
    rows: Floats
    start: Floats

    @classmethod
    def of(cls, theta: Parameters, n: int) -> _NewestBin:
        """Order a model whose last ``n`` units are the newest bin."""
        n_past, filled = theta.n_units - n, max(n, LANE_UNITS)
        W, c = np.zeros((theta.n_units, 0)), np.zeros(0)
        if theta.W is not None and theta.c is not None:
            reaches = np.any(theta.W[n_past:] != 0.0, axis=0)
            W, c = theta.W[:, reaches], theta.c[reaches]
        order, levels = _order_of_use(W[n_past:] != 0.0)
        hidden = np.argsort(levels, kind="stable")
        units = n_past + np.array(order)
        J, fields = np.zeros((filled, filled)), np.zeros((n_past, filled))
        if theta.J is not None:
            J[:n, :n] = np.triu(2.0 * theta.J[np.ix_(units, units)], 1)
            fields[:, :n] = 2.0 * theta.J[:n_past, units]
        within = np.zeros((filled, hidden.size))
        within[:n] = W[np.ix_(units, hidden)]
        b = np.zeros(filled)
        b[:n] = theta.b[units]
        return cls(
            order=order,
            levels=levels[hidden],
            W=within,
            J=J,
            rows=np.ascontiguousarray(np.hstack([W[:n_past, hidden], fields])),
            start=np.concatenate([c[hidden], b]),
        )

    def log_odds(self, pasts: Bits) -> Floats:
        """Log odds of each unit of the newest bin, shape (n_pasts, n_units), nats.

        NaN where they must be found in logarithms.

        Parameters
        ----------
        pasts : ndarray of uint8, shape (n_pasts, n_past)
            Bits of the earlier bins.
        """
        n_pasts, n_hidden = len(pasts), self.levels.size
        inputs = np.zeros((-(-n_pasts // BLOCK) * BLOCK, self.start.size))
        with threads_for(inputs.size):
            sums_of_active(np.array(pasts, order="C"), self.rows, self.start, inputs[:n_pasts])
        fields = np.ascontiguousarray(inputs[:, n_hidden:])
        field_reach = np.abs(fields).max(axis=0) + np.abs(self.J).sum(axis=0)
        raised, lowered = np.maximum(self.W, 0.0).sum(axis=0), np.minimum(self.W, 0.0).sum(axis=0)
        if max(field_reach.sum(), (raised - lowered).max(initial=0.0)) > _MOST_NATS:
            return np.full((n_pasts, len(self.order)), np.nan)
        # exp(-input), cut off where the newest bin can no longer turn the hidden unit on or off,
        # and with E divided by the middle of the factor's range.
        log_r = np.negative(inputs[:, :n_hidden])
        np.clip(log_r, lowered - _CERTAIN_NATS, raised + _CERTAIN_NATS, out=log_r)
        lowest = np.maximum(log_r.min(axis=0), lowered)
        highest = np.maximum(log_r.max(axis=0), raised) + np.log(2.0)
        middle = 0.5 * (highest + lowest)
        stretches, wide = _stretches(self.levels, 0.5 * (highest - lowest), field_reach)
        low, high = _tables(self.W)
        pair_low, pair_high = _tables(self.J)
        newest = Newest(
            boosts=np.exp(fields),
            r=np.exp(np.subtract(log_r, middle, out=log_r), out=log_r),
            low=np.ascontiguousarray(np.exp(low - middle).T),
            high=np.exp(high),
            pair_low=np.ascontiguousarray(np.exp(pair_low).T),
            pair_high=np.exp(pair_high),
            stretches=stretches,
        )
        odds = np.empty((len(fields) // GROUP, fields.shape[1], GROUP))
        states_met = float((2.0**self.levels).sum()) + 2.0 ** fields.shape[1]
        with threads_for(len(fields) * states_met):
            log_odds_of_newest(newest, wide, odds)
        by_past = odds.transpose(0, 2, 1).reshape(fields.shape)
        return by_past[:n_pasts, np.argsort(self.order)]


def _order_of_use(touches: NDArray[np.bool_]) -> tuple[list[int], NDArray[np.int64]]:
    """Order units so that few hidden units need the last; how many first units each needs.

    Parameters
    ----------
    touches : ndarray of bool, shape (n_units, n_hidden)
        Which hidden units have a weight onto which unit.
    """
    n_units = len(touches)
    left, order = set(range(n_units)), []
    levels = np.full(touches.shape[1], LANE_UNITS, dtype=np.int64)
    waiting = np.ones(touches.shape[1], dtype=np.bool_)
    for level in range(n_units, 0, -1):
        last = min(left, key=lambda unit: (np.count_nonzero(touches[unit] & waiting), unit))
        levels[touches[last] & waiting] = max(level, LANE_UNITS)
        waiting &= ~touches[last]
        left.remove(last)
        order.append(last)
    return order[::-1], levels


def _tables(rows: Floats) -> tuple[Floats, Floats]:
    """Sums of the rows of the units that are on, for states of the lanes' units and the others."""
    return sums_over_states(rows[:LANE_UNITS]), sums_over_states(rows[LANE_UNITS:])


def _stretches(
    levels: NDArray[np.int64], reach: Floats, field_reach: Floats
) -> tuple[NDArray[np.int64], bool]:
    """Cut the hidden units into stretches whose products stay within ``_MOST_NATS``.

    Parameters
    ----------
    levels : ndarray of int64, shape (n_hidden,)
        Number of units each needs, increasing.
    reach, field_reach : ndarrays, shapes (n_hidden,) and (n_units,)
        Most nats by which a hidden unit, and a unit of the bin, change a product.

    Returns
    -------
    stretches : ndarray of int64, shape (n_stretches, 3)
        Units, first and past the last hidden unit.
    wide : bool
        Whether the products of all together may leave the range.
    """
    wide = bool(reach.sum() + field_reach.sum() > _MOST_NATS)
    stretches, start, nats = [], 0, float(field_reach[: LANE_UNITS - 1].sum())
    for level in range(LANE_UNITS, field_reach.size + 1):
        nats += float(field_reach[level - 1])
        stop = int(np.searchsorted(levels, level, side="right"))
        for i in range(start, stop):
            if wide and nats + reach[i] > _MOST_NATS:
                stretches.append((level, start, i))
                start, nats = i, 0.0
            nats += float(reach[i])
        stretches.append((level, start, stop))
        start, nats = stop, 0.0
    return np.array(stretches, dtype=np.int64), wide


def _distinct_pasts(words: Words) -> tuple[Bits, NDArray[np.int32]]:
    n_past = words.n_dims - words.n_units
    if n_past == 0:
        return words.X[:1, :0], np.zeros(len(words), dtype=np.int32)
    return unique_rows(words.X[:, :n_past])


def _log_odds_from_logs(theta: Parameters, n: int, pasts: Bits) -> Floats:
    """Log odds of each unit of the newest bin from the logarithm of every state's weight."""
    n_past = theta.n_units - n
    J = np.zeros((theta.n_units, n)) if theta.J is None else theta.J[:, n_past:]
    by_pairs, bin_states = pairwise_log_weights(theta.b[n_past:], J[n_past:]), states(n)
    odds = np.empty((len(pasts), n))
    step = max(1, _CHUNK_ELEMENTS >> n)
    for start in range(0, len(pasts), step):
        x = pasts[start : start + step].astype(np.float64)
        log_w = by_pairs + (2.0 * x @ J[:n_past]) @ bin_states.T
        if theta.W is not None and theta.c is not None:
            z = theta.c + x @ theta.W[:n_past]
            for i in np.flatnonzero(np.any(theta.W[n_past:] != 0.0, axis=0)):
                added = sums_over_states(theta.W[n_past:, i])
                log_w += np.logaddexp(0.0, z[:, i, None] + added)
        log_p = _log_marginals(log_w)
        odds[start : start + step] = log_p[:, :, 1] - log_p[:, :, 0]
    return odds


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
