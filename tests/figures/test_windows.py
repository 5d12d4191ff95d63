from dataclasses import replace

import numpy as np
import planted_study
import pytest

from microcolumn.figures import windows
from microcolumn.study import NotComputedError, Results


def lines(figure):
    return lines_of(figure.axes[0])


def lines_of(ax):
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    return {line.get_label(): line.get_ydata() for line in named}


def test_the_lines_are_the_stored_scores_per_neuron_against_bins_and_ms(planted_results):
    figure = windows(planted_results)
    found = lines(figure)
    assert found["Ising"] == pytest.approx(np.array([10.0, 14.0, 14.0]) / 4)
    assert found["RBM"] == pytest.approx(np.array([12.0, 16.0, 20.0]) / 4)
    figure.draw_without_rendering()
    ax, _ = figure.axes
    np.testing.assert_allclose(ax.child_axes[0].get_xlim(), 6.7 * np.array(ax.get_xlim()))


def test_the_caption_has_numbers_and_what_has_not_converged_and_claims_no_last_step(
    planted_results,
):
    caption = windows(planted_results).caption
    assert "improv" not in caption
    for fact in (
        "mean over 4 splits",
        "(b) The same minus that of Ising, paired by split",
        "6.7 ms",
        "4 units",
        "RBM 12",
    ):
        assert fact in caption


def test_the_gain_over_the_ising_model_is_paired_by_split(planted_results):
    gains = figure_gains(windows(planted_results))
    assert list(gains) == ["RBM"]
    per_unit = [
        [
            (
                planted_study.bits_per_second("RBM", split, n)
                - planted_study.bits_per_second("Ising", split, n)
            )
            / 4
            for split in range(4)
        ]
        for n in (1, 2, 3)
    ]
    np.testing.assert_allclose(gains["RBM"], np.mean(per_unit, axis=1))


def figure_gains(figure):
    return lines_of(figure.axes[1])


def test_without_an_ising_model_there_is_one_panel(tmp_path):
    _, experiment = planted_study.PLAN.experiments
    plan = replace(planted_study.PLAN, experiments=(replace(experiment, models=("RBM",)),))
    file = planted_study.write(tmp_path / "s.db", plan, keep=lambda job: job.kind == "test")
    figure = windows(Results(file))
    [ax] = figure.axes
    assert ax.get_title(loc="left") == ""
    assert "(b)" not in figure.caption


def test_longer_words_can_be_left_out(planted_results):
    assert lines(windows(planted_results, window=2))["RBM"] == pytest.approx([3.0, 4.0])


def test_a_window_that_is_not_computed_is_a_gap_that_the_caption_names(tmp_path):
    file = planted_study.write(
        tmp_path / "study.db", keep=lambda job: job.kind == "test" and job.window != 2
    )
    figure = windows(Results(file))
    assert lines(figure)["RBM"] == pytest.approx([3.0, np.nan, 5.0], nan_ok=True)
    assert "Not computed yet: Ising of 2 bins, RBM of 2 bins." in figure.caption


def false_at(windows_, models):
    """A change to a study: these models have false modes at these windows."""

    def change(job, rows):
        for row in rows.get("scores", []):
            if row["model"].split()[0] in models and job.window in windows_:
                row["false_mass"] = 0.5

    return change


def test_false_modes_are_gaps_that_the_caption_names(tmp_path):
    keep, change = (lambda job: job.kind == "test"), false_at((1, 3), ("RBM",))
    figure = windows(Results(planted_study.write(tmp_path / "s.db", keep=keep, change=change)))
    assert lines(figure)["RBM"] == pytest.approx([np.nan, 4.0, np.nan], nan_ok=True)
    assert "Not drawn, because of a false mode: RBM of 1 and 3 bins." in figure.caption


def test_without_a_gain_there_is_one_panel_and_without_a_score_no_figure(tmp_path):
    keep = lambda job: job.kind == "test"  # noqa: E731
    change = false_at((1, 2, 3), ("Ising",))
    figure = windows(Results(planted_study.write(tmp_path / "one.db", keep=keep, change=change)))
    [ax] = figure.axes
    assert list(lines_of(ax)) == ["RBM"]
    assert "(b)" not in figure.caption
    change = false_at((1, 2, 3), ("Ising", "RBM"))
    none = Results(planted_study.write(tmp_path / "none.db", keep=keep, change=change))
    with pytest.raises(NotComputedError, match="a score without a false mode"):
        windows(none)


def test_scores_that_are_not_finite_make_no_figure(tmp_path):
    def change(job, rows):
        for row in rows.get("scores", []):
            row["bits_per_second"] = -np.inf

    path = planted_study.write(
        tmp_path / "study.db", keep=lambda job: job.kind == "test", change=change
    )
    with pytest.raises(NotComputedError, match="a test of"):
        windows(Results(path))
