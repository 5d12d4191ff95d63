"""Penalised maximum likelihood of models of any size, from words that the model itself draws.

Each round lets the words drawn so far stand for the partition function
(:class:`~microcolumn.objectives.SampledLikelihood`), minimises the penalised likelihood as far as
they do, and draws new words where the step ends. Rounds draw more words as what is left to gain
sinks into their noise.

Chains see only the modes that they visit, and a step may create one that none of them does
(docs/method.md, section 5). So each step is tried: modes are searched for at its end, and log Z by
new words must be what the old ones predicted. If not, the words found join those that stand for
Z, so that the likelihood itself counts and forbids the mode, and half the step is tried.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, replace

import numpy as np

from ..layout import Layout
from ..objectives import Draws, SampledLikelihood, WordPool
from ..objectives.data_moments import MeanLogWeight
from ..parameters import Parameters
from ..penalties import Penalty
from ..validation import Floats
from ._bars import delayed_bar
from ._log_ratio import log_ratio
from ._quasi_newton import Search
from ._sampler_settings import SamplerSettings
from ._spread import SpreadDraws, draw, first_draws, next_draws, resampled, spread_pool, target_of
from ._unvisited import unvisited_modes


@dataclass(frozen=True, slots=True, eq=False)
class SampledProblem:
    """What is minimised, and how words are drawn for it."""

    data: MeanLogWeight  # of the words that are fitted
    penalty: Penalty  # what is added to minus the mean log likelihood
    l1: float  # strength of its L1 part
    layout: Layout  # free coordinates
    resolution: float = 0.0  # likelihood that need not be gained, nats per word
    # Chains, words and rounds.
    settings: SamplerSettings = SamplerSettings()  # noqa: RUF009 (it is frozen)

    @property
    def spreads(self) -> bool:
        """Whether words are spread over all numbers of active units."""
        layout = self.layout
        is_pairwise = layout.coupled and not layout.n_hidden and layout.term is None
        return is_pairwise and layout.n_visible >= self.settings.spread_units

    @property
    def has_strata(self) -> bool:
        """Whether words are drawn by strata of the number of active units."""
        is_large = self.layout.n_visible >= self.settings.stratum_units
        return self.spreads and is_large and not self.layout.counted

    @property
    def curvature(self) -> Floats | None:
        """Of the likelihood along each coordinate by the data's moments, where units are many."""
        layout = self.layout
        if not self.spreads or layout.counted:
            return None
        means = layout.pack_gradient(self.data(layout.unpack(np.zeros(layout.size)))[1])
        least = max(self.l1, 1.0 / self.settings.most_draws)
        per_entry = np.maximum(means / layout.multiplicity, least)
        return layout.multiplicity**2 / layout.n_tied * per_entry

    def value(self, x: Floats, log_z: float) -> float:
        """Penalised objective, nats per word, where log Z is known."""
        mean_log_weight, _ = self.data(self.layout.unpack(x))
        return log_z - mean_log_weight + self.penalty.value(x, self.layout)

    def noise(self, x: Floats, n_draws: float) -> float:
        """What fitting the noise of so many draws gains on them, nats per word: half each."""
        return max(int(np.count_nonzero(x)), 1) / (2.0 * max(n_draws, 1.0))

    def first_draws(self) -> int:
        """Words of a round that is far from the end."""
        # The noise of a moment must be small against the penalty, or rare pairs run away.
        return self.settings.whole_chains(self.settings.draws_per_strength / max(self.l1, 1e-12))

    def n_spread(self, x: Floats) -> int:
        """Words of a round that are spread over all numbers of active units."""
        # Of fewer, the model would fit the noise: it shuns just the words that were drawn.
        wanted = self.settings.spread_per_parameter * np.count_nonzero(x)
        return int(min(max(self.settings.spread_draws, wanted), self.settings.most_draws // 4))

    def enough_draws(self, x: Floats) -> float:
        """Words of all rounds together whose noise is a few times the resolution at most."""
        n_parameters = max(int(np.count_nonzero(x)), 1)
        enough = self.settings.draws_per_parameter * n_parameters
        if self.resolution > 0.0:
            most_noise = self.settings.resolutions_of_noise * self.resolution
            enough = min(enough, n_parameters / (2.0 * most_noise))
        return min(enough, float(self.settings.rounds_kept * self.settings.most_draws))

    def kept(self, draws: tuple[Draws, ...], x: Floats, n_new: float) -> tuple[Draws, ...]:
        """The last of several rounds of words, which stand for a model beside so many new ones."""
        settings, n_draws, kept = self.settings, n_new, tuple[Draws, ...]()
        n_judged = settings.judging_chains * settings.judging_words
        enough = max(self.enough_draws(x), settings.times_judged * n_judged)
        for one in reversed(draws[1 - settings.rounds_kept :]):
            if n_draws >= enough:
                break
            kept, n_draws = (one, *kept), n_draws + one.n_draws
        return kept

    def negligible(self, x: Floats) -> float:
        """Likelihood that a search may leave to be gained, nats per word: what noise costs it."""
        return max(self.resolution, self.noise(x, self.enough_draws(x)))


@dataclass(frozen=True, slots=True)
class Effort:
    """What a search has cost: steps, evaluations and rounds."""

    n_iter: int = 0
    n_evaluations: int = 0
    n_rounds: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class SearchState:
    """Where a search is."""

    x: Floats  # the model, (layout.size,)
    # Its log Z, nats, and the variance of that.
    log_z: float
    log_z_variance: float
    draws: tuple[Draws, ...]  # words of this model last, before it those of models next to it
    unvisited: tuple[Draws, ...] = ()  # words of modes that chains do not visit
    effort: Effort = Effort()  # of the search so far
    # The last words, if they are spread over the numbers of active units.
    spread: SpreadDraws | None = None

    def pool(self, problem: SampledProblem, n_rounds: int | None = None) -> WordPool:
        """Words of all rounds or of the last ones."""
        draws = self.draws if n_rounds is None else self.draws[-n_rounds:]
        if self.spread is not None:
            theta = problem.layout.unpack(self.x)
            return spread_pool(draws, theta, self.spread.bias, problem.settings)
        return WordPool.of(draws, self.unvisited if n_rounds is None else ())


@dataclass(frozen=True, slots=True)
class RoundInfo:
    """What a round did.

    ``gain`` is what its step gained on the words that it was found with, infinite where no step was
    accepted, and ``noise`` what fitting the noise of those words gains, both in nats per word.
    ``has_arrived`` says that the words stand for the end of the step as well as for its beginning,
    or that noise hides the gain; ``is_last`` that there are also enough of them. ``refused`` says
    why steps were halved.
    """

    gain: float
    noise: float
    has_arrived: bool
    is_last: bool
    refused: tuple[str, ...] = ()


def first_state(
    rng: np.random.Generator, problem: SampledProblem, x: Floats, log_z: float, variance: float
) -> tuple[SearchState, bool]:
    """The state of a search that starts at ``x``, where log Z is known with some variance.

    Chains start from words of the data. Modes that they do not visit are searched for, unless no
    unit depends on another; whether one holds a real share of the mass comes second. Words that
    are spread over all numbers of active units see such modes, and find log Z themselves.
    """
    theta, words, settings = problem.layout.unpack(x), problem.data.words, problem.settings
    if problem.spreads:
        spread = first_draws(rng, theta, words, problem.first_draws(), settings)
        state = SearchState(x, log_z, spread.variance, (spread.draws,), spread=spread)
        log_z = float(np.logaddexp.reduce(state.pool(problem).log_masses(theta)))
        return replace(state, log_z=log_z), False
    shares = words.counts / words.counts.sum()
    chains = words.X[rng.choice(len(words), size=settings.n_chains, p=shares)]
    is_real, unvisited = False, tuple[Draws, ...]()
    if not theta.is_independent:
        is_real, unvisited = unvisited_modes(rng, theta, chains, log_z, settings)
    keys = draw(rng, theta, chains, problem.first_draws(), settings)
    return SearchState(x, log_z, variance, (Draws.of(theta, keys, log_z),), unvisited), is_real


def search(
    rng: np.random.Generator,
    state: SearchState,
    problem: SampledProblem,
    max_iter: int,
    *,
    coarse: bool = False,
) -> SearchState:
    """Rounds until the model is where enough words stand for it and have no more to gain.

    The search ends after ``max_iter`` steps in all, or ``coarse`` with as few words as there are.
    """
    most_rounds = problem.settings.most_rounds
    with delayed_bar(most_rounds, "likelihood, at most") as bar:
        for _ in range(most_rounds):
            state, info = run_round(rng, state, problem, max_iter - state.effort.n_iter)
            bar.update()
            is_done = info.is_last or (info.has_arrived and coarse)
            if is_done or state.effort.n_iter >= max_iter:
                break
    return state


def run_round(
    rng: np.random.Generator, state: SearchState, problem: SampledProblem, max_iter: int
) -> tuple[SearchState, RoundInfo]:
    """One step by the words drawn so far, and new words where it ends."""
    settings, layout = problem.settings, problem.layout
    pool, theta = state.pool(problem), layout.unpack(state.x)
    share = pool.share(theta)
    n_pooled = sum(draws.n_draws for draws in state.draws)
    noise = problem.noise(state.x, replace(pool, spread=None).share(theta) * n_pooled)
    objective = SampledLikelihood(problem.data, pool, min(settings.least_share, share))
    minimum, gain, is_cut = _minimum(state.x, problem, objective, max_iter, noise)
    last_share = state.pool(problem, 1).share(layout.unpack(minimum.x))
    is_close = last_share > settings.same_share
    # Words that were added since the last step also gain what the noise of the others had cost.
    times = settings.noise_factor * (settings.close_factor if is_close else 1.0)
    has_arrived = gain < times * noise
    enough = problem.enough_draws(minimum.x)
    is_last = has_arrived and n_pooled > settings.nearly * enough
    is_last &= not is_cut or state.spread is None
    # The last words only tell log Z, and whether the step is good.
    n_kept = sum(draws.n_draws for draws in state.draws[1 - settings.rounds_kept :])
    missing = 0.0 if is_last else enough - n_kept
    n_draws = settings.whole_chains(missing) if has_arrived else problem.first_draws()
    if is_cut and state.spread is not None:
        # The way is long, or noise moves what only words beyond the data see: more, but not all.
        is_moving = gain > noise or pool.excess_of(pool.log_masses(layout.unpack(minimum.x))) > 0.0
        more = problem.first_draws() if is_moving else 2.0 * state.draws[-1].n_draws
        n_draws = min(n_draws, settings.whole_chains(more))
    if state.spread is not None:
        least = 2.0 * problem.n_spread(minimum.x)
        n_draws = max(
            n_draws, settings.whole_chains(least), 0 if is_last else problem.first_draws()
        )
    n_iter, n_evaluations, n_rounds = astuple(state.effort)
    spent = n_iter + minimum.n_iter, n_evaluations + minimum.n_evaluations, n_rounds + 1
    state = replace(state, effort=Effort(*spent))
    if state.spread is not None:
        state = _followed(rng, state, problem, pool, minimum.x, n_draws, last_share)
        return state, RoundInfo(gain, noise, has_arrived, is_last)
    step, refused = minimum.x - state.x, list[str]()
    for _ in range(1 + settings.halvings):
        x = state.x + step
        state, reason = accept_step(rng, state, problem, pool, x, n_draws, is_last=is_last)
        if not reason:
            is_last &= not refused
            return state, RoundInfo(gain, noise, has_arrived, is_last, tuple(refused))
        refused.append(reason)
        step = 0.5 * step
    state = _with_chains_of_pool(rng, state, problem)
    return state, RoundInfo(math.inf, noise, False, False, tuple(refused))


def _followed(
    rng: np.random.Generator,
    state: SearchState,
    problem: SampledProblem,
    pool: WordPool,
    x: Floats,
    n_draws: int,
    share: float,
) -> SearchState:
    """The state at ``x`` by words that are spread, where a share of the last words counts."""
    theta, settings = problem.layout.unpack(x), problem.settings
    target = target_of(problem.data.words)
    settings = replace(settings, spread_draws=problem.n_spread(x))
    new = next_draws(rng, pool, theta, target, n_draws, settings)
    kept = state.draws[1 - settings.rounds_kept :] if share > settings.step_share else ()
    draws = *kept, new.draws
    state = replace(state, x=x, log_z_variance=new.variance, draws=draws, spread=new)
    log_z = float(np.logaddexp.reduce(state.pool(problem).log_masses(theta)))
    return replace(state, log_z=log_z)


def _with_chains_of_pool(
    rng: np.random.Generator, state: SearchState, problem: SampledProblem
) -> SearchState:
    """The same model with words of chains that also start in the modes which none had visited."""
    theta, pool = problem.layout.unpack(state.x), WordPool.of(state.draws, state.unvisited)
    masses = pool.log_masses(theta)
    log_z = float(np.logaddexp.reduce(masses))
    chains = resampled(rng, pool, np.exp(masses - log_z), problem.settings)
    keys = draw(rng, theta, chains, problem.first_draws(), problem.settings)
    return replace(state, log_z=log_z, draws=(Draws.of(theta, keys, log_z),))


def _minimum(
    x: Floats, problem: SampledProblem, objective: SampledLikelihood, max_iter: int, noise: float
) -> tuple[Search, float, bool]:
    """The penalised minimum by a pool's words, or where too few still count.

    Also what it gained, and whether too few counted.
    """
    settings = problem.settings
    minimum = Search(objective, problem.penalty, problem.layout, x, problem.curvature)
    first, most_steps = minimum.value, min(max_iter, settings.most_steps)
    while minimum.n_iter < most_steps:
        n_next, before = min(minimum.n_iter + settings.steps_per_look, most_steps), minimum.value
        minimum.run(settings.tolerance, n_next)
        is_stuck = minimum.n_iter < n_next  # its last trial is not where it stands
        theta = problem.layout.unpack(minimum.x)
        share = objective.pool.share(theta) if is_stuck else objective.share
        if share < settings.step_share:
            return minimum, first - minimum.value, True
        if is_stuck or before - minimum.value < settings.finished * noise:
            break
    return minimum, first - minimum.value, False


def accept_step(
    rng: np.random.Generator,
    state: SearchState,
    problem: SampledProblem,
    pool: WordPool,
    x: Floats,
    n_draws: int,
    *,
    is_last: bool = False,
) -> tuple[SearchState, str]:
    """The state at ``x`` if new words are what the pool predicted, or why not.

    A refused step leaves the state where it was, with the words that speak against the step.
    Modes are searched for where the step is not small, and before the search ends.
    """
    theta, settings = problem.layout.unpack(x), problem.settings
    masses = pool.log_masses(theta)
    predicted_log_z = float(np.logaddexp.reduce(masses))
    chains = resampled(rng, pool, np.exp(masses - predicted_log_z), settings)
    last = state.draws[-1]
    share = last.share(theta)
    # Where nearly all draws still count, the model has hardly changed; but small steps add up.
    if share < settings.same_share or (is_last and not theta.is_independent):
        is_real, modes = unvisited_modes(rng, theta, chains, predicted_log_z, settings)
        state = _with_unvisited(state, modes, settings)
        if is_real:
            return state, "an unvisited mode"
    keys = draw(rng, theta, chains, n_draws, settings)
    new = Draws.of(theta, keys, math.nan)
    # Where models are close, new words alone: the old ones are fitted, noise and all.
    ratio, variance = _log_z_ratio(None if share > settings.same_share else last, last.theta, new)
    log_z = last.log_mass + ratio
    if log_z > predicted_log_z + settings.most_surprise:
        few = Draws.of(theta, keys[:, -settings.mode_draws :], log_z)
        return _with_unvisited(state, (few,), settings), "more mass than predicted"
    kept = problem.kept(state.draws, x, new.n_draws) if share > settings.step_share else ()
    return replace(
        state,
        x=x,
        log_z=log_z,
        log_z_variance=state.log_z_variance + variance,
        draws=(*kept, replace(new, log_mass=log_z)),
    ), ""


def _with_unvisited(
    state: SearchState, modes: tuple[Draws, ...], settings: SamplerSettings
) -> SearchState:
    return replace(state, unvisited=(*state.unvisited, *modes)[-settings.modes_kept :])


def _log_z_ratio(last: Draws | None, last_theta: Parameters, new: Draws) -> tuple[float, float]:
    """Log of Z over the last Z by the words of both or of the new model, and its variance."""
    back = new.words.log_weights(new.theta) - new.words.log_weights(last_theta)
    if last is None:
        return log_ratio(np.zeros(0), back, n_back=new.counts)
    ahead = last.words.log_weights(new.theta) - last.words.log_weights(last_theta)
    return log_ratio(ahead, back, last.counts, new.counts)
