"""The newest bin of a window as the kernel in ``newest_bin.py`` takes it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...validation import Bits, Floats, chunks
from ..arrays import ModelArrays
from ..loops.threads import threads_for
from ..simd.groups import GROUP
from ..states import sums_over_states
from .inputs import sums_of_active
from .newest_bin import BLOCK, LANE_UNITS, Newest, log_odds_of_newest

#: Pasts handled at once, whose hidden inputs take some MB.
_CHUNK_PASTS = 1 << 13
#: Most nats that a product, or the factor of a hidden unit, may span: exp(600) is still finite.
_MOST_NATS = 600.0


def newest_log_odds(model: ModelArrays, n_newest: int, pasts: Bits) -> Floats:
    """Log odds of a spike of each unit of the newest bin, its other units summed out.

    Parameters
    ----------
    model : ModelArrays
        A model of windows whose last ``n_newest`` units are the newest bin.
    n_newest : int
        Its 2^n_newest states are summed.
    pasts : ndarray, shape (n_pasts, n_units - n_newest)
        Binary words of the earlier bins.

    Returns
    -------
    ndarray, shape (n_pasts, n_newest)
        Nats; NaN where products would leave the range of numbers, so that logarithms must be
        summed, and under a potential of the number of active units.
    """
    odds = np.full((len(pasts), n_newest), np.nan)
    if model.v is not None:
        return odds
    newest = NewestBin.of(model, n_newest)
    for part in chunks(len(pasts), 1, _CHUNK_PASTS):
        odds[part] = newest.log_odds(pasts[part])
    return odds


class NewestBin(NamedTuple):
    """Units of the newest bin, and hidden units, in order of use.

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
    def of(cls, model: ModelArrays, n: int) -> NewestBin:
        """Order a model whose last ``n`` units are the newest bin."""
        n_units, n_past = model.n_units, model.n_units - n
        all_W = np.zeros((n_units, 0)) if model.W is None else model.W
        all_J = np.zeros((n_units, n_units)) if model.J is None else model.J
        c = np.zeros(0) if model.c is None else model.c
        reaching = np.flatnonzero(np.any(all_W[n_past:] != 0.0, axis=0))
        order, levels = _order_of_use(all_W[n_past:, reaching] != 0.0)
        by_level = np.argsort(levels, kind="stable")
        hidden, units = reaching[by_level], n_past + np.array(order)
        filling = 0, max(n, LANE_UNITS) - n
        J = np.pad(2.0 * all_J[:, units], ((0, 0), filling))
        return cls(
            order=order,
            levels=levels[by_level],
            W=np.pad(all_W[np.ix_(units, hidden)], (filling, (0, 0))),
            J=np.triu(np.pad(J[units], (filling, (0, 0))), 1),
            rows=np.hstack([all_W[:n_past, hidden], J[:n_past]]),
            start=np.concatenate([c[hidden], np.pad(model.b[units], filling)]),
        )

    def log_odds(self, pasts: Bits, most_nats: float = _MOST_NATS) -> Floats:
        """Log odds of each unit after each past, nats; NaN where logarithms must be summed.

        Products span ``most_nats`` at most; what spans more is cut into several.
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
        # exp(-input), cut off 40 nats beyond the reach of the newest bin, where the hidden unit is
        # on or off to the last digit, and with E divided by the middle of the factor's range.
        log_r = np.negative(inputs[:, :n_hidden])
        np.clip(log_r, lowered - 40.0, raised + 40.0, out=log_r)
        lowest = np.maximum(log_r.min(axis=0), lowered)
        highest = np.maximum(log_r.max(axis=0), raised) + np.log(2.0)
        middle = 0.5 * (highest + lowest)
        stretches, wide = _stretches(self.levels, 0.5 * (highest - lowest), field_reach, most_nats)
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
    levels: NDArray[np.int64], reach: Floats, field_reach: Floats, most_nats: float
) -> tuple[NDArray[np.int64], bool]:
    """Cut the hidden units into stretches whose products stay within ``most_nats``.

    ``reach`` (n_hidden,) and ``field_reach`` (n_units,) are the most nats by which a hidden unit,
    and a unit of the bin, change a product. Returns rows (number of units, first hidden unit, one
    past the last), and whether the product of all may leave the range.
    """
    wide = bool(reach.sum() + field_reach.sum() > most_nats)
    stretches, start, nats = [], 0, float(field_reach[: LANE_UNITS - 1].sum())
    for level in range(LANE_UNITS, field_reach.size + 1):
        nats += float(field_reach[level - 1])
        stop = int(np.searchsorted(levels, level, side="right"))
        for i in range(start, stop):
            if wide and nats + reach[i] > most_nats:
                stretches.append((level, start, i))
                start, nats = i, 0.0
            nats += float(reach[i])
        stretches.append((level, start, stop))
        start, nats = stop, 0.0
    return np.array(stretches, dtype=np.int64), wide
