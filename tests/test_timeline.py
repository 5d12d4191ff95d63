import numpy as np
from hypothesis import given, settings, strategies as st

from microcolumn.timeline import (
    FROM_ZERO,
    Clock,
    busiest_bins,
    deal_blocks,
    default_blocks,
    remaining_epochs,
    typical_bins,
    window_codes,
    windows,
    windows_apart,
)


@settings(deadline=None, max_examples=100)
@given(st.integers(2, 60), st.data())
def test_dealt_blocks_have_the_exact_share_and_the_asked_number(n_bins, data):
    n_first = data.draw(st.integers(1, n_bins - 1))
    n_blocks = data.draw(st.integers(2, n_bins))
    in_first = deal_blocks(n_bins, n_first, n_blocks, np.random.default_rng(0))
    assert in_first.shape == (n_bins,)
    assert in_first.sum() == n_first
    # Blocks of the same part may lie side by side, so there are at most as many runs as blocks.
    assert 2 <= np.count_nonzero(np.diff(in_first)) + 1 <= n_blocks


def test_as_many_blocks_as_bins_deals_single_bins():
    runs = [
        np.count_nonzero(np.diff(deal_blocks(40, 20, 40, np.random.default_rng(seed)))) + 1
        for seed in range(200)
    ]
    # 20 + 20 in random order have 21 runs on average, with a standard deviation of 3.1.
    assert abs(np.mean(runs) - 21) < 5 * 3.1 / np.sqrt(200)


def test_default_blocks_are_long_against_a_word_and_at_most_twenty():
    assert default_blocks(90_000, 1) == 20
    assert default_blocks(500, 10) == 5
    assert default_blocks(3, 1) == 2


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_kept_windows_of_two_parts_share_no_bin_by_brute_force(data):
    gaps = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=30))
    bins = np.cumsum([0, *gaps])
    window = data.draw(st.integers(1, 8))
    in_first = np.array(
        data.draw(st.lists(st.booleans(), min_size=bins.size, max_size=bins.size)), dtype=bool
    )
    apart = windows_apart(in_first, bins, window)
    covered = [set(range(first, first + window)) for first in bins.tolist()]
    for i in np.flatnonzero(apart):
        for j in np.flatnonzero(apart):
            if in_first[i] != in_first[j]:
                assert not covered[i] & covered[j]
    # No window is dropped unless it shares a bin with some window of the other part.
    for i in np.flatnonzero(~apart):
        assert any(in_first[i] != in_first[j] and covered[i] & covered[j] for j in range(bins.size))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_epochs_of_what_remains_are_the_runs_of_adjacent_bins(data):
    n_bins = data.draw(st.integers(1, 25))
    edges = data.draw(st.sets(st.integers(1, 24)))
    starts = np.array([0, *sorted(edge for edge in edges if edge < n_bins)])
    kept = np.array(sorted(data.draw(st.sets(st.integers(0, n_bins - 1), min_size=1))))
    expected = [0]
    for place in range(1, kept.size):
        follows = kept[place] == kept[place - 1] + 1
        if not follows or kept[place] in starts:
            expected.append(place)
    assert remaining_epochs(starts, kept).tolist() == expected


def test_windows_stay_inside_epochs_and_skip_the_short_ones():
    oldest, starts = windows(np.array([0, 4, 6]), 9, 3)
    assert oldest.tolist() == [0, 1, 6]
    assert starts.tolist() == [0, 2]


def test_window_codes_tell_windows_apart_where_a_plain_number_would_overflow():
    n_distinct = 2**31 - 1
    rng = np.random.default_rng(0)
    index = rng.integers(0, 3, size=400).astype(np.int32) * np.int32(2**29)
    oldest = np.arange(400 - 4)
    codes = window_codes(index, oldest, 5, n_distinct)
    rows = np.stack([index[lag : lag + oldest.size] for lag in range(5)], axis=1)
    expected = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    assert np.array_equal(np.unique(codes, return_inverse=True)[1], expected)


def test_a_clock_knows_the_gaps_between_epochs():
    clock = Clock(np.array([0, 3]), np.array([10.0, 90.0]))
    np.testing.assert_array_equal(clock.times_s(np.array([0, 2, 3, 5]), 0.5), [10, 11, 90, 91])
    np.testing.assert_array_equal(FROM_ZERO.times_s(np.array([0, 7]), 0.5), [0.0, 3.5])


def test_the_busiest_bins_are_within_one_epoch():
    starts = [0, 900, 3300]
    spikes = np.random.default_rng(1).binomial(4, 0.1, 5000)
    start, stop = busiest_bins(spikes, np.array(starts), 1000)
    allowed = [
        first
        for low, high in zip(starts, [*starts[1:], 5000], strict=True)
        for first in range(low, high - 999)
    ]
    assert start in allowed
    assert stop == start + 1000
    assert spikes[start:stop].sum() == max(spikes[k : k + 1000].sum() for k in allowed)


def test_the_busiest_bins_may_be_a_short_epoch():
    assert busiest_bins(np.array([0, 0, 1, 1, 1]), np.array([0, 2]), 1000) == (2, 5)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(1, 12), st.data())
def test_typical_bins_have_the_median_sum_of_all_stretches(spikes, n_bins, data):
    cuts = data.draw(st.sets(st.integers(1, len(spikes) - 1))) if len(spikes) > 1 else set()
    starts = [0, *sorted(cuts)]
    start, stop = typical_bins(np.array(spikes), np.array(starts), n_bins)
    epochs = list(zip(starts, [*starts[1:], len(spikes)], strict=True))
    length = min(n_bins, max(high - low for low, high in epochs))
    assert stop - start == length
    begins = [first for low, high in epochs for first in range(low, high - length + 1)]
    sums = [sum(spikes[first : first + length]) for first in begins]
    assert sums[begins.index(start)] == sorted(sums)[(len(sums) - 1) // 2]
