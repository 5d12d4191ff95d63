"""Fit a family of models by sampled likelihood along a path of L1 strengths.

The starts are those of :mod:`._paths`, adapted to an objective that costs seconds to compare.
Ising and K-pairwise are convex: they go from strong penalties, where nothing is coupled, to weak
ones, so that every model on the way is next to one whose chains are known. Models with hidden
units start from the solution by another objective at the weakest penalty, and go on to stronger
ones, where hidden units that are spread thinly over many units stay alive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..objectives import SampledLikelihood, largest_l1
from ..parameters import Kind, Parameters
from ..partition._cost import operations
from ..partition._exact import exact_log_partition
from ..partition._gibbs import Sampler, new_seed
from ..validation import Floats
from ..words import Words
from ._bars import patient_bar
from ._certificate import Certificate, sampled_certificate
from ._minimise import FitResult
from ._paths import CONVEX, NestedStarts, Problem, canonical, fit_path, uncoupled
from ._stochastic import LikelihoodSearch

#: Where a solution by another objective is good enough as a start.
_START_TOLERANCE, _START_ITERATIONS = 1e-4, 200
#: From uncoupled units such a model is fitted roughly at stronger penalties first, each so many
#: times weaker than the one before and none weaker than the second.
_LADDER, _WEAKEST = 4.0, 1e-5
#: Searches that go on where fresh chains find that there is more to gain.
_MORE_SEARCHES = 2
#: Chains and steps of the annealing that finds log Z of a start, and multiply-adds up to which it
#: is summed instead.
_CHAINS, _ANNEALING, _EXACT_OPERATIONS = 512, 1000, 2.0**30


def fit_likelihood_path(
    kind: Kind,
    problem: Problem,
    words: Words,
    l1_values: Sequence[float],
    start: Parameters | None = None,
    nested: NestedStarts | None = None,
) -> list[FitResult]:
    """Best fit of one kind of model by sampled likelihood at each L1 strength.

    Parameters
    ----------
    kind : {"ising", "kpairwise", "rbm", "srbm"}
        Member of the family.
    problem : Problem
        Its objective is one that is fast to minimise, from whose solution models with hidden
        units start; starting biases and effort as in :func:`~microcolumn.solvers.fit_path`.
    words : Words
        What is fitted.
    l1_values, start, nested
        As in :func:`~microcolumn.solvers.fit_path`.
    """
    family = _Family(problem, words)
    if kind == "srbm" and nested is None:
        ising = fit_likelihood_path("ising", replace(problem, n_init=1), words, l1_values)
        rbm = fit_likelihood_path("rbm", problem, words, l1_values)
        nested = [fit.parameters for fit in ising], [fit.parameters for fit in rbm]
    order = np.argsort(l1_values, kind="stable")
    if kind in CONVEX:
        order = order[::-1]
    results: dict[int, FitResult] = {}
    handed_on = [] if start is None else [start]
    for k in patient_bar(len(l1_values), "penalties", order.tolist()):
        l1 = l1_values[k]
        at_l1 = () if nested is None else (nested[0][k], nested[1][k])
        starts = handed_on or family.starts(kind, l1)
        results[k] = family.best(kind, l1, [*starts, *_as_srbm(*at_l1)], k)
        handed_on = [results[k].parameters]
    return [results[k] for k in range(len(l1_values))]


class _Family:
    """Fits of models to the same words."""

    def __init__(self, problem: Problem, words: Words) -> None:
        self.problem, self.words = problem, words
        self.likelihood = SampledLikelihood(words)
        self._strongest = largest_l1(words, "likelihood")

    def starts(self, kind: Kind, l1: float) -> list[Parameters]:
        """Where the first fit of a path begins."""
        if kind in CONVEX:
            return [uncoupled(kind, self.problem.biases)]
        if kind == "srbm":
            return []  # the nested models are
        rough = replace(self.problem, tol=_START_TOLERANCE, max_iter=_START_ITERATIONS)
        # What does to flow what ``l1`` does to likelihood, where nothing is coupled.
        scale = largest_l1(self.words, "mpf") / max(self._strongest, 1e-300)
        [found] = fit_path("rbm", rough, [l1 * scale])
        return [found.parameters]

    def best(self, kind: Kind, l1: float, starts: list[Parameters], number: int) -> FitResult:
        """The fit from the best of some starts."""
        rng = np.random.default_rng([*self.problem.seed.generate_state(4), number])
        penalty = self.problem.penalty(l1)
        layout = self.problem.layout(starts[0], l1)
        starts = [layout.unpack(layout.pack(start)) for start in starts]
        log_zs = [self._log_z(theta, rng) for theta in starts]
        values = [
            log_z
            - self.likelihood.mean_log_weight(theta)
            + penalty.value(layout.pack(theta), layout)
            for theta, log_z in zip(starts, log_zs, strict=True)
        ]
        chosen = int(np.argmin(values))
        x, strengths = layout.pack(starts[chosen]), [l1]
        if kind in CONVEX and not x[: layout.borders[0]].any():
            strengths = [*_ladder(self._strongest, l1), l1]
        rough = self.problem.penalty(strengths[0])
        search = LikelihoodSearch(
            self.words, rough, layout, x, log_zs[chosen], rng, self.problem.tol
        )
        for strength in strengths[1:]:
            search.run(self.problem.max_iter, roughly=True)
            search = replace(search, penalty=self.problem.penalty(strength))
        certificate = self._certified(search, rng)
        theta, log_factor = canonical(search.theta)
        return FitResult(
            parameters=theta,
            objective=search.value,
            optimality=certificate.optimality,
            n_iter=search.n_iter,
            n_evaluations=search.n_evaluations,
            converged=certificate.converged,
            sampled=certificate,
            log_z=search.log_z - log_factor,
        )

    def _certified(self, search: LikelihoodSearch, rng: np.random.Generator) -> Certificate:
        """Search until fresh chains find nothing more to gain, and what they say then.

        Words that ``tol`` keeps few would not gain more in another search.
        """
        more = 0 if search.is_capped else _MORE_SEARCHES
        for _ in range(1 + more):
            search.run(self.problem.max_iter)
            certificate = sampled_certificate(
                search.theta,
                self.words,
                search.penalty,
                replace(search.layout, basis=None),  # numbers of active units have errors each
                rng,
                search.n_rounds,
                search.n_sites,
            )
            if certificate.converged or search.n_iter >= self.problem.max_iter:
                break
        return certificate

    def _log_z(self, theta: Parameters, rng: np.random.Generator) -> float:
        """Log Z of a start, by a sum or roughly by annealing from the data's rates."""
        if operations(theta) < _EXACT_OPERATIONS:
            return exact_log_partition(theta, progress=False).value
        rates = np.clip(self.words.rates, 1e-3, 1.0 - 1e-3)
        logits = np.log(rates) - np.log1p(-rates)
        live, log_factor = theta.only_live()
        betas = np.linspace(0.0, 1.0, _ANNEALING + 1)
        sampler = Sampler(live, _CHAINS, seed=new_seed(rng), base_logits=logits)
        weights = sampler.run(betas[:-1], np.diff(betas)).log_weights
        log_z_base = float(np.logaddexp(0.0, logits).sum())
        return log_factor + log_z_base + float(np.logaddexp.reduce(weights)) - math.log(_CHAINS)


def _as_srbm(*nested: Parameters) -> list[Parameters]:
    """The Ising model and the RBM as semi-restricted ones, without hidden units and couplings."""
    if not nested:
        return []
    ising, rbm = nested
    assert rbm.W is not None
    no_couplings: Floats = np.zeros((rbm.n_visible, rbm.n_visible))
    return [
        Parameters(b=rbm.b, J=no_couplings, W=rbm.W, c=rbm.c, hidden=rbm.hidden),
        Parameters(b=ising.b, J=ising.J, W=np.zeros_like(rbm.W), hidden=rbm.hidden),
    ]


def _ladder(strongest: float, l1: float) -> list[float]:
    """Weaker and weaker penalties on the way from one that couples nothing to ``l1``."""
    n_rungs = math.ceil(math.log(max(strongest / max(l1, _WEAKEST), 1.0)) / math.log(_LADDER))
    return [max(l1, _WEAKEST) * _LADDER**k for k in range(n_rungs - 1, 0, -1)]
