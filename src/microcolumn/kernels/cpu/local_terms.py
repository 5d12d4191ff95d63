"""Sums of functions of a few units each: words weighed, patterns counted, chains moved.

Term j is a table over the patterns of its inputs. The pattern of a word is the sum of ``steps[i]``
over the inputs that are active: powers of two tell all patterns apart, ones count the active
inputs. Tables are (n_terms, n_patterns), inputs (n_terms, n_inputs), filled up with -1 where a
term has fewer.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from ..compile import kernel, subroutine


class TermTables(NamedTuple):
    """What chains need to know of a model and of the base of their path."""

    biases: np.ndarray  # (n_units,)
    inputs: np.ndarray  # (n_terms, n_inputs), int32
    steps: np.ndarray  # (n_inputs,), int32
    tables: np.ndarray  # (n_terms, n_patterns)
    first: np.ndarray  # (n_units + 1,): where the terms of each unit begin in the next two
    term: np.ndarray  # (n_entries,), int32
    step: np.ndarray  # (n_entries,), int32: what the unit adds to the pattern of that term
    base_logits: np.ndarray  # (n_units,): logits of the independent model at beta = 0


@subroutine(forceinline=True)
def pattern_of(word, term, steps):
    """Pattern that the inputs ``term`` have in a word."""
    pattern = 0
    for place in range(term.size):
        if term[place] >= 0 and word[term[place]]:
            pattern += steps[place]
    return pattern


# log p~ of each word: sum of the biases of its active units and of the tables at its patterns.
# Cost: one operation per bit and per input of a term.
# Pinned by tests/partition/test_local_terms.py to sums in plain Python.
@kernel(parallel=True)
def log_weights(words, biases, inputs, steps, tables, out):
    """Fill ``out`` (n_words,)."""
    for u in prange(words.shape[0]):
        word, total = words[u], 0.0
        for n in range(word.size):
            if word[n]:
                total += biases[n]
        for j in range(inputs.shape[0]):
            total += tables[j, pattern_of(word, inputs[j], steps)]
        out[u] = total


# Adds up the weights of the words that have each pattern of each term.
# Cost: one operation per word and input of a term; terms run in parallel, words in order.
# Pinned by tests/partition/test_local_terms.py to sums in plain Python.
@kernel(parallel=True)
def pattern_weights(words, weights, inputs, steps, out):
    """Add to ``out`` (n_terms, n_patterns)."""
    for j in prange(inputs.shape[0]):
        term = inputs[j]
        for u in range(words.shape[0]):
            out[j, pattern_of(words[u], term, steps)] += weights[u]


# Values of the terms' tables for each word.
# Cost: one operation per word and input of a term.
# Pinned by tests/partition/test_local_terms.py to sums in plain Python.
@kernel(parallel=True)
def term_values(words, inputs, steps, tables, out):
    """Fill ``out`` (n_words, n_terms)."""
    for u in prange(words.shape[0]):
        for j in range(inputs.shape[0]):
            out[u, j] = tables[j, pattern_of(words[u], inputs[j], steps)]


@subroutine(forceinline=True)
def _uniform(state):
    """The next number in [0, 1) of xoshiro256++ (Blackman and Vigna 2021), four words of state."""
    total = state[0] + state[3]
    mixed = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return (mixed >> np.uint64(11)) * 2.0**-53


@subroutine(forceinline=True)
def _sweep(word, patterns, model, beta, backwards, state):
    """Gibbs steps of all units of a chain: by how much log p~ - base'x rises."""
    n_units, rise = word.size, 0.0
    for position in range(n_units):
        n = n_units - 1 - position if backwards else position
        bit, gain = np.int32(word[n]), model.biases[n]
        for entry in range(model.first[n], model.first[n + 1]):
            j, step = model.term[entry], model.step[entry]
            off = patterns[j] - bit * step
            gain += model.tables[j, off + step] - model.tables[j, off]
        base = model.base_logits[n]
        odds = beta * gain + (1.0 - beta) * base
        # u < sigmoid(odds), exact at both ends
        u = _uniform(state)
        on = np.int32(u * np.exp(-odds) < 1.0 - u)
        if on != bit:
            change = on - bit
            word[n] = on
            rise += change * (gain - base)
            for entry in range(model.first[n], model.first[n + 1]):
                patterns[model.term[entry]] += change * model.step[entry]
    return rise


# A run of Gibbs sweeps of all chains: sweep k at beta = path[k, 0], then
# log w += path[k, 1] * (log p~(x) - base'x), with patterns and log p~ kept as units flip.
# Cost per chain, sweep and unit: two table entries per term of the unit, an exponential.
# Pinned by tests/partition/test_term_annealing.py.
@kernel(parallel=True)
def advance(words, log_weights, states, model, path, backwards):
    """Advance the chains ``words`` (n_chains, n_units) in place, each with a stream of its own."""
    n_terms = model.inputs.shape[0]
    for chain in prange(words.shape[0]):
        word, state = words[chain], states[chain]
        patterns = np.empty(n_terms, dtype=np.int32)
        excess = 0.0
        for j in range(n_terms):
            patterns[j] = pattern_of(word, model.inputs[j], model.steps)
            excess += model.tables[j, patterns[j]]
        for n in range(word.size):
            if word[n]:
                excess += model.biases[n] - model.base_logits[n]
        for k in range(path.shape[0]):
            excess += _sweep(word, patterns, model, path[k, 0], backwards, state)
            log_weights[chain] += path[k, 1] * excess


# Raises log p~ unit by unit until no single flip does.
# Cost per chain and pass: as of a sweep.
# Pinned by tests/partition/test_term_annealing.py.
@kernel(parallel=True)
def ascend(words, model, most_passes):
    """Replace each of ``words`` (n_words, n_units) by a local maximum of log p~."""
    n_terms = model.inputs.shape[0]
    for chain in prange(words.shape[0]):
        word = words[chain]
        patterns = np.empty(n_terms, dtype=np.int32)
        for j in range(n_terms):
            patterns[j] = pattern_of(word, model.inputs[j], model.steps)
        for _ in range(most_passes):
            changed = False
            for n in range(word.size):
                bit, gain = np.int32(word[n]), model.biases[n]
                for entry in range(model.first[n], model.first[n + 1]):
                    j, step = model.term[entry], model.step[entry]
                    off = patterns[j] - bit * step
                    gain += model.tables[j, off + step] - model.tables[j, off]
                on = np.int32(gain > 0.0)
                if on != bit:
                    word[n], changed = on, True
                    for entry in range(model.first[n], model.first[n + 1]):
                        patterns[model.term[entry]] += (on - bit) * model.step[entry]
            if not changed:
                break
