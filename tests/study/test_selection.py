import itertools
import math

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from microcolumn.study._selection import Candidate, chosen


def test_the_best_validation_score_is_chosen():
    path = [Candidate(0.0, 8.0, True), Candidate(1e-3, 9.0, True), Candidate(2e-3, 7.0, True)]
    assert chosen(path).penalty == 1e-3


def test_of_equals_the_sparsest_is_chosen_in_whatever_order_they_come():
    path = [Candidate(0.0, 8.0, True), Candidate(1e-3, 9.0, True), Candidate(4e-3, 9.0, True)]
    assert {chosen(order).penalty for order in itertools.permutations(path)} == {4e-3}


def test_a_normaliser_that_did_not_converge_is_not_believed():
    assert chosen([Candidate(0.0, 99.0, False), Candidate(1e-3, -1.0, True)]).penalty == 1e-3


def test_where_no_normaliser_converged_the_best_score_is_chosen():
    assert chosen([Candidate(0.0, 2.0, False), Candidate(1e-3, 3.0, False)]).penalty == 1e-3


@pytest.mark.parametrize("converged", [True, False])
def test_a_score_that_is_not_a_number_comes_behind_all_others(converged):
    path = [Candidate(0.0, -50.0, converged), Candidate(1e-2, math.nan, converged)]
    assert {chosen(order).penalty for order in itertools.permutations(path)} == {0.0}


def test_where_no_score_is_a_number_the_sparsest_is_chosen():
    path = [Candidate(1e-3, math.nan, True), Candidate(0.0, math.nan, True)]
    assert chosen(path).penalty == 1e-3


@settings(deadline=None, max_examples=50)
@given(
    scores=st.lists(st.tuples(st.sampled_from([1.0, 2.0, -math.inf, math.nan]), st.booleans())),
    last=st.booleans(),
)
def test_the_choice_is_the_first_of_the_documented_order(scores, last):
    path = [Candidate(float(k), *score) for k, score in enumerate([*scores, (1.0, last)])]
    # Converged before not, numbers before none, then the score, then the penalty; by exclusion.
    left = [each for each in path if each.converged] or path
    left = [each for each in left if not math.isnan(each.bits_per_second)] or left
    top = max(each.bits_per_second for each in left)
    left = [each for each in left if each.bits_per_second == top] or left
    assert chosen(path) is left[-1]
