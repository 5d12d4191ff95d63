"""What words lose without a hidden unit, rates kept (docs/method.md, section 8)."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from ..parameters import Parameters
from ..partition import can_sample_exactly, exact_samples, gibbs_samples
from ..validation import Floats
from ..words import Words
from ._model_words import all_words, spread_words
from ._score import bits_per_second_per_nat, mean_rate

#: Words of so many bits are all taken, others drawn: ten million bits, within limits.
_MOST_BITS_OF_ALL, _DRAWN_BITS, _FEWEST, _MOST = 14, 10_000_000, 20_000, 100_000
#: Groups of drawn words, whose differences give the error: the chains, where there are any.
_GROUPS = 200
#: Bits that vary less than this, standard deviation, keep their bias.
_RARE = 1e-4
#: Largest difference of a rate that is left, in standard deviations of one word.
_TOLERANCE = 1e-5


def losses(
    theta: Parameters, words: Words, rng: np.random.Generator
) -> tuple[Floats, Floats, bool]:
    """Bits/s that words lose without each hidden unit, their errors, and if sums are exact.

    Biases are fitted anew, so that every unit keeps the rate that the whole model gives it: what is
    lost is what units do together, not their rates. The arrays have shape (n_hidden,).
    """
    lost, stderr = np.zeros(theta.n_hidden), np.zeros(theta.n_hidden)
    exact = theta.n_visible <= _MOST_BITS_OF_ALL
    if theta.W is None or theta.c is None:
        return lost, stderr, exact
    X, log_p = _words_of(theta, words, rng)
    scale = bits_per_second_per_nat(words)
    for k in np.flatnonzero(theta.live):
        left_out = log_p - np.logaddexp(0.0, theta.c[k] + X @ theta.W[:, k])
        change = _biases(X, log_p, left_out)
        log_terms = left_out + X @ change
        nats = np.logaddexp(0.0, theta.c[k] + words.X @ theta.W[:, k]) - words.X @ change
        mean, error = mean_rate(nats, words)
        lost[k] = mean + float(logsumexp(log_terms)) * scale
        if not exact:  # the log of a sum over drawn words has an error, from groups of them
            groups = np.exp(log_terms - logsumexp(log_terms)).reshape(_GROUPS, -1).sum(axis=1)
            error = math.hypot(error, float(groups.std(ddof=1)) * math.sqrt(_GROUPS) * scale)
        stderr[k] = error
    return lost, stderr, exact


def _words_of(theta: Parameters, words: Words, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """All words (n_words, n_bits) and log probabilities (n_words,), or drawn words in groups."""
    n_bits = theta.n_visible
    if n_bits <= _MOST_BITS_OF_ALL:
        return all_words(theta)
    n_words = min(max(_DRAWN_BITS // n_bits, _FEWEST), _MOST) // _GROUPS * _GROUPS
    if can_sample_exactly(theta):
        drawn = exact_samples(theta, n_words, rng)
    else:
        initial = spread_words(words, _GROUPS)
        drawn = gibbs_samples(theta, n_words, n_chains=_GROUPS, initial=initial, random_state=rng)
        # Words of a chain, which depend on each other, become one group.
        drawn = drawn.reshape(-1, _GROUPS, n_bits).swapaxes(0, 1).reshape(n_words, n_bits)
    return drawn.astype(np.float64), np.full(n_words, -math.log(n_words))


def _biases(X: Floats, log_p: Floats, left_out: Floats) -> Floats:
    """Change of the biases (n_bits,) that gives ``left_out`` the rates that ``log_p`` has."""
    rates = np.minimum(np.exp(log_p) @ X, 1.0)
    deviations = np.sqrt(rates * (1.0 - rates))
    free = deviations > _RARE
    Z = (X[:, free] - rates[free]) / deviations[free]

    def value_and_slope(a: Floats) -> tuple[float, Floats]:
        """Of log sum exp(left_out + X a) - rates' a, which is convex in a."""
        log_terms = left_out + Z @ a
        total = float(logsumexp(log_terms))
        return total, np.exp(log_terms - total) @ Z

    start = np.zeros(int(free.sum()))
    if start.size:
        minimum = minimize(
            value_and_slope, start, jac=True, method="L-BFGS-B", options={"gtol": _TOLERANCE}
        )
        start = minimum.x
    change = np.zeros(X.shape[1])
    change[free] = start / deviations[free]
    return change
