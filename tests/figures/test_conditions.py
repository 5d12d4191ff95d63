from dataclasses import replace

import planted_study
import pytest

import microcolumn as mc
from microcolumn.figures.conditions import SEVERAL_BINS, TESTED, by_likelihood, condition_of
from microcolumn.study import NotComputedError

ONE, _ = planted_study.PLAN.experiments
FLOW = replace(ONE, objectives="mpf")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """All of one experiment, and the other up to two bins."""
    file = tmp_path_factory.mktemp("store") / "study.db"
    keep = lambda job: job.kind == "test" and job.window < 3  # noqa: E731
    return mc.study.open(planted_study.write(file, keep=keep))


@pytest.mark.parametrize(
    ("asked", "need", "shown"),
    [
        ((None, None, None), TESTED, ("instantaneous", 1)),
        (("cells", "spatiotemporal", None), TESTED, ("spatiotemporal", 2)),  # the longest tested
        ((None, None, None), SEVERAL_BINS, ("spatiotemporal", 2)),
        (("cells", "spatiotemporal", 1), TESTED, ("spatiotemporal", 1)),
        ((None, None, 2), TESTED, ("spatiotemporal", 2)),
    ],
)
def test_the_first_experiment_that_fits_is_shown_with_its_longest_words(
    results, asked, need, shown
):
    condition = condition_of(results, *asked, need)
    assert condition.recording == "cells"
    assert (condition.experiment.name, condition.window) == shown


def test_a_condition_that_is_not_tested_yet_is_not_computed(results):
    with pytest.raises(NotComputedError, match="windows of 3 bins"):
        condition_of(results, "cells", "spatiotemporal", 3)


def test_a_plan_without_windows_has_no_figures_of_them(tmp_path):
    plan = replace(planted_study.PLAN, experiments=(replace(ONE, models=("Ising",)),))
    keep = lambda job: job.kind == "test"  # noqa: E731
    results = mc.study.open(planted_study.write(tmp_path / "study.db", plan, keep=keep))
    for draw in (mc.figures.windows, mc.figures.spatiotemporal):
        with pytest.raises(NotComputedError, match="several bins"):
            draw(results)


@pytest.mark.parametrize(
    ("change", "leads"),
    [
        ({}, True),
        ({"n_splits": 3, "models": ("Ising", "RBM")}, True),
        ({"models": ("Ising", "KPairwise")}, False),  # no hidden units
        ({"bin_width": 0.01}, False),  # other words
        ({"objectives": "pseudolikelihood"}, False),
    ],
)
def test_fits_of_the_same_words_by_likelihood_come_before_those_by_flow(
    tmp_path, monkeypatch, change, leads
):
    other = replace(ONE, **{"name": "other"} | change)
    plan = replace(planted_study.PLAN, experiments=(FLOW, other))
    keep = lambda job: job.kind == "test"  # noqa: E731
    monkeypatch.setitem(planted_study.LEVEL, "KPairwise", 5.0)
    results = mc.study.open(planted_study.write(tmp_path / "study.db", plan, keep=keep))
    found = condition_of(results)
    assert found.experiment.name == ("other" if leads else "instantaneous")
    assert by_likelihood(results, found) == found
    assert condition_of(results, experiment="instantaneous").experiment.name == "instantaneous"
    drawn = [label.get_text() for label in mc.figures.ranking(results).axes[0].get_yticklabels()]
    assert any(name.endswith(" mpf") for name in drawn) != leads
