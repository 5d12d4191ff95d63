"""The newest bin of a window as the kernel in ``newest_bin.py`` takes it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ...validation import Bits, Floats, chunks
from ..arrays import ModelArrays
from ..loops.threads import threads_for
from .inputs import sums_of_active
from .newest_bin import log_odds_of_newest

#: Pasts handled at once, whose hidden inputs take some MB.
_CHUNK_PASTS = 1 << 13
#: Most nats of a product, of which units of the bin may take half: exp(600) is still finite.
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
    conditional and are left out. Units are ordered so that few hidden units need the last ones.
    """

    order: list[int]  # unit of the bin at each place
    levels: NDArray[np.int64]  # number of first units that each hidden unit needs, increasing
    W: Floats  # weights, (n, n_hidden)
    J: Floats  # twice the couplings within the bin, (n, n)
    rows: Floats  # what a bit of the past adds to inputs and fields, (n_past, n_hidden + n)
    start: Floats  # biases of hidden units and units, (n_hidden + n,)

    @classmethod
    def of(cls, model: ModelArrays, n: int) -> NewestBin:
        """Order a model whose last ``n`` units are the newest bin."""
        n_units, n_past = model.n_units, model.n_units - n
        W = np.zeros((n_units, 0)) if model.W is None else model.W
        c = np.zeros(0) if model.c is None else model.c
        J = np.zeros((n_units, n_units)) if model.J is None else 2.0 * model.J
        reaching = np.flatnonzero(np.any(W[n_past:] != 0.0, axis=0))
        order, levels = _order_of_use(W[n_past:, reaching] != 0.0)
        by_level = np.argsort(levels, kind="stable")
        hidden, units = reaching[by_level], n_past + np.array(order)
        return cls(
            order=order,
            levels=levels[by_level],
            W=W[np.ix_(units, hidden)],
            J=J[np.ix_(units, units)],
            rows=np.hstack([W[:n_past, hidden], J[:n_past, units]]),
            start=np.concatenate([c[hidden], model.b[units]]),
        )

    def log_odds(self, pasts: Bits, most_nats: float = _MOST_NATS) -> Floats:
        """Log odds of each unit after each past, nats; NaN where logarithms must be summed.

        Products span ``most_nats`` at most; what spans more is cut into several.
        """
        n_pasts, n_hidden = len(pasts), self.levels.size
        inputs = np.empty((n_pasts, self.start.size))
        with threads_for(inputs.size):
            sums_of_active(np.array(pasts, order="C"), self.rows, self.start, inputs)
        z, fields = inputs[:, :n_hidden], inputs[:, n_hidden:]
        # The factor of a hidden unit lies between its values with all units that raise it and with
        # all that lower it.
        reach = np.maximum(self.W, 0.0).sum(axis=0)
        reach = np.maximum(reach, -np.minimum(self.W, 0.0).sum(axis=0))
        of_units = float(np.abs(fields).max(axis=0).sum() + 0.5 * np.abs(self.J).sum())
        if 2.0 * max(of_units, float(reach.max(initial=0.0))) > _MOST_NATS:
            return np.full((n_pasts, len(self.order)), np.nan)
        odds = np.empty((n_pasts, len(self.order)))
        cuts = _cuts(reach, of_units, most_nats)
        states_met = float((2.0**self.levels).sum()) + 2.0 ** len(self.order)
        with threads_for(n_pasts * states_met):
            log_odds_of_newest(
                np.exp(fields), expit(z), expit(-z), self.J, self.W, self.levels, cuts, odds
            )
        return odds[:, np.argsort(self.order)]


def _order_of_use(touches: NDArray[np.bool_]) -> tuple[list[int], NDArray[np.int64]]:
    """Order units so that few hidden units need the last; how many first units each needs.

    ``touches`` (n_units, n_hidden) is True where a hidden unit has a weight onto a unit.
    """
    n_units = len(touches)
    left, order = set(range(n_units)), []
    levels = np.zeros(touches.shape[1], dtype=np.int64)
    for level in range(n_units, 0, -1):
        waiting = levels == 0
        last = min(left, key=lambda unit: (np.count_nonzero(touches[unit] & waiting), unit))
        levels[touches[last] & waiting] = level
        left.remove(last)
        order.append(last)
    return order[::-1], levels


def _cuts(reach: Floats, of_units: float, most_nats: float) -> NDArray[np.bool_]:
    """Hidden units with which a new product begins, so that all stay within ``most_nats``.

    ``reach`` (n_hidden,) and ``of_units`` are the most nats by which a hidden unit, and all units
    of the bin, change a product.
    """
    cuts, nats = np.zeros(reach.size, dtype=np.bool_), of_units
    for i in range(reach.size):
        cuts[i] = nats + reach[i] > most_nats
        nats = reach[i] + (of_units if cuts[i] else nats)
    return cuts
