"""Exact sums over all words of biases and a further term.

Functions of a few units each are a polynomial in the bits with one coefficient per subset of each
function's inputs, so that log p~ of all words and all marginals cost n additions per word, however
many functions there are (Yates' algorithm). Other terms are evaluated at every word.
"""

from __future__ import annotations

import math

import numpy as np

from ..energy import Tables, log_weight
from ..kernels.states import sum_over_sets
from ..parameters import Parameters
from ..validation import Bits, Floats, chunks

#: Units up to which sums run over all words: 8 MB for each array of them.
MOST_UNITS = 20


def word_probabilities(theta: Parameters) -> tuple[Floats, float]:
    """Probability of all words by their number, unit k its bit k, and log Z (nats).

    Shape (2**n_units,), of at most ``MOST_UNITS`` units.
    """
    n = theta.n_visible
    if isinstance(theta.term, Tables):
        values = np.zeros(1 << n)
        sets, coefficients = theta.term.coefficients()
        np.add.at(values, sets, theta.term.strengths[:, None] * coefficients)
        np.add.at(values, 1 << np.arange(n), theta.b)
        sum_over_sets(values, False)
    else:
        parts = chunks(1 << n, n)
        values = np.concatenate([log_weight(theta, _words(part, n)) for part in parts])
    highest = float(values.max())
    probabilities = np.exp(values - highest)
    total = float(probabilities.sum())
    return probabilities / total, highest + math.log(total)


def term_expectations(theta: Parameters) -> tuple[float, Parameters]:
    """Log Z and its slopes, the means of those of log p~, as ``Parameters``."""
    assert theta.term is not None
    together, log_z = word_probabilities(theta)
    n = theta.n_visible
    if isinstance(theta.term, Tables):
        sum_over_sets(together, True)  # now the probability that all units of a set are active
        sets, coefficients = theta.term.coefficients()
        strengths = (coefficients * together[sets]).sum(axis=1)
        rates = together[1 << np.arange(n)]
    else:
        rates, strengths = np.zeros(n), np.zeros(theta.term.strengths.size)
        for part in chunks(1 << n, n):
            found = theta.moments(_words(part, n).astype(np.float64), together[part])
            assert found.term is not None
            rates, strengths = rates + found.b, strengths + found.term.strengths
    means = theta.term.with_strengths(strengths)
    return log_z, Parameters.trusted(rates, None, None, None, term=means)


def draw_words(theta: Parameters, n_words: int, rng: np.random.Generator) -> Bits:
    """Independent words of the model, shape (n_words, n_units)."""
    edges = np.cumsum(word_probabilities(theta)[0])
    drawn = np.searchsorted(edges, rng.random(n_words) * edges[-1], side="right")
    return np.asarray(((drawn[:, None] >> np.arange(theta.n_visible)) & 1).astype(np.uint8))


def _words(part: slice, n_units: int) -> Bits:
    """Words by their numbers, (n_words, n_units)."""
    numbers = np.arange(part.start, part.stop)[:, None]
    return ((numbers >> np.arange(n_units)) & 1).astype(np.uint8)
