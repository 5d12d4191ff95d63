"""Expectation maximisation of a mixture of independent populations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp

from ..validation import Floats
from ..words import Words
from ._climbing import Expectation, Pass, Summit, climb
from ._components import Components, listed_words
from ._words_estimator import floored_rates

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
        # Weights that add up to less than the number of bins are relative, as in floored_rates.
        self.counts = words.counts * max(1.0, words.n_bins / float(words.counts.sum()))
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
