"""Fit a family of models by sampled likelihood along a path of L1 strengths.

The starts are those of :mod:`._paths`, adapted to an objective that costs seconds to compare.
Ising and K-pairwise are convex: they go from strong penalties, where nothing is coupled, to weak
ones, and the words of one fit stand for the next. The first Ising model of a path starts from the
solution by pseudolikelihood, which is close by unless it has a spurious mode. Models with hidden
units start from the solution by another objective at the weakest penalty, and go on to stronger
ones, where hidden units that are spread thinly over many units stay alive. Semi-restricted ones
start from the RBM nested in them while it has live hidden units, and from the Ising model if that
ends above it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..objectives import PseudoLikelihood, largest_l1
from ..objectives.data_moments import DataMoments, MeanLogWeight
from ..parameters import Kind, Parameters
from ..partition.cost import EXACT_START, operations
from ..partition.exact import exact_log_partition
from ..partition.gibbs import Sampler, new_seed
from ..validation import Floats
from ..words import Words
from ._bars import delayed_bar
from ._certificate import sampled_certificate
from ._log_ratio import log_ratio
from ._minimise import FitResult
from ._paths import CONVEX, NestedStarts, Problem, canonical, fit_path
from ._quasi_newton import Search
from ._sampler_settings import SamplerSettings
from ._starts import uncoupled
from ._stochastic import Effort, SampledProblem, SearchState, first_state, search
from ._strata import Stratum
from ._stratified_search import StratifiedState, first_stratified_state, search_strata
from ._unvisited import has_underrated_mode

#: Where a solution by another objective is good enough as a start. Models with hidden units need
#: little of it: what more iterations find, sampled words find as fast.
_START_TOLERANCE, _START_ITERATIONS, _HIDDEN_ITERATIONS = 1e-5, 200, 20
#: From uncoupled units a model is fitted roughly at stronger penalties first, each so many times
#: weaker than the one before and none weaker than the second.
_LADDER, _WEAKEST = 4.0, 1e-5
#: The same where words are drawn by strata of the number of active units: steps are small.
_FINE_LADDER = 1.4
#: Searches that go on where fresh chains find that there is more to gain.
_MORE_SEARCHES = 2
#: Chains and steps of the annealing that finds log Z of a start where it is not summed.
_CHAINS, _ANNEALING = 512, 1000
#: Share of the words in which a pair is active together, for which a tolerance is meant.
_PAIR = 1e-3


def walk_likelihood_path(
    kind: Kind,
    problem: Problem,
    words: Words,
    l1_values: Sequence[float],
    start: Parameters | None = None,
    nested: NestedStarts | None = None,
    settings: SamplerSettings = SamplerSettings(),  # noqa: B008 (it is frozen)
    data: MeanLogWeight | None = None,
) -> Iterator[tuple[int, FitResult]]:
    """Fits of one kind of model by sampled likelihood, each with its place among the strengths.

    They are made when asked for: convex models come from strong penalties to weak ones, those with
    hidden units from weak to strong.

    ``data`` stand for the words where these are not the data themselves.
    The objective of ``problem`` is one that is fast to minimise, from whose solution at the same
    strength models with hidden units start. Other arguments are those of
    :func:`~microcolumn.solvers.fit_path`.
    """
    data = DataMoments(words) if data is None else data
    family = _Family(problem, words, settings, data)
    if kind == "srbm" and nested is None:
        kinds: tuple[Kind, Kind] = "ising", "rbm"
        paths = (
            dict(walk_likelihood_path(each, problem, words, l1_values, None, None, settings, data))
            for each in kinds
        )
        ising, rbm = ([path[k].parameters for k in sorted(path)] for path in paths)
        nested = ising, rbm
    order = np.argsort(l1_values, kind="stable")
    if kind in CONVEX:
        order = order[::-1]
    state: SearchState | StratifiedState | None = None
    for k in delayed_bar(len(l1_values), "penalties", order.tolist()):
        rng = np.random.default_rng([*problem.seed.generate_state(4), k])
        target = family.target(kind, l1_values[k])
        at_l1 = _as_srbm(*(() if nested is None else (nested[0][k], nested[1][k])))
        state = family.state(rng, kind, target, start, state, at_l1)
        result, state = certified_fit(rng, state, target, problem.max_iter)
        if at_l1 and result.objective > family.value(rng, target, at_l1[-1]):
            state = family.state(rng, kind, target, None, None, at_l1[-1:])
            result, state = certified_fit(rng, state, target, problem.max_iter)
        yield k, result


@dataclass(frozen=True)
class _Family:
    """Models that are fitted to the same words."""

    problem: Problem
    words: Words
    settings: SamplerSettings
    data: MeanLogWeight  # what the likelihood needs of the words

    @cached_property
    def pseudolikelihood(self) -> PseudoLikelihood:
        """The objective from whose solution Ising models start."""
        return PseudoLikelihood(self.words)

    @cached_property
    def strongest(self) -> float:
        """L1 strength that leaves nothing coupled."""
        return largest_l1(self.words, "likelihood")

    def target(self, kind: Kind, l1: float) -> SampledProblem:
        """What is minimised at one strength."""
        most_draws = min(self.settings.most_draws, int(_PAIR / max(self.problem.tol, 1e-12) ** 2))
        settings = replace(self.settings, most_draws=most_draws)
        layout = self.problem.layout(_empty(kind, self.problem), l1)
        penalty = self.problem.penalty(l1)
        resolution = self.problem.resolution
        return SampledProblem(self.data, penalty, l1, layout, resolution, settings)

    def state(
        self,
        rng: np.random.Generator,
        kind: Kind,
        target: SampledProblem,
        start: Parameters | None,
        last: SearchState | StratifiedState | None,
        nested: Sequence[Parameters],
    ) -> SearchState | StratifiedState:
        """Where the search at one strength begins: at the last fit or the best of its starts."""
        if last is not None and last.x.size == target.layout.size and not nested:
            return replace(last, effort=Effort())
        if last is not None:
            start = last.theta if isinstance(last, StratifiedState) else last.draws[-1].theta
        elif start is None and target.spreads:
            return self._descended(rng, target, _empty(kind, self.problem))
        elif start is None and kind != "srbm":
            start = self._first_start(kind, target)
        starts = [*([] if start is None else [start]), *nested]
        if target.has_strata:
            return first_stratified_state(rng, target, target.layout.pack(starts[0]))
        best, state, has_spurious_mode = self._best_of(rng, target, starts)
        if kind == "ising" and has_spurious_mode:
            return self._descended(rng, target, _empty(kind, self.problem))
        if kind in CONVEX and best.is_independent:
            return self._descended(rng, target, best)
        return state

    def _best_of(
        self, rng: np.random.Generator, target: SampledProblem, starts: Sequence[Parameters]
    ) -> tuple[Parameters, SearchState, bool]:
        """The start to take, a search from there, and whether it has a spurious mode."""
        xs = [target.layout.pack(theta) for theta in starts]
        log_zs = [self._log_z(target.layout.unpack(x), rng) for x in xs]
        values = [target.value(x, log_z) for x, (log_z, _) in zip(xs, log_zs, strict=True)]
        # An Ising model is at its end; one with hidden units has yet to come down by couplings.
        live = [k for k, theta in enumerate(starts) if theta.n_hidden and theta.live.any()]
        best = min(live or range(len(values)), key=values.__getitem__)
        return starts[best], *first_state(rng, target, xs[best], *log_zs[best])

    def value(self, rng: np.random.Generator, target: SampledProblem, theta: Parameters) -> float:
        """Penalised objective of a model, nats per word."""
        log_z, _ = self._log_z(theta, rng)
        return target.value(target.layout.pack(theta), log_z)

    def _descended(
        self, rng: np.random.Generator, target: SampledProblem, start: Parameters
    ) -> SearchState | StratifiedState:
        """From uncoupled units along decreasing penalties, where no step makes a spurious mode."""
        x = target.layout.pack(start)
        if target.has_strata:
            stratified = first_stratified_state(rng, target, x)
            for strength in _l1_continuation(self.strongest, target.l1, _FINE_LADDER):
                stronger = replace(target, penalty=self.problem.penalty(strength), l1=strength)
                stratified = search_strata(
                    rng, stratified, stronger, self.problem.max_iter, roughly=True
                )
            return stratified
        state, _ = first_state(rng, target, x, *self._log_z(target.layout.unpack(x), rng))
        for strength in _l1_continuation(self.strongest, target.l1):
            stronger = replace(target, penalty=self.problem.penalty(strength), l1=strength)
            state = search(rng, state, stronger, self.problem.max_iter, coarse=True)
        return state

    def _pseudolikelihood_solution(self, target: SampledProblem) -> Floats:
        """The penalised maximum of the pseudolikelihood, whose slopes are twice as large."""
        empty = target.layout.pack(_empty("ising", self.problem))
        penalty = self.problem.penalty(2.0 * target.l1)
        search = Search(self.pseudolikelihood, penalty, target.layout, empty)
        search.run(_START_TOLERANCE, _START_ITERATIONS)
        return search.x

    def _first_start(self, kind: Kind, target: SampledProblem) -> Parameters:
        """Where the first fit of a path begins."""
        if kind == "ising":
            return target.layout.unpack(self._pseudolikelihood_solution(target))
        if kind in CONVEX:
            return _empty(kind, self.problem)
        rough = replace(self.problem, tol=_START_TOLERANCE, max_iter=_HIDDEN_ITERATIONS)
        [fit] = fit_path("rbm", rough, [target.l1])
        return fit.parameters

    def _log_z(self, theta: Parameters, rng: np.random.Generator) -> tuple[float, float]:
        """Log Z of a start and its variance, by a sum or by annealing from the data's rates."""
        if theta.is_independent:
            return float(np.logaddexp(0.0, theta.b).sum()) + theta.drop_dead_units()[1], 0.0
        if operations(theta) < EXACT_START:
            return exact_log_partition(theta, progress=False).value, 0.0
        rates = np.clip(self.words.rates, 1e-3, 1.0 - 1e-3)
        logits = np.log(rates) - np.log1p(-rates)
        live, log_factor = theta.drop_dead_units()
        betas = np.linspace(0.0, 1.0, _ANNEALING + 1)
        sampler = Sampler(live, _CHAINS, seed=new_seed(rng), base_logits=logits)
        weights = sampler.run(betas[:-1], np.diff(betas)).log_weights
        ratio, variance = log_ratio(np.zeros(0), -weights)
        return log_factor + float(np.logaddexp(0.0, logits).sum()) - ratio, variance


