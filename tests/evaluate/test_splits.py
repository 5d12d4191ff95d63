import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from microcolumn.evaluate import SplitScore
from microcolumn.evaluate.paired import judged_together, paired_difference
from microcolumn.evaluate.significance import holm
from microcolumn.evaluate.splits import compare_splits, model_score
from microcolumn.models import ModelSpec

ISING = ModelSpec("Ising")
WHERE = {"recording": "cells", "experiment": "instantaneous"}


def scores(values, block_stderr=0.1):
    return [SplitScore(k, value, block_stderr) for k, value in enumerate(values)]


def compared(first, second):
    """A comparison of two models with the given scores per split."""
    n = len(first)
    differences = {("A", "B"): {k: (first[k] - second[k], 0.1) for k in range(n)}}
    return compared_as({"A": first, "B": second, "Independent": [0.0] * n}, differences)


def compared_as(values, differences):
    """A comparison of models by name, with the given scores per split."""
    found = {ModelSpec(name): scores(each) for name, each in values.items()}
    return compare_splits(found, differences, 10, 1.0, **WHERE)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.floats(-50, 50), min_size=2, max_size=8))
def test_the_mean_and_its_error_are_those_of_scipy(values):
    result = model_score(ISING, scores(values), n_units=5)
    assert result.bits_per_second == pytest.approx(np.mean(values))
    assert result.per_neuron == pytest.approx(np.mean(values) / 5)
    assert result.split_stderr == pytest.approx(stats.sem(values), abs=1e-12)


def test_the_block_error_is_the_root_mean_square_over_splits():
    rows = [SplitScore(0, 1.0, 0.3), SplitScore(1, 2.0, 0.4)]
    assert model_score(ISING, rows, 5).block_stderr == pytest.approx(math.sqrt(0.25 / 2))


def test_sizes_are_averaged_and_every_split_is_kept_in_order():
    rows = [
        SplitScore(2, 1.0, 0.1, 4e-3, n_nonzero=10, n_couplings=3, n_live_hidden=1),
        SplitScore(0, 1.0, 0.1, 1e-3, n_nonzero=20, n_couplings=6, n_live_hidden=4),
    ]
    result = model_score(ModelSpec("SemiRBM", 5), rows, 5)
    assert (result.n_nonzero, result.n_couplings, result.n_live_hidden) == (15, 4.5, 2.5)
    assert result.l1 == (1e-3, 4e-3)
    assert [score.split for score in result.splits] == [0, 2]


def test_splits_without_a_finite_score_do_not_count():
    result = model_score(ISING, scores([3.0, math.nan, 5.0, -math.inf]), 5)
    assert (result.bits_per_second, result.n_splits) == (4.0, 2)
    assert model_score(ISING, scores([math.nan]), 5) is None
    assert paired_difference("A", "B", [math.nan], [0.1], 1.0) is None
    known = paired_difference("A", "B", [math.nan, 2.0, 4.0], [0.1, 0.1, 0.1], 1.0)
    assert known.bits_per_second == 3.0


def test_without_test_words_the_corrected_test_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 9))
    found = paired_difference("A", "B", first - second, [0.1] * 9, test_to_train=0.0)
    assert found.p_value == pytest.approx(stats.ttest_rel(first, second).pvalue)
    assert found.corrected_stderr == pytest.approx(found.split_stderr)


def test_the_corrected_error_is_that_of_nadeau_and_bengio():
    differences = [0.9, 1.1, 1.3, 0.7, 1.0]
    found = paired_difference("A", "B", differences, [0.1] * 5, test_to_train=0.25)
    stderr = math.sqrt(np.var(differences, ddof=1) * (1 / 5 + 0.25))
    assert found.corrected_stderr == pytest.approx(stderr)
    assert found.p_value == pytest.approx(2 * stats.t.cdf(-1.0 / stderr, df=4))


