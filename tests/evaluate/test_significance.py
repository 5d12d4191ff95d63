import math

import numpy as np
import pytest
from scipy import stats

from microcolumn.evaluate._layers import holm
from microcolumn.evaluate.significance import (
    degrees_of_freedom,
    p_value,
    split_stderr,
)


def test_the_plain_error_is_that_of_a_mean_of_independent_values():
    values = [9.0, 11.0, 12.5]
    assert split_stderr(values) == pytest.approx(stats.sem(values), rel=1e-14)
    assert math.isnan(split_stderr([1.0]))


def test_splits_of_single_words_have_one_degree_of_freedom_less_than_splits():
    assert [degrees_of_freedom(n) for n in (2, 3, 10)] == pytest.approx([1, 2, 9])
    assert math.isnan(degrees_of_freedom(1))


def test_few_blocks_leave_fewer_degrees_of_freedom_however_many_splits_deal_them():
    assert degrees_of_freedom(10, 20) == pytest.approx(1 / (1 / 9 + 1 / 19))
    assert degrees_of_freedom(10_000, 20) == pytest.approx(19, rel=2e-3)
    assert degrees_of_freedom(10, 10**9) == pytest.approx(9)
    assert degrees_of_freedom(3, 2) == pytest.approx(1 / (1 / 2 + 1))


def test_p_values_are_those_of_students_t():
    assert p_value(2.0, 1.0, 9) == pytest.approx(2 * stats.t(9).sf(2.0), rel=1e-12)
    assert p_value(-3.7, 1.0, 1) == pytest.approx(0.17, abs=0.005)  # 3e-4 by a normal test
    assert p_value(0.0, 0.0, 2) == 1.0
    assert p_value(1.0, 0.0, 2) == 0.0
    assert math.isnan(p_value(1.0, math.nan, 2))


def test_holms_correction_is_the_stepwise_rejection_it_stands_for():
    rng = np.random.default_rng(0)
    for _ in range(20):
        p = rng.random(5) ** 3
        corrected = holm(p)
        for level in (0.01, 0.05, 0.2):
            rejected = set()
            for rank, k in enumerate(np.argsort(p)):  # Holm 1979: stop at the first that stands
                if p[k] * (5 - rank) >= level:
                    break
                rejected.add(int(k))
            assert {k for k in range(5) if corrected[k] < level} == rejected
    assert holm(np.array([0.01, 0.04])).tolist() == [0.02, 0.04]
