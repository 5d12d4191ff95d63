"""Expectation maximisation of a mixture of independent populations.

A pass over the words gives the log-likelihood and the next parameters. Passes converge slowly
where components overlap, so that every third one starts from an extrapolation of the two before
(Varadhan & Roland 2008, SQUAREM), which is kept only if it raises the objective.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp

from ..objectives._sparse_words import SparseWords
from ..validation import Floats
from ..words import Words
from ._components import Components
from ._word_model import floored_rates

#: Passes from each start before the best of them goes on.
_SHORT = 10


class Modes(NamedTuple):
    """Parameters of a mixture as they are extrapolated, nats."""

    logits: Floats  # log odds of a spike, (n_components, n_bits)
    log_weights: Floats  # (n_components,)

    def __sub__(self, other: Modes) -> Modes:
        return Modes(self.logits - other.logits, self.log_weights - other.log_weights)

    @property
    def norm(self) -> float:
        """Euclidean norm of all numbers."""
        return float(np.sqrt((self.logits**2).sum() + (self.log_weights**2).sum()))

    @property
    def probabilities(self) -> Floats:
        """Probability of a spike, (n_components, n_bits)."""
        return np.asarray(expit(self.logits))


class Pass(NamedTuple):
    """What one pass over the words says of a mixture, and the mixture that follows from it."""

    objective: float  # penalised log-likelihood per word, nats
    violation: float  # largest slope of it by a logit or a log weight
    following: Modes


@dataclass(frozen=True, slots=True)
class MixtureFit:
    """A mixture at the end of the passes.

    Parameters
    ----------
    modes, weights : ndarray, shape (n_components, n_bits) and (n_components,)
        Probabilities of a spike, and of the components, the most frequent first.
    objective : float
        Penalised log-likelihood per word, nats.
    gain : float
        What the last pass added to it.
    violation : float
        Largest slope of the objective by a logit or log weight that is not at its bound.
    n_passes : int
        Passes over the words from the start that was kept.
    """

    modes: Floats
    weights: Floats
    objective: float
    gain: float
    violation: float
    n_passes: int


class Expectation:
    """Passes over the words of one fit (docs/method.md, "Bernoulli mixture").

    Parameters
    ----------
    words : Words
        Training words.
    smoothing : float
        Pseudo-words of the prior of each component, and of the weights.
    """

    def __init__(self, words: Words, smoothing: float) -> None:
        self.listed, self.words, self.smoothing = SparseWords.of(words.X), words, smoothing
        # Weights that add up to less than the number of bins are relative, as in floored_rates.
        self.counts = words.counts * max(1.0, words.n_bins / float(words.counts.sum()))
        self.total = float(self.counts.sum())
        self.rates = floored_rates(words)
        self.reach = float(np.log(2.0 * self.total + 1.0))  # logit of half a count

    def __call__(self, theta: Modes) -> Pass:
        modes = theta.probabilities
        spikes, shares, nats = Components.of(modes, theta.log_weights).sums(
            self.listed, self.counts
        )
        s, n_components = self.smoothing, shares.size
        spikes, shares = spikes + s * self.rates, shares + s / n_components
        words = shares + s * (1.0 - 1.0 / n_components)  # of the prior of the rates, s words
        silent = np.maximum(words[:, None] - spikes, 1e-300)  # rounding may leave less than 0
        prior = s * (self.rates * np.log(modes) + (1.0 - self.rates) * np.log1p(-modes)).sum()
        prior += s / n_components * theta.log_weights.sum()
        bounded = np.clip(np.log(spikes) - np.log(silent), -self.reach, self.reach)
        slopes = spikes - words[:, None] * modes
        slopes[(np.abs(theta.logits) >= self.reach) & (bounded == theta.logits)] = 0.0
        weight_slopes = shares - (self.total + s) * np.exp(theta.log_weights)
        return Pass(
            objective=(nats + prior) / self.total,
            violation=float(max(np.abs(slopes).max(), np.abs(weight_slopes).max())) / self.total,
            following=Modes(bounded, np.log(shares / shares.sum())),
        )

    def start(self, n_components: int, rng: np.random.Generator) -> Modes:
        """Components that lie between the rates and a word each, drawn by how often words occur."""
        chances = self.counts * self.words.X.any(axis=1)
        chances = chances if chances.any() else self.counts
        replace = bool(np.count_nonzero(chances) < n_components)
        drawn = rng.choice(
            len(self.words), n_components, replace=replace, p=chances / chances.sum()
        )
        # Components of the same word must differ, or they stay the same for ever.
        share = rng.uniform(0.25, 0.75, (n_components, 1))
        mixed = (1.0 - share) * self.rates + share * self.words.X[drawn]
        logits = np.clip(np.log(mixed) - np.log1p(-mixed), -self.reach, self.reach)
        return Modes(logits, np.full(n_components, -np.log(n_components)))

    def extrapolated(self, first: Modes, second: Modes, third: Modes) -> Modes:
        """Where three mixtures in a row point to."""
        step, bend = second - first, (third - second) - (second - first)
        length = max(1.0, step.norm / max(bend.norm, 1e-300))
        length = min(length, 1e6)
        logits, log_weights = (
            f + 2.0 * length * s + length**2 * b for f, s, b in zip(first, step, bend, strict=True)
        )
        return Modes(np.clip(logits, -self.reach, self.reach), log_weights - logsumexp(log_weights))


def fit_mixture(
    words: Words, n_components: int, smoothing: float, n_init: int, tol: float, max_iter: int,
    seed: np.random.SeedSequence,
) -> MixtureFit:  # fmt: skip
    """Fit a mixture from several starts, of which the best after some passes goes on.

    Passes end when one adds no more than ``tol`` nats per word to the objective, or after
    ``max_iter`` of them.
    """
    expectation, found = Expectation(words, smoothing), []
    for each in seed.spawn(n_init):
        theta = expectation.start(n_components, np.random.default_rng(each))
        for _ in range(_SHORT if n_init > 1 else 0):
            theta = expectation(theta).following
        found.append((expectation(theta).objective if n_init > 1 else 0.0, theta))
    theta = max(found, key=lambda each: each[0])[1]
    return _climb(expectation, theta, tol, max_iter)


def _climb(expectation: Expectation, theta: Modes, tol: float, max_iter: int) -> MixtureFit:
    """Passes until one adds no more than ``tol``."""
    n_passes, gain = 1, np.inf
    first = expectation(theta)
    while True:
        last_theta, last = theta, first
        theta = first.following
        second, n_passes = expectation(theta), n_passes + 1
        gain = second.objective - last.objective
        if gain <= tol or n_passes >= max_iter:
            break
        further = expectation.extrapolated(last_theta, theta, second.following)
        third, n_passes = expectation(further), n_passes + 1
        if third.objective > second.objective:
            theta, first = further, third
        else:
            theta = second.following
            first, n_passes = expectation(theta), n_passes + 1
    order = np.argsort(-theta.log_weights, kind="stable")
    return MixtureFit(
        modes=theta.probabilities[order],
        weights=np.exp(theta.log_weights[order]),
        objective=second.objective,
        gain=float(gain),
        violation=second.violation,
        n_passes=n_passes,
    )