def test_two_splits_are_tested_with_one_degree_of_freedom_and_decide_nothing():
    found = paired_difference("A", "B", [0.8, 0.5], [0.1, 0.1], 1.0)
    stderr = math.sqrt(np.var([0.8, 0.5], ddof=1) * (1 / 2 + 1))
    assert (found.df, found.stderr) == (1.0, pytest.approx(stderr))
    assert found.p_value == pytest.approx(2 * stats.t.cdf(-0.65 / stderr, df=1))
    agree = paired_difference("A", "B", [0.65, 0.65000001], [0.1, 0.1], 1.0)
    assert agree.p_value < 1e-6
    for pair in (found, agree):
        assert (pair.verdict, pair.differs) == ("too few splits", False)
    told = "A minus B: 0.65 ± 0.26 bits/s; too few splits to decide (2; at least 3 are needed)"
    assert str(found) == told


def test_a_single_split_has_the_error_and_degrees_of_freedom_of_its_blocks():
    found = paired_difference("A", "B", [0.3], [0.1], 1.0, n_test_blocks=100.0)
    assert math.isnan(found.corrected_stderr)
    assert (found.stderr, found.df) == (0.1, 99.0)
    assert found.p_value == pytest.approx(2 * stats.t.cdf(-3.0, df=99))
    assert found.verdict == "too few splits"
    unknown = paired_difference("A", "B", [0.3], [math.nan], 1.0)
    assert math.isnan(unknown.p_value)
    assert str(unknown).startswith("A minus B: 0.30 ± - bits/s; too few splits to decide (1;")


def test_blocks_that_are_dealt_again_and_again_leave_wider_intervals():
    values = [2.1, 1.9, 2.0, 2.2]
    words, blocks = (
        paired_difference("A", "B", values, [0.1] * 4, 1.0, n_blocks=n) for n in (None, 20)
    )
    assert words.stderr == blocks.stderr
    assert words.p_value < blocks.p_value
    half = stats.t(1 / (1 / 3 + 1 / 19)).ppf(0.975) * blocks.stderr
    assert blocks.interval == pytest.approx((2.05 - half, 2.05 + half))
    low, high = blocks.reversed().interval
    assert (-high, -low) == pytest.approx(blocks.interval)


def equal_or_not(values, margin):
    [pair] = judged_together([paired_difference("A", "B", values, [0.1] * 5, 1.0)], margin)
    return pair


def test_equal_is_told_from_undecided_by_the_interval_and_a_stated_margin():
    values = [0.02, -0.03, 0.01, 0.03, -0.01]
    low, high = equal_or_not(values, 0.3).interval
    assert max(-low, high) < 0.3
    assert equal_or_not(values, 0.3).verdict == "equal"
    assert "within ±0.3 bits/s, 2% of the best model's gain" in str(equal_or_not(values, 0.3))
    for margin in (0.9 * high, math.nan, 0.0):
        assert equal_or_not(values, margin).verdict == "undecided"
    assert str(equal_or_not(values, 0.0)).endswith("too uncertain to say which is better")
    # Wide intervals that reach over the margin are no equality, however small the mean.
    assert equal_or_not([2.0, -2.0, 1.0, -1.0, 0.0], 0.3).verdict == "undecided"


def test_verdicts_are_corrected_for_the_number_of_pairs():
    alone = paired_difference("A", "B", [1.0, 1.3, 0.8, 1.1, 0.7], [0.1] * 5, 1.0)
    assert 0.01 < alone.p_value == alone.p_holm < 0.05
    assert alone.verdict == "better"
    others = [paired_difference("A", "C", [1.0, -0.9, 0.2, 0.1, 0.0], [0.1] * 5, 1.0)] * 5
    together = judged_together([alone, *others])[0]
    assert together.p_value == alone.p_value
    assert together.p_holm == pytest.approx(6 * alone.p_value)
    assert together.verdict == "undecided"


def test_all_pairs_of_a_comparison_are_corrected_together_with_one_margin():
    found = compared([1.0, 1.2, 0.9], [3.0, 3.1, 3.0])
    assert [pair.p_holm for pair in found.pairs] == holm([pair.p_value for pair in found.pairs])
    assert {pair.margin for pair in found.pairs} == {0.02 * found.best.bits_per_second}


def rejections(test_to_train):
    """Share of studies of 10 splits that find a difference where there is none.

    What the models differ by at each word is noise of mean zero. Half of the words are tested, so
    the splits of one recording share its mean, which is not zero.
    """
    rng = np.random.default_rng(1)
    n_studies, found = 800, 0
    for _ in range(n_studies):
        words = rng.normal(size=100)
        differences = [rng.permutation(words)[:50].mean() for _ in range(10)]
        found += paired_difference("A", "B", differences, [0.1] * 10, test_to_train).differs
    return found / n_studies


