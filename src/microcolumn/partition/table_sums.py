"""Exact sums over all words of biases and functions of a few units each.

Such a sum is a polynomial in the bits with one coefficient per subset of each function's inputs, so
that log p~ of all words and all marginals cost n additions per word, however many functions there
are (Yates' algorithm).
"""

from __future__ import annotations

import math

import numpy as np

from ..kernels.states import sum_over_sets
from ..parameters import Parameters
from ..validation import Bits, Floats

#: Units up to which sums run over all words: 8 MB for each array of them.
MOST_UNITS = 20


def word_probabilities(theta: Parameters) -> tuple[Floats, float]:
    """Probability of all words by their number, unit k its bit k, and log Z (nats).

    Shape (2**n_units,), of at most ``MOST_UNITS`` units.
    """
    assert theta.tables is not None
    values = np.zeros(1 << theta.n_visible)
    sets, coefficients = theta.tables.coefficients()
    np.add.at(values, sets, theta.tables.strengths[:, None] * coefficients)
    np.add.at(values, 1 << np.arange(theta.n_visible), theta.b)
    sum_over_sets(values, False)
    highest = float(values.max())
    probabilities = np.exp(values - highest)
    total = float(probabilities.sum())
    return probabilities / total, highest + math.log(total)


def table_expectations(theta: Parameters) -> tuple[float, Parameters]:
    """Log Z, and the means of bits and functions as ``Parameters``."""
    assert theta.tables is not None
    together, log_z = word_probabilities(theta)
    sum_over_sets(together, True)  # now the probability that all units of a set are active
    sets, coefficients = theta.tables.coefficients()
    means = theta.tables.with_strengths((coefficients * together[sets]).sum(axis=1))
    rates = together[1 << np.arange(theta.n_visible)]
    return log_z, Parameters.trusted(rates, None, None, None, tables=means)


def draw_words(theta: Parameters, n_words: int, rng: np.random.Generator) -> Bits:
    """Independent words of the model, shape (n_words, n_units)."""
    edges = np.cumsum(word_probabilities(theta)[0])
    drawn = np.searchsorted(edges, rng.random(n_words) * edges[-1], side="right")
    words: Bits = ((drawn[:, None] >> np.arange(theta.n_visible)) & 1).astype(np.uint8)
    return words
