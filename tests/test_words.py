import numpy as np
import pytest
import xarray
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from microcolumn.units import Units
from microcolumn.words import Words


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_a_sparse_matrix_gives_the_words_of_the_dense_one(kind):
    X = (np.random.default_rng(0).random((40, 3)) < 0.3).astype(float)
    np.testing.assert_array_equal(Words.from_array(kind(X)).expand(), X)
    with pytest.raises(ValueError, match=r"X\[3, 1\] is 2.0; words are binary"):
        Words.from_array(kind(np.eye(4, 3) + 2.0 * (np.arange(12).reshape(4, 3) == 10)))


def test_named_axes_of_xarray_tell_where_units_are():
    X = np.random.default_rng(0).random((40, 3)) < 0.3
    for array in (
        xarray.DataArray(X, dims=("time", "unit")),
        xarray.DataArray(X.T, dims=("unit", "t")),
    ):
        np.testing.assert_array_equal(Words.from_array(array).expand(), X)


def _matrices(max_bins=25, max_units=5):
    shapes = st.tuples(st.integers(1, max_bins), st.integers(1, max_units))
    return shapes.flatmap(lambda shape: arrays(np.uint8, shape, elements=st.integers(0, 1)))


def _epoch_starts(n_bins):
    edges = st.sets(st.integers(1, max(1, n_bins - 1)), max_size=4)
    return edges.map(lambda chosen: [0, *sorted(edge for edge in chosen if edge < n_bins)])


def _simple(n_bins=40, n_units=3, seed=0, **arguments):
    X = np.random.default_rng(seed).random((n_bins, n_units)) < 0.3
    return Words.from_array(X, **arguments)


def _assert_consistent(words):
    """What holds for every ``Words``, however it came about."""
    assert words.X.dtype == np.uint8
    assert words.X.flags.c_contiguous
    assert words.counts.dtype == np.float64
    assert words.index.dtype == np.int32
    assert words.epoch_starts.dtype == words.bins.dtype == np.int64
    for array in (words.X, words.counts, words.index):
        assert array.flags.writeable  # kernels compile once, for writable arrays
    assert words.X.shape == (len(words), words.n_units * words.window)
    assert np.array_equal(words.X, np.unique(words.X, axis=0))
    weights = np.ones(words.n_bins) if words.weights is None else words.weights
    np.testing.assert_allclose(words.counts, np.bincount(words.index, weights=weights), rtol=1e-14)
    assert words.epoch_starts[0] == 0
    adjacent = np.diff(words.bins) == 1
    assert np.all(adjacent | np.isin(np.arange(1, words.n_bins), words.epoch_starts))


@settings(deadline=None, max_examples=60)
@given(_matrices())
def test_words_of_a_matrix_are_its_distinct_rows_with_their_counts(X):
    words = Words.from_array(X, bin_width=0.01)
    expected, counts = np.unique(X, axis=0, return_counts=True)
    assert np.array_equal(words.X, expected)
    assert np.array_equal(words.counts, counts)
    assert np.array_equal(words.expand(), X)
    np.testing.assert_allclose(words.rates, X.mean(axis=0), rtol=1e-14)
    assert (words.n_bins, words.n_units, words.n_dims) == (*X.shape, X.shape[1])
    assert len(words) == len(expected)
    assert [(word.tolist(), count) for word, count in words] == list(
        zip(expected.tolist(), counts, strict=True)
    )
    assert words.duration_s == pytest.approx(0.01 * len(X))
    _assert_consistent(words)


def test_the_words_do_not_share_memory_with_what_they_were_made_from():
    X = np.zeros((1, 3), dtype=np.uint8)
    weights, starts = np.ones(1), np.zeros(1, dtype=np.int64)
    words = Words.from_array(X, epoch_starts=starts, sample_weight=weights)
    for array in (X, weights, starts):
        array[:] = 7
    assert not words.X.any()
    assert words.weights.tolist() == [1.0]
    assert words.epoch_starts.tolist() == [0]


def test_rates_of_silent_and_always_active_units_are_exactly_zero_and_one():
    X = np.tile([0, 1], (1000, 1))
    weights = np.random.default_rng(0).random(1000)
    assert Words.from_array(X, sample_weight=weights).rates.tolist() == [0.0, 1.0]


def test_rates_do_not_depend_on_the_size_of_the_chunks(monkeypatch):
    words = _simple(200, 7)
    monkeypatch.setattr("microcolumn.validation._MOST_ELEMENTS", 11)
    np.testing.assert_allclose(words.rates, words.expand().mean(axis=0), rtol=1e-14)


