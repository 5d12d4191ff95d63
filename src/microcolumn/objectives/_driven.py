"""Flow and pseudolikelihood of words under a known drive (docs/method.md, "Stimulus drive")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels import flip_changes
from ..kernels.loops.driven import driven_terms, pulled_gradient
from ..kernels.loops.threads import threads_for
from ..parameters import Parameters
from ..validation import Floats
from ..words import Words
from ._objective import Objective

#: Largest factor on a unit's drive. Drives are log odds already, so that factors are near 1.
LARGEST_SCALE = 10.0
#: Largest hidden weight whose exponential stays in range in products with others.
_LARGEST_WEIGHT = 100.0
#: Words are added up in so many chunks, whatever the number of threads.
_CHUNKS = 16


class DrivenFlips(Objective):
    """An objective over single flips whose log odds are moved by a drive, for many evaluations.

    The scale of each unit's drive, from 0 to ``LARGEST_SCALE``, is always the best one for the
    other parameters: it is minimised over within. The minimum over a part of the variables of a
    convex function is convex, and its gradient is that at the best scale, so that solvers see an
    objective like any other.

    Parameters
    ----------
    words : Words
        Single bins, without weights.
    table : ndarray, shape (n_rows, n_units)
        Drives in nats of log odds, as :meth:`StimulusDrive.offsets` gives them.
    row : ndarray of int64, shape (n_bins,)
        Row of each bin.
    objective : {"mpf", "pseudolikelihood"}
        Terms exp(Delta / 2) or softplus(Delta) of each flip.
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
        shares = np.arange(_CHUNKS + 1) * len(words) // _CHUNKS
        self._first = shares.astype(np.int64)

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value and gradient at ``theta``, with the best scales for it."""
        if theta.is_gaussian:
            value, slopes = self(theta.as_pairs()[0])
            return value, theta.pulled_back(slopes)
        W, c, up, down = self._evaluate(theta)
        value = float(self._values.sum()) / self.words.n_bins
        if not np.isfinite(value):
            raise OverflowError(
                "the objective is beyond the range of floating-point numbers; the parameters are "
                "too large for these words, start from smaller ones"
            )
        n, n_hidden = theta.n_visible, theta.n_hidden
        n_coupled = n if theta.J is not None else 0
        sums = (
            np.zeros((_CHUNKS, n)),
            np.zeros((_CHUNKS, n_coupled, n_coupled)),
            np.zeros((_CHUNKS, n, n_hidden)),
            np.zeros((_CHUNKS, n_hidden)),
        )
        with threads_for(self._operations(n_hidden)):
            pulled_gradient(self.words.X, self._pull, W, c, up, down, self._first, *sums)
        b, J, W_slopes, c_slopes = (part.sum(axis=0) / self.words.n_bins for part in sums)
        couplings = None
        if n_coupled:
            # A pair moves both of its entries: twice the sum, shared between them.
            couplings = J + J.T
            np.fill_diagonal(couplings, 0.0)
        hidden = (W_slopes, c_slopes) if n_hidden else (None, None)
        return value, Parameters.trusted(b, couplings, *hidden)

    def scale(self, theta: Parameters) -> Floats:
        """Best factor on each unit's drive at ``theta``, (n_units,); 0 for a unit without one."""
        self._evaluate(theta.as_pairs()[0] if theta.is_gaussian else theta)
        return self._scale.copy()

    def _evaluate(self, theta: Parameters) -> tuple[Floats, Floats, Floats, Floats]:
        """Find scales, values and pulls; return the model's weights as kernels take them."""
        if theta.n_visible != self._scale.size:
            raise ValueError(
                f"the model has {theta.n_visible} units but the words have {self._scale.size}; "
                "fit and score on the same units"
            )
        n = theta.n_visible
        W = np.zeros((n, 0)) if theta.W is None else np.ascontiguousarray(theta.W)
        c = np.zeros(0) if theta.c is None else theta.c
        largest = float(np.abs(W).max(initial=0.0))
        if largest > _LARGEST_WEIGHT:
            raise OverflowError(
                f"a hidden weight is {largest:.3g}, beyond the {_LARGEST_WEIGHT:g} up to which "
                "products of exponentials stay in range; rescale the weights or raise the penalty"
            )
        up, down = np.exp(W), np.exp(-W)
        change = np.ascontiguousarray(flip_changes(theta.arrays, self.words.X, range(n)).T)
        # Each bin of time takes a few exponentials per unit.
        with threads_for(100.0 * self._word.size * n):
            driven_terms(
                self._flow, change, self.words.X, self.words.counts, self._word, self._drive,
                self._row, self._fit, LARGEST_SCALE, self._scale, self._values, self._pull,
            )  # fmt: skip
        return W, c, up, down

    def _operations(self, n_hidden: int) -> float:
        return float(len(self.words) * self._scale.size * (16 + 8 * n_hidden))
