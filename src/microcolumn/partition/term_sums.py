"""Exact sums over all words of biases and a further term.

Functions of a few units each are a polynomial in the bits with one coefficient per subset of each
function's inputs, so that log p~ of all words and all marginals cost n additions per word, however
many functions there are (Yates' algorithm). Other terms are evaluated at every word.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..energy import Tables, log_weight, term_moments
from ..kernels.states import states, sum_over_sets
from ..parameters import Parameters
from ..validation import Bits, Floats, chunks

#: Units up to which sums run over all words: 8 MB for each array of them.
MOST_UNITS = 20


def word_probabilities(theta: Parameters) -> tuple[Floats, float]:
    """Probability of all 2**n_units words by their number, unit k its bit k, and log Z (nats)."""
    n = theta.n_visible
    if isinstance(theta.term, Tables):
        values = np.zeros(1 << n)
        sets, coefficients = theta.term.coefficients()
        np.add.at(values, sets, theta.term.strengths[:, None] * coefficients)
        np.add.at(values, 1 << np.arange(n), theta.b)
        sum_over_sets(values, False)
    else:
        values = np.concatenate([log_weight(theta, words) for words, _ in _all_words(n)])
    highest = float(values.max())
    probabilities = np.exp(values - highest)
    total = float(probabilities.sum())
    return probabilities / total, highest + math.log(total)


def term_expectations(theta: Parameters) -> tuple[float, Parameters]:
    """Log Z and its slopes, the means of those of log p~, as ``Parameters``."""
    assert theta.term is not None
    together, log_z = word_probabilities(theta)
    n = theta.n_visible
    if not isinstance(theta.term, Tables):
        parts = ((words, together[part]) for words, part in _all_words(n))
        return log_z, term_moments(theta, parts)
    sum_over_sets(together, True)  # now the probability that all units of a set are active
    sets, coefficients = theta.term.coefficients()
    means = theta.term.with_strengths((coefficients * together[sets]).sum(axis=1))
    return log_z, Parameters.trusted(together[1 << np.arange(n)], None, None, None, term=means)


def draw_words(theta: Parameters, n_words: int, rng: np.random.Generator) -> Bits:
    """Independent words of the model, shape (n_words, n_units)."""
    edges = np.cumsum(word_probabilities(theta)[0])
    drawn = np.searchsorted(edges, rng.random(n_words) * edges[-1], side="right")
    return states(theta.n_visible, drawn).astype(np.uint8)


def _all_words(n_units: int) -> Iterator[tuple[Floats, slice]]:
    """All words (n_words, n_units) by their numbers, some at a time, and which these are."""
    for part in chunks(1 << n_units, n_units):
        yield states(n_units, np.arange(part.start, part.stop)), part
