"""Minimise an objective plus a penalty from one start."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..layout import Layout
from ..objectives import FunctionObjective, Objective
from ..parameters import Parameters
from ..partition import LogPartition
from ..penalties import Penalty
from ._certificate import Certificate
from ._quasi_newton import Search

#: What the last few steps of a search gain, as a share of what is left: the likelihood of hidden
#: units has plateaus of a hundred steps.
TAIL = 0.005


@dataclass(frozen=True, slots=True)
class FitResult:
    """A minimum and its certificate."""

    parameters: Parameters  # where it is
    objective: float  # penalised objective there
    # Largest violation of the optimality conditions of the penalised problem: the largest entry of
    # its subgradient of least norm, per entry of the parameters. For an L1 penalty this is |g +
    # l1*sign(x)| where x is not zero, and the excess of |g| over l1 where it is.
    optimality: float
    # Iterations, and evaluations of the objective and its gradient.
    n_iter: int
    n_evaluations: int
    # Whether ``optimality`` is below the tolerance, of unpenalised hidden units whether validation
    # words ended the fit, of a sampled likelihood whether its certificate holds.
    converged: bool
    # The objective on validation words; NaN where there are none.
    validation_objective: float = math.nan
    # Likelihood still to be gained, nats per word, by what the last few steps have gained
    # (``TAIL``); infinite where there were too few of them, and for other objectives.
    gain: float = math.inf
    sampled: Certificate | None = None  # of a sampled likelihood: what fresh chains say of the fit
    # Of a sampled likelihood: log Z as the fit has found it, and its standard error, nats.
    log_z: float | None = None
    log_z_stderr: float | None = None

    @property
    def log_partition(self) -> LogPartition | None:
        """Log Z as a sampled fit has found it."""
        if self.log_z is None or self.log_z_stderr is None:
            return None
        return LogPartition(self.log_z, self.log_z_stderr, "chains", 0.0, 0.0, self.converged)

    @property
    def certificate(self) -> Certificate:
        """How far the fit is from its optimum."""
        gain = self.gain if math.isfinite(self.gain) else None
        return self.sampled or Certificate(self.converged, self.optimality, gain=gain)

    @classmethod
    def of(cls, search: Search, tol: float, resolution: float = 0.0) -> FitResult:
        """What a search has found: a minimum by its optimality or by what is left to be gained."""
        gain = search.recent_gain / TAIL if resolution > 0.0 else math.inf
        return cls(
            search.layout.unpack(search.x),
            search.value,
            search.optimality,
            search.n_iter,
            search.n_evaluations,
            search.optimality <= tol or gain <= resolution,
            gain=gain,
        )


def minimise(
    objective: Objective | Callable[[Parameters], tuple[float, Parameters]],
    start: Parameters,
    penalty: Penalty,
    *,
    fixed: NDArray[np.bool_] | None = None,
    never_coactive: NDArray[np.bool_] | None = None,
    tol: float = 1e-8,
    max_iter: int = 2000,
) -> FitResult:
    """Minimise objective(theta) + penalty(theta) from ``start``.

    Parameters
    ----------
    objective : Objective or callable
        Parameters -> (value, gradient as Parameters). It may raise OverflowError, from which the
        search backs off; at ``start`` there is no way back, and the error is the caller's.
    start : Parameters
        Where to begin; its kind and size are kept.
    penalty : Penalty
        For example ``L1(2e-3)`` or ``L1(2e-3) + GroupL1(1e-3)``.
    fixed : ndarray of bool, shape (n_visible,), optional
        Units whose bias stays as it is in ``start`` and that get no couplings.
    never_coactive : ndarray of bool, shape (n_visible, n_visible), optional
        Pairs whose coupling has no finite optimum: it is -20 and left out of the problem.
    tol : float
        Largest ``optimality`` that counts as converged.
    max_iter : int
        Most iterations; with 0 the start is only certified.

    Examples
    --------
    >>> words = mc.Words.from_array([[0, 1], [1, 1], [0, 0], [0, 1]])
    >>> flow, start = mc.objectives.MinimumProbabilityFlow(words), mc.Parameters(b=[0.0, 0.0])
    >>> minimise(flow, start, mc.penalties.L1(0.01)).converged
    True
    """
    if not isinstance(objective, Objective):
        objective = FunctionObjective(objective)
    layout = Layout.of(start, fixed, never_coactive)
    search = Search(objective, penalty, layout, layout.pack(start))
    search.run(tol, max_iter)
    return FitResult.of(search, tol)
