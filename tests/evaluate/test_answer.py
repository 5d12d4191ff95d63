"""The answer of a comparison: what it opens with, its effect sizes, and what it holds for."""

import pytest
from planted_comparison import compared


def test_the_share_of_pairs_is_the_gain_of_the_best_of_pairs_alone_over_the_best_models():
    found = compared({"Ising": 9.0, "RBM 25": 12.0})
    assert found.share_of_pairs.value == pytest.approx(0.75)
    assert f"Pairs alone explain {found.share_of_pairs} of the best" in found.answer
    one = compared({"Ising": 9.0, "RBM 25": 12.0}, n_splits=1)
    share = 9.5 / 12.6  # with what the first split adds
    assert one.share_of_pairs.value == pytest.approx(share)
    assert one.share_of_pairs.stderr == pytest.approx((share * 0.4 - 0.3) / 12.6)
    better = compared({"Ising": 9.0, "GaussianRBM 2": 10.5, "KPairwise": 11.0, "RBM 25": 12.0})
    assert better.share_of_pairs.value == pytest.approx(10.5 / 12.0)
    for levels in (
        {"RBM 25": 12.0, "RBM 5": 11.0},
        {"GaussianRBM 2": 12.0, "Ising": 11.0, "RBM 5": 9.0},
    ):
        assert compared(levels).share_of_pairs is None


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
    assert "better than those" not in found.answer
    assert compared(levels, **{ahead: {"fit_converged": False}}).unsettled == ""


def test_a_log_z_that_has_not_converged_leaves_it_open_on_either_side():
    levels = {"Ising": 10.0, "RBM 25": 12.0}
    for name in levels:
        found = compared(levels, **{name: {"normaliser_converged": False}})
        assert found.unsettled == f"log Z of {name} has not converged"
    undecided = compared(levels, scatter=40.0, Ising={"fit_converged": False})
    assert (undecided.groups.verdict, undecided.unsettled) == ("undecided", "")
