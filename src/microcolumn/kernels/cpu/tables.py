"""Sums of functions of a few units each: patterns counted, functions evaluated, chains moved.

Function j is a table over the patterns of its inputs. The pattern of a word is a number whose bit i
says whether input i is active. Tables are (n_functions, 2**n_inputs), inputs (n_functions,
n_inputs).
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from ..compile import kernel, subroutine


class ChainTables(NamedTuple):
    """What chains need to know of a model and of the base of their path."""

    biases: np.ndarray  # (n_units,)
    inputs: np.ndarray  # (n_functions, n_inputs), int32
    tables: np.ndarray  # (n_functions, n_patterns)
    first: np.ndarray  # (n_units + 1,): where the functions of each unit begin in the next two
    function: np.ndarray  # (n_entries,), int32
    step: np.ndarray  # (n_entries,), int32: what the unit adds to the pattern of that function
    base_logits: np.ndarray  # (n_units,): logits of the independent model at beta = 0


@subroutine(forceinline=True)
def _pattern_of(word, inputs):
    """Pattern that some inputs have in a word."""
    pattern = 0
    for place in range(inputs.size):
        if word[inputs[place]]:
            pattern += 1 << place
    return pattern


# Adds up the weights of the words that have each pattern of each function.
# Cost: one operation per word and input of a function; functions in parallel, words in order.
# Pinned by tests/energy/test_tables.py to sums in plain Python.
@kernel(parallel=True)
def pattern_weights(words, weights, inputs, out):
    """Add to ``out`` (n_functions, n_patterns)."""
    for j in prange(inputs.shape[0]):
        for u in range(words.shape[0]):
            out[j, _pattern_of(words[u], inputs[j])] += weights[u]


# Values of the functions for each word.
# Cost: one operation per word and input of a function.
# Pinned by tests/energy/test_tables.py to sums in plain Python.
@kernel(parallel=True)
def values(words, inputs, tables, out):
    """Fill ``out`` (n_words, n_functions)."""
    for u in prange(words.shape[0]):
        for j in range(inputs.shape[0]):
            out[u, j] = tables[j, _pattern_of(words[u], inputs[j])]


@subroutine(forceinline=True)
def uniform(state):
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
            j, step = model.function[entry], model.step[entry]
            off = patterns[j] - bit * step
            gain += model.tables[j, off + step] - model.tables[j, off]
        base = model.base_logits[n]
        odds = beta * gain + (1.0 - beta) * base
        # u < sigmoid(odds), exact at both ends
        u = uniform(state)
        on = np.int32(u * np.exp(-odds) < 1.0 - u)
        if on != bit:
            change = on - bit
            word[n] = on
            rise += change * (gain - base)
            for entry in range(model.first[n], model.first[n + 1]):
                patterns[model.function[entry]] += change * model.step[entry]
    return rise


# A run of Gibbs sweeps of all chains: sweep k at beta = path[k, 0], then
# log w += path[k, 1] * (log p~(x) - base'x), with patterns and log p~ kept as units flip.
# Cost per chain, sweep and unit: two table entries per function of the unit, an exponential.
# Pinned by tests/partition/test_tables.py.
@kernel(parallel=True)
def advance(words, log_weights, states, model, path, backwards):
    """Advance the chains ``words`` (n_chains, n_units) in place, each with a stream of its own."""
    n_functions = model.inputs.shape[0]
    for chain in prange(words.shape[0]):
        word, state = words[chain], states[chain]
        patterns = np.empty(n_functions, dtype=np.int32)
        excess = 0.0
        for j in range(n_functions):
            patterns[j] = _pattern_of(word, model.inputs[j])
            excess += model.tables[j, patterns[j]]
        for n in range(word.size):
            if word[n]:
                excess += model.biases[n] - model.base_logits[n]
        for k in range(path.shape[0]):
            excess += _sweep(word, patterns, model, path[k, 0], backwards, state)
            log_weights[chain] += path[k, 1] * excess
