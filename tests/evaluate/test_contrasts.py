"""Planned contrasts: groups, other kinds of models, and what the gain comes from."""

from dataclasses import replace
from typing import NamedTuple

import pytest
from planted_comparison import compared

from microcolumn.evaluate.contrasts import ORDERS, contrast, other_kinds

PAIRS = {"Ising": 10.0, "RBM 5": 12.0, "SemiRBM 5": 11.0}


def test_groups_are_held_against_the_closest_model_without_them():
    found = compared(PAIRS | {"KPairwise": 10.5, "PopulationTracking": 4.0}).groups
    assert (found.first, found.second) == ("RBM 5", "KPairwise")
    assert found.bits_per_second == pytest.approx(1.5)
    assert compared(PAIRS).groups.second == "Ising"


def test_a_model_that_is_far_behind_is_not_what_the_gain_is_over_however_large_its_error():
    levels = {"RBM 5": 12.0, "KPairwise": 11.0, "CommonDrive": 3.0}
    errors = {"KPairwise": 0.09, "CommonDrive": 0.9}  # 11 and 10 standard errors
    whole = compared(levels)

    class Known(NamedTuple):
        models: tuple

        def find(self, first, second):
            return replace(whole.find(first, second), stderr=errors[second], df=20.0)

    first, *second = sorted(whole.models, key=lambda model: -model.bits_per_second)
    found = contrast(Known(whole.models), [first], second)
    assert found.second == "KPairwise"
    assert found.bits_per_second == pytest.approx(1.0)
    # Nor is one that nobody can tell, while the best one is not clearly worse.
    errors |= {"KPairwise": 2.0, "CommonDrive": 90.0}
    assert contrast(Known(whole.models), [first], second).second == "KPairwise"
    errors["KPairwise"] = 0.01
    assert contrast(Known(whole.models), [first], second).second == "CommonDrive"
    # All are clearly worse: the gain is over the best, however vague another is.
    errors["CommonDrive"] = 3.5
    assert contrast(Known(whole.models), [first], second).second == "KPairwise"


def test_a_common_drive_that_explains_as_much_leaves_no_claim_of_groups():
    assert compared(PAIRS).groups.differs
    assert not compared(PAIRS | {"PopulationTracking": 12.0}).groups.differs
    # A single hidden unit is a drive, which may have gains of any size.
    one = compared(PAIRS | {"SemiRBM 1": 12.0, "RBM 1": 5.0})
    assert one.groups.second == "SemiRBM 1"
    assert not one.groups.differs
    assert one.explanation.parts == ("drive", "pairs")
    worse = compared(PAIRS | {"PopulationTracking": 14.0}).groups
    assert worse.differs
    assert worse.bits_per_second < 0.0


def test_the_choice_among_models_with_groups_is_paid_for_on_both_contrasts():
    assert compared(PAIRS).groups.n_tests == 2 * 2
    assert compared({"Ising": 10.0, "RBM 5": 12.0}).groups.n_tests == 2
    # That pairs are better would have to hold for the best of two, too.
    behind = compared({"Ising": 13.0, "KPairwise": 12.5, "RBM 5": 12.0}).groups
    assert behind.n_tests == 2 * 2


def test_models_of_other_kinds_are_on_neither_side_of_groups():
    found = compared(PAIRS | {"BernoulliMixture": 14.0, "CascadedLogistic": 13.0})
    assert (found.groups.first, found.groups.second) == ("RBM 5", "Ising")
    kinds = other_kinds(found)
    assert (kinds.first, kinds.second, kinds.n_tests) == ("BernoulliMixture", "RBM 5", 4)


def test_without_both_sides_there_is_no_contrast():
    for levels in ({"Ising": 10.0, "KPairwise": 11.0}, {"RBM 5": 11.0, "BernoulliMixture": 12.0}):
        assert compared(levels).groups is None
    assert other_kinds(compared(PAIRS)) is None


def test_the_steps_of_the_gain_add_up_to_that_of_the_best_model_in_either_order():
    found = compared(PAIRS | {"KPairwise": 10.5, "PopulationTracking": 4.0, "GaussianRBM 2": 8.0})
    for order in ORDERS:
        steps = found.gain_steps(order)
        assert [step.part for step in steps] == list(order)
        total = sum(step.bits_per_second for step in steps)
        assert total == pytest.approx(found.scores["RBM 5"].bits_per_second)
    first, second, third = found.gain_steps()
    assert [step.model for step in (first, second, third)] == [
        "PopulationTracking",
        "KPairwise",
        "RBM 5",
    ]
    assert first.difference.second == "Independent"
    pairs, drive, _ = found.gain_steps(ORDERS[1])
    assert (pairs.model, drive.model) == ("Ising", "KPairwise")
    assert drive.bits_per_second == pytest.approx(0.5)


def test_a_part_that_no_better_model_has_adds_nothing():
    found = compared({"Ising": 13.0, "KPairwise": 12.0, "RBM 5": 12.0})
    pairs, drive, groups = found.gain_steps(ORDERS[1])
    assert (pairs.model, drive.model, groups.model) == ("Ising",) * 3
    assert drive.difference is groups.difference is None
    assert drive.bits_per_second == 0.0
    assert [step.part for step in compared(PAIRS).gain_steps()] == ["pairs", "groups"]


def test_the_simplest_explanation_has_the_fewest_parts_that_no_model_clearly_beats():
    drive = {"CommonDrive": 12.1, "PopulationTracking": 11.0, "KPairwise": 12.0} | PAIRS
    found = compared(drive).explanation
    assert (found.parts, found.model) == (("drive",), "CommonDrive")
    assert not found.behind or not found.behind.differs
    found = compared(drive | {"CommonDrive": 11.0, "KPairwise": 11.0, "RBM 5": 12.5}).explanation
    assert (found.parts, found.model, found.behind) == (("groups",), "RBM 5", None)
    found = compared(drive | {"SemiRBM 5": 20.0}).explanation
    assert (found.parts, found.model) == (("pairs", "groups"), "SemiRBM 5")
    assert compared({"BernoulliMixture": 12.0}).explanation is None


def test_groups_explain_only_what_needs_them():
    # Fewer parts, but no model of groups is clearly better than a drive with pairs.
    found = compared({"Ising": 10.0, "CommonDrive": 9.0, "KPairwise": 12.0, "RBM 5": 12.0})
    assert not found.groups.differs
    assert found.explanation.parts == ("drive", "pairs")
