"""Minimise a smooth objective plus a penalty with kinks, to exact zeros and with a certificate.

A limited-memory quasi-Newton method (L-BFGS) on the coordinates that may move. It follows the
subgradient of least norm, and a step that carries a group of coordinates across zero ends at
zero; with an L1 penalty this is the orthant-wise method (OWL-QN), and groups are handled alike.
Directions are found on the moving coordinates alone, so that zeros do not disturb their curvature.
Once steps change the objective by less than rounding, slopes decide whether a step is taken
(Hager and Zhang's approximate Wolfe condition), which carries the certificate down to the
accuracy of the gradient.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from tqdm import tqdm

from ..layout import Layout
from ..objectives import Objective
from ..parameters import Floats
from ..penalties import Penalty

#: A fit that takes longer shows a progress bar on a terminal.
_PATIENCE_SECONDS = 5.0
#: Pairs of steps and changes of slope that are remembered.
_MEMORY = 50
#: Share of the decrease promised by the slope that a step must reach.
_DECREASE = 1e-4
#: A step is lengthened where the slope along it is still more than this share of the first.
_STEEP = 0.9
_MAX_TRIALS = 30
#: Relative change of the objective that may be rounding alone.
_ROUNDING = 1e-14


class Search:
    """A search for a minimum that can be continued.

    Parameters
    ----------
    objective : Objective
        Its ``evaluate`` may raise OverflowError, from which the search backs off; at ``x`` there
        is no way back, and the error is the caller's.
    penalty : Penalty
        Added to the objective.
    layout : Layout
        What the coordinates stand for.
    x : ndarray, shape (layout.size,)
        Where to begin.

    Attributes
    ----------
    x : ndarray
        The best point so far.
    value : float
        Penalised objective there.
    optimality : float
        Largest violation of the optimality conditions, per entry of the parameters.
    n_iter, n_evaluations : int
        Steps taken, and evaluations of the objective.
    """

    def __init__(self, objective: Objective, penalty: Penalty, layout: Layout, x: Floats) -> None:
        self._objective, self._penalty, self.layout = objective, penalty, layout
        size = x.size
        self.x, self._gradient, self._slopes = x.copy(), np.empty(size), np.empty(size)
        self._trial = np.empty(size), np.empty(size), np.empty(size)
        self._direction = np.empty(size)
        rows = 0 if size == 0 else _MEMORY
        self._steps, self._changes = np.zeros((rows, size)), np.zeros((rows, size))
        self._compressed = np.zeros((2, rows, size))
        self._n_pairs = self._newest = 0
        self.n_iter = self.n_evaluations = 0
        self.value = self._evaluate(self.x, self._gradient)
        self.optimality = self._slope(self.x, self._gradient, self._slopes)

    def run(self, tol: float, max_iter: int, least_decrease: float = 0.0) -> None:
        """Go on until ``optimality`` is at most ``tol`` or ``max_iter`` steps are taken in all.

        Parameters
        ----------
        tol : float
            Largest optimality that is good enough.
        max_iter : int
            Most steps, those of earlier runs included.
        least_decrease : float
            Also stop where the objective falls by less than this, relative and per step.
        """
        then, checked = self.value, self.n_iter
        # The bar counts to the most steps allowed; most fits are done long before.
        with tqdm(
            total=max_iter, desc="fit, at most", delay=_PATIENCE_SECONDS, disable=None, leave=False
        ) as bar:
            while self.optimality > tol and self.n_iter < max_iter:
                if not self._step():
                    return
                bar.update()
                if least_decrease and self.n_iter == checked + _WATCHED:
                    if then - self.value < least_decrease * _WATCHED * abs(self.value):
                        return
                    then, checked = self.value, self.n_iter

    def _evaluate(self, x: Floats, gradient: Floats) -> float:
        self.n_evaluations += 1
        return self._objective.evaluate(x, self.layout, gradient) + self._penalty.value(
            x, self.layout
        )

    def _slope(self, x: Floats, gradient: Floats, slopes: Floats) -> float:
        """Fill the subgradient of least norm; its largest entry."""
        slopes[:] = gradient
        self._penalty.add_slopes(x, self.layout, slopes)
        return float(_largest(slopes, self.layout.entries))

    def _step(self) -> bool:
        """One step; False where no step lowers the objective."""
        for attempt in range(2):
            along = _find_direction(
                self._steps,
                self._changes,
                self._n_pairs,
                self._newest,
                self.x,
                self._slopes,
                self._compressed,
                self._direction,
            )
            if self._search_line(along):
                return True
            if self._n_pairs == 0 or attempt:
                return False
            self._n_pairs = 0
        return False

    def _search_line(self, length: float) -> bool:
        x, slopes = self.x, self._slopes
        trial, gradient, trial_slopes = self._trial
        shrunk = False
        accepted = False
        for _ in range(_MAX_TRIALS):
            _move(x, length, self._direction, trial)
            self._penalty.zero(trial, x, self.layout, slopes)
            promised = _change(slopes, trial, x)
            if promised >= 0.0:
                return False
            try:
                value = self._evaluate(trial, gradient)
            except OverflowError:
                length *= 0.1
                shrunk = True
                continue
            optimality = self._slope(trial, gradient, trial_slopes)
            slope = _change(trial_slopes, trial, x)
            if value <= self.value + _DECREASE * promised or (
                value <= self.value + _ROUNDING * abs(self.value)
                and slope <= (2 * _DECREASE - 1.0) * promised and optimality < self.optimality
            ):
                accepted = True
                break
            # minimum of the cubic/quadratic through both ends
            quad = -0.5 * promised / (value - self.value - promised) if value - self.value - promised > 0 else 0.5
            length *= min(max(quad, 0.1), 0.5)
            shrunk = True
        if not accepted:
            return False
        self._remember(trial, gradient, trial_slopes)
        self._trial = x, self._gradient, slopes
        self.x, self._gradient, self._slopes = trial, gradient, trial_slopes
        self.value, self.optimality = value, optimality
        self.n_iter += 1
        return True

    def _remember(self, trial: Floats, gradient: Floats, slopes: Floats) -> None:
        place = (self._newest + 1) % _MEMORY
        if _pair(self.x, self._gradient, self._slopes, trial, gradient, slopes,
                 self._steps[place], self._changes[place]):
            self._newest = place
            self._n_pairs = min(self._n_pairs + 1, _MEMORY)

_WATCHED = 50

@njit(cache=True, fastmath={"reassoc", "contract"})
def _largest(slopes, entries):
    worst = 0.0
    for k in range(slopes.size):
        worst = max(worst, abs(slopes[k]) / entries[k])
    return worst


@njit(cache=True, fastmath={"reassoc", "contract"})
def _change(slopes, trial, x):
    total = 0.0
    for k in range(x.size):
        total += slopes[k] * (trial[k] - x[k])
    return total


@njit(cache=True)
def _move(x, length, direction, trial):
    for k in range(x.size):
        trial[k] = x[k] + length * direction[k]


@njit(cache=True, fastmath={"reassoc", "contract"})
def _pair(x, gradient, slopes, trial, trial_gradient, trial_slopes, step, change):
    sy = ss = yy = 0.0
    for k in range(x.size):
        step[k] = trial[k] - x[k]
        if trial[k] != 0.0:
            change[k] = trial_slopes[k] - slopes[k]
        else:
            change[k] = trial_gradient[k] - gradient[k]
        sy += step[k] * change[k]
        ss += step[k] * step[k]
        yy += change[k] * change[k]
    return sy > 1e-10 * math.sqrt(ss * yy)


@njit(cache=True, fastmath={"reassoc", "contract"})
def _dot(a, b, n):
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total


@njit(cache=True, fastmath={"reassoc", "contract"})
def _find_direction(steps, changes, n_pairs, newest, x, slopes, compressed, direction):
    """-H slopes on the coordinates that may move."""
    n = 0
    moving = np.empty(x.size, dtype=np.intp)
    for k in range(x.size):
        if x[k] != 0.0 or slopes[k] != 0.0:
            moving[n] = k
            n += 1
    q = np.empty(n)
    for j in range(n):
        q[j] = -slopes[moving[j]]
    norm = math.sqrt(_dot(q, q, n))
    rho = np.zeros(n_pairs)
    alpha = np.zeros(n_pairs)
    gamma = 0.0
    memory = steps.shape[0]
    for p in range(n_pairs):
        place = (newest - p) % memory
        s, y = compressed[0, p], compressed[1, p]
        full_s, full_y = steps[place], changes[place]
        for j in range(n):
            s[j] = full_s[moving[j]]
            y[j] = full_y[moving[j]]
        sy, yy = _dot(s, y, n), _dot(y, y, n)
        ss = _dot(s, s, n)
        if sy <= 1e-10 * math.sqrt(ss * yy):
            continue
        rho[p] = 1.0 / sy
        if gamma == 0.0:
            gamma = sy / yy
        alpha[p] = rho[p] * _dot(s, q, n)
        for j in range(n):
            q[j] -= alpha[p] * y[j]
    length = 1.0
    if gamma == 0.0:
        gamma = 1.0
        length = min(1.0, 1.0 / norm)
    for j in range(n):
        q[j] *= gamma
    for p in range(n_pairs - 1, -1, -1):
        if rho[p] > 0.0:
            s, y = compressed[0, p], compressed[1, p]
            beta = alpha[p] - rho[p] * _dot(y, q, n)
            for j in range(n):
                q[j] += beta * s[j]
    direction[:] = 0.0
    for j in range(n):
        direction[moving[j]] = q[j]
    return length
