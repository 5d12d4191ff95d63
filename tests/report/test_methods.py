"""Paragraphs of the methods: the numbers in them are those of the plan."""

import re
from dataclasses import replace

import planted_study as planted

from microcolumn.report._methods import methods, references
from microcolumn.study import Plan

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
