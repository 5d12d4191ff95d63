"""Minimise a smooth objective plus a penalty with kinks, to exact zeros and with a certificate.

A limited-memory quasi-Newton method on the coordinates that may move (docs/method.md, section 4).
It follows the subgradient of least norm; groups are handled like single coordinates.
Once steps change the objective by less than rounding, slopes decide whether a step is taken
(Hager and Zhang's approximate Wolfe condition), which carries the certificate down to the
accuracy of the gradient.
"""

from __future__ import annotations

import math
from collections import deque
from typing import ClassVar, Protocol

import numpy as np

from ..kernels.loops.quasi_newton import find_direction, keep_pair
from ..layout import Layout
from ..penalties import Penalty
from ..validation import Floats
from ._bars import delayed_bar

#: Numbers that pairs of steps and changes of slope may take; fewer pairs are remembered beyond.
_MOST_ELEMENTS = 1 << 22
#: Share of the decrease promised by the slope that a step must reach.
_DECREASE = 1e-4
#: Slope at the end of a step, relative to the first, at which it is taken because of its slope.
_FLATTER = 1.0 - 2.0 * _DECREASE
#: Iterations over which the decrease of the objective is watched.
_WATCHED = 100
_MAX_TRIALS = 30
#: Relative change of the objective that may be mere rounding.
ROUNDING = 1e-13


class Smooth(Protocol):
    """What a search asks of an objective."""

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """Value at the flat vector ``x``; its derivatives are written to ``gradient``."""


