"""Paragraphs of the methods: the numbers in them are those of the plan."""

import re
from dataclasses import replace

import planted_study as planted
import pytest

from microcolumn.report._methods import methods, references
from microcolumn.study import Experiment, Plan

FIRST, SECOND = planted.PLAN.experiments


def told(*experiments, layers=False):
    plan = Plan(planted.PLAN.sources, experiments)
    return dict(methods(plan, layers=layers, simulated=["cells"]))


def test_the_numbers_are_those_of_the_plan():
    said = told(FIRST, SECOND)
    words = said["Words and models: instantaneous"]
    for part in (
        "all units of cells (simulated)",
        "20\xa0ms",
        "hidden units: 5",
        "0, 10⁻³ and 4·10⁻³",
    ):
        assert part in words
    assert "4 times (seeds 0 to 3)" in words
    assert re.findall(r"(\d+)\xa0%", words) == ["50", "50", "40", "10"]
    windows = said["Words and models: spatiotemporal"]
    for part in ("the 4 most active units", "6.7\xa0ms", "T = 1, 2 and 3 "):
        assert part in windows
    assert "500 chains" in said["Normalisation"]
    assert "up to 100,000" in said["Normalisation"]


@pytest.mark.parametrize(
    ("n_units", "units"),
    [
        ({}, "the 80 most active units of"),
        ({"cells": 23}, "The spikes of all units of"),
        ({"cells": 23, "more": 100}, "the 80 most active units, or all where there are fewer, of"),
        ({"cells": 90, "more": 100}, "the 80 most active units of"),
    ],
)
def test_units_are_called_all_where_there_are_no_more(n_units, units):
    sources = (planted.SOURCE, replace(planted.SOURCE, name="more", seed=1))[: max(1, len(n_units))]
    plan = Plan(sources, (replace(FIRST, most_active=80),))
    [(_, words), *_] = methods(plan, layers=False, n_units=n_units)
    assert units in words


def test_rivals_are_told_with_what_they_are_and_who_made_them():
    said = told(Experiment("short", models=("RBM", "TwoTree", "PopulationTracking"), n_splits=1))
    words = said["Words and models"]
    assert "Restricted Boltzmann machines (hidden units: 25) were fitted" in words
    assert "each at the settings that the validation part preferred: a network of pairs" in words
    cited = [each.key for each in references(list(said.items()))]
    assert {"Carcamo & Lynn 2024", "O'Donnell et al. 2017"} <= set(cited)
    assert "(Holm 1979), those with a model of another kind apart" in said["Scores and errors"]
    assert "another kind" not in told(FIRST)["Scores and errors"]
    assert "several spikes of a unit in a bin count as one" in said["Scores and errors"]
    assert "all scores are from the test part" in words  # couplings and weights are not
    alone = told(Experiment("short", models="Tree", n_splits=1))["Words and models"]
    assert "L1 penalty" not in alone


def test_all_that_is_cited_is_listed_by_name():
    with_layers, without = (
        [each.key for each in references(list(told(FIRST, layers=layers).items()))]
        for layers in (True, False)
    )
    assert with_layers == sorted(with_layers)
    assert {"Köster et al. 2014", "Neal 2001", "Nadeau & Bengio 2003"} < set(without)
    assert "Phipson & Smyth 2010" in set(with_layers) - set(without)
    likelihood = told(replace(FIRST, objectives=("likelihood",)))
    keys = [each.key for each in references(list(likelihood.items()))]
    assert "Sohl-Dickstein et al. 2011" not in keys
    pseudolikelihood = told(replace(FIRST, objectives=("mpf", "pseudolikelihood")))
    keys = [each.key for each in references(list(pseudolikelihood.items()))]
    assert {"Besag 1975", "Sohl-Dickstein et al. 2011"} < set(keys)
