"""Penalised likelihood of pairwise models of many units, by words of all numbers of active units.

Each round takes one Newton step towards the optimum, and draws new words where it ends, stratum by
stratum (:mod:`._strata`; docs/method.md, section 5). Masses of whole strata change by factors where
many couplings change a little, so curvature is that of each coordinate, and of what strata, numbers
of active units and single units change together.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..objectives.sparse_words import SparseWords
from ..parameters import Parameters
from ..validation import Bits, Floats
from ._bars import delayed_bar
from ._proximal_newton import proximal_step, unit_columns
from ._stochastic import Effort, SampledProblem
from ._strata import FEW, Stratum, first_strata, shares_of

#: Words of each chain of the first stratum in a round.
_SNAPSHOTS = 4
#: Numbers of active units with a column of the curvature each, as edges of intervals; words with
#: as many active units as the second number show how units vary together.
_EDGES, _BUSY = (1, 2, 4, 7, 11, 16, 24, 35), 11
#: Ranks of that curvature, of the first stratum and of the others.
_RANKS = 48, 24
#: Share of the mass below which a stratum has new words only now and then, in rounds.
_ASLEEP, _NAP = math.exp(-35.0), 5
#: Rounds between two annealings of a stratum, and the variance of log Z that asks for one.
_ANNEALING_ROUNDS, _UNSURE = 5, 0.06
#: Log share up to which strata rise freely, nats that they may rise beyond it in one step, and
#: in any; nats that they may fall, if they hold much.
_FREE, _RISE, _MOST_RISE, _MOST_FALL = -9.5, 0.5, 5.0, 2.0
#: Standard deviation of the change of log p~ over the words of the first stratum, and of others
#: that hold much, which a step may cause.
_MOST_CHANGE, _MOST_STRATUM_CHANGE = 0.8, 1.6
#: Factors by which steps are damped more, those of a stratum made stiffer, and both less, and
#: trials of a step.
_MORE, _SLIGHTLY_MORE, _STIFFER, _LESS, _TRIALS = 1.6, 1.2, 10.0, 1.3, 20
#: Slopes at which coordinates that are zero may move, in units of the penalty.
_NEARLY = 0.7
#: Weight of a round's words in the moments, but for the first rounds.
_WEIGHT = 0.15
#: Mean square of the slopes, in units of the errors of a certificate, at which a search ends: of
#: averages over so many rounds; and roughly, of each.
_ENDED, _ROUNDS_ENDED, _ROUGHLY = 1.0, 12, 3.0


@dataclass(frozen=True, slots=True, eq=False)
class StratifiedState:
    """Where a search is."""

    x: Floats  # the model, (layout.size,)
    # The same, and the model that the words are of.
    theta: Parameters
    before: Parameters
    strata: tuple[Stratum, ...]  # words
    means: Floats  # slopes of log p~ over the first stratum, averaged over rounds, (layout.size,)
    step: Floats  # the last step, (layout.size,)
    damping: float = 1.0  # factor of the curvature of each coordinate
    n_averaged: int = 0  # rounds that the means are over
    # Mean squares of the slopes of the last rounds, in units of a certificate's errors.
    squares: tuple[float, ...] = ()
    effort: Effort = field(default_factory=Effort)  # of the search so far

    @property
    def log_z(self) -> float:
        """Log Z of the model (nats)."""
        return float(np.logaddexp.reduce([stratum.log_mass for stratum in self.strata]))

    @property
    def log_z_variance(self) -> float:
        """The variance of that."""
        variances = np.array([stratum.variance for stratum in self.strata])
        return float(shares_of(self.strata) ** 2 @ variances)

    @property
    def log_p(self) -> Floats:
        """Log probability of each number of active units by its stratum, shape (n_units + 1,)."""
        log_p = np.empty(self.theta.n_visible + 1)
        for stratum, share in zip(self.strata, shares_of(self.strata), strict=True):
            size = stratum.highest - stratum.lowest + 1
            log_p[stratum.lowest : stratum.highest + 1] = math.log(max(share, 1e-300) / size)
        return log_p


def first_stratified_state(
    rng: np.random.Generator, problem: SampledProblem, x: Floats
) -> StratifiedState:
    """The state of a search that starts at ``x``."""
    theta = problem.layout.unpack(x)
    strata = first_strata(rng, theta, problem.data.words, problem.settings)
    return StratifiedState(x, theta, theta, strata, np.zeros(x.size), np.zeros(x.size))


def search_strata(
    rng: np.random.Generator,
    state: StratifiedState,
    problem: SampledProblem,
    max_iter: int,
    *,
    roughly: bool = False,
) -> StratifiedState:
    """Rounds until the slopes are as small as a certificate's errors, or ``roughly`` so."""
    most_rounds = problem.settings.rough_rounds if roughly else problem.settings.most_rounds
    state = replace(state, squares=())
    with delayed_bar(most_rounds, "likelihood, at most") as bar:
        for _ in range(most_rounds):
            state = run_stratified_round(rng, state, problem)
            bar.update()
            last = state.squares[-_ROUNDS_ENDED:]
            has_ended = len(last) == _ROUNDS_ENDED and np.mean(last) < _ENDED
            is_near = len(last) > 1 and max(last[-2:]) < _ROUGHLY
            if has_ended or (roughly and is_near) or state.effort.n_iter >= max_iter:
                break
    return state


