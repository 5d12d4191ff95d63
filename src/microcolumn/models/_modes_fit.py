"""Fits of mixtures and hidden Markov modes by expectation maximisation with extrapolation.

A pass over the data gives the objective of some parameters and the next parameters. Passes
converge slowly where components overlap, so that every third one starts from an extrapolation of
the two before (Varadhan & Roland 2008, SQUAREM), which is kept only if it raises the objective.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp

from ..incomplete import AnyWords, IncompleteWords
from ..objectives.sparse_words import listed_words
from ..validation import Floats
from ..words import Words
from ._chain import Chain, Trains
from ._components import Components
from ._words_estimator import floored_rates, scaled_counts

#: Log odds of a spike, (n_modes, n_bits), and logs of one distribution or several over the modes,
#: along their last axis.
Theta = tuple[Floats, ...]
#: Longest step of an extrapolation, in passes.
_LONGEST = 1e6
#: Passes from each start before the best of them goes on.
_SHORT = 10
#: Most passes of the mixture that a fit starts from, and how likely modes then are to stay.
_MIXTURE_PASSES, _STAY = 100, 0.5


class Pass(NamedTuple):
    """What one pass says of parameters, and the parameters that follow from it."""

    objective: float  # penalised log-likelihood per word, nats
    violation: float  # largest slope of it by a parameter that is not at its bound
    following: Theta


class Summit(NamedTuple):
    """Parameters at the end of the passes."""

    theta: Theta
    objective: float  # penalised log-likelihood per word, nats
    gain: float  # what the last pass added to it
    violation: float  # its largest slope by a parameter that is not at its bound
    n_passes: int  # over the data


class Passes(ABC):
    """Passes over the words of one fit (docs/method.md, "Bernoulli mixture").

    By the prior each mode has seen ``smoothing`` pseudo-words at the overall rates of the words,
    and each distribution over modes as many in equal shares.
    """

    def __init__(self, words: AnyWords, smoothing: float) -> None:
        self.words, self.smoothing = words, smoothing
        self.listed, self.counts = listed_words(words.X), scaled_counts(words)
        self.total = float(self.counts.sum())
        self.rates = floored_rates(words)
        self.reach = float(np.log(2.0 * self.total + 1.0))  # logit of half a count

    @abstractmethod
    def expected(self, modes: Floats, *logs: Floats) -> tuple[float, Floats, Floats, Theta]:
        """Log-likelihood (nats); spikes and words of each mode; counts of each distribution.

        Words are those in which each bit was observed, (n_modes, n_bits), or (n_modes, 1).
        """

    def __call__(self, theta: Theta) -> Pass:
        """One pass."""
        (logits, *logs), share = theta, self.smoothing / len(theta[0])
        modes = np.asarray(expit(logits))
        nats, spikes, words, counts = self.expected(modes, *logs)
        both = self.rates * np.log(modes) + (1.0 - self.rates) * np.log1p(-modes)
        prior = float(self.smoothing * both.sum()) + share * float(sum(log.sum() for log in logs))
        active, seen = spikes + self.smoothing * self.rates, words + self.smoothing
        # Rounding may leave less than 0.
        best = np.log(active) - np.log(np.maximum(seen - active, 1e-300))
        slopes, following = [self._slopes(logits, active - seen * modes)], [self._bounded(best)]
        for log, count in zip(logs, counts, strict=True):
            smoothed = count + share
            sums = smoothed.sum(axis=-1, keepdims=True)
            slopes.append(smoothed - sums * np.exp(log))
            following.append(np.log(smoothed / sums))
        violation = max(float(np.abs(each).max()) for each in slopes) / self.total
        return Pass((nats + prior) / self.total, violation, tuple(following))

    def allowed(self, theta: Theta) -> Theta:
        """The nearest parameters within their bounds, with probabilities that add up to 1."""
        logits, *logs = theta
        normalised = (log - logsumexp(log, axis=-1, keepdims=True) for log in logs)
        return self._bounded(logits), *normalised

    def _bounded(self, logits: Floats) -> Floats:
        """Log odds that stay half a count away from never and always."""
        return np.clip(logits, -self.reach, self.reach)

    def _slopes(self, logits: Floats, slopes: Floats) -> Floats:
        """Slopes by log odds, without those that lead out of bounds."""
        outward = np.sign(slopes) == np.sign(logits)
        return np.where(outward & (np.abs(logits) >= self.reach), 0.0, slopes)


class MixturePasses(Passes):
    """Passes of a mixture, whose distribution is the weights of its components."""

    def __init__(self, words: AnyWords, smoothing: float) -> None:
        super().__init__(words, smoothing)
        gaps = words.missing if isinstance(words, IncompleteWords) else None
        self.missing = None if gaps is None else listed_words(gaps.astype(np.uint8))

    def expected(self, modes: Floats, *logs: Floats) -> tuple[float, Floats, Floats, Theta]:
        components = Components.of(modes, *logs)
        spikes, shares, unseen, nats = components.sums(self.listed, self.counts, self.missing)
        return nats, spikes, shares[:, None] - unseen, (shares,)

    def start(self, n_components: int, rng: np.random.Generator) -> Theta:
        """Components that lie between the rates and a word each, drawn by how often words occur."""
        chances = self.words.counts * self.words.X.any(axis=1)
        chances = chances if chances.any() else self.words.counts
        again = bool(np.count_nonzero(chances) < n_components)
        drawn = rng.choice(len(chances), n_components, replace=again, p=chances / chances.sum())
        # Components of the same word must differ, or they stay the same for ever.
        share = rng.uniform(0.25, 0.75, (n_components, 1))
        mixed = (1.0 - share) * self.rates + share * self.words.X[drawn]
        log_weights = np.full(n_components, -np.log(n_components))
        return self.allowed((np.log(mixed) - np.log1p(-mixed), log_weights))


class MarkovPasses(Passes):
    """Passes of hidden Markov modes over words of single bins (docs/method.md, by that name).

    Distributions are those of the first mode of a run, and of the next mode given each.
    """

    def __init__(self, words: Words, smoothing: float) -> None:
        super().__init__(words, smoothing)
        self.trains = Trains.of(words, self.listed)

    def expected(self, modes: Floats, *logs: Floats) -> tuple[float, Floats, Floats, Theta]:
        nats, spikes, words, counts = Chain.of(modes, *map(np.exp, logs)).sums(self.trains)
        return nats, spikes, words[:, None], counts


def climb(passes: Passes, theta: Theta, tol: float, max_iter: int) -> Summit:
    """Go on until a pass adds no more than ``tol`` nats per word, or after ``max_iter`` of them."""
    first, n_passes = passes(theta), 1
    while True:
        second, n_passes = passes(first.following), n_passes + 1
        gain = second.objective - first.objective
        if gain <= tol or n_passes >= max_iter:
            end = first.following
            return Summit(end, second.objective, float(gain), second.violation, n_passes)
        further = passes.allowed(_extrapolated(theta, first.following, second.following))
        third, n_passes = passes(further), n_passes + 1
        if third.objective > second.objective:
            theta, first = further, third
        else:
            theta = second.following
            first, n_passes = passes(theta), n_passes + 1


def _extrapolated(first: Theta, second: Theta, third: Theta) -> Theta:
    """Where three sets of parameters in a row point to."""
    steps = [b - a for a, b in zip(first, second, strict=True)]
    bends = [c - b - step for b, c, step in zip(second, third, steps, strict=True)]
    ratio = _norm(steps) / max(_norm(bends), 1e-300)
    length = min(max(1.0, ratio), _LONGEST)
    parts = zip(first, steps, bends, strict=True)
    return tuple(a + 2.0 * length * step + length**2 * bend for a, step, bend in parts)


def _norm(arrays: list[Floats]) -> float:
    return float(np.sqrt(sum((array**2).sum() for array in arrays)))


def fit_mixture(
    words: AnyWords, n_components: int, smoothing: float, n_init: int, tol: float, max_iter: int,
    seed: np.random.SeedSequence,
) -> Summit:  # fmt: skip
    """Fit a mixture from several starts, of which the best after some passes goes on."""
    passes, summits = MixturePasses(words, smoothing), []
    for each in seed.spawn(n_init):
        theta = passes.start(n_components, np.random.default_rng(each))
        objective = 0.0
        for _ in range(_SHORT if n_init > 1 else 0):
            objective, _, theta = passes(theta)
        summits.append((objective, theta))
    best = max(summits, key=lambda each: each[0])[1]
    return climb(passes, best, tol, max_iter)


def fit_markov(
    words: Words, n_modes: int, smoothing: float, n_init: int, tol: float, max_iter: int,
    seed: np.random.SeedSequence,
) -> Summit:  # fmt: skip
    """Fit hidden Markov modes, starting from a mixture whose components tend to stay."""
    mixture = fit_mixture(words, n_modes, smoothing, n_init, tol, _MIXTURE_PASSES, seed)
    logits, log_weights = mixture.theta
    transitions = _STAY * np.eye(n_modes) + (1.0 - _STAY) * np.exp(log_weights)
    theta = logits, log_weights, np.log(transitions)
    return climb(MarkovPasses(words, smoothing), theta, tol, max_iter)
