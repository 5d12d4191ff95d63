"""Probabilities of the newest bin given the earlier bins of the window (docs/method.md, section 6).

For a given past the newest bin is a small model of its own: the past shifts the biases of its
units and the inputs of the hidden units, and all 2^n_units states of the bin are summed. No
partition function of the window is needed. The kernel multiplies factors. Logarithms are summed
instead for the few pasts after which some value is less likely than exp(-575), and for models with
fields or weights of a hidden unit that add up to more than 600 nats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels.cpu.enumeration import PaddedModel
from ..kernels.cpu.inputs import sums_of_active
from ..kernels.cpu.newest_bin import BLOCK, LANE_UNITS, Newest, log_odds_of_newest
from ..kernels.cpu.threads import threads_for
from ..kernels.simd.groups import GROUP
from ..kernels.states import pairwise_log_weights, states, sums_over_states
from ..models import PopulationModel
from ..packing import unique_rows
from ..parameters import Parameters
from ..validation import Bits, Floats, chunks
from ..words import Words
from ._inputs import words_for

#: Pasts handled at once, whose hidden inputs take some MB.
_CHUNK_PASTS = 1 << 13
#: Most units of a bin whose states are summed.
MOST_UNITS_OF_PAST = 16
#: Most nats that a product, or the factor of a hidden unit, may span: exp(600) is still finite.
_MOST_NATS = 600.0


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
    if words.window == 1:
        pasts, past = words.X[:1, :0], np.zeros(len(words), dtype=np.int32)
    else:
        pasts, past = unique_rows(words.X[:, : -words.n_units])
    if theta.v is not None:
        return _log_odds_from_logs(theta, words.n_units, pasts), past
    newest = _NewestBin.of(theta, words.n_units)
    odds = np.empty((len(pasts), words.n_units))
    for part in chunks(len(pasts), 1, _CHUNK_PASTS):
        odds[part] = newest.log_odds(pasts[part])
    unlikely = np.flatnonzero(np.isnan(odds).any(axis=1))
    if unlikely.size:
        odds[unlikely] = _log_odds_from_logs(theta, words.n_units, pasts[unlikely])
    return odds, past


class _NewestBin(NamedTuple):
    """The newest bin as the kernel takes it: units and hidden units in order of use.

    Hidden units without a weight onto the newest bin, dead ones among them, cancel in every
    conditional and are left out. Units are ordered so that few hidden units need the last ones;
    bins of fewer than ``LANE_UNITS`` units are filled up with free units, which change nothing.
    """

    order: list[int]  # unit of the bin at each place
    levels: NDArray[np.int64]  # number of first units that each hidden unit needs, increasing
    W: Floats  # weights, (n_filled, n_hidden)
    J: Floats  # couplings within the bin, (n_filled, n_filled): row j, column k > j
    rows: Floats  # what a bit of the past adds to inputs and fields, (n_past, n_hidden + n_filled)
    start: Floats  # biases of hidden units and units, (n_hidden + n_filled,)

    @classmethod
    def of(cls, theta: Parameters, n: int) -> _NewestBin:
        """Order a model whose last ``n`` units are the newest bin."""
        model, n_past = PaddedModel.of(theta.arrays), theta.n_visible - n
        reaching = np.flatnonzero(np.any(model.W[n_past:] != 0.0, axis=0))
        order, levels = _order_of_use(model.W[n_past:-1, reaching] != 0.0)
        by_level = np.argsort(levels, kind="stable")
        hidden = reaching[by_level]
        units = np.full(max(n, LANE_UNITS), theta.n_visible)  # the free unit
        units[:n] = n_past + np.array(order)
        return cls(
            order=order,
            levels=levels[by_level],
            W=model.W[np.ix_(units, hidden)],
            J=np.triu(2.0 * model.J[np.ix_(units, units)], 1),
            rows=np.hstack([model.W[:n_past, hidden], 2.0 * model.J[:n_past, units]]),
            start=np.concatenate([model.c[hidden], model.b[units]]),
        )

    def log_odds(self, pasts: Bits) -> Floats:
        """Log odds of each unit after each past, nats; NaN where logarithms must be summed."""
        n_pasts, n_hidden = len(pasts), self.levels.size
        inputs = np.zeros((-(-n_pasts // BLOCK) * BLOCK, self.start.size))
        with threads_for(inputs.size):
            sums_of_active(np.array(pasts, order="C"), self.rows, self.start, inputs[:n_pasts])
        fields = np.ascontiguousarray(inputs[:, n_hidden:])
        field_reach = np.abs(fields).max(axis=0) + np.abs(self.J).sum(axis=0)
        raised, lowered = np.maximum(self.W, 0.0).sum(axis=0), np.minimum(self.W, 0.0).sum(axis=0)
        if max(field_reach.sum(), (raised - lowered).max(initial=0.0)) > _MOST_NATS:
            return np.full((n_pasts, len(self.order)), np.nan)
        # exp(-input), cut off 40 nats beyond the reach of the newest bin, where the hidden unit is
        # on or off to the last digit, and with E divided by the middle of the factor's range.
        log_r = np.negative(inputs[:, :n_hidden])
        np.clip(log_r, lowered - 40.0, raised + 40.0, out=log_r)
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

    ``touches`` (n_units, n_hidden) is True where a hidden unit has a weight onto a unit.
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
    """Sums of the rows of active units, over states of the first ``LANE_UNITS`` and the others."""
    return sums_over_states(rows[:LANE_UNITS]), sums_over_states(rows[LANE_UNITS:])


def _stretches(
    levels: NDArray[np.int64], reach: Floats, field_reach: Floats
) -> tuple[NDArray[np.int64], bool]:
    """Cut the hidden units into stretches whose products stay within ``_MOST_NATS``.

    ``reach`` (n_hidden,) and ``field_reach`` (n_units,) are the most nats by which a hidden unit,
    and a unit of the bin, change a product. Returns rows (number of units, first hidden unit, one
    past the last), and whether the product of all may leave the range.
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


def _log_odds_from_logs(theta: Parameters, n: int, pasts: Bits) -> Floats:
    """Log odds of each unit of the newest bin from the logarithm of every state's weight."""
    (b, J, W, c), v = PaddedModel.of(theta.arrays), theta.v
    past, newest = slice(theta.n_visible - n), slice(theta.n_visible - n, theta.n_visible)
    by_pairs, bin_states = pairwise_log_weights(b[newest], J[newest, newest]), states(n)
    odds = np.empty((len(pasts), n))
    for part in chunks(len(pasts), 1 << n, 1 << 14):  # 128 KiB stay in the cache
        x = pasts[part].astype(np.float64)
        log_w = by_pairs + (2.0 * x @ J[past, newest]) @ bin_states.T
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
