"""Fits of mixtures and hidden Markov modes by expectation maximisation with extrapolation.

A pass over the data gives the objective of some parameters and the next parameters. Passes
converge slowly where components overlap, so that every third one starts from an extrapolation of
the two before (Varadhan & Roland 2008, SQUAREM), which is kept only if it raises the objective.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.special import expit, logsumexp

from ..objectives.sparse_words import listed_words
from ..validation import Floats
from ..words import Words
from ._chain import Chain, Trains
from ._components import Components
from ._words_estimator import floored_rates
from .counting import scaled_counts

#: A tuple of arrays of unbounded numbers: logits and log probabilities.
Theta = TypeVar("Theta", bound=tuple[Floats, ...])
#: Longest step of an extrapolation, in passes.
_LONGEST = 1e6


class Pass(NamedTuple, Generic[Theta]):
    """What one pass says of parameters, and the parameters that follow from it."""

    objective: float  # penalised log-likelihood per word, nats
    violation: float  # largest slope of it by any parameter
    following: Theta


class Expectation(ABC, Generic[Theta]):
    """Passes over the data of one fit."""

    @abstractmethod
    def __call__(self, theta: Theta) -> Pass[Theta]:
        """One pass."""

    @abstractmethod
    def allowed(self, arrays: tuple[Floats, ...]) -> Theta:
        """The nearest parameters within their bounds, with probabilities that add up to 1."""


@dataclass(frozen=True, slots=True)
class Summit(Generic[Theta]):
    """Parameters at the end of the passes."""

    theta: Theta
    objective: float  # penalised log-likelihood per word, nats
    gain: float  # what the last pass added to it
    violation: float  # its largest slope by a parameter that is not at its bound
    n_passes: int  # over the data


def climb(
    expectation: Expectation[Theta], theta: Theta, tol: float, max_iter: int
) -> Summit[Theta]:
    """Go on until a pass adds no more than ``tol`` nats per word, or after ``max_iter`` of them."""
    first, n_passes = expectation(theta), 1
    while True:
        second, n_passes = expectation(first.following), n_passes + 1
        gain = second.objective - first.objective
        if gain <= tol or n_passes >= max_iter:
            end = first.following
            return Summit(end, second.objective, float(gain), second.violation, n_passes)
        further = expectation.allowed(_extrapolated(theta, first.following, second.following))
        third, n_passes = expectation(further), n_passes + 1
        if third.objective > second.objective:
            theta, first = further, third
        else:
            theta = second.following
            first, n_passes = expectation(theta), n_passes + 1


def _extrapolated(
    first: tuple[Floats, ...], second: tuple[Floats, ...], third: tuple[Floats, ...]
) -> tuple[Floats, ...]:
    """Where three sets of parameters in a row point to."""
    steps = [b - a for a, b in zip(first, second, strict=True)]
    bends = [c - b - step for b, c, step in zip(second, third, steps, strict=True)]
    ratio = _norm(steps) / max(_norm(bends), 1e-300)
    length = min(max(1.0, ratio), _LONGEST)
    parts = zip(first, steps, bends, strict=True)
    return tuple(a + 2.0 * length * step + length**2 * bend for a, step, bend in parts)


def _norm(arrays: list[Floats]) -> float:
    return float(np.sqrt(sum((array**2).sum() for array in arrays)))


#: Passes from each start before the best of them goes on.
_SHORT = 10


class Mixture(NamedTuple):
    """Parameters of a mixture as passes take them, nats."""

    logits: Floats  # log odds of a spike, (n_components, n_bits)
    log_weights: Floats  # (n_components,)


class Emissions:
    """Rates of components under their prior, which keeps them near the overall rates.

    Each component has seen ``smoothing`` pseudo-words at the overall rates of the words.
    """

    def __init__(self, words: Words, smoothing: float) -> None:
        self.listed, self.smoothing = listed_words(words.X), smoothing
        self.counts = scaled_counts(words)
        self.total = float(self.counts.sum())
        self.rates = floored_rates(words)
        self.reach = float(np.log(2.0 * self.total + 1.0))  # logit of half a count

    def log_prior(self, modes: Floats) -> float:
        """Log density of rates (n_components, n_bits) up to a constant, nats."""
        both = self.rates * np.log(modes) + (1.0 - self.rates) * np.log1p(-modes)
        return float(self.smoothing * both.sum())

    def bounded(self, logits: Floats) -> Floats:
        """Log odds that stay half a count away from never and always."""
        return np.clip(logits, -self.reach, self.reach)

    def following(self, spikes: Floats, shares: Floats) -> Floats:
        """Best log odds where components have so many spikes in so many words."""
        active = spikes + self.smoothing * self.rates
        # Rounding may leave less than 0.
        silent = np.maximum((shares + self.smoothing)[:, None] - active, 1e-300)
        return self.bounded(np.log(active) - np.log(silent))

    def violation(self, logits: Floats, spikes: Floats, shares: Floats) -> float:
        """Largest slope of the objective per word by log odds that are not at their bound."""
        active = spikes + self.smoothing * self.rates
        slopes = active - (shares + self.smoothing)[:, None] * expit(logits)
        outward = np.sign(slopes) == np.sign(logits)
        slopes[outward & (np.abs(logits) >= self.reach)] = 0.0
        return float(np.abs(slopes).max()) / self.total


class MixtureExpectation(Expectation[Mixture]):
    """Passes of a mixture (docs/method.md, "Bernoulli mixture").

    The prior of each component, and that of the weights, has ``smoothing`` pseudo-words.
    """

    def __init__(self, words: Words, smoothing: float) -> None:
        self.words, self.emissions = words, Emissions(words, smoothing)

    def __call__(self, theta: Mixture) -> Pass[Mixture]:
        emissions, modes = self.emissions, expit(theta.logits)
        components = Components.of(modes, theta.log_weights)
        spikes, shares, nats = components.sums(emissions.listed, emissions.counts)
        share = emissions.smoothing / shares.size
        prior = emissions.log_prior(modes) + share * float(theta.log_weights.sum())
        weights = (shares + share) / (shares + share).sum()
        slopes = (weights - np.exp(theta.log_weights)) * (1.0 + emissions.smoothing / self.total)
        return Pass(
            objective=(nats + prior) / self.total,
            violation=max(
                emissions.violation(theta.logits, spikes, shares), float(np.abs(slopes).max())
            ),
            following=Mixture(emissions.following(spikes, shares), np.log(weights)),
        )

    @property
    def total(self) -> float:
        """Number of words."""
        return self.emissions.total

    def allowed(self, arrays: tuple[Floats, ...]) -> Mixture:
        """Log odds within bounds, and weights that add up to 1."""
        logits, log_weights = arrays
        return Mixture(self.emissions.bounded(logits), log_weights - logsumexp(log_weights))

    def start(self, n_components: int, rng: np.random.Generator) -> Mixture:
        """Components that lie between the rates and a word each, drawn by how often words occur."""
        chances = self.words.counts * self.words.X.any(axis=1)
        chances = chances if chances.any() else self.words.counts
        again = bool(np.count_nonzero(chances) < n_components)
        drawn = rng.choice(len(chances), n_components, replace=again, p=chances / chances.sum())
        # Components of the same word must differ, or they stay the same for ever.
        share = rng.uniform(0.25, 0.75, (n_components, 1))
        mixed = (1.0 - share) * self.emissions.rates + share * self.words.X[drawn]
        log_weights = np.full(n_components, -np.log(n_components))
        return self.allowed((np.log(mixed) - np.log1p(-mixed), log_weights))


def fit_mixture(
    words: Words, n_components: int, smoothing: float, n_init: int, tol: float, max_iter: int,
    seed: np.random.SeedSequence,
) -> Summit[Mixture]:  # fmt: skip
    """Fit a mixture from several starts, of which the best after some passes goes on."""
    expectation, found = MixtureExpectation(words, smoothing), []
    for each in seed.spawn(n_init):
        theta = expectation.start(n_components, np.random.default_rng(each))
        objective = 0.0
        for _ in range(_SHORT if n_init > 1 else 0):
            objective, _, theta = expectation(theta)
        found.append((objective, theta))
    best = max(found, key=lambda each: each[0])[1]
    return climb(expectation, best, tol, max_iter)


#: Most passes of the mixture that a fit starts from, and how likely modes then are to stay.
_MIXTURE_PASSES, _STAY = 100, 0.5


class MarkovModes(NamedTuple):
    """Parameters of hidden Markov modes as passes take them, nats."""

    logits: Floats  # log odds of a spike, (n_modes, n_bits)
    log_start: Floats  # (n_modes,)
    log_transitions: Floats  # (n_modes, n_modes), from row to column


class MarkovExpectation(Expectation[MarkovModes]):
    """Passes of hidden Markov modes over words of single bins (docs/method.md, by that name).

    The prior of each mode has ``smoothing`` pseudo-words, and each row as many transitions.
    """

    def __init__(self, words: Words, smoothing: float) -> None:
        self.emissions = Emissions(words, smoothing)
        self.trains = Trains.of(words, self.emissions.listed)

    def __call__(self, theta: MarkovModes) -> Pass[MarkovModes]:
        emissions, modes = self.emissions, np.asarray(expit(theta.logits))
        start, transitions = np.exp(theta.log_start), np.exp(theta.log_transitions)
        sums = Chain.of(modes, start, transitions).sums(self.trains)
        share = emissions.smoothing / start.size
        prior = emissions.log_prior(modes)
        prior += share * float(theta.log_start.sum() + theta.log_transitions.sum())
        starts, pairs = sums.starts + share, sums.pairs + share
        violations = (
            emissions.violation(theta.logits, sums.spikes, sums.shares),
            float(np.abs(starts - starts.sum() * start).max()) / emissions.total,
            float(np.abs(pairs - pairs.sum(axis=1, keepdims=True) * transitions).max())
            / emissions.total,
        )
        following = MarkovModes(
            emissions.following(sums.spikes, sums.shares),
            np.log(starts / starts.sum()),
            np.log(pairs / pairs.sum(axis=1, keepdims=True)),
        )
        return Pass((sums.log_likelihood + prior) / emissions.total, max(violations), following)

    def allowed(self, arrays: tuple[Floats, ...]) -> MarkovModes:
        """Log odds within bounds, and probabilities that add up to 1."""
        logits, log_start, log_transitions = arrays
        return MarkovModes(
            self.emissions.bounded(logits),
            log_start - logsumexp(log_start),
            log_transitions - logsumexp(log_transitions, axis=1, keepdims=True),
        )


def fit_markov(
    words: Words, n_modes: int, smoothing: float, n_init: int, tol: float, max_iter: int,
    seed: np.random.SeedSequence,
) -> Summit[MarkovModes]:  # fmt: skip
    """Fit hidden Markov modes, starting from a mixture whose components tend to stay."""
    mixture = fit_mixture(words, n_modes, smoothing, n_init, tol, _MIXTURE_PASSES, seed).theta
    weights = np.exp(mixture.log_weights)
    transitions = _STAY * np.eye(n_modes) + (1.0 - _STAY) * weights
    theta = MarkovModes(mixture.logits, mixture.log_weights, np.log(transitions))
    return climb(MarkovExpectation(words, smoothing), theta, tol, max_iter)
