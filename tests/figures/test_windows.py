import numpy as np
import planted_study
import pytest

from microcolumn.figures import windows
from microcolumn.study import NotComputedError, Results


def lines(figure):
    return {each.get_label(): each.lines[0].get_ydata() for each in figure.axes[0].containers}


def test_the_lines_are_the_stored_scores_per_neuron_against_bins_and_ms(planted_results):
    figure = windows(planted_results)
    found = lines(figure)
    assert found["Ising"] == pytest.approx(np.array([10.0, 14.0, 14.0]) / 4)
    assert found["RBM"] == pytest.approx(np.array([12.0, 16.0, 20.0]) / 4)
    figure.draw_without_rendering()
    [ax] = figure.axes
    np.testing.assert_allclose(ax.child_axes[0].get_xlim(), 6.7 * np.array(ax.get_xlim()))


def test_the_caption_has_numbers_and_what_has_not_converged_and_claims_no_last_step(
    planted_results,
):
    caption = windows(planted_results).caption
    assert "ings" not in caption.replace("recordings", "")  # no rings
    for fact in ("over 4 splits", "6.7 ms", "4 units", "RBM 12"):
        assert fact in caption


def test_longer_words_can_be_left_out(planted_results):
    assert lines(windows(planted_results, window=2))["RBM"] == pytest.approx([3.0, 4.0])


def test_a_window_that_is_not_computed_is_a_gap_that_the_caption_names(tmp_path):
    file = planted_study.write(
        tmp_path / "study.db", keep=lambda job: job.kind == "test" and job.window != 2
    )
    figure = windows(Results(file))
    assert lines(figure)["RBM"] == pytest.approx([3.0, np.nan, 5.0], nan_ok=True)
    assert "Ising 2, RBM 2." in figure.caption


def test_scores_that_are_not_finite_make_no_figure(tmp_path):
    def change(job, rows):
        for row in rows.get("scores", []):
            row["bits_per_second"] = -np.inf

    path = planted_study.write(
        tmp_path / "study.db", keep=lambda job: job.kind == "test", change=change
    )
    with pytest.raises(NotComputedError, match="a test of"):
        windows(Results(path))