class Search:
    """A search for a minimum from ``x`` that can be continued.

    ``value`` is the penalised objective at ``x``, ``optimality`` the largest violation of the
    optimality conditions there, per entry of the parameters; ``n_iter`` counts steps.

    It remembers so many pairs (``memory``) of steps and changes of slope: on simulated recordings
    12, 25, 50 and 100 take 100, 86, 80 and 74 % of the evaluations.
    ``curvature`` may give a first guess at the second derivative along each coordinate, which steps
    begin with. The objective may raise OverflowError, from which the search backs off; at the start
    there is no way back, and the error is the caller's.
    """

    #: Steps whose gain says whether there is more to be had.
    _n_recent: ClassVar[int] = 10

    def __init__(
        self,
        objective: Smooth,
        penalty: Penalty,
        layout: Layout,
        x: Floats,
        curvature: Floats | None = None,
        memory: int = 50,
    ) -> None:
        self._guess = np.zeros(0) if curvature is None else curvature
        self._longest = 1.0
        self._objective, self.penalty, self.layout = objective, penalty, layout
        size = x.size
        self.x, self._gradient, self._slopes = x.copy(), np.empty(size), np.empty(size)
        self._trial = np.empty(size), np.empty(size), np.empty(size)
        self._direction = np.empty(size)
        # Steps, changes of slope, both of the moving coordinates only, their products, and which
        # coordinates these are.
        self._most_pairs = max(2, min(memory, _MOST_ELEMENTS // max(size, 1)))
        s, y, moving_s, moving_y = np.empty((4, self._most_pairs + 1, size))
        products, moving = np.empty((self._most_pairs + 1, 2)), np.empty(size, dtype=np.intp)
        self._memory = (s, y, moving_s, moving_y, products, moving)
        self._n_pairs = self._newest = self._n_moving = 0
        self.n_iter = self.n_evaluations = 0
        self.value = self._lowest = self._evaluate(self.x, self._gradient)
        self._recent = deque([self.value], self._n_recent + 1)
        self.optimality = self._slope(self.x, self._gradient, self._slopes)

    @property
    def recent_gain(self) -> float:
        """By how much the last few steps have lowered the value; infinite before there are any."""
        is_full = len(self._recent) == self._recent.maxlen
        return self._recent[0] - self._recent[-1] if is_full else math.inf

    def run(
        self,
        tol: float,
        max_iter: int,
        least_decrease: float = ROUNDING / _WATCHED,
        least_gain: float = -math.inf,
    ) -> None:
        """Go on until ``optimality`` is at most ``tol`` or ``max_iter`` steps are taken in all.

        Also stop where the last few steps together gained no more than ``least_gain``, and where
        the objective falls by less than ``least_decrease``, relative and per step, while
        ``optimality`` does not fall by a factor of ten in a hundred steps.
        """
        then, before, checked = self.value, self.optimality, self.n_iter
        # The bar counts to the most steps allowed; most fits are done long before.
        with delayed_bar(max_iter, "fit, at most") as bar:
            while self.optimality > tol and self.n_iter < max_iter:
                if self.recent_gain <= least_gain or not self._step():
                    return
                bar.update()
                if self.n_iter == checked + _WATCHED:
                    slow = then - self.value < least_decrease * _WATCHED * abs(self.value)
                    if slow and self.optimality > 0.1 * before:
                        return
                    then, before, checked = self.value, self.optimality, self.n_iter

    def _evaluate(self, x: Floats, gradient: Floats) -> float:
        self.n_evaluations += 1
        value = self._objective.evaluate(x, self.layout, gradient)
        return value + self.penalty.value(x, self.layout)

    def _slope(self, x: Floats, gradient: Floats, slopes: Floats) -> float:
        """Fill the subgradient of least norm; its largest entry."""
        slopes[:] = gradient
        self.penalty.add_subgradient(x, self.layout, slopes)
        return float((np.abs(slopes) / self.layout.multiplicity).max(initial=0.0))

    def _step(self) -> bool:
        """One step; False where no step lowers the objective."""
        while True:
            pairs, point = (self._n_pairs, self._newest), (self.x, self._slopes, self._n_moving)
            found = find_direction(*self._memory, *pairs, *point, self._direction, self._guess)
            self._n_moving = int(found)
            if self._search_line():
                return True
            if self._n_pairs == 0:
                return False
            self._n_pairs = 0  # what is remembered misleads: try steepest descent

    def _search_line(self) -> bool:
        """Shorten the step until it is good enough, and take it."""
        x, slopes, length = self.x, self._slopes, self._longest
        trial, gradient, trial_slopes = self._trial
        for _ in range(_MAX_TRIALS):
            np.add(x, length * self._direction, out=trial)
            self.penalty.zero(trial, x, self.layout, slopes)
            promised = float(slopes @ (trial - x))
            if promised >= 0.0:
                return False
            try:
                value = self._evaluate(trial, gradient)
            except OverflowError:
                length *= 0.3
                self._longest = length
                continue
            optimality = self._slope(trial, gradient, trial_slopes)
            rise = value - self.value
            is_rounding = value <= self._lowest + ROUNDING * abs(self._lowest)
            if rise <= _DECREASE * promised or (
                is_rounding and trial_slopes @ (trial - x) <= -_FLATTER * promised
            ):
                break
            # The minimum of a parabola through both values with the slope at the beginning.
            length *= min(max(0.5 * promised / (promised - rise), 0.1), 0.5)
        else:
            return False
        self._longest = min(1.0, 2.0 * self._longest)
        self._remember()
        self._take(value, optimality)
        return True

    def _take(self, value: float, optimality: float) -> None:
        """Go to the trial."""
        before = self.x, self._gradient, self._slopes
        (self.x, self._gradient, self._slopes), self._trial = self._trial, before
        self.value, self.optimality, self.n_iter = value, optimality, self.n_iter + 1
        self._lowest = min(self._lowest, value)
        self._recent.append(value)

    def _remember(self) -> None:
        place = (self._newest + 1) % (self._most_pairs + 1)  # there is one place more than pairs
        before, after = (self.x, self._gradient, self._slopes), self._trial
        if keep_pair(before, after, self._memory, place):
            self._newest, self._n_pairs = place, min(self._n_pairs + 1, self._most_pairs)
