"""Sums of functions of a few units each: words weighed, and patterns counted.

Term j is a table over the patterns of its inputs; a pattern is a number whose bit i is the i-th
input. Tables are (n_terms, 2**n_inputs), inputs (n_terms, n_inputs).
"""

from numba import prange

from ..simd.compile import kernel, subroutine


@subroutine(inline="always")
def pattern_of(word, term):
    """Number of the pattern that the inputs ``term`` have in a word."""
    pattern = 0
    for place in range(term.size):
        pattern |= word[term[place]] << place
    return pattern


# log p~ of each word: sum of the biases of its active units and of the tables at its patterns.
# Cost: one operation per bit and per input of a term.
# Pinned by tests/partition/test_local_terms.py to sums in plain Python.
@kernel(parallel=True)
def log_weights(words, biases, inputs, tables, out):
    """Fill ``out`` (n_words,)."""
    for u in prange(words.shape[0]):
        word, total = words[u], 0.0
        for n in range(word.size):
            if word[n]:
                total += biases[n]
        for j in range(inputs.shape[0]):
            total += tables[j, pattern_of(word, inputs[j])]
        out[u] = total


# Adds up the weights of the words that have each pattern of each term.
# Cost: one operation per word and input of a term; terms run in parallel, words in order.
# Pinned by tests/partition/test_local_terms.py to sums in plain Python.
@kernel(parallel=True)
def pattern_weights(words, weights, inputs, out):
    """Add to ``out`` (n_terms, 2**n_inputs)."""
    for j in prange(inputs.shape[0]):
        term = inputs[j]
        for u in range(words.shape[0]):
            out[j, pattern_of(words[u], term)] += weights[u]