class _Moments(NamedTuple):
    """Mean slopes of log p~, and the same of words with few to many active units, by share."""

    mean: Floats
    columns: Floats


def run_stratified_round(
    rng: np.random.Generator, state: StratifiedState, problem: SampledProblem
) -> StratifiedState:
    """New words of the model, and a step from there."""
    state = _with_new_words(rng, state, problem)
    first, *others = state.strata
    share, *rest = shares_of(state.strata)
    moments = _moments_by_number(state.theta, problem, first.words)
    means = _averaged(state, moments, problem)
    columns, mean = [math.sqrt(share) * moments.columns], share * means
    of_strata = [_mean(state.theta, problem, stratum.words) for stratum in others]
    for weight, of_stratum in zip(rest, of_strata, strict=True):
        mean += weight * of_stratum
    data = problem.layout.pack_gradient(problem.data(state.theta)[1])
    strengths = np.zeros(state.x.size)
    couplings = problem.layout.couplings
    strengths[couplings] = problem.l1 * problem.layout.multiplicity[couplings]
    gradient, slopes = mean - data, mean - data
    problem.penalty.add_subgradient(state.x, problem.layout, slopes)
    diagonal = _diagonal(problem, np.maximum(mean, data))
    is_zero = (state.x == 0.0) & (strengths > 0.0)
    n_judged = problem.settings.judging_chains * problem.settings.judging_words
    squares = float((slopes**2 / diagonal)[~is_zero].mean()) * n_judged
    at = np.flatnonzero(~is_zero | (np.abs(gradient) > _NEARLY * strengths))
    busy = first.words[first.words.sum(axis=1, dtype=np.intp) >= _BUSY]
    if len(busy) > 1:
        part = math.sqrt(share * len(busy) / len(first.words))
        columns.append(part * unit_columns(problem.layout, busy, _RANKS[0], at))
    columns[0] = columns[0][at]
    own = []  # columns of each stratum
    for stratum, weight, of_stratum in zip(others, rest, of_strata, strict=True):
        # A stratum that holds little has little curvature, but no step may go beyond that.
        log_share = math.log(max(weight, 1e-300))
        held = max(weight, 0.5 * problem.l1 * math.exp(min(0.5 * (log_share + 11.0), 0.0)))
        own.append([(of_stratum - means)[at, None]])
        per_entry = problem.layout.multiplicity / problem.layout.n_tied
        diagonal += (held - weight) * per_entry * of_stratum
        if held > 1e-6:
            own[-1].append(unit_columns(problem.layout, stratum.words, _RANKS[1], at))
        own[-1] = [math.sqrt(held) * each for each in own[-1]]
    damping, stiffness, n_trials = state.damping, np.ones(len(others)), 0
    while True:
        of_own = zip(stiffness, own, strict=True)
        stiff = [math.sqrt(factor) * each for factor, parts in of_own for each in parts]
        low_rank = np.concatenate([*columns, *stiff], axis=1)
        step = np.zeros(state.x.size)
        curvature = damping * diagonal[at]
        step[at] = proximal_step(state.x[at], gradient[at], curvature, low_rank, strengths[at])
        theta, n_trials = problem.layout.unpack(state.x + step), n_trials + 1
        is_far, rises = _excess(state, theta)
        if not (is_far or rises.any()) or n_trials == _TRIALS:
            break
        stiffness = np.where(rises, _STIFFER * stiffness, stiffness)
        damping *= _MORE if is_far else _SLIGHTLY_MORE
    n_iter, n_evaluations, n_rounds = astuple(state.effort)
    return replace(
        state,
        x=state.x + step,
        theta=theta,
        before=state.theta,
        means=means,
        step=step,
        damping=max(damping / _LESS, 1.0) if n_trials == 1 else damping,
        n_averaged=state.n_averaged + 1,
        squares=(*state.squares, squares)[-_ROUNDS_ENDED:],
        effort=Effort(n_iter + 1, n_evaluations + n_trials, n_rounds + 1),
    )


