"""Repeats of a stimulus: which bin is which moment, splits by whole repeats, and shuffles."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.repeats import Repeats
from microcolumn.words import Words


def numbered_words(n_bins, n_units=3, seed=0, **options):
    rng = np.random.default_rng(seed)
    return Words.from_array(rng.random((n_bins, n_units)) < 0.4, bin_width=0.020, **options)


def test_a_bin_belongs_to_the_repeat_and_moment_in_which_its_middle_lies():
    words = numbered_words(20)
    repeats = Repeats([0.045, 0.205], duration_s=0.1)  # bins are not aligned with the repeats
    repeat, moment = repeats.locate(words)
    for k in range(20):
        middle = 0.02 * k + 0.01
        inside = [r for r, start in enumerate(repeats.starts_s) if start <= middle < start + 0.1]
        expected = (
            (inside[0], int((middle - repeats.starts_s[inside[0]]) / 0.02)) if inside else (-1, -1)
        )
        assert (repeat[k], moment[k]) == expected


@pytest.mark.parametrize("width", [0.020, 0.0067, 1 / 60])
def test_rounding_of_times_moves_no_bin_to_another_moment(width):
    n_moments, n_repeats = 50, 40
    words = Words.from_array(np.zeros((n_moments * n_repeats, 1), dtype=int), bin_width=width)
    repeats = Repeats(np.arange(n_repeats) * (n_moments * width), n_moments * width)
    repeat, moment = repeats.locate(words)
    np.testing.assert_array_equal(repeat, np.repeat(np.arange(n_repeats), n_moments))
    np.testing.assert_array_equal(moment, np.tile(np.arange(n_moments), n_repeats))


def test_epochs_become_repeats_and_a_short_one_ends_where_it_was_cut():
    epochs = mc.Epochs([[0, 0.1], [0.1, 0.16], [0.2, 0.3]], ["movie", "movie", "grey"])
    repeats = Repeats.from_epochs(epochs, "movie")
    assert (len(repeats), repeats.duration_s) == (2, 0.1)
    repeat, moment = repeats.locate(numbered_words(15))
    assert repeat.tolist() == [0] * 5 + [1] * 3 + [-1] * 7
    assert moment.tolist() == [0, 1, 2, 3, 4, 0, 1, 2] + [-1] * 7


def test_a_repeat_ends_where_the_next_one_starts():
    repeat, moment = Repeats([0.0, 0.04], duration_s=0.1).locate(numbered_words(8))
    assert repeat.tolist() == [0, 0, 1, 1, 1, 1, 1, -1]
    assert moment.tolist() == [0, 1, 0, 1, 2, 3, 4, -1]


def test_times_are_those_of_the_recording_after_gaps_between_epochs():
    recording = mc.Recording([[0.001, 1.001]], epochs=[[0.0, 0.06], [1.0, 1.06]])
    repeat, moment = Repeats([0.0, 1.0], duration_s=0.06).locate(recording.bin(0.020))
    assert (repeat.tolist(), moment.tolist()) == ([0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2])


def test_a_split_deals_whole_repeats_and_leaves_out_bins_outside_of_them():
    words, repeats = numbered_words(64), Repeats(np.arange(6) * 0.2, duration_s=0.2)
    first, second = repeats.split(words, 0.5, random_state=1)
    parts = [set(repeats.locate(part)[0].tolist()) for part in (first, second)]
    assert [len(part) for part in parts] == [3, 3]
    assert parts[0] | parts[1] == set(range(6))
    assert first.n_bins + second.n_bins == 60 == repeats.within(words).n_bins
    again, _ = repeats.split(words, 0.5, random_state=1)
    np.testing.assert_array_equal(again.bins, first.bins)


def test_shuffled_repeats_keep_each_units_counts_at_each_moment():
    words = numbered_words(56, 4)
    repeats = Repeats(np.arange(6) * 0.2, duration_s=0.2)  # the last repeat is cut short
    words = repeats.within(words)
    mixed = repeats.shuffled(words, 3)
    _, moment = repeats.locate(words)
    before, after = words.expand(), mixed.expand()
    assert not np.array_equal(before, after)
    for k in range(10):
        np.testing.assert_array_equal(before[moment == k].sum(0), after[moment == k].sum(0))
    np.testing.assert_array_equal(mixed.counts, np.bincount(mixed.index))
    # Whole repeats of a unit are exchanged where all of them were observed.
    complete = {before[10 * r : 10 * r + 6, 0].tobytes() for r in range(6)}
    assert {after[10 * r : 10 * r + 6, 0].tobytes() for r in range(6)} == complete
