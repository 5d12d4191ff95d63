"""The answer of a comparison: what it opens with, its effect sizes, and what it holds for."""

from dataclasses import replace

import pytest
from planted_comparison import compared

from microcolumn.evaluate import SplitScore


def test_it_opens_with_hidden_units_against_pairs_in_bits_and_per_cent():
    found = compared({"Ising": 10.0, "RBM 25": 12.0, "SemiRBM 25": 11.0})
    opening = found.statements[0]
    pair = found.pair("RBM 25", "Ising")
    assert opening.startswith(
        "Models with hidden units beat the pairwise model: RBM 25 is better than Ising by 2.00 ± "
    )
    assert f"({found.relative('RBM 25', 'Ising').gain})" in opening
    assert "(+20 ± 1 %)" in opening or "(+20.0 ± " in opening
    assert pair.verdict == "better"


def test_the_runner_up_comes_next_unless_it_was_the_pairwise_model():
    three = compared({"Ising": 10.0, "RBM 25": 12.0, "SemiRBM 25": 11.0}).statements
    assert "SemiRBM 25" in three[1]
    two = compared({"Ising": 10.0, "RBM 25": 12.0}).statements
    assert two[1].startswith("RBM 25 is better than independent units by 12.00")
    assert "(0.6 bits per spike)" in two[1]


def test_the_pairwise_model_may_win():
    found = compared({"Ising": 12.0, "RBM 25": 10.0})
    opening = found.statements[0]
    assert opening.startswith(
        "The pairwise model beats models with hidden units: Ising is better than RBM 25 by 2.00"
    )
    assert "(+20" in opening
    assert found.share_of_pairs is None
    assert "pairs alone" not in found.answer.lower()


def test_two_splits_have_estimates_and_errors_but_no_verdict():
    found = compared({"Ising": 10.0, "RBM 25": 12.0, "SemiRBM 25": 11.0}, n_splits=2)
    assert found.statements[0].startswith("RBM 25 minus Ising: 2.00 ± ")
    assert "beat" not in found.answer
    assert "better" not in found.answer
    assert "p = " not in found.answer
    assert "p < " not in found.answer
    assert found.answer.count("too few splits to decide (2; at least 3 are needed)") == 3


def test_the_share_of_pairs_is_the_ising_models_gain_over_the_best_models():
    found = compared({"Ising": 9.0, "RBM 25": 12.0})
    assert found.share_of_pairs.value == pytest.approx(0.75)
    assert f"Pairs alone explain {found.share_of_pairs} of the best" in found.answer
    one = compared({"Ising": 9.0, "RBM 25": 12.0}, n_splits=1)
    assert one.share_of_pairs.stderr == pytest.approx(0.1 / one.best.bits_per_second)
    assert compared({"RBM 25": 12.0, "RBM 5": 11.0}).share_of_pairs is None


@pytest.mark.parametrize(
    ("split_by", "holds_for"),
    [
        ("blocks", "for other stretches of this recording, not for other recordings or animals: "),
        ("words", "for other moments of the same minutes, and slow drift is not seen: "),
    ],
)
def test_it_ends_with_what_the_scores_hold_for(split_by, holds_for):
    answer = compared({"Ising": 10.0, "RBM 25": 12.0}, split_by=split_by).answer
    assert f"The scores hold {holds_for}" in answer


def test_outside_of_a_study_nothing_is_said_about_splits():
    found = replace(compared({"Ising": 10.0, "RBM 25": 12.0}), split_by="")
    assert found.statements[-1].startswith("Pairs alone")


def test_bits_per_spike_are_bits_over_spikes():
    found = compared({"Ising": 10.0, "RBM 25": 12.0})
    assert found.best.bits_per_spike == pytest.approx(0.6)
    silent = SplitScore(0, 1.0, 0.1, spikes_per_second=0.0)
    assert silent.bits_per_spike != silent.bits_per_spike  # not a number


def test_with_rivals_it_opens_with_the_best_of_all_and_the_best_of_the_papers_family():
    found = compared({"Ising": 10.0, "RBM 25": 12.0, "BernoulliMixture": 14.0, "Tree": 3.0})
    assert (found.best_of_family.name, found.best_rival.name) == ("RBM 25", "BernoulliMixture")
    opening, second, *_ = found.statements
    assert opening.startswith(
        "BernoulliMixture (outside the paper's family) has the highest score of all, RBM 25 of "
        "the paper's family: BernoulliMixture is better than RBM 25 by 2.00 ± "
    )
    assert second.startswith("Models with hidden units beat the pairwise model: RBM 25")


def test_a_rival_that_loses_is_named_too():
    found = compared({"Ising": 10.0, "RBM 25": 12.0, "TwoTree": 11.0})
    assert found.statements[0].startswith(
        "RBM 25 (of the paper's family) has the highest score of all, TwoTree of its rivals: "
        "RBM 25 is better than TwoTree by 1.00 ± "
    )


def test_more_rivals_do_not_make_the_papers_own_question_harder():
    ours = {"Ising": 10.0, "RBM 25": 12.0}
    rivals = {"BernoulliMixture": 14.0, "Tree": 3.0, "TwoTree": 4.0, "PopulationTracking": 5.0}
    alone, among = compared(ours), compared(ours | rivals)
    assert among.pair("RBM 25", "Ising").p_holm == alone.pair("RBM 25", "Ising").p_holm
    few = compared(ours | {"Tree": 3.0})
    assert among.pair("RBM 25", "Tree").p_holm > few.pair("RBM 25", "Tree").p_holm


def test_what_validation_chose_is_told():
    found = compared({"Ising": 10.0, "Tree": 12.0})
    [tree] = [model for model in found.models if model.name == "Tree"]
    sizes = ("6 edges", "7 edges", "6 edges", "6 edges")
    splits = tuple(
        replace(score, size=size) for score, size in zip(tree.splits, sizes, strict=True)
    )
    told = replace(found, models=(replace(tree, splits=splits), *found.models[1:]))
    assert "Tree (outside the paper's family, 6 edges or 7 edges)" in told.answer


@pytest.mark.parametrize(
    ("levels", "behind", "ahead"),
    [
        ({"Ising": 10.0, "RBM 25": 12.0}, "Ising", "RBM 25"),
        ({"Ising": 12.0, "RBM 25": 10.0}, "RBM 25", "Ising"),
    ],
)
def test_a_fit_behind_that_has_not_converged_leaves_hidden_units_against_pairs_open(
    levels, behind, ahead
):
    found = compared(levels, **{behind: {"fit_converged": False}})
    assert found.unsettled == f"the fit of {behind} has not converged"
    assert f"but {found.unsettled}, so that this is open" in found.answer
    assert "beat" not in found.answer
    assert compared(levels, **{ahead: {"fit_converged": False}}).unsettled == ""


def test_a_log_z_that_has_not_converged_leaves_it_open_on_either_side():
    levels = {"Ising": 10.0, "RBM 25": 12.0}
    for name in levels:
        found = compared(levels, **{name: {"normaliser_converged": False}})
        assert found.unsettled == f"log Z of {name} has not converged"
    undecided = compared(levels, n_splits=2, Ising={"fit_converged": False})
    assert undecided.unsettled == ""
