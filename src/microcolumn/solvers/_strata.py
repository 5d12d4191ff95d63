"""Words of a pairwise model by strata of the number of active units (docs/method.md, section 5).

At a weak penalty a model of many units has phases that the data do not show, between which chains
hardly ever cross. So walls keep chains in each stratum. Its mass is found by annealing, and
followed from model to model by the weights of words that take no part in the fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.special import logit

from ..objectives.data_moments import difference
from ..objectives.sparse_words import SparseWords
from ..parameters import Parameters
from ..partition.gibbs import Sampler, new_seed
from ..partition.importance_weights import effective_sample_size, log_mean
from ..validation import Bits, Floats
from ..words import Words
from ._sampler_settings import SamplerSettings
from ._spread import Numbers, independent_words, with_potential

#: Where a stratum ends, over where it begins, and units that it has at least.
_RATIO, _NARROWEST = 1.2, 2
#: Fall of log p~ per unit outside of a stratum: far more than the model's own slope, nats.
_WALL = 2.0
#: Rates of a base for annealing are kept this far from 0 and 1.
_CLIP = 1e-3
#: Times the chains of other fits that the first stratum has: their words change slowly.
_MANY = 4
#: Sweeps from independent words, and of chains that begin anew.
_FIRST_SWEEPS = 100
#: Variance that each step adds to a log mass beyond what the weights show, and which annealing has.
_DRIFT, _ROUGH = 1e-3, 3e-3
#: Effective sample size of annealing from which on its words replace some of the chains', and their
#: share.
_ENOUGH, _RENEWED = 20.0, 0.25
#: Variance of a log Z that is guessed by every so many witnesses.
_GUESSED, FEW = 1e6, 8


@dataclass(frozen=True, slots=True, eq=False)
class Stratum:
    """Words of a model with about the same number of active units."""

    # Numbers of active units.
    lowest: int
    highest: int
    # Words of chains for the fit, and of others for the mass: a step is fitted to the noise of the
    # former, which would seem to know what it changes, (n_chains, n_units).
    chains: Bits
    witnesses: Bits
    words: Bits  # words of the chains on their way that lie in the stratum, (n_words, n_units)
    rates: Floats  # mean activity, (n_units,)
    inside: float = 1.0  # share of the witnesses that lies in the stratum
    # Log of the sum of p~ and of the walls over all words (nats), and the variance of that.
    log_z: float = -math.inf
    variance: float = math.inf

    @property
    def potential(self) -> Floats:
        """The walls, shape (n_units + 1,)."""
        numbers = np.arange(self.rates.size + 1)
        beyond = np.maximum(self.lowest - numbers, 0) + np.maximum(numbers - self.highest, 0)
        return -_WALL * beyond

    @property
    def log_mass(self) -> float:
        """Log of the sum of p~ over the words in the stratum (nats)."""
        return self.log_z + math.log(self.inside)

    def holds(self, words: Bits) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which words lie in the stratum, shape (n_words,)."""
        n_active = words.sum(axis=1, dtype=np.intp)
        return np.asarray((n_active >= self.lowest) & (n_active <= self.highest))

    def annealed(
        self, rng: np.random.Generator, theta: Parameters, n_chains: int, n_steps: int
    ) -> tuple[Bits, Floats]:
        """Words under the walls, annealed from independent units, and log weights with sum Z."""
        logits, betas = logit(np.clip(self.rates, _CLIP, 1.0 - _CLIP)), np.linspace(0, 1, n_steps)
        walled = with_potential(theta, self.potential)
        sampler = Sampler(walled, n_chains, seed=new_seed(rng), base_logits=logits)
        sampler.run(betas[:-1], np.diff(betas))
        base = float(np.logaddexp(0.0, logits).sum()) - math.log(n_chains)
        return sampler.words, sampler.log_weights + base

    def weighed(
        self, rng: np.random.Generator, theta: Parameters, settings: SamplerSettings
    ) -> Stratum:
        """The stratum with what annealing says of its mass, and some of its words or only those."""
        steps = settings.annealed_chains, settings.annealing_steps
        words, log_weights = self.annealed(rng, theta, *steps)
        log_z, size = float(np.logaddexp.reduce(log_weights)), effective_sample_size(log_weights)
        stratum = self.with_estimate(log_z, 1.0 / size + _ROUGH)
        if size < _ENOUGH:
            return stratum
        renewed = _RENEWED if self.variance < 1.0 else 1.0
        weights = np.exp(log_weights - log_weights.max())
        chains, witnesses = self.chains.copy(), self.witnesses.copy()
        for each in (chains, witnesses):
            some = rng.choice(len(each), size=int(renewed * len(each)), replace=False)
            each[some] = words[rng.choice(len(words), size=len(some), p=weights / weights.sum())]
        return replace(stratum, chains=chains, witnesses=witnesses)

    def with_estimate(self, log_z: float, variance: float) -> Stratum:
        """The stratum with a further estimate of its log Z, independent of what is known."""
        if math.isinf(self.variance):
            return replace(self, log_z=log_z, variance=variance)
        share = self.variance / (self.variance + variance)
        mean = self.log_z + share * (log_z - self.log_z)
        return replace(self, log_z=mean, variance=share * variance)

    def change(self, before: Parameters, theta: Parameters, every: int = 1) -> Floats:
        """Change of log p~ of the witnesses, or some, from one model to another, (n_witnesses,)."""
        return _change(self.witnesses[::every], before, theta)

    def guessed(self, before: Parameters, theta: Parameters) -> Stratum:
        """The stratum of another model by a few of the words that it has."""
        log_ratio, _ = log_mean(self.change(before, theta, FEW))
        return replace(self, log_z=self.log_z + log_ratio, variance=_GUESSED)

    def moved(
        self,
        rng: np.random.Generator,
        before: Parameters,
        theta: Parameters,
        n_words: int,
        settings: SamplerSettings,
    ) -> Stratum:
        """The stratum of a model next to ``before``, with about so many new words."""
        stratum = self
        if before is not theta:
            changes = self.change(before, theta)
            log_ratio, error = log_mean(changes)
            chains = self.chains[_resampled(rng, _change(self.chains, before, theta))]
            stratum = replace(
                self,
                log_z=self.log_z + log_ratio,
                variance=self.variance + error**2 + _DRIFT,
                chains=chains,
                witnesses=self.witnesses[_resampled(rng, changes)],
            )
        walled = with_potential(theta, self.potential)
        n_snapshots = max(n_words // len(self.chains), 1)
        sweeps = np.ones(max(settings.stratum_sweeps // n_snapshots, 1))
        sampler = Sampler(walled, len(stratum.chains), seed=new_seed(rng), initial=stratum.chains)
        snapshots = [sampler.run(sweeps).words.copy() for _ in range(n_snapshots)]
        words = np.concatenate(snapshots)
        held = self.holds(words)
        return replace(
            stratum._witnessed(rng, walled, settings.stratum_sweeps),
            chains=snapshots[-1],
            words=words[held] if held.any() else words,
            rates=0.5 * (self.rates + snapshots[-1].mean(axis=0)),
        )

    def _witnessed(self, rng: np.random.Generator, walled: Parameters, n_sweeps: int) -> Stratum:
        start = self.witnesses
        witnesses = Sampler(walled, len(start), seed=new_seed(rng), initial=start)
        words = witnesses.run(np.ones(n_sweeps)).words.copy()
        inside = max(float(self.holds(words).mean()), 1.0 / len(words))
        return replace(self, witnesses=words, inside=inside)

    def with_frequent_word(self, theta: Parameters, word: Bits) -> Stratum:
        """The stratum with what the share of a frequent word says of its mass."""
        share = float((self.words == word).all(axis=1).mean())
        if share * len(self.chains) < 1.0:
            return self
        # Snapshots of a chain are not independent.
        variance = (1.0 - share) / (share * len(self.chains))
        log_weight = float(SparseWords.of(word[None]).log_weights(theta)[0])
        return self.with_estimate(log_weight - math.log(share * self.inside), variance)


def _change(words: Bits, before: Parameters, theta: Parameters) -> Floats:
    """Change of log p~ of words from one model to another (nats), shape (n_words,)."""
    # It is linear in the parameters.
    return SparseWords.of(words).log_weights(difference(theta, before))


def _resampled(rng: np.random.Generator, log_weights: Floats) -> Numbers:
    """Places of words as often as their weights ask for, shape (n_words,)."""
    edges = np.cumsum(np.exp(log_weights - log_weights.max()))
    heights = (np.arange(edges.size) + rng.random()) / edges.size
    return np.minimum(np.searchsorted(edges / edges[-1], heights), edges.size - 1)


def first_strata(
    rng: np.random.Generator, theta: Parameters, words: Words, settings: SamplerSettings
) -> tuple[Stratum, ...]:
    """Strata of a model: the first holds all numbers of active units that the data show."""
    n_active = words.X.sum(axis=1, dtype=np.intp)
    busiest, n_units = int(n_active.max(initial=0)), words.n_dims
    edges = [0, min(busiest + 1, n_units) + 1]
    while edges[-1] <= n_units:
        edges.append(max(edges[-1] + _NARROWEST, math.ceil(_RATIO * edges[-1])))
    edges[-1] = n_units + 1
    shares = words.counts / words.counts.sum()
    logits = logit(np.clip(words.rates, 1e-3, 1.0 - 1e-3))
    strata = []
    for lowest, end in pairwise(edges):
        is_main = lowest == 0
        n_chains = _MANY * settings.n_chains if is_main else settings.stratum_chains
        totals = np.full(n_chains + settings.stratum_witnesses, (lowest + end - 1) // 2)
        start = (
            words.X[rng.choice(len(words), size=totals.size, p=shares)]
            if is_main
            else independent_words(rng, logits, totals)
        )
        chains, witnesses = start[:n_chains], start[n_chains:]
        rates = start.mean(axis=0)
        stratum = Stratum(lowest, end - 1, chains, witnesses, chains, rates)
        settled = replace(settings, stratum_sweeps=_FIRST_SWEEPS)
        stratum = stratum.moved(rng, theta, theta, n_chains, settled)
        strata.append(stratum.weighed(rng, theta, settings))
    return tuple(strata)


def shares_of(strata: Sequence[Stratum]) -> Floats:
    """Share of the mass that each stratum holds."""
    log_masses = np.array([stratum.log_mass for stratum in strata])
    return np.asarray(np.exp(log_masses - np.logaddexp.reduce(log_masses)))