def test_weighted_counts_are_sums_of_weights_and_zero_weight_means_not_recorded():
    X = [[0, 1], [0, 1], [1, 0], [1, 1], [0, 1]]
    words = Words.from_array(X, sample_weight=[1.0, 0.5, 2.0, 0.0, 4.0])
    assert words.X.tolist() == [[0, 1], [1, 0]]
    assert words.counts.tolist() == [5.5, 2.0]
    assert words.bins.tolist() == [0, 1, 2, 4]
    assert words.epoch_starts.tolist() == [0, 3]
    assert words.rates.tolist() == [2.0 / 7.5, 5.5 / 7.5]
    _assert_consistent(words)


@settings(deadline=None, max_examples=40)
@given(_matrices(), st.data())
def test_whole_weights_count_like_repeated_bins(X, data):
    weights = data.draw(
        st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)).filter(any), label="weights"
    )
    weighted = Words.from_array(X, sample_weight=weights)
    repeated = Words.from_array(np.repeat(X, weights, axis=0))
    assert np.array_equal(weighted.X, repeated.X)
    assert np.array_equal(weighted.counts, repeated.counts)


@settings(deadline=None, max_examples=80)
@given(_matrices(), st.integers(1, 5), st.data())
def test_embedding_equals_the_slow_definition(X, window, data):
    starts = data.draw(_epoch_starts(len(X)))
    ends = [*starts[1:], len(X)]
    windows = [
        X[t : t + window].ravel()
        for start, end in zip(starts, ends, strict=True)
        for t in range(start, end - window + 1)
    ]
    words = Words.from_array(X, epoch_starts=starts)
    if not windows:
        with pytest.raises(ValueError, match=f"window is {window} but the longest epoch is"):
            words.embed(window)
        return
    embedded = words.embed(window)
    assert embedded.window == window
    assert embedded.n_units == X.shape[1]
    assert np.array_equal(embedded.expand(), windows)
    lengths = np.array(ends) - starts
    assert embedded.epoch_starts.size == np.count_nonzero(lengths >= window)
    assert embedded.duration_s == pytest.approx(0.020 * lengths[lengths >= window].sum())
    _assert_consistent(embedded)


@settings(deadline=None, max_examples=80)
@given(_matrices(40, 3), st.data())
def test_both_parts_of_a_split_keep_time_order_and_lose_no_bin(X, data):
    starts = data.draw(_epoch_starts(len(X)))
    fraction = data.draw(st.sampled_from([0.1, 0.3, 0.5, 0.8]))
    by = data.draw(st.sampled_from(["words", "blocks"]))
    seed = data.draw(st.integers(0, 5))
    words = Words.from_array(X, epoch_starts=starts)
    if not 0 < round(fraction * len(X)) < len(X):
        with pytest.raises(ValueError, match="a part would be empty"):
            words.split(fraction, by=by, random_state=seed)
        return
    first, second = words.split(fraction, by=by, random_state=seed)
    assert first.n_bins == round(fraction * len(X))
    assert sorted([*first.bins, *second.bins]) == list(range(len(X)))
    for part in (first, second):
        assert np.all(np.diff(part.bins) > 0)
        assert np.array_equal(part.expand(), X[part.bins])
        # Epochs end exactly where the next bin is missing or was another epoch's.
        edges = [
            place
            for place in range(1, part.n_bins)
            if part.bins[place] != part.bins[place - 1] + 1 or part.bins[place] in starts
        ]
        assert part.epoch_starts.tolist() == [0, *edges]
        _assert_consistent(part)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 6), st.integers(2, 12), st.integers(0, 1000), st.sampled_from([0.2, 0.5, 0.6])
)
def test_a_blocked_split_of_windows_never_shares_a_bin_even_when_split_again(
    window, n_blocks, seed, fraction
):
    X = np.random.default_rng(seed).integers(0, 2, size=(400, 2))
    embedded = Words.from_array(X, epoch_starts=[0, 90, 95, 230]).embed(window)
    first, second = embedded.split(fraction, n_blocks=n_blocks, random_state=seed)
    third, fourth = first.split(fraction, n_blocks=2, random_state=seed)
    parts = (second, third, fourth)
    covered = [{b + lag for b in part.bins.tolist() for lag in range(window)} for part in parts]
    assert sum(len(bins) for bins in covered) == len(set.union(*covered))
    for part in parts:
        assert np.array_equal(part.expand(), [X[b : b + window].ravel() for b in part.bins])
        _assert_consistent(part)


def test_windows_of_singly_dealt_words_are_still_kept_apart_by_a_later_blocked_split():
    embedded = _simple(400, 2).embed(6)
    leaky, _ = embedded.split(0.5, by="words", random_state=0)
    first, second = leaky.split(0.5, by="blocks", random_state=0)
    distance = np.abs(first.bins[:, None] - second.bins[None, :])
    assert distance.min() >= 6


def test_a_blocked_split_of_windows_loses_few_windows_and_keeps_the_share():
    embedded = _simple(5000, 2).embed(10)
    first, second = embedded.split(0.3, random_state=1)
    assert first.n_bins + second.n_bins >= embedded.n_bins - 19 * 9
    assert first.n_bins / (first.n_bins + second.n_bins) == pytest.approx(0.3, abs=0.02)