def test_equal_models_are_told_apart_at_the_nominal_rate_as_the_plain_error_would_not():
    assert rejections(test_to_train=1.0) == pytest.approx(0.05, abs=0.02)
    assert rejections(test_to_train=0.0) > 0.3


def test_a_model_and_itself_are_the_same():
    found = paired_difference("A", "B", [0.0, 0.0], [0.0, 0.0], 1.0)
    assert str(found) == "A and B are the same"
    assert (found.p_value, found.n_better, found.n_worse) == (1.0, 0, 0)
    annealed = paired_difference("A", "B", [0.0], [0.1], 1.0)  # the error of log Z remains
    assert str(annealed) == "A and B are the same"


def test_rounding_makes_no_difference_between_models_that_are_the_same():
    # A semi-restricted model whose hidden units are dead is the Ising model, summed differently.
    by_rounding = [1.5e-14, 1.4e-14, 1.3e-14, 1.5e-14]
    for n_splits in (2, 4):
        found = paired_difference("A", "B", by_rounding[:n_splits], [0.0] * n_splits, 1.0)
        assert (found.bits_per_second, found.p_value, found.n_better) == (0.0, 1.0, 0)
        assert str(found) == "A and B are the same"
    assert paired_difference("A", "B", [1e-8] * 3, [0.0] * 3, 1.0).differs


def test_a_pair_can_be_asked_for_in_either_order():
    found = compared([1.0, 3.2, 0.9], [3.0, 3.1, 3.0])
    forth, back = found.pair("B", "A"), found.pair("A", "B")
    assert forth.bits_per_second == -back.bits_per_second
    assert (forth.n_better, forth.n_worse) == (back.n_worse, back.n_better) == (2, 1)
    assert str(forth) == str(back)
    with pytest.raises(ValueError, match="no pair of 'A' and 'C'; choose two of B, A, Independent"):
        found.pair("A", "C")


def test_a_pair_counts_the_splits_that_both_models_have():
    differences = {("B", "A"): {0: (4.0, 0.2), 1: (math.nan, math.nan)}}
    found = compared_as({"A": [1.0, 2.0], "B": [5.0, math.nan]}, differences)
    assert [(model.name, model.n_splits) for model in found.models] == [("B", 1), ("A", 2)]
    assert (found.pairs[0].n_splits, found.pairs[0].bits_per_second) == (1, 4.0)


def test_a_model_with_a_spurious_mode_in_one_split_is_in_no_rank_and_no_pair():
    values = {ModelSpec("A"): [3.0, 4.0], ModelSpec("B"): [50.0, 60.0], ModelSpec("C"): [1.0, 2.0]}
    found = {spec: scores(each) for spec, each in values.items()}
    found[ModelSpec("B")][1] = replace(found[ModelSpec("B")][1], spurious_mass=0.46)
    found[ModelSpec("C")][0] = replace(found[ModelSpec("C")][0], spurious_mass=0.009)
    differences = {("A", "B"): {0: (-47.0, 0.1)}, ("A", "C"): {0: (2.0, 0.1), 1: (2.0, 0.1)}}
    whole = compare_splits(found, differences, 10, 1.0, **WHERE)
    assert [model.name for model in whole.models] == ["A", "C"]
    assert "B" not in {name for pair in whole.pairs for name in (pair.first, pair.second)}
    [false] = whole.unranked
    assert (false.name, false.spurious_mass) == ("B", 0.46)
    assert whole.best.name == "A"
    assert whole.statements[-1] == "B: spurious mode: 46 % of the model's mass on words never seen"
    row = whole.table.splitlines()[-1]
    assert "spurious mode: 46 %" in row
    assert "60" not in row


def test_where_all_models_have_a_spurious_mode_the_answer_says_only_that():
    false = [SplitScore(0, 9.0, 0.1, spurious_mass=0.5)]
    found = compare_splits({ISING: false}, {}, 10, 1.0, **WHERE)
    assert found.answer == "Ising: spurious mode: 50 % of the model's mass on words never seen."
    assert "spurious mode: 50 %" in found.table
    with pytest.raises(ValueError, match=r"no model can be ranked.*raise l1"):
        _ = found.best
