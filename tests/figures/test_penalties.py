import numpy as np
import planted_study
import pytest

from microcolumn.figures import penalties


@pytest.fixture(scope="module")
def figure(planted_results):
    return penalties(planted_results)


def panels(figure):
    return {ax.get_title("left"): ax for ax in figure.axes}


def lines(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def test_panels_are_scores_couplings_and_hidden_units(figure):
    assert [ax.get_ylabel() for ax in panels(figure).values()] == [
        "score on held-out words\n(bits/s)",
        "couplings",
        "live hidden units",
    ]
    models = [[name for name in lines(ax) if name != "chosen λ"] for ax in figure.axes]
    assert models == [
        ["Ising", "RBM 5", "SemiRBM 5"],
        ["Ising", "SemiRBM 5"],
        ["RBM 5", "SemiRBM 5"],
    ]
    assert figure.number == ""


def test_values_are_those_of_the_validation_part_and_of_the_fits(figure, planted_results):
    for name in ("Ising", "SemiRBM 5"):
        rows = planted_results.normalisers("cells", name)
        score = lines(panels(figure)["a"])[name]
        assert score.get_xdata().tolist() == list(rows) == list(planted_study.L1)
        known = [row["validation_bits_per_second"] for row in rows.values()]
        np.testing.assert_array_equal(score.get_ydata(), known)
        fits = planted_results.path("cells", name)
        counts = [np.count_nonzero(np.triu(fit.J_, 1)) for fit in fits]
        assert lines(panels(figure)["b"])[name].get_ydata().tolist() == counts
