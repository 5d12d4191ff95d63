"""Proximal Newton steps, for objectives that know how they are curved, with an L1 penalty.

By the Fisher information of the data, which the following steps correct (BFGS) until further
coordinates leave zero, damped after Levenberg and Marquardt (docs/method.md, section 4).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dger

from ..kernels.loops.l1_descent import minimise_quadratic
from ..layout import Layout
from ..objectives import Objective
from ..penalties import L1, Penalty
from ..validation import Floats
from ._quasi_newton import ROUNDING, Search

#: Coordinates up to which matrices of them are worth it.
_MOST_COORDINATES = 2000
#: Steps after which the second derivative is found anew.
_MOST_CORRECTIONS = 15
#: Damping of the first step and the least, relative to the curvature of each coordinate; factors
#: by which it grows where a step fails or falls short, and shrinks where it keeps its promise.
_FIRST_DAMPING, _LEAST_DAMPING, _MORE, _SOMEWHAT_MORE, _LESS = 1e-3, 1e-5, 6.0, 3.0, 0.25
#: Shares of the promised decrease from which on a step is taken, is good, and falls short.
_TAKEN, _GOOD, _SHORT = 0.05, 0.7, 0.3
_MOST_TRIALS = 12
#: Slopes of coordinates that have no part in the steps, relative to those that have, at which it is
#: their turn.
_ELSEWHERE = 0.5
#: Violation of the quadratic model's optimality conditions that is left, relative to the present.
_INEXACT = 0.03
#: Curvature below which a coordinate has none but for rounding.
_FLAT = 1e-13
#: Least share of the model's curvature along a step that a correction leaves.
_LEAST_SHARE = 0.1


def search_for(objective: Objective, penalty: Penalty, layout: Layout, x: Floats) -> Search:
    """The search that suits an objective and a penalty, from ``x``."""
    has_matrix = objective.has_curvature and layout.size <= _MOST_COORDINATES
    if has_matrix and isinstance(penalty, L1) and not layout.counted:
        return NewtonSearch(objective, penalty, layout, x)
    return Search(objective, penalty, layout, x)


class NewtonSearch(Search):
    """A search whose steps follow the objective's curvature; see :class:`Search`."""

    _n_recent = 5

    def __init__(self, objective: Objective, penalty: L1, layout: Layout, x: Floats) -> None:
        super().__init__(objective, penalty, layout, x)
        self._curved, self._strengths = objective, penalty.strengths(layout)
        self._damping = _FIRST_DAMPING
        self._coordinates: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self._curvature: Floats = np.zeros((0, 0))
        self._n_corrections = _MOST_CORRECTIONS

    def _step(self) -> bool:
        self._prepare()
        for _ in range(_MOST_TRIALS):
            if self._try_step():
                return True
            self._damping *= _MORE
        self._damping, self._n_corrections = _FIRST_DAMPING, _MOST_CORRECTIONS
        return super()._step()

    def _prepare(self) -> None:
        """Find the curvature anew after some corrections, or where other coordinates would move."""
        outside = self._slopes.copy()
        outside[self._coordinates] = 0.0
        inside = self._slopes[self._coordinates]
        is_elsewhere = np.abs(outside).max() > _ELSEWHERE * np.abs(inside).max(initial=0.0)
        if not is_elsewhere and self._n_corrections < _MOST_CORRECTIONS:
            return
        coordinates = np.flatnonzero((self.x != 0.0) | (self._slopes != 0.0))
        curvature = self._curved.curvature(self.x, self.layout, coordinates)
        # What the data never show has no curvature by them: the model's is about its slope.
        missing = np.abs(self._gradient[coordinates]) * self.layout.multiplicity[coordinates]
        diagonal = np.maximum(np.diagonal(curvature), missing)
        is_curved = diagonal > _FLAT  # not so the biases of dead hidden units
        self._coordinates = coordinates[is_curved]
        self._curvature = np.ascontiguousarray(curvature[np.ix_(is_curved, is_curved)])
        np.fill_diagonal(self._curvature, diagonal[is_curved])
        self._n_corrections = 0

    def _try_step(self) -> bool:
        """Go to the minimum of the damped model, if the objective falls about as it promises."""
        at = self._coordinates
        slopes, x, strengths = self._gradient[at], self.x[at], self._strengths[at]
        damped = self._curvature.copy()
        damped.flat[:: at.size + 1] *= 1.0 + self._damping
        goal, ends = minimise_quadratic(damped, slopes, x, strengths, _INEXACT * self.optimality)
        step = goal - x
        with np.errstate(over="ignore", invalid="ignore"):  # where the curvature is none
            rise = 0.5 * step @ (slopes + ends)
            promised = -float(rise + strengths @ (np.abs(goal) - np.abs(x)))
        trial, gradient, trial_slopes = self._trial
        trial[:] = self.x
        trial[at] = goal
        if not 0.0 < promised < np.inf or np.array_equal(trial, self.x):
            return False
        try:
            value = self._evaluate(trial, gradient)
        except OverflowError:
            return False
        optimality = self._slope(trial, gradient, trial_slopes)
        decrease = self.value - value
        is_rounding = abs(decrease) <= ROUNDING * abs(self.value) and optimality < self.optimality
        if not (decrease >= _TAKEN * promised or is_rounding):  # nor where it is not a number
            return False
        self._damp(decrease / promised)
        self._correct(step, gradient[at] - slopes)
        self._take(value, optimality)
        return True

    def _damp(self, reached: float) -> None:
        """Damp less after a step that kept its promise, more after one that fell short."""
        if reached > _GOOD:
            self._damping = max(_LESS * self._damping, _LEAST_DAMPING)
        elif reached < _SHORT:
            self._damping *= _SOMEWHAT_MORE

    def _correct(self, step: Floats, change: Floats) -> None:
        """Let the curvature along a step be what it was (BFGS), but stay positive (Powell)."""
        expected = self._curvature @ step
        along, observed = float(step @ expected), float(step @ change)
        if along <= 0.0:
            return
        if observed < _LEAST_SHARE * along:
            share = (1.0 - _LEAST_SHARE) * along / (along - observed)
            change = share * change + (1.0 - share) * expected
            observed = float(step @ change)
        for factor, vector in ((1.0 / observed, change), (-1.0 / along, expected)):
            dger(factor, vector, vector, a=self._curvature.T, overwrite_a=True)
        self._n_corrections += 1
