"""Fit a family of models along a path of L1 strengths, from starts that make it nest.

Ising is convex: one start is enough. Models with hidden units are not, and W = 0 is a local
minimum of theirs for every positive penalty, so a small random start dies there (docs/method.md,
section 4). Hence large random weights with hidden units that are mostly off, several starts if
asked for, the solution at the previous strength, and for the semi-restricted model the solutions
of the two models nested in it; the best objective wins. Every model is thus at least as good as
the models nested in it, by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..layout import Layout
from ..objectives import Objective
from ..parameters import Kind, Parameters
from ..penalties import Penalty
from ..validation import Floats
from ._minimise import FitResult
from ._quasi_newton import Search

#: Parameters of the Ising models and of the RBMs nested in semi-restricted ones, by L1 strength.
NestedStarts = tuple[Sequence[Parameters], Sequence[Parameters]]

#: Standard deviation of random weights, and bias of the hidden units they belong to: off for the
#: silent word, on for a few active units. Of the pairs tried on recordings these find the lowest
#: objectives in the fewest iterations.
_WEIGHT_SPREAD, _HIDDEN_BIAS = 1.0, -2.0
_COUPLING_SPREAD = 0.3
#: Optimality at which starts are compared: the objective is then settled to about 1e-6.
_ROUGHLY = 3e-5
#: Unpenalised weights of hidden units have no finite optimum. Such a fit ends where the
#: objective falls by less than this per iteration, relative to its value.
LEAST_DECREASE = 1e-6


@dataclass(frozen=True, slots=True)
class Problem:
    """What is minimised, and how hard to try.

    Parameters
    ----------
    objective : Objective
        The smooth part.
    penalty : callable
        L1 strength -> Penalty.
    biases : ndarray, shape (n_visible,)
        Biases of the independent model, the start of every fit; final for fixed units.
    fixed : ndarray of bool, shape (n_visible,)
        Units that never change: their bias has no finite optimum.
    never_coactive : ndarray of bool, shape (n_visible, n_visible)
        Pairs that are never active together. Unpenalised, an Ising model's coupling of them has
        no finite optimum; it is fixed, so that all starts give one answer.
    n_hidden : int
        Hidden units of the models that have them.
    n_init : int
        Random starts per L1 strength.
    seed : numpy.random.SeedSequence
        Same seed, same fit.
    tol : float
        Largest violation of the optimality conditions that counts as converged.
    max_iter : int
        Most iterations from one start.
    """

    objective: Objective
    penalty: Callable[[float], Penalty]
    biases: Floats
    fixed: NDArray[np.bool_]
    never_coactive: NDArray[np.bool_]
    n_hidden: int
    n_init: int
    seed: np.random.SeedSequence
    tol: float
    max_iter: int

    def best(self, l1: float, starts: Sequence[Parameters]) -> FitResult:
        """Compare all starts where they have roughly settled, and go on with the best one only."""
        first, penalty = starts[0], self.penalty(l1)
        left_out = self.never_coactive & (l1 == 0.0 and first.kind == "ising")
        layout = Layout(self.biases, first.n_hidden, first.J is not None, self.fixed, left_out)
        is_unbounded = first.n_hidden > 0 and penalty.strength == 0.0
        patience = (self.max_iter, LEAST_DECREASE) if is_unbounded else (self.max_iter,)
        best, n_evaluations = None, 0
        for start in starts:
            search = Search(self.objective, penalty, layout, layout.pack(start))
            search.run(max(self.tol, _ROUGHLY), *patience)
            n_evaluations += search.n_evaluations
            if best is None or search.value < best.value:
                best = search
        assert best is not None
        n_evaluations -= best.n_evaluations
        best.run(self.tol, *patience)
        found = FitResult.of(best, self.tol)
        return replace(
            found,
            parameters=canonical(found.parameters),
            n_evaluations=n_evaluations + found.n_evaluations,
        )


def fit_path(
    kind: Kind,
    problem: Problem,
    l1_values: Sequence[float],
    start: Parameters | None = None,
    nested: NestedStarts | None = None,
) -> list[FitResult]:
    """Best fit of one kind of model at each L1 strength.

    Parameters
    ----------
    kind : {"independent", "ising", "rbm", "srbm"}
        Member of the family.
    problem : Problem
        Objective, starting biases and effort.
    l1_values : sequence of float
        L1 strengths, in the order in which solutions are handed on (small to large is best:
        hidden units die on the way up and do not come back on the way down).
    start : Parameters, optional
        A start of the caller's: the only one where the problem is convex, else one more.
    nested : (Ising solutions, RBM solutions), optional
        For "srbm": what the two models nested in it reached at each strength; by default they are
        fitted first.

    Returns
    -------
    list of FitResult
        One per strength.
    """
    if nested is not None and kind != "srbm":
        raise ValueError(f"nested is given for kind {kind!r}; only 'srbm' has nested models")
    if kind == "srbm" and nested is None:
        ising = fit_path("ising", replace(problem, n_init=1), l1_values)
        rbm = fit_path("rbm", problem, l1_values)
        nested = [fit.parameters for fit in ising], [fit.parameters for fit in rbm]
    results: list[FitResult] = []
    for k, l1 in enumerate(l1_values):
        handed_on = [results[-1].parameters] if results else []
        if start is not None:
            handed_on.append(start)
        # Not `spawn`, which counts its calls: the RBM nested in an sRBM must draw what RBMs draw.
        rng = np.random.default_rng([*problem.seed.generate_state(4), k])
        at_l1 = () if nested is None else (nested[0][k], nested[1][k])
        results.append(problem.best(l1, _starts(kind, problem, rng, handed_on, *at_l1)))
    return results


def _starts(
    kind: Kind,
    problem: Problem,
    rng: np.random.Generator,
    handed_on: list[Parameters],
    *nested: Parameters,
) -> list[Parameters]:
    """Starts at one L1 strength; ``nested`` are the Ising model and the RBM of an sRBM."""
    independent, no_couplings = Parameters(b=problem.biases), np.zeros((problem.biases.size,) * 2)
    if kind == "independent":
        return [independent]
    if kind == "ising":
        uncoupled = Parameters(b=problem.biases, J=no_couplings)
        return [
            *(handed_on[-1:] or [uncoupled]),
            *(_random_couplings(problem, rng) for _ in range(problem.n_init - 1)),
        ]
    if kind == "rbm":
        return [*handed_on, *_with_hidden(independent, problem, rng)]
    ising, rbm = nested
    with_couplings = Parameters(b=rbm.b, J=no_couplings, W=rbm.W, c=rbm.c)
    return [with_couplings, *_with_hidden(ising, problem, rng), *handed_on]


def canonical(theta: Parameters) -> Parameters:
    """Zero biases for dead hidden units, where any value gives the same distribution."""
    if theta.c is None:
        return theta
    return Parameters.trusted(theta.b, theta.J, theta.W, np.where(theta.live, theta.c, 0.0))


def _with_hidden(
    theta: Parameters, problem: Problem, rng: np.random.Generator
) -> Iterator[Parameters]:
    """A model without hidden units, with dead ones and then with random ones added."""
    shape = theta.n_visible, problem.n_hidden
    yield Parameters(b=theta.b, J=theta.J, W=np.zeros(shape))
    for _ in range(problem.n_init):
        W = rng.normal(scale=_WEIGHT_SPREAD, size=shape)
        W[problem.fixed] = 0.0
        c = np.full(problem.n_hidden, _HIDDEN_BIAS)
        yield Parameters(b=theta.b, J=theta.J, W=W, c=c)


def _random_couplings(problem: Problem, rng: np.random.Generator) -> Parameters:
    n_units = problem.biases.size
    J = np.triu(rng.normal(scale=_COUPLING_SPREAD, size=(n_units, n_units)), 1)
    J[problem.fixed] = 0.0
    J[:, problem.fixed] = 0.0
    return Parameters(b=problem.biases, J=J + J.T)