def certified_fit(
    rng: np.random.Generator,
    state: SearchState | StratifiedState,
    target: SampledProblem,
    max_iter: int,
) -> tuple[FitResult, SearchState | StratifiedState]:
    """Search until fresh chains find nothing more to gain: the fit, and where the search is."""
    for _ in range(1 + _MORE_SEARCHES):
        strata, spread = tuple[Stratum, ...](), None
        if isinstance(state, StratifiedState):
            state = search_strata(rng, state, target, max_iter)
            strata = state.strata
        else:
            state = search(rng, state, target, max_iter)
            spread = state.spread
        theta = target.layout.unpack(state.x)
        certificate = sampled_certificate(rng, theta, target, state.effort, spread, strata)
        if certificate.converged and _underrates(rng, theta, target, state):
            certificate = replace(certificate, converged=False)
        is_spent = state.effort.n_iter >= max_iter
        if (
            certificate.converged
            or is_spent
            or state.effort.n_rounds >= target.settings.most_rounds
        ):
            break
    theta, log_factor = canonical(theta)
    result = FitResult(
        parameters=theta,
        objective=target.value(state.x, state.log_z),
        optimality=certificate.optimality,
        n_iter=state.effort.n_iter,
        n_evaluations=state.effort.n_evaluations,
        converged=certificate.converged,
        sampled=certificate,
        log_z=state.log_z - log_factor,
        log_z_stderr=math.sqrt(state.log_z_variance),
    )
    return result, state


