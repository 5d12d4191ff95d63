"""Penalised likelihood of models with given features, from words that the model itself draws.

The search of :mod:`._stochastic` for a problem that is convex: each round draws words from the
present model, lets them stand for its partition function and goes as far as they do. Each step is
tried: words that a search finds at its end, from busy words and from usual ones, must not hold mass
which the draws had not foretold, and new draws must tell the same log Z. If not, what was found
joins the words that stand for Z, and half the step is tried.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..layout import Layout
from ..objectives._feature_likelihood import Features, SampledFeatureLikelihood
from ..packing import packed, unique_packed, unpacked
from ..partition._term_annealing import searched, unseen_share
from ..partition._term_chains import TermChains
from ..penalties import L1
from ..validation import Bits, Floats
from ._log_ratio import log_ratio
from ._quasi_newton import Search

Keys = NDArray[np.uint64]  # words, packed, shape (n_integers, n_words)

#: Chains that draw words, sweeps before the first word of a round, and between two of a chain.
_CHAINS, _SETTLING, _BETWEEN = 2048, 24, 3
#: Fewest words of a round, most, and of the last ones per parameter.
_FIRST_DRAWS, _MOST_DRAWS, _DRAWS_PER_PARAMETER = 1 << 15, 1 << 17, 500
_MOST_ROUNDS, _ROUNDS_KEPT = 40, 4
#: A step goes as far as this share of the draws still counts; no trial goes beyond the second.
_SHARE, _LEAST_SHARE = 0.5, 0.2
#: Share from which on draws of models next to each other count together.
_SAME = 0.95
#: Steps of the search between two looks at that share, and in one round at most.
_STEPS, _MOST_STEPS = 5, 200
#: Times what fitting noise would gain, below which a round has come to its end.
_NOISE, _FINISHED = 3.0, 0.05
_HALVINGS = 4
#: Nats by which log Z may exceed what was foretold, and share of Z that found words may.
_SURPRISE, _STRAY = 0.2, 0.01
#: Searchers for words that chains do not visit, their sweeps, and words that are remembered.
_SEARCHERS, _SWEEPS, _MOST_STRAYS = 64, 8, 1 << 14
#: Expected draws below which a word that was found stands for itself.
_HARDLY = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """Draws of one model, with its log Z."""

    x: Floats
    keys: Keys
    log_z: float


@dataclass(slots=True)
class FeatureSearch:
    """A search for the penalised maximum of the likelihood that draws its own words.

    Parameters
    ----------
    features : Features
        Of the model.
    means : ndarray, shape (features.size,)
        Means of units and features over the data.
    l1 : float
        Strength of the penalty on strengths.
    layout : Layout
        Which coordinates are penalised.
    x, log_z : ndarray and float
        Where to begin, and log Z there; then where the search is.
    data : ndarray of uint8, shape (n_words, n_units)
        Words from which chains start.
    rng : numpy.random.Generator
        Source of all draws.
    """

    features: Features
    means: Floats
    l1: float
    layout: Layout
    x: Floats
    log_z: float
    data: Bits
    rng: np.random.Generator
    n_iter: int = 0
    n_rounds: int = 0
    n_sites: float = 0.0
    n_draws: int = _FIRST_DRAWS
    _objective: SampledFeatureLikelihood = field(init=False)
    _rounds: list[_Round] = field(init=False)
    _strays: Keys = field(init=False)

    def __post_init__(self) -> None:
        self._objective = SampledFeatureLikelihood(self.means)
        starts = self.data[self.rng.integers(len(self.data), size=_CHAINS)]
        self._strays = packed(starts[:0])
        self._rounds = [_Round(self.x, self._draw(self.x, starts), self.log_z)]

    def run(self, max_iter: int) -> None:
        """Rounds until the likelihood has no more to gain than the noise of the largest ones."""
        for _ in range(_MOST_ROUNDS):
            gain = self._round(max_iter - self.n_iter)
            if self.n_iter >= max_iter:
                break
            if gain > _NOISE * self._noise:
                continue
            if self.n_draws < self._most_draws:
                self.n_draws = min(4 * self.n_draws, self._most_draws)
                self._draw_again()
            elif len(self._rounds) == _ROUNDS_KEPT:
                break

    @property
    def _noise(self) -> float:
        """What fitting the noise of the draws gains on them, nats per word: half per parameter."""
        n_draws = sum(drawn.keys.shape[1] for drawn in self._rounds)
        return max(int(np.count_nonzero(self.x)), 1) / (2.0 * float(n_draws))

    @property
    def _most_draws(self) -> int:
        wanted = _DRAWS_PER_PARAMETER * int(np.count_nonzero(self.x))
        return max(_FIRST_DRAWS, min(wanted, _MOST_DRAWS) // _CHAINS * _CHAINS)

    def _draw(self, x: Floats, initial: Bits) -> Keys:
        """Words of the model from chains that start at ``initial``, packed."""
        chains = TermChains(self.features.terms(x), initial, self.rng)
        chains.run(np.ones(_SETTLING))
        n_snapshots = self.n_draws // _CHAINS
        self.n_sites += float(initial.size * (_SETTLING + n_snapshots * _BETWEEN))
        snapshots = [packed(chains.run(np.ones(_BETWEEN)).words) for _ in range(n_snapshots)]
        return np.concatenate(snapshots, axis=1)

    def _words(self, keys: Keys) -> Bits:
        return unpacked(keys, self.features.n_units)

    def _pool(self) -> Keys:
        """Give distinct words of all rounds that count, and of searches, to the objective."""
        every = np.concatenate([*(drawn.keys for drawn in self._rounds), self._strays], axis=1)
        places, index = unique_packed(every)
        keys = np.ascontiguousarray(every[:, places])
        n_all = every.shape[1] - self._strays.shape[1]
        n_drawn = np.bincount(index[:n_all], minlength=len(places)).astype(np.float64)
        is_stray = np.bincount(index[n_all:], minlength=len(places)) > 0
        design, expected = self.features.design(self._words(keys)), np.full(len(places), -np.inf)
        for drawn in self._rounds:
            log_n = math.log(drawn.keys.shape[1])
            np.logaddexp(expected, log_n + design @ drawn.x - drawn.log_z, out=expected)
        # A word that was found and is likely to be drawn is told by the draws.
        alone = is_stray & (expected < math.log(_HARDLY))
        kept = alone | (n_drawn > 0.0)
        n_drawn[alone] = 0.0
        log_measure = np.where(alone, 0.0, np.log(np.maximum(n_drawn, 1e-300)) - expected)
        chosen = sparse.csr_array(design[np.flatnonzero(kept)])
        self._objective.take(chosen, log_measure[kept], n_drawn[kept])
        return np.ascontiguousarray(keys[:, kept])

    def _round(self, max_iter: int) -> float:
        """One step: what it gained on the words that it was found with, nats per word."""
        self.n_rounds += 1
        keys = self._pool()
        search, first = self._searched(min(max_iter, _MOST_STEPS))
        step = search.x - self.x
        for _ in range(1 + _HALVINGS):
            if self._lands(self.x + step, keys):
                return first - search.value
            step = 0.5 * step
        self._draw_again()
        return math.inf  # there is more to know before this is the end

    def _draw_again(self) -> None:
        last = self._rounds[-1]
        again = self._draw(last.x, self._words(last.keys[:, -_CHAINS:]))
        self._rounds = [_Round(last.x, again, last.log_z)]

    def _searched(self, most_steps: int) -> tuple[Search, float]:
        """The penalised minimum by these words, or where too few still count; the first value."""
        self._objective.least_share = 0.0
        search = Search(self._objective, L1(self.l1), self.layout, self.x)
        first = search.value
        self._objective.least_share = min(_LEAST_SHARE, self._objective.share)
        while search.n_iter < most_steps and self._objective.share > _SHARE:
            n_next, before = min(search.n_iter + _STEPS, most_steps), search.value
            search.run(1e-9, n_next)
            if search.n_iter < n_next or before - search.value < _FINISHED * self._noise:
                break
        self.n_iter += search.n_iter
        return search, first

    def _lands(self, x: Floats, keys: Keys) -> bool:
        """Whether new words at ``x`` are what the pool foretold; if so they are taken over."""
        masses = self._objective.log_masses(x)
        foretold = float(np.logaddexp.reduce(masses))
        heights = (np.arange(_CHAINS) + self.rng.random()) / _CHAINS
        edges = np.cumsum(np.exp(masses - foretold))
        chains = self._words(keys[:, np.searchsorted(edges / edges[-1], heights)])
        if self._has_strays(x, chains, keys, foretold):
            return False
        drawn, last = self._draw(x, chains), self._rounds[-1]
        change = self.features.terms(x - last.x)
        ahead, back = (change.log_weights(self._words(each)) for each in (last.keys, drawn))
        log_z = last.log_z + log_ratio(ahead, back)[0]
        if log_z > foretold + _SURPRISE:
            self._remember(drawn)
            return False
        is_same = float(np.exp(-np.var(back))) > _SAME
        kept = self._rounds[1 - _ROUNDS_KEPT :] if is_same else []
        self._rounds, self.x, self.log_z = [*kept, _Round(x, drawn, log_z)], x, log_z
        return True

    def _has_strays(self, x: Floats, chains: Bits, keys: Keys, log_z: float) -> bool:
        """Whether words around peaks hold a real share of the mass, but none was ever drawn."""
        terms, half = self.features.terms(x), _SEARCHERS // 2
        found = searched(terms, chains[:: _CHAINS // half], self.rng, _SEARCHERS, _SWEEPS)
        n_draws = sum(drawn.keys.shape[1] for drawn in self._rounds)
        if unseen_share(terms, found, keys, n_draws, log_z) < _STRAY:
            return False
        self._remember(found)
        return True

    def _remember(self, keys: Keys) -> None:
        every = np.concatenate([keys, self._strays], axis=1)
        places = np.sort(unique_packed(every)[0])[:_MOST_STRAYS]
        self._strays = np.ascontiguousarray(every[:, places])
