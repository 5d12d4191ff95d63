from dataclasses import replace

import numpy as np
import planted_study
import planted_study as planted
import pytest
from planted_comparison import compared

from microcolumn.figures import FIGURES, _scores, likelihood, ranking, windows
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


def scored(folder, plan=planted_study.PLAN, splits=range(4)):
    path = planted_study.write(
        folder / "study.db", plan, keep=lambda job: job.kind == "test" and job.split in splits
    )
    return Results(path)


@pytest.fixture
def pair(planted_results, monkeypatch):
    """The planted study as if it had a second recording with half the units and scores."""
    compare, tested = planted_results.comparison, planted_results.tested

    def comparison(recording, **where):
        found = compare("cells", **where)
        if recording == "cells":
            return found
        halved = [replace(p, bits_per_second=p.bits_per_second / 2) for p in found.pairs]
        return replace(found, recording=recording, n_units=11, pairs=tuple(halved))

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


def test_hidden_units_that_grow_with_the_words_have_no_number(planted_results):
    figure = likelihood(planted_results, "cells", experiment="spatiotemporal", window=2)
    assert heights(figure.axes[0]) == {
        "Ising": pytest.approx([14.0]),
        "RBM": pytest.approx([16.0]),
    }


def test_all_recordings_are_shown_side_by_side_or_one_of_them(pair):
    figure = likelihood(pair)
    assert heights(figure.axes[0])["RBM 5"] == pytest.approx([12.0, 6.0])
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == ["cells (simulated)\n23 units", "\\$B (simulated)\n11 units"]
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


def test_without_an_ising_model_scores_stand_alone(tmp_path):
    plan = replace(planted_study.PLAN, experiments=(replace(FIRST, models=("RBM",)),))
    [ax] = likelihood(scored(tmp_path, plan)).axes
    assert heights(ax) == {"RBM 5": pytest.approx([12.0])}


def test_many_recordings_are_summarised_by_model(planted_results, monkeypatch):
    tested, compare = planted_results.tested, planted_results.comparison
    names = [f"mouse {k}" for k in range(30)]
    first = tested()[0]
    monkeypatch.setattr(
        planted_results, "tested", lambda: [first._replace(recording=name) for name in names]
    )
    monkeypatch.setattr(
        planted_results,
        "comparison",
        lambda recording, **at: replace(compare("cells", **at), recording=recording),
    )
    sources = tuple(replace(planted_study.SOURCE, name=n, seed=k) for k, n in enumerate(names))
    monkeypatch.setattr(planted_results, "plan", replace(planted_study.PLAN, sources=sources))
    index = planted_results.index
    families = index.families
    monkeypatch.setattr(index, "families", lambda c: families(c._replace(recording="cells")))
    figure = likelihood(planted_results)
    figure.draw_without_rendering()
    assert heights(figure.axes[0])["RBM 5"] == pytest.approx([12.0])
    assert "means over 30 recordings, which are the open dots" in figure.caption
    assert not figure.legends


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
        monkeypatch.setattr(_scores, "of_recordings", lambda *_: (condition, found))
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


def test_without_a_gain_there_is_one_panel_and_without_a_score_no_figure(tmp_path):
    keep = lambda job: job.kind == "test"  # noqa: E731
    change = false_at((1, 2, 3), ("Ising",))
    figure = windows(Results(planted_study.write(tmp_path / "one.db", keep=keep, change=change)))
    [ax] = figure.axes
    assert list(lines_of(ax)) == ["RBM"]
    assert "(b)" not in figure.caption
    change = false_at((1, 2, 3), ("Ising", "RBM"))
    none = Results(planted_study.write(tmp_path / "none.db", keep=keep, change=change))
    with pytest.raises(NotComputedError, match="a score without a spurious mode"):
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
