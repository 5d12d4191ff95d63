"""Rounds of two conditions: which words go together, what cancels, and their exchange."""

from itertools import product

import numpy as np
import pytest

from microcolumn import Recording, Words
from microcolumn.errors import BadArgument
from microcolumn.evaluate._rounds import MOST_ROUNDS, N_BLOCKS, chance, in_rounds


def visits(n_visits, n_bins=10, seconds=0.1):
    """Words of two conditions in turn, so many visits together."""
    edges = np.arange(n_visits + 1) * n_bins * seconds
    epochs = np.column_stack((edges[:-1], edges[1:]))
    recording = Recording([np.arange(0.05, edges[-1], 0.3), [0.25]], epochs=epochs)
    return tuple(recording.restrict(epochs[k::2]).bin(seconds) for k in (0, 1))


def times(words):
    return words.clock.times_s(words.bins, words.bin_width)


def test_a_round_is_a_visit_and_the_halves_of_those_around_it():
    both, rounds = in_rounds(visits(15))
    assert rounds.alternate
    assert (rounds.n_rounds, rounds.n_visits) == (7, 7)
    # The second round: the second visit to b, the second half of one to a, the first of the next.
    first, second = (
        times(each)[cells // 3 == 1] for each, cells in zip(both, rounds.cells, strict=True)
    )
    np.testing.assert_allclose(second, 3.0 + 0.1 * np.arange(10))
    np.testing.assert_allclose(first, [*(2.5 + 0.1 * np.arange(5)), *(4.0 + 0.1 * np.arange(5))])
    assert sum(each.n_bins for each in both) == 150


def test_a_last_visit_without_another_after_it_is_left_out():
    both, rounds = in_rounds(visits(14))
    assert rounds.n_rounds == 6
    assert [each.n_bins for each in both] == [70, 60]


@pytest.mark.parametrize("swapped", [False, True])
def test_an_even_change_over_time_cancels_and_a_difference_stays(swapped):
    words = visits(17)[::-1] if swapped else visits(17)
    both, rounds = in_rounds(words)
    sums, n = np.zeros((rounds.n_rounds, 3, 1)), rounds.n_bins
    for condition, (each, cells) in enumerate(zip(both, rounds.cells, strict=True)):
        value = 4.0 + 0.7 * times(each) - 0.5 * condition
        sums.ravel()[:] += np.bincount(cells, value, minlength=sums.size)
    np.testing.assert_allclose(rounds.differences(sums / n[:, :, None]), 0.5)


def test_many_visits_make_longer_rounds():
    both, rounds = in_rounds(visits(101))
    assert (rounds.n_rounds, rounds.n_visits) == (MOST_ROUNDS, 50)
    assert sum(each.n_bins for each in both) == 1010


def test_few_visits_are_cut_into_blocks():
    _, rounds = in_rounds(visits(4, n_bins=30))
    assert not rounds.alternate
    assert (rounds.n_rounds, rounds.n_visits) == (N_BLOCKS, 2)
    np.testing.assert_array_equal(rounds.n_bins, 6)


def test_arrays_follow_each_other():
    words = Words.from_array(np.tile([[0, 1], [1, 0]], (50, 1)))
    _, rounds = in_rounds((words, words))
    assert (rounds.alternate, rounds.n_visits) == (False, 1)


def test_too_few_bins_are_refused():
    words = Words.from_array(np.eye(4, 2, dtype=int))
    with pytest.raises(BadArgument, match="pass 10 bins"):
        in_rounds((words, words))


def share_of_exchanges(d):
    """By brute force over signs: how often rounds that are not neighbours agree as well."""

    def agreement(signed):
        n = len(signed)
        return sum(signed[i] @ signed[j] for i in range(n) for j in range(i + 2, n))

    every = product((1.0, -1.0), repeat=len(d) - 1)
    sums = [agreement(np.array([1.0, *signs])[:, None] * d) for signs in every]
    return np.mean(np.array(sums) >= agreement(d) - 1e-9)


def test_chance_is_the_share_of_exchanges_that_agree_as_well():
    d = np.random.default_rng(3).normal(0.4, 1.0, size=(7, 3))
    assert chance(d @ d.T, np.random.default_rng(0)) == pytest.approx(share_of_exchanges(d))


def test_random_exchanges_estimate_the_same_share():
    d = np.random.default_rng(5).normal(0.2, 1.0, size=(13, 2))
    expected = share_of_exchanges(d)
    assert 0.01 < expected < 0.99
    assert chance(d @ d.T, np.random.default_rng(0)) == pytest.approx(expected, abs=0.02)
