"""Flow and pseudolikelihood of words under a known drive (docs/method.md, "Stimulus drive")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..kernels import flip_changes, one_blas_thread
from ..parameters import Parameters
from ..validation import Floats, chunks
from ..words import Words
from ._objective import Objective, check_same_units

#: Largest factor on a unit's drive. Drives are log odds already, so that factors are near 1.
LARGEST_SCALE = 10.0
#: A scale is found when Newton's step is this short: the next one would be its square.
_STEP, _MOST_STEPS = 1e-7, 100


class DrivenFlips(Objective):
    """An objective over single flips whose log odds are moved by a drive, for many evaluations.

    The scale of each unit's drive, from 0 to ``LARGEST_SCALE``, is always the best one for the
    other parameters (docs/method.md, section 12), so that solvers see an objective like any other.

    Words are single bins without weights. Drives are the rows of ``table`` (n_rows, n_units), nats
    of log odds, and bin t has the ``row[t]`` of them, as :meth:`StimulusDrive.offsets` gives both.
    Terms of a flip are exp(Delta / 2) of ``"mpf"``, or softplus(Delta) of ``"pseudolikelihood"``.
    """

    def __init__(self, words: Words, table: Floats, row: NDArray[np.int64], objective: str) -> None:
        self.words = words
        self._flow = objective == "mpf"
        # Bins of one word together, and time of one unit in a row: memory is read as it lies.
        order = np.argsort(words.index, kind="stable")
        self._word, self._row = words.index[order], row[order].astype(np.int64)
        self._drive = np.ascontiguousarray(table.T)
        self._fit = np.asarray(self._drive[:, np.unique(row)].any(axis=1))
        self._scale = self._fit.astype(np.float64)
        self._pull, self._values = np.empty((table.shape[1], len(words))), np.empty(table.shape[1])

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value and gradient at ``theta``, with the best scales for it."""
        if theta.is_gaussian:
            value, slopes = self(theta.as_pairs()[0])
            return value, theta.pulled_back(slopes)
        self._evaluate(theta)
        value = float(self._values.sum()) / self.words.n_bins
        if not np.isfinite(value):
            raise OverflowError(
                "the objective is beyond the range of floating-point numbers; the parameters are "
                "too large for these words, start from smaller ones"
            )
        pull = self._pull / self.words.n_bins
        push = np.where(self.words.X.T, -pull, pull)
        b: Floats = push.sum(axis=1)
        J: Floats | None = None
        W = c = None
        with one_blas_thread():
            if theta.J is not None:
                # A pair moves both of its entries: twice the sum, shared between them.
                J = push @ self.words.X
                J = J + J.T
                np.fill_diagonal(J, 0.0)
            if theta.n_hidden:
                W, c = self._hidden_slopes(theta, pull, push)
        return value, Parameters.trusted(b, J, W, c)

    def _hidden_slopes(
        self, theta: Parameters, pull: Floats, push: Floats
    ) -> tuple[Floats, Floats]:
        """Slopes of weights and biases of hidden units, from the sums that flips pull with."""
        W, c = theta.arrays.hidden
        slopes, biases = np.zeros(W.shape), np.zeros(c.size)
        for part in chunks(len(self.words), theta.n_hidden):
            x = self.words.X[part].astype(np.float64)
            z = x @ W + c
            on, through = expit(z), np.zeros(z.shape)
            for n, weights in enumerate(W):
                there = expit(z + np.where(x[:, n, None], -weights, weights))
                through += pull[n, part, None] * (there - on)
                slopes[n] += push[n, part] @ there
            slopes += x.T @ through
            biases += through.sum(axis=0)
        return slopes, biases

    def scale(self, theta: Parameters) -> Floats:
        """Best factor on each unit's drive at ``theta``, (n_units,); 0 for a unit without one."""
        self._evaluate(theta.as_pairs()[0] if theta.is_gaussian else theta)
        return self._scale.copy()

    @np.errstate(over="ignore", invalid="ignore")  # the sum of all is checked
    def _evaluate(self, theta: Parameters) -> None:
        """Find scales, values and pulls.

        All that has hidden units or couplings in it is a matter of distinct words, and bins of time
        are visited one unit at a time.
        """
        check_same_units(theta.n_visible, self._scale.size)
        n_units = theta.n_visible
        changes = np.ascontiguousarray(flip_changes(theta.arrays, self.words.X, range(n_units)).T)
        for n in range(n_units):
            change, drive = changes[n, self._word], self._drive[n, self._row]
            np.negative(drive, out=drive, where=self.words.X[self._word, n] == 1)
            if self._fit[n]:
                self._scale[n] = self._best_scale(change, drive, self._scale[n])
            change += self._scale[n] * drive
            slopes = self._derivatives(change)[0]
            terms = 2.0 * slopes if self._flow else np.logaddexp(0.0, change)
            self._values[n] = terms.sum()
            self._pull[n] = np.bincount(self._word, slopes, len(self.words))

    def _derivatives(self, change: Floats) -> tuple[Floats, Floats]:
        """First and second derivative of each flip's term."""
        if self._flow:
            slopes: Floats = 0.5 * np.exp(0.5 * change)
            return slopes, 0.5 * slopes
        active: Floats = expit(change)
        return active, active * (1.0 - active)  # which steps alone depend on, not the minimum

    def _best_scale(self, change: Floats, drive: Floats, scale: float) -> float:
        """Newton's method on a convex function, kept inside the bracket that its slopes tell."""
        low, high = 0.0, LARGEST_SCALE
        for _ in range(_MOST_STEPS):
            slopes, bends = self._derivatives(change + scale * drive)
            first, second = float(slopes @ drive), float(bends @ drive**2)
            low, high = (low, scale) if first > 0.0 else (scale, high)
            trial = scale - first / max(second, 1e-300)
            if not low <= trial <= high:
                end, outermost = (low, 0.0) if first > 0.0 else (high, LARGEST_SCALE)
                # An end of the whole range is where it may stay; any other end was left already.
                trial = end if end == outermost else 0.5 * (low + high)
            if abs(trial - scale) < _STEP:
                return trial
            scale = trial
        return scale
