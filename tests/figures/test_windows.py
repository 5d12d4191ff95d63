import numpy as np
import planted_study
import pytest

import microcolumn as mc
from microcolumn.figures._windows import windows
from microcolumn.study._index import NotComputedError


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return mc.study.open(planted_study.write(tmp_path_factory.mktemp("store") / "study.db"))


def lines(figure):
    return {each.get_label(): each.lines[0].get_ydata() for each in figure.axes[0].containers}


def test_the_lines_are_the_stored_scores_per_neuron_against_bins_and_ms(results):
    figure = windows(results)
    found = lines(figure)
    assert found["Ising"] == pytest.approx(np.array([10.0, 14.0, 14.0]) / 4)
    assert found["RBM"] == pytest.approx(np.array([12.0, 16.0, 20.0]) / 4)
    figure.draw_without_rendering()
    [ax] = figure.axes
    np.testing.assert_allclose(ax.child_axes[0].get_xlim(), 6.7 * np.array(ax.get_xlim()))


def test_the_caption_says_where_models_stop_to_gain_and_what_errors_are(results):
    caption = windows(results).caption
    assert "(Ising 2, RBM 3)" in caption
    assert "Mean over 4 splits. Error bars: one standard error of the mean over splits" in caption
    assert "bins of 6.7 ms (cells, experiment spatiotemporal, 4 units)" in caption
    assert "Not converged in some split: RBM 12" in caption


def test_longer_words_can_be_left_out(results):
    assert lines(windows(results, window=2))["RBM"] == pytest.approx([3.0, 4.0])


def test_what_is_not_computed_is_a_gap_that_the_caption_names(tmp_path):
    file = planted_study.write(tmp_path / "study.db", keep=lambda job: job.window != 2)
    figure = windows(mc.study.open(file))
    assert lines(figure)["RBM"] == pytest.approx([3.0, np.nan, 5.0], nan_ok=True)
    assert "(Ising none, RBM none)" in figure.caption
    assert "Not computed yet: Ising 2, RBM 2." in figure.caption


def test_scores_that_are_not_finite_are_no_figure_but_a_sentence(tmp_path):
    def change(job, rows):
        for row in rows.get("scores", []):
            row["bits_per_second"] = -np.inf

    path = planted_study.write(tmp_path / "study.db", change=change)
    with pytest.raises(NotComputedError, match="a test of"):
        windows(mc.study.open(path))
