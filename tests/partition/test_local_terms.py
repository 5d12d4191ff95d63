"""Sums of functions of a few units, against plain Python over all words."""

from itertools import product

import numpy as np
import pytest

from microcolumn.partition._local_terms import (
    ExactTerms,
    LocalTerms,
    all_patterns,
    independent_patterns,
    pattern_sums,
)


def _terms(n_units=6, n_terms=5, n_inputs=3, seed=0):
    rng = np.random.default_rng(seed)
    inputs = np.array([rng.permutation(n_units)[:n_inputs] for _ in range(n_terms)], dtype=np.int32)
    tables = rng.normal(size=(n_terms, 1 << n_inputs))
    return LocalTerms(rng.normal(size=n_units), inputs.reshape(-1, n_inputs), tables)


def _log_weight(terms, word):
    total = float(sum(b for b, bit in zip(terms.b, word, strict=True) if bit))
    for term, table in zip(terms.inputs, terms.tables, strict=True):
        total += table[sum(int(word[unit]) << place for place, unit in enumerate(term))]
    return total


def _numbered(n_units):
    """All words, in the order of their numbers: unit k is bit k."""
    return np.array(list(product([0, 1], repeat=n_units)), dtype=np.uint8)[:, ::-1].copy()


@pytest.mark.parametrize("n_inputs", [1, 3])
def test_log_weights_are_sums_of_biases_and_table_entries(n_inputs):
    terms, words = _terms(n_inputs=n_inputs), _numbered(6)
    expected = [_log_weight(terms, word) for word in words]
    np.testing.assert_allclose(terms.log_weights(words), expected, atol=1e-12)


@pytest.mark.parametrize("n_terms", [0, 5])
def test_probabilities_of_all_words_and_their_marginals(n_terms):
    terms, words = _terms(n_terms=n_terms), _numbered(6)
    weights = np.array([_log_weight(terms, word) for word in words])
    p = np.exp(weights) / np.exp(weights).sum()
    sums = ExactTerms(6, terms.inputs)
    log_p, log_z = sums.log_probabilities(terms)
    np.testing.assert_allclose(log_z, np.log(np.exp(weights).sum()), rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_p), p, rtol=1e-10)
    rates, patterns = sums.marginals(np.exp(log_p))
    np.testing.assert_allclose(rates, p @ words, rtol=1e-10)
    np.testing.assert_allclose(patterns, pattern_sums(words, p, terms.inputs), atol=1e-12)


def test_pattern_sums_count_each_word_where_its_bits_say():
    words, weights = _numbered(4)[[5, 9, 5]], np.array([1.0, 2.0, 4.0])  # units 0, 2 and 0, 3
    inputs = np.array([[0, 2], [3, 1]], dtype=np.int32)
    assert pattern_sums(words, weights, inputs).tolist() == [[0, 2, 0, 5], [5, 2, 0, 0]]


def test_log_odds_are_differences_of_log_weights():
    terms, words = _terms(), _numbered(6)
    on, off = words.copy(), words.copy()
    on[:, 2], off[:, 2] = 1, 0
    expected = terms.log_weights(on) - terms.log_weights(off)
    np.testing.assert_allclose(terms.log_odds(words, 2), expected, atol=1e-12)


def test_patterns_of_independent_units_have_products_of_their_rates():
    rates, inputs = np.array([0.1, 0.5, 0.9]), np.array([[2, 0]], dtype=np.int32)
    found = independent_patterns(rates, inputs)
    np.testing.assert_allclose(found, [[0.1 * 0.9, 0.9 * 0.9, 0.1 * 0.1, 0.9 * 0.1]])
    assert all_patterns(2).tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
