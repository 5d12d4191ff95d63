"""Figure S1 and that of penalties on planted results: runs, reference, scores, the choice."""

import math
from dataclasses import replace

import numpy as np
import planted_study
import pytest

from microcolumn.figures import annealing, penalties
from microcolumn.study import Results

BITS = 1.0 / math.log(2.0)
STORED = (planted_study.LOG_Z + 4e-3) * BITS


@pytest.fixture(scope="module")
def figure(planted_results):
    return annealing(planted_results)


def estimates(ax):
    return ax.containers[0].lines[0]


def horizontals(ax):
    return sorted(
        {round(line.get_ydata()[0], 9) for line in ax.lines if len(line.get_ydata()) == 2}
    )


def test_the_runs_are_those_of_the_store(planted_results, figure):
    found = planted_results.annealing("cells")
    left, right = figure.axes
    np.testing.assert_array_equal(estimates(left).get_xdata(), found.convergence.n_steps)
    np.testing.assert_allclose(estimates(left).get_ydata(), found.convergence.estimates * BITS)
    np.testing.assert_allclose(
        left.lines[0].get_ydata(), found.convergence.log_weights.ravel() * BITS
    )
    shift = estimates(left).get_ydata() - estimates(right).get_ydata()
    np.testing.assert_allclose(shift, STORED)


def test_the_reference_is_the_stored_log_z_of_the_chosen_penalty(figure):
    np.testing.assert_allclose(horizontals(figure.axes[0]), [STORED])
    for number in ("λ = 4e-3", f"{STORED:.4f}", "64 steps"):
        assert number in figure.caption


def normalised(folder, off=None, **values):
    """The figure of a study with other normalisers, its reverse run ``off`` its estimates."""

    def change(job, rows):
        for row in rows.get("normalisers", []):
            row |= values | ({} if off is None else {"reverse": row["value"] + off})

    plan = replace(
        planted_study.PLAN,
        experiments=(replace(planted_study.PLAN.experiments[0], models=("Ising",), n_splits=1),),
    )
    return annealing(Results(planted_study.write(folder / "study.db", plan, change=change)))


def test_the_reverse_estimate_of_the_study_is_a_point_at_its_steps(tmp_path):
    figure = normalised(tmp_path, 3.0, reverse_stderr=0.5)
    [reverse] = [c for c in figure.axes[1].containers if "reverse" in c.get_label()]
    np.testing.assert_allclose(reverse.lines[0].get_xydata(), [[64, 3.0 * BITS]])
    [segment] = reverse.lines[2][0].get_segments()
    assert np.ptp(segment[:, 1]) == pytest.approx(2 * 0.5 * BITS)
    assert figure.axes[1].get_ylim()[1] > 3.5 * BITS


def test_an_exact_sum_is_the_reference_and_is_called_so(tmp_path):
    figure = normalised(tmp_path, method="exact", side="visible", stderr=0.0, n_steps=None)
    assert horizontals(figure.axes[0]) == pytest.approx([STORED])
    assert "exact" in figure.axes[1].get_ylabel()


@pytest.fixture(scope="module")
def drawn(planted_results):
    return penalties(planted_results)


def panels(drawn):
    return {ax.get_title("left"): ax for ax in drawn.axes}


def lines(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def test_panels_are_scores_couplings_and_hidden_units(drawn):
    assert [ax.get_ylabel() for ax in panels(drawn).values()] == [
        "score on held-out words\n(bits/s)",
        "couplings",
        "live hidden units",
    ]
    models = [[name for name in lines(ax) if name != "chosen λ"] for ax in drawn.axes]
    assert models == [
        ["Ising", "RBM 5", "SemiRBM 5"],
        ["Ising", "SemiRBM 5"],
        ["RBM 5", "SemiRBM 5"],
    ]
    assert drawn.number == ""


def test_values_are_those_of_the_validation_part_and_of_the_fits(drawn, planted_results):
    for name in ("Ising", "SemiRBM 5"):
        rows = planted_results.normalisers("cells", name)
        score = lines(panels(drawn)["a"])[name]
        assert score.get_xdata().tolist() == list(rows) == list(planted_study.L1)
        known = [row["validation_bits_per_second"] for row in rows.values()]
        np.testing.assert_array_equal(score.get_ydata(), known)
        fits = planted_results.path("cells", name)
        counts = [np.count_nonzero(np.triu(fit.J_, 1)) for fit in fits]
        assert lines(panels(drawn)["b"])[name].get_ydata().tolist() == counts
