"""L1 logistic regressions of each unit on the units before it (docs/method.md, Alternatives)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels.loops.sparse_logistic import SparseRows, regress
from ..kernels.loops.threads import threads_for
from ..objectives.sparse_words import SparseWords
from ..validation import Floats
from ..words import Words

#: Slopes at independent units below this are rounding errors of their rates.
_ROUNDING = 1e-12
#: Steps of Newton's method that a regression takes, roughly, for an estimate of the work.
_USUAL_STEPS = 5
#: Consecutive multiples of this, modulo 1, fall evenly everywhere: whichever stretch of regressions
#: a thread is given, short and long ones are among them.
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)


class CascadeFit(NamedTuple):
    """Coefficients of all regressions, units in the order of the cascade.

    ``weights`` (n_units, n_units) of unit j for unit i > j, ``steps`` (n_units, n_thresholds),
    ``biases`` (n_units,); ``optimality`` is the largest violation of the conditions of the
    minimum, ``n_iter`` the most steps of one regression.
    """

    weights: Floats
    steps: Floats
    biases: Floats
    optimality: float
    n_iter: int


class CascadeRegressions:
    """The regressions of some words, prepared for several penalties.

    Parameters
    ----------
    words : Words
        Binary words.
    order : ndarray of int, shape (n_units,)
        Positions of the units in the order of the cascade.
    thresholds : ndarray of int, shape (n_thresholds,)
        Running counts at which the log odds may make a step.
    biases : ndarray, shape (n_units,)
        Log odds of each unit's rate, in the order of the cascade. Units whose rate is 0 or 1 keep
        theirs, and have no weights.
    """

    def __init__(
        self, words: Words, order: NDArray[np.intp], thresholds: NDArray[np.int64], biases: Floats
    ) -> None:
        listed = SparseWords.of(words.X[:, order])
        shares = words.counts / words.counts.sum()
        counts = np.arange(int(np.diff(listed.offsets).max()) + 1)
        reached = counts[:, None] >= thresholds
        table = np.concatenate([reached, np.ones((counts.size, 1))], axis=1)
        usable = np.asarray(words.X.any(axis=0) & ~words.X.all(axis=0))[order]
        row = np.repeat(np.arange(shares.size, dtype=np.int32), np.diff(listed.offsets))
        fired = row[np.argsort(listed.active, kind="stable")]
        n_fired = np.bincount(listed.active, minlength=order.size)
        self._rows = SparseRows(
            offsets=listed.offsets,
            columns=listed.active,
            values=np.ones(listed.active.size),
            shares=shares,
            fired_offsets=np.concatenate([[0], np.cumsum(n_fired)]),
            fired=fired,
            fired_shares=shares[fired],
            limits=np.arange(order.size),
            usable=usable,
            table=table,
        )
        nodes = np.flatnonzero(usable)
        self._nodes = nodes[np.argsort(nodes * _GOLDEN % 1.0, kind="stable")]
        self.order, self.thresholds, self._biases = order, thresholds, biases

    def largest_l1(self) -> float:
        """The smallest L1 strength at which units are independent; 0 if they are without one."""
        largest = self.solve(0.0, 0.0, 0).optimality
        return largest if largest > _ROUNDING else 0.0

    def solve(
        self, l1: float, tol: float, max_iter: int, start: CascadeFit | None = None
    ) -> CascadeFit:
        """Minimise the mean negative log-likelihood plus l1 times the sum of abs(weights, steps).

        Biases have no penalty. A regression ends where the conditions of the minimum are violated
        by ``tol``, or after ``max_iter`` steps. It starts from ``start``, such as the solution at
        another strength, else at independent units.
        """
        n = self._biases.size
        coefficients = np.zeros((n, n + self._rows.table.shape[1]))
        coefficients[:, -1] = self._biases
        if start is not None:
            coefficients = np.column_stack([start.weights, start.steps, start.biases])
        optimality, n_iter = np.zeros(n), np.zeros(n, dtype=np.int64)
        passes = _USUAL_STEPS * (self._rows.columns.size + 40.0 * self._rows.shares.size)
        with threads_for(n * passes, per_thread=2.0**26):
            regress(self._rows, self._nodes, l1, tol, max_iter, coefficients, optimality, n_iter)
        return CascadeFit(
            coefficients[:, :n].copy(),
            coefficients[:, n:-1].copy(),
            coefficients[:, -1].copy(),
            float(optimality.max(initial=0.0)),
            int(n_iter.max(initial=0)),
        )
