"""Expectation maximisation of hidden Markov modes (Baum and Welch)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp

from ..validation import Floats
from ..words import Words
from ._chain import Chain, Trains
from ._climbing import Expectation, Pass, Summit, climb
from ._mixture_fit import Emissions, fit_mixture

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
