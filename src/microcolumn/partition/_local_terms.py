"""Energies that are sums of functions of a few units each, and exact sums over their words.

    log p~(x) = b'x + sum_j T_j(x restricted to S_j)

S_j are the ``inputs`` of term j and T_j is a table over their patterns. A pattern is a number whose
bit i is the i-th input, or of terms that only count, the number of active inputs. Where all terms
have k inputs, such a sum is a polynomial in the bits with one coefficient per subset of each S_j,
so that log p~ of all words and all marginals cost n additions per word, however many terms there
are (Yates' algorithm).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.cpu.local_terms import log_weights, pattern_weights
from ..kernels.cpu.subset_sums import sum_over_sets
from ..kernels.loops.threads import threads_for
from ..validation import Bits, Floats

Inputs = NDArray[np.int32]

#: Units up to which sums run over all words: 8 MB for each array of them.
MOST_EXACT = 20


@dataclass(frozen=True, slots=True, eq=False)
class LocalTerms:
    """Biases and terms of a few units each.

    Parameters
    ----------
    b : ndarray, shape (n_units,)
        Biases, nats.
    inputs : ndarray of int32, shape (n_terms, n_inputs)
        Units of each term, all different; -1 in the place of units that are missing.
    tables : ndarray, shape (n_terms, n_patterns)
        What each pattern of them adds to log p~, nats.
    counting : bool
        Whether a pattern is the number of active inputs, 0 to n_inputs, instead of one of
        2**n_inputs.
    """

    b: Floats
    inputs: Inputs
    tables: Floats
    counting: bool = False

    @property
    def n_units(self) -> int:
        """Number of bits of a word."""
        return int(self.b.size)

    @property
    def steps(self) -> Inputs:
        """What each active input adds to a pattern, shape (n_inputs,)."""
        return steps_of(self.inputs.shape[1], self.counting)

    def log_weights(self, words: Bits) -> Floats:
        """Unnormalised log probability of words (n_words, n_units) in nats, shape (n_words,)."""
        out = np.empty(len(words))
        with threads_for(float(words.size) + len(words) * self.inputs.size):
            log_weights(words, self.b, self.inputs, self.steps, self.tables, out)
        return out

    def log_odds(self, words: Bits, unit: int) -> Floats:
        """Log odds of a spike of a unit given the other bits of each word, shape (n_words,)."""
        has = (self.inputs == unit).any(axis=1)
        alone = np.zeros(self.n_units)
        alone[unit] = self.b[unit]
        own = LocalTerms(alone, self.inputs[has], self.tables[has], self.counting)
        active, silent = words.copy(), words.copy()
        active[:, unit], silent[:, unit] = 1, 0
        odds: Floats = own.log_weights(active) - own.log_weights(silent)
        return odds


@dataclass(frozen=True, slots=True, eq=False)
class ExactTerms:
    """Sums over all words of models with the same inputs, prepared for many of them.

    Parameters
    ----------
    n_units : int
        Bits of a word, at most ``MOST_EXACT``.
    inputs : ndarray of int32, shape (n_terms, n_inputs)
        Units of each term.
    """

    n_units: int
    inputs: Inputs

    def log_probabilities(self, terms: LocalTerms) -> tuple[Floats, float]:
        """Log probability of all words by their number, shape (2**n_units,), and log Z (nats)."""
        values = np.zeros(1 << self.n_units)
        np.add.at(values, self._sets(), coefficients(terms.tables))
        np.add.at(values, 1 << np.arange(self.n_units), terms.b)
        sum_over_sets(values, False)
        highest = float(values.max())
        log_z = highest + math.log(float(np.exp(values - highest).sum()))
        values -= log_z
        return values, log_z

    def marginals(self, probabilities: Floats) -> tuple[Floats, Floats]:
        """Rates (n_units,), and probabilities of each term's patterns (n_terms, 2**n_inputs).

        ``probabilities`` (2**n_units,) are used up.
        """
        sum_over_sets(probabilities, True)
        rates = probabilities[1 << np.arange(self.n_units)]
        return rates, _exactly(probabilities[self._sets()])

    def _sets(self) -> NDArray[np.intp]:
        """Number of the set of units of each subset of a term's inputs."""
        n_inputs = self.inputs.shape[1]
        members = (np.arange(1 << n_inputs)[:, None] >> np.arange(n_inputs)) & 1
        sets: NDArray[np.intp] = (1 << self.inputs.astype(np.intp)) @ members.T
        return sets


def pattern_sums(words: Bits, weights: Floats, inputs: Inputs) -> Floats:
    """Summed weight of the words with each pattern of each term, shape (n_terms, 2**n_inputs)."""
    out = np.zeros((len(inputs), 1 << inputs.shape[1]))
    with threads_for(float(len(words)) * inputs.size):
        pattern_weights(words, weights, inputs, steps_of(inputs.shape[1]), out)
    return out


def steps_of(n_inputs: int, counting: bool = False) -> Inputs:
    """What each active input adds to a pattern, shape (n_inputs,)."""
    places = np.arange(n_inputs, dtype=np.int32)
    return np.ones_like(places) if counting else np.int32(1) << places


def independent_patterns(rates: Floats, inputs: Inputs) -> Floats:
    """Probability of each pattern of each term if units were independent, same shape."""
    found = np.ones((len(inputs), 1))
    for unit_rates in rates[inputs.T]:  # each further input is the highest bit so far
        found = np.hstack([found * (1.0 - unit_rates)[:, None], found * unit_rates[:, None]])
    return found


def all_patterns(n_inputs: int) -> Bits:
    """Bits of every pattern in the order of their numbers, shape (2**n_inputs, n_inputs)."""
    return ((np.arange(1 << n_inputs)[:, None] >> np.arange(n_inputs)) & 1).astype(np.uint8)


def coefficients(tables: Floats) -> Floats:
    """Coefficients of products of bits whose sums over subsets are the tables, same shape."""
    found = tables.copy()
    for low, high in _halves(found):
        high -= low
    return found


def _exactly(all_active: Floats) -> Floats:
    """Probability of each pattern from those that at least its active bits are active."""
    found = all_active.copy()
    for low, high in _halves(found):
        low -= high
    return np.maximum(found, 0.0)


def _halves(tables: Floats) -> list[tuple[Floats, Floats]]:
    """Views of the patterns without and with each input, input by input."""
    n_terms, n_patterns = tables.shape
    steps = [1 << k for k in range(n_patterns.bit_length() - 1)]
    cut = [tables.reshape(n_terms, n_patterns // (2 * step), 2, step) for step in steps]
    return [(part[:, :, 0], part[:, :, 1]) for part in cut]
