"""Differences of two models, their intervals and what is said of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from planted_scores import N_CELLS, planted_score
from scipy import stats

from microcolumn.evaluate import SplitScore
from microcolumn.evaluate.paired import (
    EQUAL_MARGIN,
    Cells,
    PairedDifference,
    paired_difference,
    ratio,
)
from microcolumn.evaluate.splits import model_score
from microcolumn.models import ModelSpec


def model(values, stderr=0.3, name="Ising", **fields):
    scores = [planted_score(k, value, stderr, **fields) for k, value in enumerate(values)]
    return model_score(ModelSpec.of(name), scores, 10, 0.5)


def difference(mean, stderr=0.1, **fields):
    about = {"df": 10.0, "n_better": 3, "n_worse": 0, "n_splits": 3} | fields
    return PairedDifference("A", "B", mean, stderr, **about)


def test_the_error_of_a_single_split_is_that_of_its_test_words():
    found = paired_difference(model([12.0], 0.4, "RBM 5"), model([10.0], 0.3), math.nan)
    assert found.bits_per_second == pytest.approx(2.0)
    assert (found.stderr, found.df) == (pytest.approx(0.1), pytest.approx(10))
    half = stats.t(10).ppf(0.975) * 0.1
    assert found.interval == pytest.approx((2.0 - half, 2.0 + half))
    assert found.p_value == pytest.approx(2 * stats.t(10).sf(2.0 / 0.1))


def test_what_differs_between_splits_beyond_their_cells_widens_the_error():
    # All splits test all words, so that all of their variance comes from training.
    differences = [1.9, 2.1, 2.3]
    found = paired_difference(model([10.0 + d for d in differences]), model([10.0] * 3), 0.5)
    of_training = np.var(differences, ddof=1) * (0.25 / 0.75 + 1 / 3)
    assert found.stderr == pytest.approx(math.sqrt(of_training))
    assert found.df == pytest.approx(2.0)  # the test words add nothing here


def test_errors_of_normalisers_add_in_quadrature_and_shrink_with_splits():
    annealed = model([12.0, 12.0], 0.3, normaliser_stderr=0.05)
    found = paired_difference(annealed, model([10.0, 10.0], 0.3, normaliser_stderr=0.12), 0.5)
    assert found.stderr == pytest.approx(0.13 / math.sqrt(2.0))


def test_independent_units_are_the_zero():
    ising = model([10.0, 11.0])
    found = paired_difference(ising, None, 0.5)
    assert found.second == "Independent"
    assert (found.bits_per_second, found.stderr) == (10.5, pytest.approx(ising.stderr))


def test_a_pair_counts_the_splits_that_both_models_have():
    first = model([5.0, math.nan, 7.0])
    found = paired_difference(first, model([4.0, 2.0, 3.0]), 0.5)
    assert (first.n_splits, found.n_splits, found.bits_per_second) == (2, 2, pytest.approx(2.5))
    other = replace(first, splits=(replace(first.splits[0], split=9),))
    assert paired_difference(first, other, 0.5) is None


def test_planned_contrasts_pay_for_their_number_in_interval_and_p_alike():
    alone, planned = difference(0.26), difference(0.26, n_tests=4)
    assert planned.p_value == pytest.approx(4 * alone.p_value)
    assert planned.interval[0] == pytest.approx(0.26 - 0.1 * stats.t(10).ppf(1 - 0.05 / 8))
    for pair in (alone, planned, difference(0.31, n_tests=4)):
        low, high = pair.interval
        assert (pair.p_value < 0.05) == (not low < 0.0 < high)
    assert difference(0.01, n_tests=50).p_value == 1.0


def test_equal_is_told_from_undecided_by_the_interval_and_a_stated_margin():
    assert difference(0.02, margin=0.3).verdict == "equal"
    assert difference(0.2, margin=0.3).verdict == "undecided"
    assert difference(0.02, margin=math.nan).verdict == "undecided"
    assert difference(0.02, 1.0, margin=0.3).verdict == "undecided"
    planned = difference(0.02, margin=0.4, n_tests=2)
    assert f"within ±0.4 bits/s, {EQUAL_MARGIN:.0%} of the best model's gain" in str(planned)
    assert str(difference(0.02, n_tests=2)).endswith("too uncertain to say which is better")


def test_a_pair_that_was_not_planned_is_an_estimate_and_no_verdict():
    assert str(difference(2.0)) == "A minus B: 2.00 ± 0.10 bits/s, 95 % interval 1.78 to 2.22"
    assert str(difference(-2.0)) == "B minus A: 2.00 ± 0.10 bits/s, 95 % interval 1.78 to 2.22"
    assert str(difference(2.0, n_tests=2)) == "A is better than B by 2.00 ± 0.10 bits/s, p < 0.001"


def test_a_model_and_itself_are_the_same_and_where_fits_end_makes_no_difference():
    ising = model([10.0, 11.0])
    for shift in (0.0, 1.5e-14, 5e-4):
        other = model([10.0 + shift, 11.0 + shift])
        found = paired_difference(ising, other, 0.5)
        assert (found.bits_per_second, found.p_value, found.n_better) == (0.0, 1.0, 0)
        assert str(found) == "Ising and Ising are the same"
    assert paired_difference(ising, model([10.002, 11.002]), 0.5).n_worse == 2


def test_the_reversed_pair_is_the_same_one():
    pair = difference(1.0, n_better=2, n_worse=1)
    back = pair.reversed()
    assert (back.first, back.second, back.bits_per_second) == ("B", "A", -1.0)
    assert (back.n_better, back.n_worse, back.p_value) == (1, 2, pair.p_value)
    low, high = back.interval
    assert (-high, -low) == pytest.approx(pair.interval)
    assert str(back) == str(pair)


def test_halves_that_differ_beyond_their_noise_are_found_and_others_at_the_nominal_rate():
    rng = np.random.default_rng(1)
    share = np.full((1, N_CELLS), 1.0 / N_CELLS)
    p_values = []
    for _ in range(400):
        gains = share * (5.0 + rng.normal(size=(1, N_CELLS)))
        p_values.append(Cells(gains, share, np.zeros(1)).halves()[2])
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.03)
    step = np.repeat([4.0, 6.0], N_CELLS // 2) + 0.2 * rng.normal(size=N_CELLS)
    first, second, p = Cells(share * step, share, np.zeros(1)).halves()
    assert (first, second) == (pytest.approx(4.0, abs=0.2), pytest.approx(6.0, abs=0.2))
    assert p < 0.01
    assert math.isnan(Cells(share[:, :1], share[:, :1], np.zeros(1)).halves()[2])


def noisy(values):
    """Scores of one split whose cells have the given means, bits/s."""
    share = np.full(N_CELLS, 1.0 / N_CELLS)
    cells = {"gain_by_cell": tuple(share * values), "share_by_cell": tuple(share)}
    score = SplitScore(0, float(share @ values), math.nan, **cells)
    return model_score(ModelSpec("Ising"), [score], 10, 0.5)


def test_the_error_of_a_ratio_is_that_of_many_simulated_ones():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(600):
        shared = rng.normal(size=N_CELLS)
        below = 10.0 + shared + 0.3 * rng.normal(size=N_CELLS)
        above = 12.0 + 1.5 * shared + 0.4 * rng.normal(size=N_CELLS)
        found.append(ratio(noisy(above), noisy(below), math.nan))
    spread = np.std([each.value for each in found])
    assert np.sqrt(np.mean([each.stderr**2 for each in found])) == pytest.approx(spread, rel=0.1)


def test_without_a_gain_to_compare_with_there_is_no_ratio():
    assert ratio(model([1.0]), model([-1.0]), 0.5) is None
    assert ratio(model([1.0]), model([0.0]), 0.5) is None
    assert ratio(model([12.0, 13.0]), model([9.0, 11.0]), 0.5).value == pytest.approx(1.25)
