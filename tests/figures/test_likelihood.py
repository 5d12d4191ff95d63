from dataclasses import replace

import planted_study
import pytest

from microcolumn.figures import likelihood
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
