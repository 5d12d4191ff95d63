"""Fit a family of models along a path of L1 strengths, from starts that make it nest.

Ising is convex: one start is enough. Models with hidden units are not, and W = 0 is a local
minimum of theirs for every positive penalty, so a small random start dies there (docs/method.md,
section 4). Hence large random weights with hidden units that are mostly off; weights along the
correlations of the units, which find assemblies spread thinly over many of them, and which come up
from smaller strengths; several starts if asked for, the solution at the previous strength, and for
the semi-restricted model the solutions of the two models nested in it; the best objective wins.
Every model is thus at least as good as the models nested in it, and every fit of a path as the
single fit at its strength, by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from ..energy import BERNOULLI
from ..errors import BadArgument
from ..layout import Layout, TiedLayout
from ..objectives import Objective
from ..parameters import Kind, Parameters
from ..penalties import Penalty
from ..validation import Floats
from ._bars import delayed_bar
from ._minimise import TAIL, FitResult
from ._newton import search_for
from ._quasi_newton import Search
from ._starts import StartSettings, starts_of

#: Parameters of the Ising models and of the RBMs nested in semi-restricted ones, by L1 strength.
NestedStarts = tuple[Sequence[Parameters], Sequence[Parameters]]

#: Kinds whose likelihood is convex: one start is enough, and paths may go either way.
CONVEX: tuple[Kind, ...] = ("ising", "kpairwise")
#: Optimality at which starts are compared: the objective is then settled to about 1e-6.
_COARSE = 3e-5
#: The same, where starts are compared.
_COARSE_TAIL = 0.5
#: Shares of an L1 strength at which a ramped start is fitted first, and most iterations at each.
_RAMP, _RAMP_ITERATIONS = (1 / 27, 1 / 9, 1 / 3), 60
#: Unpenalised weights of hidden units have no finite optimum. Such a fit ends where the objective
#: on validation words falls by less than this per iteration, relative to its value.
LEAST_DECREASE = 1e-6
#: Iterations between two looks at the validation words, and without a fall that end a fit.
_LOOK, _PATIENCE = 5, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem(StartSettings):
    """What is minimised, where from (:class:`StartSettings`), and how hard to try."""

    objective: Objective  # the smooth part
    penalty: Callable[[float], Penalty]  # L1 strength -> Penalty
    # Pairs that are never active together, (n_visible, n_visible). Unpenalised, their coupling has
    # no finite optimum in models without hidden units; it is fixed: all starts give one answer.
    never_coactive: NDArray[np.bool_]
    tol: float  # largest violation of the optimality conditions that counts as converged
    max_iter: int  # most iterations from one start
    # What is too little to matter, nats per word: a fit ends where no more is to be gained, even if
    # ``tol`` is not reached. 0 where the objective has other units or ``tol`` is meant.
    resolution: float = 0.0
    # The objective on most of the words and on the rest, which end fits of unpenalised hidden
    # units; without them such a fit ends where the objective on all words hardly falls.
    parts: tuple[Objective, Objective] | None = None
    # Coordinates of a potential in which the objective is about equally curved,
    # (n_visible - 1, n_visible - 1).
    basis: Floats | None = None
    # A cheaper objective whose minima are close by: penalised hidden units that are drawn at random
    # settle by it before they come to the objective itself.
    proxy: Objective | None = None
    # Whether hidden units are drawn at random for starts; else the caller's start serves.
    draws: bool = True

    def layout(self, start: Parameters, l1: float) -> Layout:
        """Free coordinates of models of the kind of ``start``."""
        left_out = self.never_coactive & (l1 == 0.0 and start.kind in CONVEX)
        coupled, counted = start.J is not None, start.v is not None
        parts = self.biases, start.n_hidden, coupled, self.fixed, left_out, counted
        if self.tied_bins > 1:
            return TiedLayout(*parts, hidden=start.hidden, n_bins=self.tied_bins)
        basis = self.basis if counted else None
        return Layout(*parts, basis=basis, hidden=start.hidden)

    def best(
        self, l1: float, starts: Sequence[Parameters], ramped: Sequence[Parameters] = ()
    ) -> FitResult:
        """Compare all starts where they have nearly converged, and go on with the best one only.

        Those that are ``ramped`` are first fitted at smaller strengths, which rise to ``l1``.
        """
        layout = self.layout(starts[0], l1)
        if self.parts is not None and _is_unbounded(layout, self.penalty(l1)):
            return self._stopped_early(self.parts, layout, [*starts, *ramped])
        searches, n_evaluations = self.compare(l1, starts, ramped)
        lowest = min(searches, key=attrgetter("value"))
        # Without live hidden units a search is at its end; the others have yet to come down.
        alive = (each for each in searches if each.x[each.layout.weights].any())
        best = min(alive, key=attrgetter("value"), default=lowest)
        n_evaluations -= best.n_evaluations
        fit = self._finish(best)
        if lowest.value < fit.objective:
            n_evaluations += fit.n_evaluations - lowest.n_evaluations
            fit = self._finish(lowest)
        return replace(fit, n_evaluations=n_evaluations + fit.n_evaluations)

    def compare(
        self, l1: float, starts: Sequence[Parameters], ramped: Sequence[Parameters] = ()
    ) -> tuple[list[Search], int]:
        """Searches from all starts, not at their ends yet, and evaluations of all of them."""
        layout, searches, n_evaluations = self.layout([*starts, *ramped][0], l1), [], 0
        ramp = _RAMP if l1 > 0.0 else ()
        for start, shares in [*((s, ()) for s in starts), *((s, ramp) for s in ramped)]:
            x = layout.pack(start)
            for share in shares:
                search = self._search(self.penalty(share * l1), layout, x)
                self._run(search, coarse=True, max_iter=_RAMP_ITERATIONS)
                n_evaluations, x = n_evaluations + search.n_evaluations, search.x
            searches.append(self._search(self.penalty(l1), layout, x))
            self._run(searches[-1], coarse=True)
        n_evaluations += sum(search.n_evaluations for search in searches)
        return searches, n_evaluations

    def _search(self, penalty: Penalty, layout: Layout, x: Floats) -> Search:
        """A search from ``x``. Unpenalised hidden units have no minimum to step to."""
        if _is_unbounded(layout, penalty):
            return Search(self.objective, penalty, layout, x)
        return search_for(self.objective, penalty, layout, x)

    def _run(self, search: Search, *, coarse: bool = False, max_iter: int | None = None) -> None:
        """Go on to the end of the fit, or ``coarse`` to where starts are compared."""
        limits: dict[str, float] = {}
        if _is_unbounded(search.layout, search.penalty):
            limits["least_decrease"] = LEAST_DECREASE
        elif self._resolution_of(search) > 0.0:
            limits["least_gain"] = self.resolution * (_COARSE_TAIL if coarse else TAIL)
        tol = max(self.tol, _COARSE) if coarse else self.tol
        most = self.max_iter if max_iter is None else min(max_iter, self.max_iter)
        search.run(tol, most, **limits)

    def _resolution_of(self, search: Search) -> float:
        """What is too little to matter; without a penalty parameters may run away by less."""
        return self.resolution if search.penalty.strength > 0.0 else 0.0

    def _finish(self, search: Search) -> FitResult:
        """Go on to the end, with hidden units that are off in the silent word.

        Turned weights have slopes of their own, so the certificate is taken after the turn.
        """
        self._run(search)
        theta, _ = canonical(search.layout.unpack(search.x))
        turned = search
        if not np.array_equal(search.layout.pack(theta), search.x):
            turned = self._search(search.penalty, search.layout, search.layout.pack(theta))
            turned.n_iter = search.n_iter
            turned.n_evaluations += search.n_evaluations
            self._run(turned)
        fit = FitResult.of(turned, self.tol, self._resolution_of(turned))
        return replace(fit, parameters=canonical(fit.parameters)[0])

    def _stopped_early(
        self, parts: tuple[Objective, Objective], layout: Layout, starts: Sequence[Parameters]
    ) -> FitResult:
        """Fit most of the words, up to the iteration that the others like best."""
        fitted, kept = parts
        penalty, gradient = self.penalty(0.0), np.empty(layout.size)

        def kept_value(search: Search) -> float:
            try:
                return kept.evaluate(search.x, layout, gradient)
            except OverflowError:
                return np.inf

        lowest, best, n_iter, n_evaluations = np.inf, layout.pack(starts[0]), 0, 0
        converged = True
        for start in starts:
            search = Search(fitted, penalty, layout, layout.pack(start))
            values = [kept_value(search)]
            while True:
                if values[-1] < lowest:
                    lowest, best, n_iter = values[-1], search.x.copy(), search.n_iter
                n_before = search.n_iter
                search.run(self.tol, min(n_before + _LOOK, self.max_iter))
                if search.n_iter == n_before:
                    break
                values.append(kept_value(search))
                if _has_stopped_falling(values):
                    break
            converged &= search.n_iter < self.max_iter
            n_evaluations += search.n_evaluations
        theta, _ = canonical(layout.unpack(best))
        polished = Search(self.objective, penalty, layout, layout.pack(theta))
        return FitResult(
            parameters=theta,
            objective=polished.value,
            optimality=polished.optimality,
            n_iter=n_iter,
            n_evaluations=n_evaluations + 1,
            converged=converged or polished.optimality <= self.tol,
            validation_objective=lowest,
        )


def _is_unbounded(layout: Layout, penalty: Penalty) -> bool:
    """Whether there is no finite optimum. Gaussian hidden units are couplings, which have one."""
    return bool(layout.n_hidden) and layout.hidden is BERNOULLI and penalty.strength == 0.0


def fit_path(
    kind: Kind,
    problem: Problem,
    l1_values: Sequence[float],
    start: Parameters | None = None,
    nested: NestedStarts | None = None,
) -> Iterator[FitResult]:
    """Best fit of one kind of model at each L1 strength, made when asked for.

    Each strength starts from the solution before (small to large is best: hidden units die on the
    way up and do not come back on the way down). With a ``proxy`` none are drawn at random on the
    way up. ``start`` is the only start where the problem is convex, else one more. Of ``kind``
    "srbm", ``nested`` is what the two models nested in it reached at each strength; by default they
    are fitted first.
    """
    if nested is not None and kind != "srbm":
        raise BadArgument("nested", f"is given for kind {kind!r}", "only 'srbm' has nested models")
    return _path(kind, problem, l1_values, start, nested)


def _path(
    kind: Kind,
    problem: Problem,
    l1_values: Sequence[float],
    start: Parameters | None,
    nested: NestedStarts | None,
) -> Iterator[FitResult]:
    inner: Iterable[tuple[Parameters, ...]] = repeat(())
    if nested is not None:
        inner = zip(*nested, strict=True)
    elif kind == "srbm":
        ising = _path("ising", replace(problem, n_init=1), l1_values, None, None)
        rbm = _path("rbm", problem, l1_values, None, None)
        inner = ((one.parameters, other.parameters) for one, other in zip(ising, rbm, strict=True))
    last: tuple[float, Parameters] | None = None
    for l1, at_l1 in zip(delayed_bar(len(l1_values), "penalties", l1_values), inner, strict=False):
        warm = [] if last is None else [last[1]]
        if start is not None:
            warm.append(start)
        starts, drawn, ramped = starts_of(kind, problem, warm, *at_l1)
        is_bounded = problem.proxy is not None and problem.penalty(l1).strength > 0.0
        if not problem.draws or (is_bounded and last is not None and l1 >= last[0]):
            drawn = ramped = []  # a stronger penalty wakes no hidden unit
        if problem.proxy is not None and is_bounded and drawn:
            searches, _ = replace(problem, objective=problem.proxy).compare(l1, drawn, ramped)
            by_proxy = min(searches, key=attrgetter("value"))
            drawn, ramped = [by_proxy.layout.unpack(by_proxy.x)], []
        fit = problem.best(l1, [*starts, *drawn], ramped)
        last = l1, fit.parameters
        yield fit


def canonical(theta: Parameters) -> tuple[Parameters, float]:
    """The one of all parameters of a distribution that a fit returns, and what log p~ lost by it.

    Hidden units are off in the silent word, and dead ones, where any bias gives the same
    distribution, have none.
    """
    if theta.c is None or theta.is_gaussian:
        return theta.canonical_sign()
    c = np.where(theta.live, theta.c, 0.0)
    turned, log_factor = Parameters.trusted(theta.b, theta.J, theta.W, c, theta.v).canonical_sign()
    return turned, log_factor + theta.drop_dead_units()[1] - turned.drop_dead_units()[1]


def _has_stopped_falling(values: Sequence[float]) -> bool:
    """Whether the lowest value has hardly changed over the last iterations."""
    n_looks = _PATIENCE // _LOOK
    if len(values) <= n_looks:
        return False
    lowest = min(values)
    return min(values[:-n_looks]) - lowest < LEAST_DECREASE * _PATIENCE * abs(lowest)
