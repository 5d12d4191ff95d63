"""How annealed importance sampling converges with its steps (docs/method.md, section 7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadArgument
from ..parameters import Parameters
from ..validation import Floats, expect, listed, random_generator, real_number, whole_number
from .cost import EXACT_CHOICE, operations
from .exact import exact_log_partition
from .gibbs import AnnealingPath, Base, RandomState, base_logits
from .importance_weights import log_mean

#: From 1, since chains that start at the rates are close already, to 8192, where models of a column
#: have settled.
DOUBLINGS = tuple(2**k for k in range(14))


@dataclass(frozen=True, slots=True, eq=False)
class Convergence:
    """Runs of annealed importance sampling with more and more steps, in nats.

    Attributes
    ----------
    n_steps : tuple of int, length n_runs
        Annealing steps of each run, increasing.
    log_weights : ndarray, shape (n_runs, n_chains)
        The estimate of log Z by each chain alone: its log weight plus log Z of the base.
    estimates, stderrs : ndarray, shape (n_runs,)
        Logarithm of the chains' mean weight, and its standard error by the delta method.
    exact : float or None
        log Z by the sum over all states, or None.

    Examples
    --------
    >>> theta = Parameters(b=[-1.0, -2.0], J=[[0.0, 0.5], [0.5, 0.0]])
    >>> found = annealing_convergence(theta, steps=(16, 64))
    >>> found.log_weights.shape, bool(abs(found.estimates[-1] - found.exact) < 0.02)
    ((2, 500), True)
    """

    n_steps: tuple[int, ...]
    log_weights: Floats
    estimates: Floats
    stderrs: Floats
    exact: float | None

    @property
    def n_chains(self) -> int:
        """Chains of each run."""
        return int(self.log_weights.shape[1])


def annealing_convergence(
    theta: Parameters,
    *,
    steps: Iterable[int] = DOUBLINGS,
    n_chains: int = 500,
    base: Base = "rates",
    rates: ArrayLike | None = None,
    random_state: RandomState = 0,
    exact: float | Literal["auto"] | None = "auto",
) -> Convergence:
    """Anneal a model with more and more steps, in independent runs.

    Parameters
    ----------
    theta : Parameters
        The model, ``model.parameters_``.
    steps : iterable of int
        Annealing steps of the runs, increasing.
    n_chains : int
        Chains of every run.
    base : {"rates", "uniform"}
        Where chains start: the independent model at the units' rates, or fair coins.
    rates : array_like, shape (n_units,), optional
        Those rates, ``model.rates_``; from a short run of the model by default.
    random_state : int, Generator or None
        Source of the seeds.
    exact : float, "auto" or None
        log Z in nats if it is known; "auto" sums over all states if that takes a few seconds at
        most.

    Examples
    --------
    >>> found = annealing_convergence(Parameters(b=[0.0, 1.0]), steps=[1, 10])
    >>> found.n_steps
    (1, 10)
    """
    expect("theta", theta, Parameters, "a model's parameters_")
    asked = listed("steps", steps, "pass numbers of annealing steps")
    n_steps = tuple(whole_number(f"steps[{k}]", n) for k, n in enumerate(asked))
    if not n_steps or n_steps[0] < 1 or any(np.diff(n_steps) <= 0):
        raise BadArgument("steps", f"is {n_steps}", "give whole numbers from 1 on that increase")
    whole_number("n_chains", n_chains, least=2)  # a standard error needs them
    rng = random_generator(random_state)
    live, log_factor = theta.drop_dead_units()
    path = AnnealingPath(live, base_logits(live, base, rates, None, rng), rng)
    runs = [path.anneal(n_chains, n).log_weights for n in n_steps]
    log_weights = log_factor + path.log_z_base + np.stack(runs)
    estimates, stderrs = np.array([log_mean(run) for run in log_weights]).T
    return Convergence(n_steps, log_weights, estimates, stderrs, _exact(theta, exact))


def _exact(theta: Parameters, exact: float | str | None) -> float | None:
    if exact is None:
        return None
    if isinstance(exact, str):
        if exact != "auto":
            raise BadArgument("exact", f"is {exact!r}", "give log Z in nats, 'auto' or None")
        quick = operations(theta) <= EXACT_CHOICE
        return exact_log_partition(theta).value if quick else None
    return real_number("exact", exact, "give log Z in nats, 'auto' or None")
