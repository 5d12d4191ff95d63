"""The ratio of two normalisers against exact sums."""

import math

import numpy as np
import pytest

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.partition.exact import exact_log_partition
from microcolumn.solvers._log_ratio import log_ratio


@pytest.fixture(scope="module")
def models(random_parameters):
    """Two models next to each other, and the log of the ratio of their normalisers."""
    last = random_parameters("srbm", 6, 3, scale=0.6, seed=1)
    layout = Layout.of(last)
    step = np.random.default_rng(2).normal(0.05, 0.1, size=layout.size)
    theta = layout.unpack(layout.pack(last) + step)
    exact = [exact_log_partition(each, progress=False).value for each in (theta, last)]
    return last, theta, exact[0] - exact[1]


@pytest.mark.parametrize("sizes", [(6000, 6000), (2000, 12_000), (12_000, 2000), (0, 6000)])
def test_the_ratio_of_two_normalisers_is_the_exact_one_within_its_error(draw, models, sizes):
    last, theta, exact = models
    assert abs(exact) > 0.2
    z = []
    for seed in range(10):
        ahead, back = (
            log_weight(theta, X) - log_weight(last, X)
            for X in (draw(last, sizes[0], 2 * seed), draw(theta, sizes[1], 2 * seed + 1))
        )
        ratio, variance = log_ratio(ahead, back)
        z.append((ratio - exact) / math.sqrt(variance))
    assert np.abs(z).max() < 4.5
    assert 0.4 < np.sqrt(np.mean(np.square(z))) < 1.9


def test_words_drawn_several_times_count_as_often():
    rng = np.random.default_rng(0)
    ahead, back = rng.normal(-0.5, 1.0, size=40), rng.normal(0.5, 1.0, size=90)
    n_ahead, n_back = rng.integers(1, 4, size=40), rng.integers(1, 4, size=90)
    repeated = np.repeat(ahead, n_ahead), np.repeat(back, n_back)
    assert log_ratio(ahead, back, n_ahead, n_back) == pytest.approx(log_ratio(*repeated))
    none = np.zeros(0)
    assert log_ratio(none, back, n_back=n_back) == pytest.approx(log_ratio(none, repeated[1]))
