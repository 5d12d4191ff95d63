from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.models import ModelSpec
from microcolumn.study.index import NotComputedError, PlanIndex
from microcolumn.study.plan import Plan
from microcolumn.study.sources import Source

READ = {"cells": {"fingerprint": "f0", "n_units": 23}}


@pytest.fixture
def index():
    return PlanIndex(planted.PLAN, READ)


def test_a_model_goes_by_its_full_name_and_by_its_class_where_there_is_one(index):
    condition = index.at("cells", "instantaneous", None)
    assert index.spec(condition, "RBM") == index.spec(condition, "RBM 5") == ModelSpec("RBM", 5)
    assert index.spec(condition, ModelSpec("RBM", 5)) == ModelSpec("RBM", 5)
    assert index.spec(condition, "Ising").n_hidden == 0
    with pytest.raises(ValueError, match=r"'GLM' is none .* one of Ising, RBM 5, SemiRBM 5$"):
        index.spec(condition, "GLM")


def test_the_only_lags_and_the_first_experiment_go_without_saying(index):
    condition = index.at("cells", None, None)
    assert (condition.experiment.name, condition.window) == ("instantaneous", 1)
    assert str(condition) == "'cells', experiment 'instantaneous'"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("cats", None, None), "no recording 'cats'; it has cells"),
        (("cells", "third", None), "no experiment 'third'; .* instantaneous, spatiotemporal"),
        (("cells", "spatiotemporal", None), "window is None, .* has 1, 2, 3; choose one"),
        (("cells", "spatiotemporal", 4), "window is 4, .* has 1, 2, 3; choose one"),
    ],
)
def test_unknown_names_are_met_with_the_known_ones(index, names, message):
    with pytest.raises(ValueError, match=message):
        index.at(*names)


def test_recordings_that_are_not_read_yet_have_no_results_yet():
    sources = (*planted.PLAN.sources, Source("later", preset="T6"))
    only_later = replace(planted.PLAN.experiments[1], recordings=("later",))
    index = PlanIndex(Plan(sources, (planted.PLAN.experiments[0], only_later)), READ)
    assert [condition.experiment.name for condition in index.conditions()] == ["instantaneous"]
    with pytest.raises(NotComputedError, match="'later' is not read yet; run the study further"):
        index.at("later", None, None)
    assert PlanIndex(Plan(sources, (only_later,)), READ).conditions() == []
