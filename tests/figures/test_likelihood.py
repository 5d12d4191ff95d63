from dataclasses import replace

import planted_study
import pytest
import small_study

import microcolumn as mc
from microcolumn.figures._likelihood import likelihood
from microcolumn.study._index import NotComputedError
from microcolumn.study._plan import Plan
from microcolumn.study._run import run


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    file = tmp_path_factory.mktemp("planted") / "study.db"
    return mc.study.open(planted_study.write(file))


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two recordings of four and three units, with as many hidden units as units."""
    data = {"A": small_study.recording(4, 0.3), "$B": small_study.recording(3, 0.3, seed=1)}
    settings = {"models": ("Ising", "RBM"), "n_hidden": "dims", "penalties": (1e-3,)}
    plan = Plan.of(data, n_splits=1, **settings)
    return run(plan, tmp_path_factory.mktemp("pair") / "study.db", n_jobs=1)


def heights(ax):
    """Of all bars, by model."""
    return {
        bars.get_label(): [bar.get_height() for bar in bars]
        for bars in ax.containers
        if hasattr(bars, "patches")
    }


def points(ax):
    return sorted(float(each.lines[0].get_ydata()[0]) for each in ax.containers)


def test_the_bars_are_the_stored_scores_and_the_points_their_differences(planted):
    figure = likelihood(planted)
    a, b = figure.axes
    levels = {"Ising": 10.0, "RBM 5": 12.0, "SemiRBM 5": 12.0}
    assert heights(a) == {name: pytest.approx([level]) for name, level in levels.items()}
    assert points(b) == pytest.approx([2.0, 2.0])
    assert [ax.get_title(loc="left") for ax in (a, b)] == ["a", "b"]
    assert "t-test" in figure.caption
    assert "mean over 4 splits" in figure.caption
    assert "corrected for the words that splits share" in figure.caption


def test_the_caption_names_what_has_not_converged(planted):
    assert "fit has not converged in some split of RBM 5 (cells)" in likelihood(planted).caption


def test_another_experiment_and_number_of_lags_can_be_shown(planted):
    figure = likelihood(planted, "cells", experiment="spatiotemporal", window=2)
    found = heights(figure.axes[0])
    assert found == {"Ising": pytest.approx([14.0]), "RBM": pytest.approx([16.0])}
    assert "words of 2 bins of 6.7 ms" in figure.caption


def test_all_recordings_are_shown_with_one_name_for_hidden_units_that_grow_with_them(pair):
    figure = likelihood(pair)
    found = heights(figure.axes[0])
    assert list(found) == ["Ising", "RBM"]
    expected = [
        next(m.bits_per_second for m in pair.comparison(name).models if m.variant == variant)
        for name, variant in (("A", "RBM 4"), ("$B", "RBM 3"))
    ]
    assert found["RBM"] == pytest.approx(expected)
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == ["A\n4 units", "\\$B\n3 units"]
    assert "from blocks of neighbouring bins" in figure.caption
    figure.draw_without_rendering()


def test_one_recording_can_be_chosen_and_one_without_a_score_is_left_out(pair, monkeypatch):
    [bar] = heights(likelihood(pair, "$B").axes[0])["Ising"]
    compare = pair.comparison

    def without_a_score(name, **where):
        if name == "A":
            raise NotComputedError("no score is finite")
        return compare(name, **where)

    monkeypatch.setattr(pair, "comparison", without_a_score)
    assert heights(likelihood(pair).axes[0])["Ising"] == [bar]
    with pytest.raises(NotComputedError, match="a test of 'A'"):
        likelihood(pair, "A")


def test_without_an_ising_model_scores_stand_alone(tmp_path):
    first, _ = planted_study.PLAN.experiments
    plan = replace(planted_study.PLAN, experiments=(replace(first, models=("RBM",)),))
    figure = likelihood(mc.study.open(planted_study.write(tmp_path / "study.db", plan=plan)))
    [ax] = figure.axes
    assert heights(ax) == {"RBM 5": pytest.approx([12.0])}
    assert not figure.caption.startswith("(a)")


def test_a_study_that_is_under_way_says_how_far_it_is(tmp_path):
    file = planted_study.write(tmp_path / "study.db", keep=lambda job: job.split < 2)
    caption = likelihood(mc.study.open(file)).caption
    assert "mean over 2 of 4 planned splits" in caption
    assert "one or two splits" in caption
