"""The answer of a comparison: what it opens with, its effect sizes, and what it holds for."""

import pytest
from planted_comparison import compared


def test_the_share_of_pairs_is_the_ising_models_gain_over_the_best_models():
    found = compared({"Ising": 9.0, "RBM 25": 12.0})
    assert found.share_of_pairs.value == pytest.approx(0.75)
    assert f"Pairs alone explain {found.share_of_pairs} of the best" in found.answer
    one = compared({"Ising": 9.0, "RBM 25": 12.0}, n_splits=1)
    assert one.share_of_pairs.stderr == pytest.approx(0.1 / one.best.bits_per_second)
    assert compared({"RBM 25": 12.0, "RBM 5": 11.0}).share_of_pairs is None


def test_more_alternatives_do_not_make_the_papers_own_question_harder():
    ours = {"Ising": 10.0, "RBM 25": 12.0}
    alternatives = {
        "BernoulliMixture": 14.0,
        "Tree": 3.0,
        "TwoTree": 4.0,
        "PopulationTracking": 5.0,
    }
    alone, among = compared(ours), compared(ours | alternatives)
    assert among.pair("RBM 25", "Ising").p_holm == alone.pair("RBM 25", "Ising").p_holm
    few = compared(ours | {"Tree": 3.0})
    assert among.pair("RBM 25", "Tree").p_holm > few.pair("RBM 25", "Tree").p_holm


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
