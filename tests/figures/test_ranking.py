import planted_study as planted
import pytest

from microcolumn.figures import FIGURES, ranking
from microcolumn.study import NotComputedError, Results


def test_it_comes_first_and_is_of_each_recording():
    assert next(iter(FIGURES)) == "ranking"
    assert FIGURES["ranking"].paper == ""
    assert FIGURES["ranking"].per_recording


def test_all_models_of_the_recording_are_drawn(planted_results):
    figure = ranking(planted_results, "cells")
    [ax] = figure.axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["RBM 5", "SemiRBM 5", "Ising"]
    pair = planted_results.comparison("cells").pair("Ising", "RBM 5")
    lowest = ax.containers[-1].lines[0]
    assert lowest.get_xdata()[0] == pytest.approx(pair.bits_per_second)


def test_the_caption_says_what_is_drawn(planted_results):
    figure = ranking(planted_results, "cells")
    caption = " ".join(figure.caption.split())
    assert caption.startswith("Score of each model of cells (simulated) minus that of RBM 5, the ")
    assert "(20 ms words; mean over 4 splits)" in caption
    assert "Error bars: one standard error of the mean over splits" in caption
    assert "open diamonds" not in caption
    assert "The fit has not converged in some split of RBM 5" in caption
    assert figure.keywords == ("simulated",)
    assert figure.number == ""


def test_without_a_model_that_may_be_ranked_it_is_left_out(tmp_path):
    def false(job, rows):
        for row in rows.get("scores", []):
            row["false_mass"] = 0.5

    path = planted.write(tmp_path / "study.db", keep=lambda job: job.kind == "test", change=false)
    with pytest.raises(NotComputedError):
        ranking(Results(path), "cells")
