from dataclasses import replace

import planted_study as planted
import pytest
from planted_comparison import compared

from microcolumn.figures import FIGURES, _ranking, ranking
from microcolumn.study import NotComputedError, Results


def test_it_comes_first_and_is_of_all_recordings():
    assert next(iter(FIGURES)) == "ranking"
    assert FIGURES["ranking"].paper == ""
    assert not FIGURES["ranking"].per_recording


def test_all_models_of_the_recording_are_drawn(planted_results):
    figure = ranking(planted_results, "cells")
    [ax] = figure.axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["RBM 5", "SemiRBM 5", "Ising"]
    pair = planted_results.comparison("cells").pair("Ising", "RBM 5")
    lowest = ax.containers[-1].lines[0]
    assert lowest.get_xdata()[0] == pytest.approx(pair.bits_per_second)


def test_without_a_model_that_may_be_ranked_it_is_left_out(tmp_path):
    def false(job, rows):
        for row in rows.get("scores", []):
            row["false_mass"] = 0.5

    path = planted.write(tmp_path / "study.db", keep=lambda job: job.kind == "test", change=false)
    with pytest.raises(NotComputedError):
        ranking(Results(path), "cells")


@pytest.fixture
def of_many(planted_results, monkeypatch):
    """The figure of several recordings, the last of which has another best model."""

    def drawn(n):
        levels = {"Ising": 10.0, "RBM 5": 12.0, "Tree": 8.0}
        found = {f"{k}": replace(compared(levels), recording=f"rat {k}") for k in range(n - 1)}
        found["last"] = replace(compared(levels | {"Tree": 13.0}), recording="last")
        condition = planted_results.tested()[0]
        monkeypatch.setattr(_ranking, "of_recordings", lambda *_: (condition, found))
        return ranking(planted_results)

    return drawn


def test_up_to_four_recordings_have_a_panel_each(of_many):
    figure = of_many(4)
    assert [ax.get_title() for ax in figure.axes] == ["rat 0", "rat 1", "rat 2", "last"]
    tops = [ax.get_yticklabels()[0].get_text() for ax in figure.axes]
    assert tops == ["RBM 5", "RBM 5", "RBM 5", "Tree"]
    labels = [ax.get_xlabel() for ax in figure.axes]
    assert labels[:3] == [""] * 3
    assert labels[3].startswith("difference from the best (bits/s)")
    assert "minus that of the best one of the recording, on the same test words" in figure.caption
    assert "open diamonds: other kinds" in figure.caption


def test_more_recordings_share_one_panel(of_many):
    figure = of_many(5)
    [ax] = figure.axes
    assert "per unit" in ax.get_xlabel()
    assert "in 5 recordings: a small mark for each, large ones for medians" in figure.caption
    assert figure.get_figheight() < of_many(4).get_figheight()