def _with_new_words(
    rng: np.random.Generator, state: StratifiedState, problem: SampledProblem
) -> StratifiedState:
    """The state with words of the model itself."""
    settings, n_rounds, words = problem.settings, state.effort.n_rounds, problem.data.words
    frequent = words.X[np.argmax(words.counts)]
    strata, shares = [], shares_of(state.strata)
    for k, (stratum, share) in enumerate(zip(state.strata, shares, strict=True)):
        if share < _ASLEEP and (n_rounds + k) % _NAP:
            strata.append(stratum.guessed(state.before, state.theta))
            continue
        n_words = _SNAPSHOTS * len(stratum.chains) if k == 0 else 1
        moved = stratum.moved(rng, state.before, state.theta, n_words, settings)
        if k == 0:
            moved = moved.with_frequent_word(state.theta, frequent)
        if (k and (n_rounds + k) % _ANNEALING_ROUNDS == 0) or moved.variance > _UNSURE:
            moved = moved.weighed(rng, state.theta, settings)
        strata.append(moved)
    return replace(state, strata=tuple(strata), before=state.theta)


def _mean(theta: Parameters, problem: SampledProblem, words: Bits) -> Floats:
    """Mean slopes of log p~ over words, shape (layout.size,)."""
    _, moments = SparseWords.of(words).sums(theta, np.full(len(words), 1.0 / len(words)))
    return problem.layout.pack_gradient(moments)


def _moments_by_number(theta: Parameters, problem: SampledProblem, words: Bits) -> _Moments:
    """Of words, with one column for each interval of the number of active units."""
    group = np.searchsorted(_EDGES, words.sum(axis=1, dtype=np.intp), side="right")
    present, counts = np.unique(group, return_counts=True)
    means = np.stack([_mean(theta, problem, words[group == each]) for each in present], axis=1)
    shares = counts / len(words)
    mean = means @ shares
    return _Moments(mean, (means - mean[:, None]) * np.sqrt(shares))


def _averaged(state: StratifiedState, new: _Moments, problem: SampledProblem) -> Floats:
    """Means of all rounds, moved as the curvature says they have moved by the last step."""
    weight = max(_WEIGHT, 1.0 / (1.0 + state.n_averaged))
    multiplicity, old = problem.layout.multiplicity, state.means
    own = np.maximum(old * (multiplicity - old), 0.0) / problem.layout.n_tied * state.step
    moved = old + own + new.columns @ (state.step @ new.columns)
    return (1.0 - weight) * moved + weight * new.mean


def _diagonal(problem: SampledProblem, means: Floats) -> Floats:
    """Curvature along each coordinate, by means of the model or the data."""
    multiplicity, n_tied = problem.layout.multiplicity, problem.layout.n_tied
    least = max(problem.l1, 1.0 / problem.settings.most_draws)
    is_pair = multiplicity > n_tied
    means = np.maximum(means / multiplicity, np.where(is_pair, least, 1e-5))
    return multiplicity**2 / n_tied * means * (1.0 - np.where(is_pair, 0.0, means))


def _excess(state: StratifiedState, theta: Parameters) -> tuple[bool, NDArray[np.bool_]]:
    """Whether a model is too far for the samples, and which strata change too much."""
    first, *others = state.strata
    of_first = first.change(state.theta, theta)
    log_z, rises = _log_mean(of_first), np.zeros(len(others), dtype=bool)
    for k, (stratum, share) in enumerate(zip(others, shares_of(state.strata)[1:], strict=True)):
        is_asleep = share < _ASLEEP
        change = stratum.change(state.theta, theta, FEW if is_asleep else 1)
        log_share, rise = math.log(max(share, 1e-300)), _log_mean(change) - log_z
        most = max(_FREE - log_share, 0.0)
        # Words of one that is asleep are not the model's, and it may rise more than they say.
        most = 0.5 * most if is_asleep else min(most + _RISE, _MOST_RISE)
        holds_much = log_share > _FREE - 2.0
        is_far = rise < -_MOST_FALL or change.std() > _MOST_STRATUM_CHANGE
        rises[k] = rise > most or (holds_much and is_far)
    return bool(of_first.std() > _MOST_CHANGE), rises


def _log_mean(log_values: Floats) -> float:
    return float(np.logaddexp.reduce(log_values)) - math.log(log_values.size)
