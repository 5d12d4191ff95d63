"""Bits packed into integers and listed, against NumPy on the matrix itself."""

import numpy as np
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from microcolumn.packing import active_bits, packed, unique_rows, unpacked

MATRICES = hnp.arrays(
    np.uint8, st.tuples(st.integers(0, 20), st.integers(1, 150)), elements=st.integers(0, 1)
)


@given(MATRICES)
def test_unpacking_undoes_packing(X):
    np.testing.assert_array_equal(unpacked(packed(X), X.shape[1]), X)


@given(MATRICES.filter(len), st.booleans())
def test_distinct_rows_are_those_of_numpy(X, with_copies):
    if with_copies:  # some of which differ in their last bit alone
        X = np.concatenate([X, X[::-1], X ^ (np.arange(X.shape[1]) == X.shape[1] - 1)])
    rows, index = unique_rows(X)
    expected, inverse = np.unique(X, axis=0, return_inverse=True)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(index, inverse.ravel())
    assert index.dtype == np.int32


@settings(max_examples=50)
@given(MATRICES, st.booleans())
def test_active_bits_are_listed_row_by_row(X, transposed):
    X = np.asfortranarray(X) if transposed else X
    n_active, active = active_bits(X)
    np.testing.assert_array_equal(n_active, X.sum(axis=1))
    np.testing.assert_array_equal(active, np.nonzero(X)[1])
    assert active.dtype == np.int32


def test_many_words_are_listed_a_part_at_a_time(monkeypatch):
    X = (np.random.default_rng(0).random((101, 7)) < 0.3).astype(np.uint8)
    monkeypatch.setattr("microcolumn.validation._MOST_ELEMENTS", 50)
    n_active, active = active_bits(X)
    np.testing.assert_array_equal(n_active, X.sum(axis=1))
    np.testing.assert_array_equal(active, np.nonzero(X)[1])
