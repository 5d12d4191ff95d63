"""Penalised maximum likelihood of models of any size, from words that the model itself draws.

Each round draws words from the present model, lets them stand for its partition function
(:class:`~microcolumn.objectives.SampledLikelihood`) and minimises the penalised likelihood as far
as they do. Rounds draw more words as what is left to gain sinks into their noise.

Chains see only the modes that they visit, and a step may create one that none of them does
(docs/method.md, section 5). So each step is tried: modes are searched for at its end, and new words
drawn there must tell the same log Z as the old ones foretold. If not, what was found joins the
words that stand for Z, so that the likelihood knows and forbids it, and half the step is tried.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from ..layout import Layout
from ..objectives import Draws, SampledLikelihood, WordPool
from ..objectives._sparse_words import SparseWords
from ..packing import packed, unpacked
from ..parameters import Parameters
from ..partition._gibbs import Sampler, new_seed
from ..partition._modes import find_modes, nearest, rough_log_mass
from ..penalties import Penalty
from ..validation import Bits, Floats
from ..words import Words
from ._bars import patient_bar
from ._quasi_newton import Search

Keys = NDArray[np.uint64]  # words, packed, shape (n_integers, n_words)

#: Chains that draw words, sweeps before the first word of a round, and between two of a chain.
_CHAINS, _SETTLING, _BETWEEN = 4096, 24, 4
#: Fewest words of a round, and most.
_FIRST_DRAWS, _MOST_DRAWS = 1 << 15, 1 << 20
_MOST_ROUNDS = 60
#: Rounds whose words count together once steps are small.
_ROUNDS_KEPT = 4
#: Words of the first round times the strength of the penalty, and of the last ones per parameter:
#: with those kept of rounds before, their noise costs less than 0.001 nats per word.
_DRAWS_PER_STRENGTH, _DRAWS_PER_PARAMETER = 32.0, 500.0
#: Share of the words in which a pair is active together, for which the tolerance is meant.
_PAIR = 1e-3
#: A step goes as far as this share of the draws still counts; no trial goes beyond the second.
_SHARE, _LEAST_SHARE = 0.5, 0.2
#: Share at which a step has changed so little that it makes no new mode.
_SAME = 0.98
#: Share from which on new words alone tell log Z.
_CLOSE = 0.9
#: Steps of the search between two looks at that share, and in one round at most.
_STEPS, _MOST_STEPS = 5, 200
#: A search has come to its end at this optimality, or where it gains less between two looks than
#: this share of what fitting noise would gain.
_TOLERANCE, _FINISHED = 1e-8, 0.05
#: Times what fitting noise would gain, below which a round was the last with so few words.
_NOISE = 3.0
#: Nats per word that fitting noise may gain; beyond, a round draws more words.
_MOST_NOISE = 0.02
#: Halvings of a step that makes mass which its words had not foretold.
_HALVINGS = 4
#: Nats by which log Z may exceed what was foretold; share of the mass that a mode may hold beyond
#: what its chains say, as a share of Z and as a multiple of theirs.
_SURPRISE, _STRAY, _MORE = 0.2, 0.01, 2.0
#: Groups of words that are remembered of places that chains must not go to, and words of each.
_MOST_STRAYS, _STRAY_DRAWS = 32, 256
#: Modes that one search looks at.
_MOST_MODES = 6


@dataclass(slots=True)
class LikelihoodSearch:
    """A search for the penalised maximum of the likelihood that draws its own words.

    Parameters
    ----------
    words : Words
        The data.
    penalty : Penalty
        What is added to minus the mean log likelihood.
    layout : Layout
        Free coordinates.
    x : ndarray, shape (layout.size,)
        Where to begin, and then where the search is.
    log_z : float
        log Z there, nats.
    rng : numpy.random.Generator
        Source of all draws.
    tol : float
        Standard error of a pair's moment that is good enough: no round draws more words than that
        takes for a pair that is active together in one word of a thousand. Where that is few, the
        search ends at the mean of the last rounds' solutions.

    Attributes
    ----------
    n_sites : float
        Single sites that chains have updated.
    """

    words: Words
    penalty: Penalty
    layout: Layout
    x: Floats
    log_z: float
    rng: np.random.Generator
    tol: float = 0.0
    objective: SampledLikelihood = field(init=False)
    n_iter: int = 0
    n_evaluations: int = 0
    n_rounds: int = 0
    n_sites: float = 0.0
    n_draws: int = field(init=False)
    _drawn: list[Draws] = field(init=False)  # of this round last, before it of models next to it
    _strays: list[Draws] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.objective = SampledLikelihood(self.words)
        # The noise of a moment must be small against the penalty, or rare pairs run away.
        wanted = _DRAWS_PER_STRENGTH / max(self.penalty.strength, 1e-12)
        within = min(max(wanted, _FIRST_DRAWS), self._enough_draws)
        self.n_draws = 1 << round(math.log2(within))
        shares = self.words.counts / self.words.counts.sum()
        picked = self.rng.choice(len(self.words), size=_CHAINS, p=shares)
        theta = self.layout.unpack(self.x)
        keys = self._draw(theta, self.words.X[picked])
        self._drawn = [Draws(theta, keys, self.log_z)]

    def run(self, max_iter: int, *, roughly: bool = False) -> None:
        """Rounds until the likelihood has no more to gain than the noise of the largest ones.

        The search ends after ``max_iter`` steps in all, or ``roughly`` with the first noise.
        """
        settled: list[Floats] = []
        with patient_bar(_MOST_ROUNDS, "likelihood, at most") as bar:
            for _ in range(_MOST_ROUNDS):
                gain = self._round(max_iter - self.n_iter)
                bar.update()
                if self.n_iter >= max_iter:
                    break
                is_noise = gain < _NOISE * self._noise()
                if is_noise and roughly:
                    break
                if self.n_draws < self._most_draws:
                    if is_noise or self._noise() > _MOST_NOISE:
                        self.n_draws = min(4 * self.n_draws, self._most_draws)
                        self._draw_again()
                elif is_noise and self.is_capped:
                    settled.append(self.x)
                    if len(settled) == _ROUNDS_KEPT:
                        self._take_mean(settled)
                        break
                elif is_noise and len(self._drawn) == _ROUNDS_KEPT:
                    break

    @property
    def _enough_draws(self) -> float:
        """Words of a round that ``tol`` asks for, within reason."""
        return min(max(_PAIR / max(self.tol, 1e-12) ** 2, _FIRST_DRAWS), _MOST_DRAWS)

    @property
    def is_capped(self) -> bool:
        """Whether ``tol`` is met by fewer words than a round may draw."""
        return self._enough_draws < _MOST_DRAWS

    @property
    def _most_draws(self) -> int:
        """Words of the last rounds: as many as leave little noise."""
        wanted = _DRAWS_PER_PARAMETER * np.count_nonzero(self.x)
        most = int(min(wanted, self._enough_draws))
        return max(_FIRST_DRAWS, most // _CHAINS * _CHAINS)

    @property
    def theta(self) -> Parameters:
        """Where the search is."""
        return self.layout.unpack(self.x)

    @property
    def value(self) -> float:
        """Penalised objective, nats per word, with log Z by words that the fit has not seen."""
        penalty = self.penalty.value(self.x, self.layout)
        return self.log_z - self.objective.mean_log_weight(self.theta) + penalty

    def _noise(self) -> float:
        """What fitting the noise of the draws gains on them, nats per word: half per parameter."""
        n_draws = sum(draws.n_draws for draws in self._drawn)
        return max(int(np.count_nonzero(self.x)), 1) / (2.0 * n_draws)

    def _draw(self, theta: Parameters, initial: Bits) -> Keys:
        """Words of the model from chains that start at ``initial``, packed; the last ones last."""
        sampler = Sampler(theta, _CHAINS, seed=new_seed(self.rng), initial=initial)
        sampler.run(np.ones(_SETTLING))
        n_snapshots = self.n_draws // _CHAINS
        self.n_sites += float(_CHAINS * (_SETTLING + n_snapshots * _BETWEEN) * theta.n_visible)
        snapshots = [packed(sampler.run(np.ones(_BETWEEN)).words) for _ in range(n_snapshots)]
        return np.concatenate(snapshots, axis=1)

    def _draw_again(self) -> None:
        last = self._drawn[-1]
        chains = unpacked(last.keys[:, -_CHAINS:], self.layout.n_visible)
        self._drawn = [Draws(last.theta, self._draw(last.theta, chains), self.log_z)]

    def _round(self, max_iter: int) -> float:
        """One step: what it gained on the words that it was found with, nats per word."""
        self.n_rounds += 1
        pool = WordPool.of(self._drawn, self._strays)
        search, first = self._searched(pool, min(max_iter, _MOST_STEPS))
        step = search.x - self.x
        for _ in range(1 + _HALVINGS):
            x = self.x + step
            theta = self.layout.unpack(x)
            if self._lands(theta, pool):
                self.x = x
                return first - search.value
            step *= 0.5
        self._draw_again()
        return math.inf  # no step was good: there is more to know before this is the end

    def _take_mean(self, settled: list[Floats]) -> None:
        """Go to the mean of solutions that differ by the noise of their own words alone."""
        mean: Floats = np.mean(settled, axis=0)
        mean[2 * np.count_nonzero(settled, axis=0) <= len(settled)] = 0.0
        pool, theta = WordPool.of(self._drawn, self._strays), self.layout.unpack(mean)
        self.objective.take(pool)
        self.objective.share = self.objective.share_at(theta)
        if self._lands(theta, pool):
            self.x = mean

    def _searched(self, pool: WordPool, most_steps: int) -> tuple[Search, float]:
        """The penalised minimum by these words, or where too few still count; the first value."""
        self.objective.least_share = 0.0
        self.objective.take(pool)
        search = Search(self.objective, self.penalty, self.layout, self.x)
        first = search.value
        self.objective.least_share = min(_LEAST_SHARE, self.objective.share)
        while search.n_iter < most_steps and self.objective.share > _SHARE:
            n_next, before = min(search.n_iter + _STEPS, most_steps), search.value
            search.run(_TOLERANCE, n_next)
            stuck = search.n_iter < n_next
            if stuck or before - search.value < _FINISHED * self._noise():
                break
        # The last words of a line search may have been far off.
        self.objective.share = self.objective.share_at(self.layout.unpack(search.x))
        self.n_iter += search.n_iter
        self.n_evaluations += search.n_evaluations
        return search, first

    def _lands(self, theta: Parameters, pool: WordPool) -> bool:
        """Whether new words of ``theta`` are what the pool foretold; if so they are taken over."""
        masses = self.objective.log_masses(theta)
        foretold = float(np.logaddexp.reduce(masses))
        picked = self._resampled(masses - foretold)
        chains = unpacked(pool.keys[:, picked], self.layout.n_visible)
        # Where nearly all draws still count, the model has hardly changed.
        if self.objective.share < _SAME and self._has_stray_modes(theta, chains, foretold):
            return False
        keys, last = self._draw(theta, chains), self._drawn[-1]
        ahead, back = (
            words.log_weights(theta) - words.log_weights(last.theta)
            for words in (SparseWords(each, theta.n_visible) for each in (last.keys, keys))
        )
        # Where models are close, new words alone: the old ones are fitted, noise and all.
        is_close = self.objective.share > _CLOSE
        log_z = last.log_mass + log_ratio(ahead[: 0 if is_close else None], back)
        if log_z > foretold + _SURPRISE:
            self._remember(Draws(theta, keys[:, -_STRAY_DRAWS:], log_z))
            return False
        kept = self._drawn[1 - _ROUNDS_KEPT :] if self.objective.share > _SAME else []
        self._drawn, self.log_z = [*kept, Draws(theta, keys, log_z)], log_z
        return True

    def _resampled(self, log_shares: Floats) -> NDArray[np.intp]:
        """Words of the pool as often as their share of the mass asks for, one per chain."""
        heights = (np.arange(_CHAINS) + self.rng.random()) / _CHAINS
        edges = np.cumsum(np.exp(log_shares))
        return np.searchsorted(edges / edges[-1], heights)

    def _has_stray_modes(self, theta: Parameters, chains: Bits, log_z: float) -> bool:
        """Whether a mode holds a real share of the mass beyond what chains there say.

        Words of all modes that hold more than that are remembered.
        """
        modes = find_modes(theta, chains[:: _CHAINS // 64], self.rng, most=_MOST_MODES)
        rates = np.stack([mode.rates for mode in modes])
        home = np.bincount(nearest(chains.astype(np.float64), rates), minlength=len(modes))
        is_real, (live, log_factor) = False, theta.only_live()
        for k, (mode, n_chains) in enumerate(zip(modes, home, strict=True)):
            mass = log_factor + (
                mode.log_mass if len(modes) > 1 else rough_log_mass(live, mode.rates, self.rng)
            )
            share = math.exp(min(mass - log_z, 700.0))
            if share < _MORE * n_chains / _CHAINS:
                continue
            is_real |= share > _STRAY
            initial = mode.words[np.arange(_STRAY_DRAWS) % len(mode.words)]
            sampler = Sampler(theta, _STRAY_DRAWS, seed=new_seed(self.rng), initial=initial)
            words = np.concatenate([sampler.run(np.ones(4)).words, mode.peak[None]])
            self._remember(Draws(theta, packed(words), mass, np.roll(rates, -k, axis=0)))
        return is_real

    def _remember(self, draws: Draws) -> None:
        self._strays = [*self._strays, draws][-_MOST_STRAYS:]


def log_ratio(ahead: Floats, back: Floats) -> float:
    """Log of Z over the last Z, from words of both models (Bennett 1976).

    ``ahead`` (n_last,) and ``back`` (n_words,) are log p~ minus the last model's, on words of the
    last model and of this one; the first may be empty where the models are close.
    """
    if not ahead.size:
        return math.log(len(back)) - float(np.logaddexp.reduce(-back))
    shift = math.log(len(ahead) / len(back))

    def excess(ratio: float) -> float:
        return float(expit(ahead - ratio - shift).sum() - expit(ratio + shift - back).sum())

    everything = np.concatenate([ahead, back])
    low, high = float(everything.min()) - 50.0, float(everything.max()) + 50.0
    return float(brentq(excess, low, high, xtol=1e-9))
