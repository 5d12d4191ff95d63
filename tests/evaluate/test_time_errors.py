"""Errors of means over time against known variances, coverage and least squares."""

import math

import numpy as np
import pytest
from scipy import fft, stats
from scipy.signal import lfilter

from microcolumn.evaluate.time_errors import (
    N_CELLS,
    N_WAVES,
    _split_effects,
    cells_of,
    mean_over_splits,
    mean_stderr,
    wave_variance,
)


def correlated(n, decay, rng):
    """A first-order autoregression of unit variance; its mean has variance (1+a)/(1-a)/n."""
    noise = rng.normal(scale=math.sqrt(1.0 - decay**2), size=n)
    return lfilter([1.0], [1.0, -decay], noise, zi=[decay * rng.normal()])[0]


def test_the_waves_are_those_of_the_cosine_transform():
    series = np.random.default_rng(0).normal(size=50)
    powers = fft.dct(series - series.mean(), norm="ortho")[1 : N_WAVES + 1] ** 2
    assert wave_variance(series - series.mean()) == pytest.approx(50 * powers.mean())


@pytest.mark.parametrize("decay", [0.0, 0.9, 0.99])
def test_the_square_is_unbiased_whatever_the_correlation(decay):
    rng = np.random.default_rng(1)
    n = 20_000
    squares = [mean_stderr(correlated(n, decay, rng)) ** 2 for _ in range(400)]
    # A variance of ten degrees of freedom is good to 45 %, the mean of 400 to 2 %.
    truth = (1 + decay) / (1 - decay) / n
    assert np.mean(squares) == pytest.approx(truth, rel=0.15)


def test_intervals_of_slowly_switching_activity_hold_the_mean():
    # Half an hour in steps of 0.1 s of a process that switches every 10 s on average.
    rng = np.random.default_rng(2)
    flips = rng.random((300, 18_000)) < 1.0 - math.exp(-0.1 / 10.0)
    states = (rng.integers(2, size=(300, 1)) + flips.cumsum(axis=1)) % 2
    half = stats.t(N_WAVES).ppf(0.975)
    held = [abs(each.mean() - 0.5) < half * mean_stderr(each.astype(float)) for each in states]
    assert 0.92 <= np.mean(held) <= 0.98


def test_equal_weights_change_nothing_and_weight_zero_is_as_good_as_absent():
    values = np.random.default_rng(5).normal(size=100)
    assert mean_stderr(values, np.full(100, 3.0)) == pytest.approx(mean_stderr(values))
    zeros = mean_stderr(np.append(values, [100.0]), np.append(np.ones(100), [0.0]))
    assert zeros == pytest.approx(mean_stderr(values), rel=0.05)


def test_constant_values_have_no_error_and_a_single_one_an_unknown_error():
    assert mean_stderr(np.full(30, 2.0)) == pytest.approx(0.0, abs=1e-15)
    assert math.isnan(mean_stderr(np.ones(1)))
    assert mean_stderr(np.array([0.0, 2.0])) == pytest.approx(1.0)  # as the textbook has it


def test_cells_are_of_equal_length_and_no_more_than_places():
    assert np.bincount(cells_of(np.arange(1000), 1000)).tolist() == [1000 // N_CELLS] * N_CELLS
    assert cells_of(np.arange(7), 7).tolist() == list(range(7))


def simulated(rng, n_splits, training=0.0, n_blocks=20, per_block=10):
    """Gains and shares by cell of equal models, of which half of the blocks are tested at a time.

    What differs between models is noise of the test words plus, in each split, noise of its
    training words: a mean of independent effects of blocks.
    """
    words = rng.normal(size=n_blocks * per_block)
    effects = rng.normal(size=n_blocks) * training
    gains, shares = np.zeros((2, n_splits, words.size))
    for k in range(n_splits):
        is_test = rng.permutation(np.repeat([True, False], n_blocks // 2))
        tested = np.repeat(is_test, per_block)
        shares[k, tested] = 1.0 / tested.sum()
        shift = (effects[~is_test] ** 2).mean() - training**2
        gains[k] = shares[k] * (words + shift)
    return gains, shares


@pytest.mark.parametrize("n_splits", [1, 2, 3, 10])
@pytest.mark.parametrize("training", [0.0, 0.15])
def test_equal_models_are_told_apart_at_the_nominal_rate(n_splits, training):
    rng = np.random.default_rng(3)
    n, found = 600, 0
    for _ in range(n):
        mean, stderr, df = mean_over_splits(*simulated(rng, n_splits, training), train_share=0.5)
        found += 2.0 * stats.t.sf(abs(mean) / stderr, df) < 0.05
    assert found / n <= 0.075
    assert training or found / n >= 0.03


def test_what_splits_differ_by_is_the_least_squares_fit_of_splits_and_cells():
    rng = np.random.default_rng(4)
    gains, shares = simulated(rng, 4, training=1.0)
    splits, cells = np.nonzero(shares)
    design = np.zeros((splits.size, 4 + shares.shape[1]))
    design[np.arange(splits.size), splits] = 1.0
    design[np.arange(splits.size), 4 + cells] = 1.0
    values = gains[splits, cells] / shares[splits, cells]
    fitted = np.linalg.lstsq(design, values, rcond=None)[0][:4]
    assert _split_effects(gains, shares) == pytest.approx(fitted - fitted.mean(), abs=1e-10)


def test_splits_without_a_cell_in_common_leave_the_test_words_error():
    shares = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    gains = shares * np.array([1.0, 3.0, -2.0, 4.0])
    mean, stderr, df = mean_over_splits(gains, shares, 0.5)
    assert (mean, df) == (pytest.approx(1.5), pytest.approx(N_WAVES))
    influence = (gains - mean * shares).sum(axis=0) / 2
    assert stderr == pytest.approx(math.sqrt(wave_variance(influence)))
