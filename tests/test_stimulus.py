"""Stimulus drive against brute force: rates of the other repeats, and the width of their kernel."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from microcolumn.repeats import Repeats
from microcolumn.stimulus import PRIOR_BINS, StimulusDrive, smoothing_kernel
from microcolumn.words import Words


def planted(n_repeats=12, n_moments=40, seed=0, n_bins=None):
    """Two units that follow the stimulus, slowly and fast, one that does not, and a silent one."""
    rng = np.random.default_rng(seed)
    t = np.arange(n_moments)
    slow, fast = 0.25 + 0.2 * np.sin(2 * np.pi * t / n_moments), np.where(t % 7 == 0, 0.7, 0.05)
    rates = np.stack([slow, fast, np.full(n_moments, 0.2), np.zeros(n_moments)], axis=1)
    bits = rng.random((n_repeats, n_moments, 4)) < rates
    words = Words.from_array(bits.reshape(-1, 4)[:n_bins], bin_width=0.020)
    return words, Repeats(np.arange(n_repeats) * n_moments * 0.020, n_moments * 0.020)


def brute_force_rate(words, repeats, left_out, moment, unit, width_bins, prior):
    """Smoothed rate at a moment of the stimulus, from all bins of the other repeats, one by one."""
    repeat, moments = repeats.locate(words)
    bits = words.expand()[:, unit]
    others = [k for k in range(words.n_bins) if repeat[k] != left_out]
    mean = (sum(int(bits[k]) for k in others) + 0.5) / (len(others) + 1.0)
    if math.isinf(width_bins):
        return mean, mean
    if width_bins == 0:
        weight = {0: 1.0}
    else:
        reach = math.ceil(4 * width_bins)
        weight = {j: math.exp(-0.5 * (j / width_bins) ** 2) for j in range(-reach, reach + 1)}
    worth = sum(weight.values()) / sum(w * w for w in weight.values())
    hits = sum(worth * weight.get(int(moments[k]) - moment, 0.0) * bits[k] for k in others)
    seen = sum(worth * weight.get(int(moments[k]) - moment, 0.0) for k in others)
    return (hits + prior * mean) / (seen + prior), mean


def logit(p):
    return math.log(p / (1 - p))


@pytest.mark.parametrize("n_bins", [None, 12 * 40 - 25])  # the last repeat whole, and cut short
def test_offsets_are_log_odds_of_the_other_repeats_relative_to_the_mean(n_bins):
    words, repeats = planted(n_bins=n_bins)
    drive = StimulusDrive.from_words(words, repeats)
    table, row = drive.offsets(words)
    repeat, moment = repeats.locate(words)
    for k in [0, 39, 40, 137, words.n_bins - 1]:
        for unit in range(4):
            settings = drive.width_s[unit] / 0.020, drive.prior_bins[unit]
            rate, mean = brute_force_rate(words, repeats, repeat[k], moment[k], unit, *settings)
            assert table[row[k], unit] == pytest.approx(logit(rate) - logit(mean), abs=1e-12)


def test_the_width_is_the_one_that_brute_force_over_left_out_repeats_prefers():
    words, repeats = planted(n_repeats=4, n_moments=15)
    widths = np.array([0.0, 1.0, 3.0])
    drive = StimulusDrive.from_words(words, repeats, widths * 0.020)
    repeat, moment = repeats.locate(words)
    bits = words.expand()
    settings = list(product([*widths, np.inf], PRIOR_BINS))
    expected = np.zeros((len(settings), 3))
    for i, (width, prior) in enumerate(settings):
        for k in range(words.n_bins):
            for unit in range(3):
                p, _ = brute_force_rate(words, repeats, repeat[k], moment[k], unit, width, prior)
                expected[i, unit] += math.log(p if bits[k, unit] else 1 - p)
    found = drive.left_out_log_likelihood(widths * 0.020).sum(axis=0).reshape(len(settings), 4)
    np.testing.assert_allclose(found[:, :3], expected, rtol=1e-12)
    best = expected[: -len(PRIOR_BINS)].argmax(axis=0)
    chosen = list(zip(drive.width_s / 0.020, drive.prior_bins, strict=True))
    assert chosen[:3] == [settings[i] for i in best]


def test_units_get_kernels_as_wide_as_their_responses_and_only_such_units_are_locked():
    words, repeats = planted(n_repeats=60)
    drive = StimulusDrive.from_words(words, repeats)
    slow, fast, constant, silent = drive.width_s / 0.020
    assert fast <= 0.5 < slow <= 8.0
    assert constant > slow / 2
    assert math.isinf(silent)
    assert drive.locked.tolist() == [True, True, False, False]
    table, _ = drive.offsets(words)
    assert np.abs(table[:, 2]).max() < 0.5 < np.abs(table[:, 0]).max()
    assert not table[:, 3].any()
    assert "60 repeats of 0.8 s, 2 units locked" in repr(drive)


@pytest.mark.parametrize("n_repeats", [3, 20])
def test_few_units_that_ignore_the_stimulus_are_called_locked_to_it(n_repeats):
    rng = np.random.default_rng(0)
    words = Words.from_array(rng.random((n_repeats * 40, 200)) < 0.1)
    drive = StimulusDrive.from_words(words, Repeats(np.arange(n_repeats) * 0.8, 0.8))
    assert drive.locked.mean() < 0.08
    if n_repeats == 20:  # and what they are driven with is little
        assert drive.offsets(words)[0].std() < 0.2


def test_the_psth_comes_close_to_the_planted_rates():
    words, repeats = planted(n_repeats=250)
    found = StimulusDrive.from_words(words, repeats).psth_hz() * 0.020
    t = np.arange(40)
    np.testing.assert_allclose(found[:, 0], 0.25 + 0.2 * np.sin(2 * np.pi * t / 40), atol=0.08)
    np.testing.assert_allclose(found[:, 1], np.where(t % 7 == 0, 0.7, 0.05), atol=0.1)


def test_a_spike_never_enters_the_drive_of_its_own_repeat():
    words, repeats = planted()
    bits = words.expand().copy()
    bits[40:80, :3] ^= 1  # another second repeat
    other = Words.from_array(bits, bin_width=0.020)
    settings = {"width_s": np.full(4, 0.04), "prior_bins": np.ones(4)}  # two numbers for each unit
    drives = [replace(StimulusDrive.from_words(w, repeats), **settings) for w in (words, other)]
    tables = [drive.offsets(w) for drive, w in zip(drives, (words, other), strict=True)]
    inside = [table[row[40:80]] for table, row in tables]
    np.testing.assert_array_equal(*inside)
    outside = [table[row[:40]] for table, row in tables]
    assert not np.array_equal(*outside)


def test_new_repeats_share_the_rows_of_all_training_repeats():
    words, repeats = planted()
    train, test = repeats.split(words, 0.5, random_state=0)
    drive = StimulusDrive.from_words(train, repeats)
    table, row = drive.offsets(test)
    assert table.shape == (40, 4)
    np.testing.assert_array_equal(row, repeats.locate(test)[1])
    assert drive.offsets(train)[0].shape == (train.n_bins, 4)


def test_a_moment_that_was_never_observed_in_other_repeats_has_no_drive():
    words, repeats = planted(n_repeats=2, n_bins=40 + 15)
    drive = StimulusDrive.from_words(words, repeats, [0.0])
    table, row = drive.offsets(words)
    assert not table[row[15:40]].any()  # only the first repeat went on so long
    assert table[row[:15]].any()


def test_units_may_come_in_another_order():
    words, repeats = planted()
    drive = StimulusDrive.from_words(words, repeats)
    table, row = drive.offsets(words)
    other, other_row = drive.offsets(words.subset([2, 0, 3, 1]))
    np.testing.assert_array_equal(other[other_row], table[row])


def test_weights_of_a_kernel_add_up_to_the_bins_that_they_are_worth():
    assert smoothing_kernel(0.0).tolist() == [1.0]
    rng = np.random.default_rng(0)
    kernel = smoothing_kernel(3.0)
    means = rng.normal(size=(20_000, kernel.size)) @ kernel / kernel.sum()
    assert means.var() == pytest.approx(1.0 / kernel.sum(), rel=0.05)