def _underrates(
    rng: np.random.Generator,
    theta: Parameters,
    target: SampledProblem,
    state: SearchState | StratifiedState,
) -> bool:
    """Whether words that are spread miss what a mode holds, as far as the penalty would notice."""
    if isinstance(state, SearchState):
        if state.spread is None:
            return False
        log_p = state.spread.log_p
    else:
        log_p = state.log_p
    words = target.data.words
    some = words.X[rng.choice(len(words), size=64)]
    masses = state.log_z, log_p, target.l1
    return has_underrated_mode(rng, theta, some, *masses, target.settings)


def _empty(kind: Kind, problem: Problem) -> Parameters:
    """Independent units as a model of some kind."""
    if kind in CONVEX:
        return uncoupled(kind, problem.biases)
    n = problem.biases.size
    W, J = np.zeros((n, problem.n_hidden)), np.zeros((n, n)) if kind == "srbm" else None
    return Parameters(b=problem.biases, J=J, W=W, hidden=problem.hidden)


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


def _l1_continuation(strongest: float, l1: float, factor: float = _LADDER) -> list[float]:
    """Weaker and weaker penalties on the way from one that couples nothing to ``l1``."""
    n_rungs = math.ceil(math.log(max(strongest / max(l1, _WEAKEST), 1.0)) / math.log(factor))
    return [max(l1, _WEAKEST) * factor**k for k in range(n_rungs - 1, 0, -1)]
