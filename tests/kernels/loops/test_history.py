"""Features of histories against a dense convolution."""

import numpy as np
from hypothesis import given, settings, strategies as st

from microcolumn.models._history import Histories, lag_basis
from microcolumn.words import Words


def _dense(rows, n_features):
    """Sparse rows as a matrix."""
    dense = np.zeros((rows.offsets.size - 1, n_features))
    for u in range(len(dense)):
        part = slice(rows.offsets[u], rows.offsets[u + 1])
        assert np.unique(rows.columns[part]).size == rows.columns[part].size
        dense[u, rows.columns[part]] = rows.values[part]
    return dense


@settings(deadline=None, max_examples=20)
@given(
    seed=st.integers(0, 1000),
    n_units=st.integers(1, 4),
    shape=st.sampled_from([(1, 1), (1, 4), (2, 2), (3, 6), (5, 5)]),
    starts=st.sampled_from([(0,), (0, 7), (0, 3, 20)]),
)
def test_rows_are_the_distinct_histories_with_their_counts_and_who_fired(
    seed, n_units, shape, starts
):
    basis, n_lags = lag_basis(*shape), shape[1]
    X = np.random.default_rng(seed).random((40, n_units)) < 0.2
    histories = Histories.of(Words.from_array(X, epoch_starts=[*starts]), basis)
    expected = {}
    for first, last in zip(starts, (*starts[1:], 40), strict=True):
        for t in range(first + n_lags, last):
            past = X[t - n_lags : t][::-1]  # the newest bin first, as lags count
            features = (basis @ past).T.ravel()
            count, fired = expected.get(past.tobytes(), (0, np.zeros(n_units, dtype=int)))[:2]
            expected[past.tobytes()] = count + 1, fired + X[t], features
    rows = histories.rows
    assert histories.n_bins == sum(count for count, *_ in expected.values())
    fired = np.stack(
        [
            np.bincount(rows.fired[a:b], minlength=rows.offsets.size - 1)
            for a, b in zip(rows.fired_offsets[:-1], rows.fired_offsets[1:], strict=True)
        ],
        axis=1,
    )
    counts = rows.shares[: len(fired), None] * histories.n_bins
    found = np.hstack([_dense(rows, n_units * len(basis)), counts, fired])
    wanted = np.stack([np.concatenate([f, [c], x]) for c, x, f in expected.values()])
    order, other = (np.lexsort(np.round(each, 9).T) for each in (found, wanted))
    np.testing.assert_allclose(found[order], wanted[other], atol=1e-12)
    assert not rows.shares[len(fired) :].any()
