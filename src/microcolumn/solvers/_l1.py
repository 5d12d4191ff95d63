"""Minimise a smooth objective plus an L1 penalty, to exact zeros and with a certificate.

Two phases. First L-BFGS-B on the penalised coordinates split into positive and negative parts,
where the penalty is linear and zeros are bounds that are hit exactly. It compares values of the
objective, hence stalls once steps change them by less than rounding. Then a projected Newton
method, whose linear systems are solved by conjugate gradients on differences of gradients: it
only asks for gradients and carries the residual down to their accuracy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, OptimizeResult, minimize
from tqdm import tqdm

from ..parameters import Floats, Parameters
from ._layout import Layout

Objective = Callable[[Parameters], tuple[float, Parameters]]

#: Largest coordinate of the difference step for Hessian-vector products; the error is its square.
_DIFFERENCE = 1e-4
#: A fit that takes longer shows a progress bar on a terminal.
_PATIENCE_SECONDS = 5.0
#: Pairs of steps and gradients that L-BFGS-B remembers.
_MEMORY = 12
_MAX_NEWTON = 20
_MAX_CONJUGATE = 250
#: Residual of the linear systems, relative: two digits or more per Newton step.
_CONJUGATE_TOLERANCE = 1e-3
#: Relative change of the objective that may be rounding alone.
_ROUNDING = 1e-13


@dataclass(frozen=True, slots=True)
class FitResult:
    """A minimum and its certificate.

    Parameters
    ----------
    parameters : Parameters
        Where the minimum is.
    objective : float
        Penalised objective there.
    optimality : float
        Largest violation of the optimality conditions of the penalised problem, per entry of the
        gradient: |g + l1*sign(x)| where x is not zero, the excess of |g| over l1 where it is.
    n_iter, n_evaluations : int
        Iterations, and evaluations of the objective and its gradient.
    converged : bool
        Whether ``optimality`` is below the tolerance.
    """

    parameters: Parameters
    objective: float
    optimality: float
    n_iter: int
    n_evaluations: int
    converged: bool


def minimise_l1(
    objective: Objective,
    start: Parameters,
    l1: float,
    *,
    held: NDArray[np.bool_] | None = None,
    apart: NDArray[np.bool_] | None = None,
    tol: float = 1e-8,
    max_iter: int = 2000,
) -> FitResult:
    """Minimise objective(theta) + l1 * (sum |J| + sum |W|) from ``start``.

    Parameters
    ----------
    objective : callable
        Parameters -> (value, gradient as Parameters). It may raise OverflowError, from which the
        search backs off; at ``start`` there is no way back, and the error is the caller's.
    start : Parameters
        Where to begin; its kind and size are kept.
    l1 : float
        Penalty per entry of J and W. Biases are free (METHOD section 3).
    held : ndarray of bool, shape (n_units,), optional
        Units whose bias stays as it is in ``start`` and that get no couplings.
    apart : ndarray of bool, shape (n_units, n_units), optional
        Pairs whose coupling has no finite optimum: it is -20 and left out of the problem.
    tol : float
        Largest ``optimality`` that counts as converged.
    max_iter : int
        Most iterations, of both phases together; with 0 the start is only certified.
    """
    problem = _Problem(objective, start, l1, Layout.of(start, held, apart))
    x, n_iter = problem.pack(start), 0
    if x.size and max_iter > 0:
        x, n_iter = _quasi_newton(problem, x, tol, max_iter)
        x, n_newton = _newton(problem, x, tol, min(max_iter - n_iter, _MAX_NEWTON))
        n_iter += n_newton
    value, gradient = problem(x)
    optimality = problem.residual(x, gradient)
    return FitResult(
        problem.unpack(x),
        value + problem.penalty(x),
        optimality,
        n_iter,
        problem.n_evaluations,
        optimality <= tol,
    )


class _Problem:
    """The objective on flat vectors, with its penalty weights."""

    def __init__(self, objective: Objective, start: Parameters, l1: float, layout: Layout) -> None:
        self._objective, self._layout, self._biases = objective, layout, start.b
        self.weights = layout.penalties(l1)
        # One unit of violation per entry of the gradient: a pair coordinate holds two entries.
        self._entries = layout.penalties(1.0).clip(min=1.0)
        self.n_evaluations = 0
        self._ceiling = 0.0
        self._last = np.zeros(0), np.zeros(0)

    def pack(self, theta: Parameters) -> Floats:
        return self._layout.pack(theta)

    def unpack(self, x: Floats) -> Parameters:
        return self._layout.unpack(x, self._biases)

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        """Value and gradient without the penalty; where they overflow, a value to back off from."""
        self.n_evaluations += 1
        try:
            value, gradient = self._objective(self.unpack(x))
        except OverflowError:
            if self.n_evaluations == 1:  # the start itself: there is nowhere to back off to
                raise
            return self._out_of_range(x), np.zeros_like(x)
        slopes = self._layout.pack_gradient(gradient)
        if self.n_evaluations == 1:
            self._ceiling = value + self.penalty(x)
        self._last = x.copy(), slopes
        return value, slopes

    def _out_of_range(self, x: Floats) -> float:
        """A value above all that a descent accepts, yet near enough to interpolate with.

        Line searches fit a cubic through what they see. A number like 1e300 would send them back
        to where they came from; as much above the start as the slope promised to gain makes
        them try about a tenth of the step.
        """
        last, slopes = self._last
        return self._ceiling + abs(float(slopes @ (x - last)))

    def penalty(self, x: Floats) -> float:
        return float(self.weights @ np.abs(x))

    def subgradient(self, x: Floats, gradient: Floats) -> Floats:
        """The subgradient of least norm; zero exactly at a minimum."""
        away = np.maximum(np.abs(gradient) - self.weights, 0.0) * np.sign(gradient)
        return np.where(x != 0.0, gradient + self.weights * np.sign(x), away)

    def residual(self, x: Floats, gradient: Floats) -> float:
        violations = np.abs(self.subgradient(x, gradient)) / self._entries
        return float(violations.max(initial=0.0))


def _quasi_newton(problem: _Problem, x: Floats, tol: float, max_iter: int) -> tuple[Floats, int]:
    """L-BFGS-B on (free coordinates, positive parts, negative parts)."""
    penalised = problem.weights > 0.0
    weights = problem.weights[penalised]
    n_free, n_split = int((~penalised).sum()), int(penalised.sum())

    def join(v: Floats) -> Floats:
        y = np.empty_like(x)
        y[~penalised] = v[:n_free]
        y[penalised] = v[n_free : n_free + n_split] - v[n_free + n_split :]
        return y

    def split(v: Floats) -> tuple[float, Floats]:
        value, gradient = problem(join(v))
        g = gradient[penalised]
        value += float(weights @ (v[n_free : n_free + n_split] + v[n_free + n_split :]))
        return value, np.concatenate([gradient[~penalised], g + weights, weights - g])

    y = x[penalised]

    def count(intermediate_result: OptimizeResult) -> None:
        bar.update()

    # The bar counts to the most iterations allowed; most fits are done long before.
    with tqdm(
        total=max_iter, desc="fit, at most", delay=_PATIENCE_SECONDS, disable=None, leave=False
    ) as bar:
        found = minimize(
            split,
            np.concatenate([x[~penalised], np.maximum(y, 0.0), np.maximum(-y, 0.0)]),
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(np.repeat([-np.inf, 0.0], [n_free, 2 * n_split])),
            callback=count,
            options={
                "maxcor": _MEMORY,
                "maxiter": max_iter,
                "maxfun": 2 * max_iter + 20,
                "ftol": 0.0,
                "gtol": tol,
            },
        )
    return join(found.x), int(found.nit)


def _newton(problem: _Problem, x: Floats, tol: float, max_iter: int) -> tuple[Floats, int]:
    """Newton steps within the orthant of x, as long as each lowers the residual."""
    value, gradient = problem(x)
    residual = problem.residual(x, gradient)
    for iteration in range(max_iter):
        if residual <= tol:
            return x, iteration
        slope = problem.subgradient(x, gradient)
        step = _newton_step(problem, x, slope)
        orthant = np.where(x != 0.0, np.sign(x), -np.sign(slope))
        ceiling = (value + problem.penalty(x)) * (1.0 + _ROUNDING)
        for shrink in (1.0, 0.5, 0.1, 0.01):
            trial = x + shrink * step
            trial[(problem.weights > 0.0) & (trial * orthant <= 0.0)] = 0.0
            trial_value, trial_gradient = problem(trial)
            trial_residual = problem.residual(trial, trial_gradient)
            if trial_residual < residual and trial_value + problem.penalty(trial) <= ceiling:
                break
        else:
            return x, iteration
        x, value, gradient, residual = trial, trial_value, trial_gradient, trial_residual
    return x, max_iter


def _newton_step(problem: _Problem, x: Floats, slope: Floats) -> Floats:
    """Solve H step = -slope on the coordinates that may move, by conjugate gradients.

    Stops early where the curvature is not positive: then the part found so far still descends.
    """
    moving = (x != 0.0) | (problem.weights == 0.0) | (slope != 0.0)
    step = np.zeros_like(x)
    residual = np.where(moving, -slope, 0.0)
    direction = residual.copy()
    norm2 = first = float(residual @ residual)
    for _ in range(_MAX_CONJUGATE):
        epsilon = _DIFFERENCE / np.abs(direction).max()
        _, ahead = problem(x + epsilon * direction)
        _, behind = problem(x - epsilon * direction)
        curved = np.where(moving, (ahead - behind) / (2.0 * epsilon), 0.0)
        curvature = float(direction @ curved)
        if curvature <= 0.0:
            return step if step.any() else residual
        size = norm2 / curvature
        step += size * direction
        residual -= size * curved
        norm2, previous = float(residual @ residual), norm2
        if norm2 <= _CONJUGATE_TOLERANCE**2 * first:
            break
        direction = residual + norm2 / previous * direction
    return step
