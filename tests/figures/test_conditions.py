from dataclasses import replace

import planted_study
import pytest

import microcolumn as mc
from microcolumn.figures._conditions import condition_of, first_split
from microcolumn.study._index import NotComputedError


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """All of one experiment, and the other up to two window."""
    file = tmp_path_factory.mktemp("store") / "study.db"
    return mc.study.open(planted_study.write(file, keep=lambda job: job.window < 3))


def named(condition):
    return condition.recording, condition.experiment.name, condition.window


def test_the_first_experiment_is_shown_where_none_is_named(results):
    assert named(condition_of(results, None, None, None)) == ("cells", "instantaneous", 1)


def test_the_longest_words_tested_so_far_are_shown(results):
    condition = condition_of(results, "cells", "spatiotemporal", None)
    assert named(condition) == ("cells", "spatiotemporal", 2)


def test_windows_skip_experiments_of_single_bins(results):
    assert named(condition_of(results, None, None, None, several_bins=True)) == (
        "cells",
        "spatiotemporal",
        2,
    )


def test_what_is_named_is_shown(results):
    assert named(condition_of(results, "cells", "spatiotemporal", 1)) == (
        "cells",
        "spatiotemporal",
        1,
    )
    assert named(condition_of(results, None, None, 2)) == ("cells", "spatiotemporal", 2)


@pytest.mark.parametrize(
    ("recording", "experiment", "window", "problem"),
    [
        ("sells", None, None, "no recording 'sells'; it has cells"),
        ("cells", "instant", None, "no experiment 'instant'"),
        (None, "instant", None, "no experiment 'instant'; it has instantaneous, spatiotemporal"),
        (None, None, 7, "window is 7, and the study has 1, 2, 3"),
        (None, "instantaneous", 2, "window is 2, and the study has 1;"),
    ],
)
def test_what_the_plan_has_not_is_named_with_what_it_has(
    results, recording, experiment, window, problem
):
    with pytest.raises(ValueError, match=problem) as caught:
        condition_of(results, recording, experiment, window)
    assert not isinstance(caught.value, NotComputedError)


def test_what_is_not_tested_yet_asks_for_the_study_to_be_run(results):
    with pytest.raises(NotComputedError, match=r"with 3 window; run the study further$"):
        condition_of(results, "cells", "spatiotemporal", 3)


def test_a_plan_without_windows_asks_for_an_experiment(tmp_path):
    plan = replace(planted_study.PLAN, experiments=planted_study.PLAN.experiments[:1])
    file = planted_study.write(tmp_path / "study.db", plan=plan)
    for draw in (mc.figures.windows, mc.figures.spatiotemporal):
        with pytest.raises(NotComputedError, match=r"bins are not tested yet.*add such an exp"):
            draw(mc.study.open(file))


def test_no_figure_is_drawn_before_a_test(tmp_path):
    file = planted_study.write(tmp_path / "study.db", keep=lambda job: job.kind != "test")
    for each in mc.figures.FIGURES.values():
        with pytest.raises(NotComputedError, match="run the study further"):
            each.draw(mc.study.open(file))


def test_the_first_tested_split_is_found(tmp_path):
    path = planted_study.write(tmp_path / "some.db", keep=lambda job: job.split in (1, 2))
    compared = mc.study.open(path).comparison("cells", experiment="instantaneous")
    assert first_split(compared) == 1
