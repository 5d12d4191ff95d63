import math

import numpy as np
import pytest
from scipy import stats

from microcolumn.evaluate._significance import (
    claimed_stderr,
    corrected_stderr,
    p_text,
    p_value,
    split_stderr,
    with_error,
)


def test_the_plain_error_is_that_of_a_mean_of_independent_values():
    values = [9.0, 11.0, 12.5]
    assert split_stderr(values) == pytest.approx(stats.sem(values), rel=1e-14)
    assert math.isnan(split_stderr([1.0]))


def test_the_corrected_error_adds_the_share_of_words_to_the_variance():
    values = np.array([2.0, 2.5, 1.5, 2.25])
    expected = math.sqrt(values.var(ddof=1) * (1 / 4 + 0.7))  # Nadeau & Bengio 2003
    assert corrected_stderr(values, 0.7) == pytest.approx(expected, rel=1e-14)


def test_few_splits_are_judged_by_the_larger_error_and_many_by_that_over_splits():
    assert claimed_stderr(math.nan, 0.1, 1) == 0.1
    assert claimed_stderr(0.02, 0.1, 2) == 0.1
    assert claimed_stderr(1.5, 0.1, 2) == 1.5  # splits that disagree settle nothing
    assert claimed_stderr(0.02, 0.1, 3) == 0.02


def test_p_is_of_a_t_test_over_many_splits_and_of_a_normal_one_over_few():
    assert p_value(2.0, 1.0, 10) == pytest.approx(2 * stats.t(9).sf(2.0), rel=1e-14)
    assert p_value(-2.0, 1.0, 2) == pytest.approx(2 * stats.norm.sf(2.0), rel=1e-14)
    assert p_value(0.0, 0.0, 3) == 1.0
    assert math.isnan(p_value(1.0, math.nan, 3))


@pytest.mark.parametrize(
    ("p_value", "text"),
    [
        (0.5, "p = 0.5"),
        (0.01234, "p = 0.012"),
        (3.2e-6, "p = 3e-6"),
        (1e-30, "p < 1e-8"),
        (math.nan, "p unknown"),
    ],
)
def test_p_values_have_the_digits_that_matter(p_value, text):
    assert p_text(p_value) == text


@pytest.mark.parametrize(
    ("stderr", "text"),
    [(0.0432, "0.71 ± 0.04"), (0.0028, "0.712 ± 0.003"), (0.0, "0.71 ± 0.00")],
)
def test_scores_have_the_digits_that_their_error_needs(stderr, text):
    assert with_error(0.7123, stderr) == text
