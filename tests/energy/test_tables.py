"""Functions of a few units as a term of the energy, against plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.energy import Tables, all_patterns, log_weight
from microcolumn.kernels import TableArrays, pattern_sums, table_values
from microcolumn.layout import Layout
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1
from microcolumn.words import Words


def _random(seed, n_units=5, n_functions=4, n_inputs=3):
    rng = np.random.default_rng(seed)
    inputs = np.array([rng.permutation(n_units)[:n_inputs] for _ in range(n_functions)])
    inputs = inputs.astype(np.int32).reshape(n_functions, n_inputs)
    values = rng.normal(size=(n_functions, 1 << n_inputs))
    tables = Tables(inputs, values, rng.normal(size=n_functions))
    return Parameters(b=rng.normal(size=n_units), term=tables)


def _value(tables, j, word):
    """The j-th function of a word by its definition."""
    pattern = sum(int(word[unit]) << place for place, unit in enumerate(tables.inputs[j]))
    return tables.values[j, pattern]


def _log_weight(theta, word):
    strengths = enumerate(theta.term.strengths)
    return word @ theta.b + sum(s * _value(theta.term, j, word) for j, s in strengths)


def _all_words(n):
    return ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(np.uint8)


MODELS = st.builds(_random, st.integers(0, 1000), st.just(5), st.integers(0, 5), st.integers(1, 4))


@settings(max_examples=40, deadline=None)
@given(MODELS)
def test_log_weights_are_the_written_out_sums(theta):
    words = _all_words(5)
    expected = np.array([_log_weight(theta, word) for word in words])
    np.testing.assert_allclose(log_weight(theta, words), expected, atol=1e-12)


def test_a_prior_word_of_independent_units_counts_like_any_other():
    theta, rates = _random(3), np.array([0.1, 0.5, 0.9, 0.3, 0.2])
    words = _all_words(5)
    data = np.random.default_rng(1).integers(0, 2, (7, 5)).astype(np.uint8)
    _, found = DataMoments(Words.from_array(data), rates)(theta)
    p = np.prod(np.where(words, rates, 1.0 - rates), axis=1)
    values = table_values(theta.term.functions, words)
    of_data = table_values(theta.term.functions, data).sum(axis=0)
    np.testing.assert_allclose(found.term.strengths, (of_data + p @ values) / 8)
    np.testing.assert_allclose(found.b, (data.sum(axis=0) + rates) / 8)


def test_a_penalty_holds_strengths_and_leaves_biases_free():
    theta = _random(4)
    layout = Layout.of(theta)
    expected = 0.5 * np.abs(theta.term.strengths).sum()
    assert L1(0.5).value(layout.pack(theta), layout) == pytest.approx(expected)


def test_functions_without_strength_are_dropped():
    theta = _random(5)
    strengths = theta.term.strengths.copy()
    strengths[1:3] = 0.0
    thinned = Parameters(b=theta.b, term=theta.term.with_strengths(strengths))
    live, log_factor = thinned.drop_dead_units()
    assert (live.term.strengths.size, log_factor) == (2, 0.0)
    words = _all_words(5)
    np.testing.assert_allclose(log_weight(live, words), log_weight(thinned, words), atol=1e-12)
    assert not thinned.is_independent
    assert Parameters(b=theta.b, term=theta.term.with_strengths(0.0 * strengths)).is_independent


def test_pattern_sums_count_each_word_where_its_bits_say():
    words, weights = _all_words(4)[[5, 9, 5]], np.array([1.0, 2.0, 4.0])  # units 0, 2 and 0, 3
    tables = TableArrays(np.array([[0, 2], [3, 1]], np.int32), np.zeros((2, 4)))
    assert pattern_sums(tables, words, weights).tolist() == [[0, 2, 0, 5], [5, 2, 0, 0]]


def test_means_of_independent_units_have_products_of_their_rates():
    rates, inputs = np.array([0.1, 0.5, 0.9]), np.array([[2, 0]], dtype=np.int32)
    products = [0.1 * 0.9, 0.9 * 0.9, 0.1 * 0.1, 0.9 * 0.1]
    for pattern, expected in enumerate(products):
        tables = Tables(inputs, np.eye(4)[[pattern]], np.ones(1))
        np.testing.assert_allclose(tables.independent_means(rates), [expected])
    assert all_patterns(2).tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]


def test_words_worth_a_search_are_the_heaviest_patterns():
    inputs = np.array([[0, 2], [1, 0]], dtype=np.int32)
    values = np.array([[0.0, 0.0, 0.0, 3.0], [0.0, -1.0, -1.0, -2.0]])
    words = Tables(inputs, values, np.array([1.0, 1.0])).best_words(3, 10)
    assert words.tolist() == [[1, 0, 1], [0, 0, 0]]


def test_functions_go_with_biases_alone():
    tables = Tables(np.zeros((1, 1), np.int32), np.array([[0.0, 1.0]]), np.ones(1))
    assert Parameters(b=[0.0], term=tables).kind == "term"
    with pytest.raises(ValueError, match="goes with b alone"):
        Parameters(b=[0.0], W=[[1.0]], term=tables)
