"""Block standard errors against resampling and against known variances."""

import math

import numpy as np
import pytest

from microcolumn.evaluate.bootstrap import block_bins_of, block_stderr
from microcolumn.words import Words


def _correlated(n, decay, rng):
    """A first-order autoregression of unit variance; its mean has variance (1+a)/(1-a)/n."""
    noise = rng.normal(scale=math.sqrt(1.0 - decay**2), size=n)
    values = np.empty(n)
    values[0] = rng.normal()
    for t in range(1, n):
        values[t] = decay * values[t - 1] + noise[t]
    return values


@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_what_resampling_circular_blocks_gives(weighted):
    rng = np.random.default_rng(1)
    values = _correlated(600, 0.8, rng)
    weights = rng.uniform(0.5, 2.0, size=600) if weighted else None
    block, n_blocks = 20, 30
    means = []
    for _ in range(4000):
        starts = rng.integers(600, size=n_blocks)
        drawn = (starts[:, None] + np.arange(block)).ravel() % 600
        means.append(np.average(values[drawn], weights=None if weights is None else weights[drawn]))
    resampled = np.std(means) * math.sqrt(n_blocks / (n_blocks - 1))
    assert block_stderr(values, weights, block) == pytest.approx(resampled, rel=0.04)


@pytest.mark.parametrize("block", [1, 7, 50])
def test_its_square_is_unbiased_for_independent_values_whatever_the_block(block):
    rng = np.random.default_rng(2)
    squares = [block_stderr(rng.normal(size=200), None, block) ** 2 for _ in range(3000)]
    assert np.mean(squares) == pytest.approx(1.0 / 200, rel=0.05)


def test_blocks_of_one_give_the_textbook_standard_error():
    values = np.random.default_rng(3).normal(size=50)
    textbook = values.std(ddof=1) / math.sqrt(50)
    assert block_stderr(values, None, 1) == pytest.approx(textbook, rel=1e-12)


def test_dependence_on_neighbours_is_seen_by_blocks_and_missed_without():
    rng = np.random.default_rng(4)
    n, decay = 20_000, 0.8
    values = _correlated(n, decay, rng)
    truth = math.sqrt((1 + decay) / (1 - decay) / n)
    assert block_stderr(values, None, n // 100) == pytest.approx(truth, rel=0.2)
    assert block_stderr(values, None, 1) < 0.4 * truth


def test_equal_weights_change_nothing_and_weight_zero_is_as_good_as_absent():
    values = np.random.default_rng(5).normal(size=100)
    plain = block_stderr(values, None, 5)
    assert block_stderr(values, np.full(100, 3.0), 5) == pytest.approx(plain, rel=1e-12)
    twice = np.append(values, [100.0, -100.0])
    weights = np.append(np.ones(100), [0.0, 0.0])
    assert block_stderr(twice, weights, 1) == pytest.approx(block_stderr(values, None, 1), rel=0.02)


def test_values_that_are_all_zero_have_no_error_and_a_single_one_an_unknown_error():
    assert block_stderr(np.zeros(30), None, 3) == 0.0
    assert math.isnan(block_stderr(np.ones(1), None, 1))


@pytest.mark.parametrize(
    ("n_bins", "window", "expected"),
    [(1, 1, 1), (4, 1, 1), (40, 1, 8), (500, 1, 10), (20_000, 1, 200), (5009, 10, 100)],
)
def test_default_blocks_are_a_hundredth_but_ten_words_long_and_at_least_five(
    n_bins, window, expected
):
    words = Words.from_array(np.zeros((n_bins, 1)))
    if window > 1:
        words = words.embed(window)
    assert block_bins_of(words, None) == expected
