"""Figure S1 on planted results: the model, the reference and the steps it shows."""

import math
from dataclasses import replace

import numpy as np
import planted_study
import pytest

from microcolumn.figures._annealing import _affordable, annealing
from microcolumn.partition import log_partition
from microcolumn.study._results import Results

BITS = 1.0 / math.log(2.0)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results(planted_study.write(tmp_path_factory.mktemp("annealing") / "planted.db"))


@pytest.fixture(scope="module")
def figure(results):
    return annealing(results)


def estimates(ax):
    return ax.containers[0].lines[0]


def horizontals(ax):
    return sorted(
        {round(line.get_ydata()[0], 9) for line in ax.lines if len(line.get_ydata()) == 2}
    )


def test_the_ising_model_of_the_first_split_is_annealed_at_its_chosen_penalty(results, figure):
    exact = log_partition(results.model("cells", "Ising").parameters_).value
    last = estimates(figure.axes[0]).get_ydata()[-1]
    assert last == pytest.approx(exact * BITS, abs=0.01)
    assert "23-dimensional Ising model of cells" in figure.caption
    assert "λ = 4e-3, split 0" in figure.caption


def test_steps_double_and_every_run_has_500_chains(figure):
    steps = estimates(figure.axes[0]).get_xdata()
    np.testing.assert_array_equal(steps, 2 ** np.arange(len(steps)))
    assert len(figure.axes[0].lines[0].get_xdata()) == 500 * len(steps)


def test_an_estimate_is_compared_with_the_stored_one_and_the_caption_says_so(figure):
    stored = (planted_study.LOG_Z + 4e-3) * BITS
    left, right = figure.axes
    np.testing.assert_allclose(horizontals(left), [stored - 0.02, stored, stored + 0.02])
    shift = estimates(left).get_ydata() - estimates(right).get_ydata()
    np.testing.assert_allclose(shift, stored)
    assert "out of reach" in figure.caption
    assert "estimate from 64 steps" in figure.caption
    assert "reverse" not in figure.caption


def normalised(folder, off=None, **values):
    """The figure of a study with other normalisers, its reverse run ``off`` its estimates."""

    def change(job, rows):
        for row in rows.get("normalisers", []):
            row |= values | ({} if off is None else {"reverse": row["log_z"] + off})

    return annealing(Results(planted_study.write(folder / "study.db", change=change)))


def test_the_reverse_estimate_of_the_study_is_a_point_at_its_steps(tmp_path):
    sandwiched = normalised(tmp_path, 0.01, reverse_stderr=0.002)
    [reverse] = [c for c in sandwiched.axes[1].containers if "reverse" in c.get_label()]
    np.testing.assert_allclose(reverse.lines[0].get_xydata(), [[64, 0.01 * BITS]])
    [segment] = reverse.lines[2][0].get_segments()
    assert np.ptp(segment[:, 1]) == pytest.approx(2 * 0.002 * BITS)
    assert "reverse run" in sandwiched.caption


def test_an_exact_sum_is_the_line_and_is_called_so(tmp_path):
    figure = normalised(tmp_path, method="exact, visible side", stderr=0.0, n_steps=None)
    stored = (planted_study.LOG_Z + 4e-3) * BITS
    assert horizontals(figure.axes[0])[1] == pytest.approx(stored)
    assert f"the exact value, a sum over all states ({stored:.4f} bits)" in figure.caption
    assert "exact" in figure.axes[1].get_ylabel()


def test_another_model_is_shown_where_there_is_no_ising_model(tmp_path):
    [first, *_] = planted_study.PLAN.experiments
    plan = replace(planted_study.PLAN, experiments=(replace(first, models=("RBM",), n_splits=2),))
    figure = annealing(Results(planted_study.write(tmp_path / "rbm.db", plan)))
    assert "RBM 5 model of cells" in figure.caption


def test_the_first_split_tested_is_shown_where_split_0_is_not(tmp_path):
    path = planted_study.write(
        tmp_path / "late.db", keep=lambda job: job.kind != "test" or job.split == 2
    )
    assert "split 2)" in annealing(Results(path)).caption


def test_windows_can_be_asked_for(results):
    figure = annealing(results, "cells", experiment="spatiotemporal", window=3)
    assert "12-dimensional" in figure.caption


def test_runs_are_shorter_for_many_units_so_that_the_figure_takes_seconds():
    assert _affordable(23)[-1] > _affordable(477)[-1] > _affordable(5000)[-1]
    assert sum(_affordable(477)) * 477 * 500 <= 3e8
    assert _affordable(10**9) == (1,)


def test_a_reverse_estimate_far_off_is_still_on_the_axis(tmp_path):
    figure = normalised(tmp_path, 3.0, reverse_stderr=0.5)
    assert figure.axes[1].get_ylim()[1] > 3.5 * BITS