def test_embedding_after_a_split_never_reaches_into_the_other_part():
    X = np.random.default_rng(2).random((300, 4)) < 0.4
    for by in ("words", "blocks"):
        for part in Words.from_array(X).split(0.5, by=by, random_state=3):
            embedded = part.embed(2)
            own = set(part.bins.tolist())
            assert all({b, b + 1} <= own for b in embedded.bins.tolist())
            assert np.array_equal(
                embedded.expand(), np.hstack([X[embedded.bins], X[embedded.bins + 1]])
            )


def test_the_default_split_is_by_blocks_and_the_same_each_time():
    words = _simple(2000)
    singly, _ = words.split(by="words")
    assert singly.epoch_starts.size > 300
    for each in (words, words.embed(3)):
        blocked, again = each.split()[0], each.split(0.5, "blocks", 0)[0]
        assert blocked.epoch_starts.size <= 10
        assert np.array_equal(blocked.bins, again.bins)


def test_sessions_are_concatenated_with_a_boundary_between_them():
    whole = _simple(60, units=Units("abc"))
    parts = [_simple(40, units=Units("abc")), _simple(20, units=Units("abc")).reordered([2, 0, 1])]
    both = Words.concatenate(parts)
    rows = np.vstack([parts[0].expand(), parts[1].expand()[:, [1, 2, 0]]])
    assert np.array_equal(both.expand(), rows)
    assert (both.X == Words.from_array(rows).X).all()
    assert both.counts.tolist() == Words.from_array(rows).counts.tolist()
    assert (both.epoch_starts.tolist(), both.duration_s) == ([0, 40], whole.duration_s)
    embedded = both.embed(5)
    assert embedded.n_bins == 36 + 16
    again = Words.concatenate([part.embed(5) for part in parts])
    assert np.array_equal(again.expand(), embedded.expand())
    assert np.array_equal(again.bins, embedded.bins)
    # Both sessions start at 0 s; the second is moved to where the first ended.
    starts = both.clock.times_s(both.bins, both.bin_width)
    np.testing.assert_allclose(starts, 0.020 * np.arange(60))
    later, earlier = (part for part in whole.split(by="blocks", n_blocks=2))
    joined = Words.concatenate(sorted([later, earlier], key=lambda part: part.bins[0]))
    assert np.array_equal(joined.expand(), whole.expand())
    weighted = Words.concatenate(
        [parts[0], _simple(40, units=Units("abc"), sample_weight=[2.0] * 40)]
    )
    assert weighted.counts.sum() == 40 + 80


def test_splitting_deals_weights_with_their_bins():
    weights = np.random.default_rng(1).uniform(0.5, 2.0, size=30)
    words = _simple(30, sample_weight=weights)
    parts = words.split(0.4, by="words", random_state=0)
    for part in parts:
        assert np.array_equal(part.weights, weights[part.bins])
        _assert_consistent(part)
    assert sum(part.counts.sum() for part in parts) == pytest.approx(weights.sum())


@settings(deadline=None, max_examples=40)
@given(_matrices(20, 5), st.integers(1, 3), st.data())
def test_a_subset_of_units_is_the_words_of_those_columns(X, window, data):
    chosen = data.draw(
        st.lists(st.integers(0, X.shape[1] - 1), min_size=1, unique=True), label="units"
    )
    window = min(window, len(X))
    subset = Words.from_array(X).embed(window).subset(chosen)
    expected = Words.from_array(X[:, chosen]).embed(window)
    assert np.array_equal(subset.X, expected.X)
    assert np.array_equal(subset.counts, expected.counts)
    assert np.array_equal(subset.index, expected.index)
    assert subset.units.ids == tuple(str(n) for n in chosen)
    _assert_consistent(subset)


def test_a_subset_keeps_weights_and_the_table_of_units():
    units = Units("abc", depth_um=[1, 2, 3], layer=["II/III", "IV", "IV"])
    words = _simple(units=units, sample_weight=np.linspace(1, 2, 40)).subset([2, 1])
    assert words.units.ids == ("c", "b")
    assert words.units.layer == ("IV", "IV")
    _assert_consistent(words)


@pytest.mark.parametrize(
    ("name", "n_distinct"),
    [
        ("rat_hpc_linear_nelpy", 1_045),
        ("mouse_retina_p15_demas54", 15_157),
        ("mouse_retina_p6_stafford477", 106_034),
    ],
)
def test_real_recordings_have_the_known_number_of_distinct_words(recorded, name, n_distinct):
    assert len(recorded(name, None)) == n_distinct


def test_bins_just_short_of_ten_seconds_are_taken_as_seconds():
    assert Words.from_array(np.eye(2), bin_width=9.99).bin_width == 9.99
