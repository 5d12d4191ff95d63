"""The opening shows what the store has of pairs, of groups, and of what groups gain."""

from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.figures import opening
from microcolumn.study import NotComputedError, Results

FIRST, _ = planted.PLAN.experiments


def study(folder, models, **options):
    plan = replace(planted.PLAN, experiments=(replace(FIRST, models=models, n_splits=2),))
    return Results(planted.write(folder / "study.db", plan, **options))


def xlabels(figure):
    return [ax.get_xlabel().split("\n")[0] for ax in figure.axes]


def test_panels_are_pairs_groups_and_the_gain(planted_results):
    pairs, groups, gain = opening(planted_results).axes
    assert pairs.get_title() == "1 coupling"
    assert [label.get_text() for label in groups.get_xticklabels()] == ["h0"]  # the assembly
    assert groups.get_title() == "groups"
    [value] = [line for line in gain.lines if line.get_marker() == "o"]
    assert float(value.get_xdata()[0]) == pytest.approx(20.0)  # 12 bits/s, and 10 of pairs


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        (("Ising",), [""]),
        (("RBM",), [""]),
        (("Ising", "RBM"), ["", "", "gain over models without groups"]),
    ],
)
def test_what_is_not_known_has_no_panel(tmp_path, models, expected):
    assert xlabels(opening(study(tmp_path, models))) == expected


def test_without_pairs_and_groups_there_is_no_opening(tmp_path):
    with pytest.raises(NotComputedError, match="no pairs and no groups are known"):
        opening(study(tmp_path, ("RBM",), keep=lambda job: job.kind == "test"))
