from dataclasses import replace

import numpy as np
import planted_study as planted
import pytest

from microcolumn.figures import gains, ranking, windows
from microcolumn.study import NotComputedError, Results

FIRST, _ = planted.PLAN.experiments


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
    sources = (planted.SOURCE, replace(planted.SOURCE, name="$B", seed=1))
    monkeypatch.setattr(planted_results, "plan", replace(planted.PLAN, sources=sources))
    index = planted_results.index
    families = index.families
    monkeypatch.setattr(index, "families", lambda c: families(c._replace(recording="cells")))
    return planted_results


def panels(figure):
    """Names of models of each panel from the top, by title."""
    return {
        ax.get_title(): [label.get_text() for label in ax.get_yticklabels()]
        for ax in figure.axes
        if ax.get_title()
    }


def test_all_recordings_are_ranked_side_by_side_or_one_of_them(pair):
    names = ["RBM 5", "SemiRBM 5", "Ising"]
    assert panels(ranking(pair)) == {"cells": names, "$B": names}
    assert "minus that of Ising" in ranking(pair).caption
    assert panels(ranking(pair, "$B")) == {}
    point = ranking(pair, "$B").axes[0].containers[0].lines[0]
    assert float(point.get_xdata()[0]) == pytest.approx(1.0)  # half of 2 bits/s


def test_a_recording_without_a_score_is_left_out(pair, monkeypatch):
    compare = pair.comparison

    def without_a_score(recording, **where):
        if recording == "cells":
            raise NotComputedError("no score is finite")
        return compare(recording, **where)

    monkeypatch.setattr(pair, "comparison", without_a_score)
    assert panels(ranking(pair)) == {}
    with pytest.raises(NotComputedError, match="a test of 'cells'"):
        ranking(pair, "cells")


def test_gains_end_at_the_whole_gain_of_groups(planted_results):
    figure = gains(planted_results)
    a, b = figure.axes
    [line] = [each for each in a.lines if each.get_label().endswith("over Ising")]
    assert float(line.get_ydata()[-1]) == pytest.approx(2.0)
    assert sum(bar.get_height() for bar in b.patches) == pytest.approx(2.0)
    assert "+2.00 ± " in figure.caption
    assert "First half of the recording +2." in figure.caption


def test_without_pairs_there_are_no_gains_of_groups(tmp_path):
    plan = replace(planted.PLAN, experiments=(replace(FIRST, models=("RBM",)),))
    path = planted.write(tmp_path / "s.db", plan, keep=lambda job: job.kind == "test")
    with pytest.raises(NotComputedError, match="with hidden units and without are not compared"):
        gains(Results(path))


def test_without_a_model_that_may_be_ranked_it_is_left_out(tmp_path):
    def false(job, rows):
        for row in rows.get("scores", []):
            row["false_mass"] = 0.5

    path = planted.write(tmp_path / "study.db", keep=lambda job: job.kind == "test", change=false)
    with pytest.raises(NotComputedError):
        ranking(Results(path), "cells")


def lines_of(ax):
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    return {line.get_label(): line.get_ydata() for line in named}


def test_the_lines_are_the_stored_scores_per_neuron_against_bins(planted_results):
    figure = windows(planted_results)
    found = lines_of(figure.axes[0])
    assert found["Ising"] == pytest.approx(np.array([10.0, 14.0, 14.0]) / 4)
    assert found["RBM"] == pytest.approx(np.array([12.0, 16.0, 20.0]) / 4)
    assert figure.axes[0].get_xlabel() == "bins of 6.7 ms per word"


def test_the_gain_over_the_ising_model_is_paired_by_split(planted_results):
    gains = lines_of(windows(planted_results).axes[1])
    assert list(gains) == ["RBM"]
    score = planted.bits_per_second
    splits = [[score("RBM", k, n) - score("Ising", k, n) for k in range(4)] for n in (1, 2, 3)]
    np.testing.assert_allclose(gains["RBM"], np.mean(splits, axis=1) / 4)


def false_at(windows_, models):
    """A change to a study: these models have spurious modes at these windows."""

    def change(job, rows):
        for row in rows.get("scores", []):
            if row["model"].split()[0] in models and job.window in windows_:
                row["false_mass"] = 0.5

    return change


def test_spurious_modes_are_gaps_that_the_caption_names(tmp_path):
    keep, change = (lambda job: job.kind == "test"), false_at((1, 3), ("RBM",))
    figure = windows(Results(planted.write(tmp_path / "s.db", keep=keep, change=change)))
    assert lines_of(figure.axes[0])["RBM"] == pytest.approx([np.nan, 4.0, np.nan], nan_ok=True)
    assert "Not drawn, because of a spurious mode: RBM of 1 and 3 bins." in figure.caption
