"""Ratios of mean scores, paired by split, against simulation and by hand."""

import math

import numpy as np
import pytest

from microcolumn.evaluate.significance import ratio


def by_split(values):
    return dict(enumerate(values))


def test_the_ratio_is_that_of_the_means_over_splits_that_both_have():
    found = ratio({0: 11.0, 1: 13.0, 5: 99.0}, {0: 9.0, 1: 11.0, 2: 99.0}, 1.0)
    assert found.value == pytest.approx(1.2)


def test_the_error_is_that_of_many_simulated_ratios():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(4000, 200))
    below = 10.0 + shared + 0.3 * rng.normal(size=shared.shape)
    above = 12.0 + 1.5 * shared + 0.4 * rng.normal(size=shared.shape)
    spread = (above.mean(axis=1) / below.mean(axis=1)).std()
    errors = [
        ratio(by_split(a), by_split(b), 0.0).stderr for a, b in zip(above[:50], below, strict=False)
    ]
    assert np.mean(errors) == pytest.approx(spread, rel=0.05)


def test_splits_that_overlap_widen_the_error_as_that_of_a_mean():
    above, below = by_split([12.0, 12.5, 11.0]), by_split([10.0, 10.1, 9.7])
    plain, corrected = ratio(above, below, 0.0), ratio(above, below, 1.0)
    assert corrected.value == plain.value
    assert corrected.stderr == pytest.approx(plain.stderr * math.sqrt(1 + 3))


def test_what_scales_with_the_other_in_every_split_has_no_error():
    assert ratio({0: 2.4, 1: 3.6}, {0: 2.0, 1: 3.0}, 1.0).stderr == pytest.approx(0.0, abs=1e-15)


def test_without_a_gain_to_compare_with_there_is_no_ratio():
    assert ratio({0: 1.0}, {0: -1.0}, 1.0) is None
    assert ratio({0: 1.0}, {0: 0.0}, 1.0) is None
    assert ratio({0: 1.0}, {1: 1.0}, 1.0) is None
    assert math.isnan(ratio({0: 1.0}, {0: 2.0}, 1.0).stderr)
