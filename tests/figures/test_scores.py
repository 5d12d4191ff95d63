from dataclasses import replace

import numpy as np
import planted_study
import planted_study as planted
import pytest

from microcolumn.figures import likelihood, ranking, windows
from microcolumn.study import NotComputedError, Results

FIRST, _ = planted_study.PLAN.experiments


def heights(ax):
    """Of all bars, by model."""
    return {
        bars.get_label(): [bar.get_height() for bar in bars]
        for bars in ax.containers
        if hasattr(bars, "patches")
    }


def points(ax):
    return sorted(float(each.lines[0].get_ydata()[0]) for each in ax.containers)


def halved(model):
    """A model with half its score in every split and stretch of time."""
    splits = tuple(
        replace(
            score,
            bits_per_second=score.bits_per_second / 2,
            gain_by_cell=tuple(gain / 2 for gain in score.gain_by_cell),
        )
        for score in model.splits
    )
    return replace(model, bits_per_second=model.bits_per_second / 2, splits=splits)


@pytest.fixture
def pair(planted_results, monkeypatch):
    """The planted study as if it had a second recording with half the units and scores."""
    compare, tested = planted_results.comparison, planted_results.tested

    def comparison(recording, **where):
        found = compare("cells", **where)
        if recording == "cells":
            return found
        models = tuple(halved(model) for model in found.models)
        return replace(found, recording=recording, n_units=11, models=models)

    monkeypatch.setattr(planted_results, "comparison", comparison)
    both = [c._replace(recording=name) for name in ("cells", "$B") for c in tested()]
    monkeypatch.setattr(planted_results, "tested", lambda: both)
    sources = (planted_study.SOURCE, replace(planted_study.SOURCE, name="$B", seed=1))
    monkeypatch.setattr(planted_results, "plan", replace(planted_study.PLAN, sources=sources))
    index = planted_results.index
    families = index.families
    monkeypatch.setattr(index, "families", lambda c: families(c._replace(recording="cells")))
    return planted_results


def test_the_bars_are_the_stored_scores_and_the_points_their_differences(planted_results):
    figure = likelihood(planted_results)
    a, b = figure.axes
    levels = {"Ising": 10.0, "RBM 5": 12.0, "SemiRBM 5": 12.0}
    assert heights(a) == {name: pytest.approx([level]) for name, level in levels.items()}
    assert points(b) == pytest.approx([0.0, 2.0, 2.0])  # RBM 5 minus SemiRBM 5 too
    assert [ax.get_title(loc="left") for ax in (a, b)] == ["a", "b"]


def test_all_recordings_are_shown_side_by_side_or_one_of_them(pair):
    figure = likelihood(pair)
    assert heights(figure.axes[0])["RBM 5"] == pytest.approx([12.0, 6.0])
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == ["cells\n23 units", "\\$B\n11 units"]
    figure.draw_without_rendering()
    assert heights(likelihood(pair, "$B").axes[0])["RBM 5"] == pytest.approx([6.0])


def test_a_recording_without_a_score_is_left_out(pair, monkeypatch):
    compare = pair.comparison

    def without_a_score(recording, **where):
        if recording == "cells":
            raise NotComputedError("no score is finite")
        return compare(recording, **where)

    monkeypatch.setattr(pair, "comparison", without_a_score)
    assert heights(likelihood(pair).axes[0])["Ising"] == pytest.approx([5.0])
    with pytest.raises(NotComputedError, match="a test of 'cells'"):
        likelihood(pair, "cells")


def test_without_a_model_that_may_be_ranked_it_is_left_out(tmp_path):
    def false(job, rows):
        for row in rows.get("scores", []):
            row["false_mass"] = 0.5

    path = planted.write(tmp_path / "study.db", keep=lambda job: job.kind == "test", change=false)
    with pytest.raises(NotComputedError):
        ranking(Results(path), "cells")


def lines(figure):
    return lines_of(figure.axes[0])


def lines_of(ax):
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    return {line.get_label(): line.get_ydata() for line in named}


def test_the_lines_are_the_stored_scores_per_neuron_against_bins(planted_results):
    figure = windows(planted_results)
    found = lines(figure)
    assert found["Ising"] == pytest.approx(np.array([10.0, 14.0, 14.0]) / 4)
    assert found["RBM"] == pytest.approx(np.array([12.0, 16.0, 20.0]) / 4)
    assert figure.axes[0].get_xlabel() == "bins of 6.7 ms per word"


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


def false_at(windows_, models):
    """A change to a study: these models have spurious modes at these windows."""

    def change(job, rows):
        for row in rows.get("scores", []):
            if row["model"].split()[0] in models and job.window in windows_:
                row["false_mass"] = 0.5

    return change


def test_spurious_modes_are_gaps_that_the_caption_names(tmp_path):
    keep, change = (lambda job: job.kind == "test"), false_at((1, 3), ("RBM",))
    figure = windows(Results(planted_study.write(tmp_path / "s.db", keep=keep, change=change)))
    assert lines(figure)["RBM"] == pytest.approx([np.nan, 4.0, np.nan], nan_ok=True)
    assert "Not drawn, because of a spurious mode: RBM of 1 and 3 bins." in figure.caption
