"""Fit a whole family of models along a path of penalties, from starts that make it nest.

Ising is convex: one start is enough. Models with hidden units are not, and W = 0 is a local
minimum of theirs for every positive penalty, so a small random start dies there (METHOD
section 4). Hence large random weights with hidden units that are mostly off, several starts if
asked for, the solution at the previous penalty, and for the semi-restricted model the solutions
of the two models inside it; the best objective wins. Every model is thus at least as good as
what it contains, by construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..parameters import Floats, Kind, Parameters
from ._l1 import FitResult, Objective, minimise_l1

#: Parameters of the Ising models and of the RBMs inside semi-restricted ones, by penalty.
Inside = tuple[Sequence[Parameters], Sequence[Parameters]]

#: Standard deviation of random weights, and bias of the hidden units they belong to: off for the
#: silent word, on for a few active cells. Of the pairs tried on recordings these find the lowest
#: objectives in the fewest iterations.
_WEIGHT_SPREAD, _HIDDEN_BIAS = 1.0, -2.0
_COUPLING_SPREAD = 0.3
#: Optimality at which starts are compared: the objective is then settled to about 1e-6.
_ROUGHLY = 3e-5


@dataclass(frozen=True, slots=True)
class Problem:
    """What is minimised, and how hard to try.

    Parameters
    ----------
    objective : callable
        Parameters -> (value, gradient).
    biases : ndarray, shape (n_units,)
        Biases of the independent model, the start of every fit; final for held units.
    held : ndarray of bool, shape (n_units,)
        Units that never change: their bias has no finite optimum.
    apart : ndarray of bool, shape (n_units, n_units)
        Pairs that are never active together. Unpenalised, an Ising model's coupling of them has
        no finite optimum; it is fixed, so that all starts give one answer.
    n_hidden : int
        Hidden units of the models that have them.
    n_init : int
        Random starts per penalty.
    seed : numpy.random.SeedSequence
        Same seed, same fit.
    tol : float
        Largest violation of the optimality conditions that counts as converged.
    max_iter : int
        Most iterations from one start.
    """

    objective: Objective
    biases: Floats
    held: NDArray[np.bool_]
    apart: NDArray[np.bool_]
    n_hidden: int
    n_init: int
    seed: np.random.SeedSequence
    tol: float
    max_iter: int

    def minimise(self, start: Parameters, l1: float, tol: float, n_done: int = 0) -> FitResult:
        """Minimum reached from one start, of whose iterations ``n_done`` are spent."""
        return minimise_l1(
            self.objective,
            start,
            l1,
            held=self.held,
            apart=self.apart if l1 == 0.0 and start.kind == "ising" else None,
            tol=tol,
            max_iter=self.max_iter - n_done,
        )


def fit_path(
    kind: Kind,
    problem: Problem,
    penalties: Sequence[float],
    start: Parameters | None = None,
    inside: Inside | None = None,
) -> list[FitResult]:
    """Best fit of one kind of model at each penalty.

    Parameters
    ----------
    kind : {"independent", "ising", "rbm", "srbm"}
        Member of the family.
    problem : Problem
        Objective, starting biases and effort.
    penalties : sequence of float
        L1 penalties, in the order in which solutions are handed on (small to large is best:
        hidden units die on the way up and do not come back on the way down).
    start : Parameters, optional
        A start of the caller's: the only one where the problem is convex, else one more.
    inside : (Ising solutions, RBM solutions), optional
        For "srbm": what the two models inside it reached at each penalty; fitted where left out.

    Returns
    -------
    list of FitResult
        One per penalty.
    """
    if kind == "srbm":
        return _semi_restricted_path(problem, penalties, start, inside)
    if inside is not None:
        raise ValueError(f"inside is given for kind {kind!r}; only 'srbm' has models inside")
    results: list[FitResult] = []
    for l1, rng in zip(penalties, _streams(problem, len(penalties)), strict=True):
        handed_on = [results[-1].parameters] if results else []
        if start is not None:
            handed_on.append(start)
        results.append(_best(problem, l1, _starts(kind, problem, rng, handed_on)))
    return results


def _starts(
    kind: Kind, problem: Problem, rng: np.random.Generator, handed_on: list[Parameters]
) -> list[Parameters]:
    n_units = problem.biases.size
    if kind == "independent":
        return [Parameters(b=problem.biases)]
    if kind == "ising":
        uncoupled = Parameters(b=problem.biases, J=np.zeros((n_units, n_units)))
        return [
            *(handed_on[-1:] or [uncoupled]),
            *(_random_couplings(problem, rng) for _ in range(problem.n_init - 1)),
        ]
    return [
        *handed_on,
        _without_hidden(Parameters(b=problem.biases), problem.n_hidden),
        *_random_hidden(problem, rng, Parameters(b=problem.biases)),
    ]


def _semi_restricted_path(
    problem: Problem,
    penalties: Sequence[float],
    start: Parameters | None,
    inside: Inside | None,
) -> list[FitResult]:
    ising, rbm = _fitted_inside(problem, penalties) if inside is None else inside
    no_couplings = np.zeros((problem.biases.size,) * 2)
    results: list[FitResult] = []
    streams = _streams(problem, len(penalties))
    for l1, pairwise, hidden, rng in zip(penalties, ising, rbm, streams, strict=True):
        starts = [
            Parameters(b=hidden.b, J=no_couplings, W=hidden.W, c=hidden.c),
            _without_hidden(pairwise, problem.n_hidden),
            *_random_hidden(problem, rng, pairwise),
        ]
        if results:
            starts.append(results[-1].parameters)
        if start is not None:
            starts.append(start)
        results.append(_best(problem, l1, starts))
    return results


def _fitted_inside(problem: Problem, penalties: Sequence[float]) -> Inside:
    ising = fit_path("ising", replace(problem, n_init=1), penalties)
    rbm = fit_path("rbm", problem, penalties)
    return [fit.parameters for fit in ising], [fit.parameters for fit in rbm]


def _best(problem: Problem, l1: float, starts: list[Parameters]) -> FitResult:
    """Compare all starts where they have roughly settled, and carry on with the best alone."""
    rough = [problem.minimise(start, l1, max(problem.tol, _ROUGHLY)) for start in starts]
    chosen = min(rough, key=lambda fit: fit.objective)
    best = problem.minimise(chosen.parameters, l1, problem.tol, chosen.n_iter)
    return replace(
        best,
        parameters=_canonical(best.parameters),
        n_iter=chosen.n_iter + best.n_iter,
        n_evaluations=best.n_evaluations + sum(fit.n_evaluations for fit in rough),
    )


def _canonical(theta: Parameters) -> Parameters:
    """Zero biases for dead hidden units, where any value gives the same distribution."""
    if theta.W is None or theta.c is None:
        return theta
    return Parameters(b=theta.b, J=theta.J, W=theta.W, c=np.where(theta.live, theta.c, 0.0))


def _streams(problem: Problem, count: int) -> list[np.random.Generator]:
    # Not `spawn`, which counts its calls: the RBM inside an sRBM must draw what the RBM draws.
    entropy = problem.seed.generate_state(4)
    return [np.random.default_rng([*entropy, k]) for k in range(count)]


def _without_hidden(theta: Parameters, n_hidden: int) -> Parameters:
    W = np.zeros((theta.n_visible, n_hidden))
    return Parameters(b=theta.b, J=theta.J, W=W, c=np.zeros(n_hidden))


def _random_hidden(
    problem: Problem, rng: np.random.Generator, theta: Parameters
) -> Iterator[Parameters]:
    for _ in range(problem.n_init):
        W = rng.normal(scale=_WEIGHT_SPREAD, size=(theta.n_visible, problem.n_hidden))
        W[problem.held] = 0.0
        c = np.full(problem.n_hidden, _HIDDEN_BIAS)
        yield Parameters(b=theta.b, J=theta.J, W=W, c=c)


def _random_couplings(problem: Problem, rng: np.random.Generator) -> Parameters:
    n_units = problem.biases.size
    J = np.triu(rng.normal(scale=_COUPLING_SPREAD, size=(n_units, n_units)), 1)
    J[problem.held] = 0.0
    J[:, problem.held] = 0.0
    return Parameters(b=problem.biases, J=J + J.T)
