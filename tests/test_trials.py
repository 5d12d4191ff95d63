import numpy as np
import pytest

import microcolumn as mc
from microcolumn.errors import BadArgument, BadInput, BadType

#: Units, bins and trials.
SPIKES = np.random.default_rng(0).random((4, 30, 5)) < 0.3


def _by_hand(window):
    """Windows of every trial, oldest bin first, trial by trial."""
    n_units, n_bins, n_trials = SPIKES.shape
    return [
        [SPIKES[n, t + lag, trial] for lag in range(window) for n in range(n_units)]
        for trial in range(n_trials)
        for t in range(n_bins - window + 1)
    ]


@pytest.mark.parametrize("dims", ["units bins trials", "trials, bins, units", "bins trials units"])
def test_axes_may_be_in_any_order(dims):
    names = dims.replace(",", "").split()
    X = SPIKES.transpose([("units", "bins", "trials").index(name) for name in names])
    words = mc.Words.from_array(X, dims=dims)
    np.testing.assert_array_equal(words.expand(), _by_hand(1))
    assert words.epoch_starts.tolist() == [0, 30, 60, 90, 120]


def test_windows_never_cross_a_trial():
    words = mc.Words.from_array(SPIKES, dims="units bins trials")
    np.testing.assert_array_equal(words.embed(7).expand(), _by_hand(7))


def test_without_trials_dims_turn_a_matrix():
    words = mc.Words.from_array(SPIKES[:, :, 0], dims="units bins")
    np.testing.assert_array_equal(words.expand(), SPIKES[:, :, 0].T)
    assert words.epoch_starts.tolist() == [0]


def test_parts_of_a_split_keep_the_trials_apart():
    words = mc.Words.from_array(SPIKES, dims="units bins trials")
    for part in words.split(0.5, random_state=1):
        edges = np.flatnonzero((np.diff(part.bins // 30) != 0) | (np.diff(part.bins) != 1)) + 1
        assert part.epoch_starts.tolist() == [0, *edges]


def test_a_weight_may_be_given_for_each_bin_trial_by_trial():
    weights = np.repeat([1.0, 0.0, 2.0, 1.0, 1.0], 30)
    words = mc.Words.from_array(SPIKES, dims="units bins trials", sample_weight=weights)
    np.testing.assert_allclose(
        words.rates, np.average(SPIKES.transpose(2, 1, 0).reshape(-1, 4), axis=0, weights=weights)
    )


@pytest.mark.parametrize("dims", ["units bins", "units bins bins", "neurons bins trials", "", 3])
def test_axes_of_other_names_or_numbers_are_refused(dims):
    with pytest.raises((BadArgument, BadType)):
        mc.Words.from_array(SPIKES, dims=dims)


def test_an_array_of_trials_without_dims_is_refused_with_the_way_to_state_them():
    with pytest.raises(BadInput, match=r"dims='units bins trials'"):
        mc.Words.from_array(SPIKES)


def test_trials_without_a_bin_are_refused():
    with pytest.raises(BadArgument, match="at least one bin"):
        mc.Words.from_array(SPIKES[:, :0], dims="units bins trials")


def test_epochs_that_are_stated_stand_for_the_trials():
    words = mc.Words.from_array(SPIKES, dims="units bins trials", epoch_starts=[0, 30, 45])
    assert words.epoch_starts.tolist() == [0, 30, 45]
