"""What is said of the length of a study, before and while it runs."""

from __future__ import annotations

import pytest

from microcolumn.study import Plan
from microcolumn.study._forecast import Forecast, announcement, forecast, roughly
from microcolumn.study._jobs import RecordingInfo, stages

HOUR = {"a": 3600.0}


def facts(n_units):
    return {"a": RecordingInfo("", n_units)}


def expected(plan, n_units, n_workers=1):
    return forecast(plan, facts(n_units), HOUR, stages(plan, facts(n_units)), n_workers)


def total_s(plan, n_units):
    found = expected(plan, n_units)
    return found.left_s(set(found.expected))


def test_more_units_words_penalties_and_hidden_units_take_longer():
    plan = Plan.of("a.npz")
    assert total_s(plan, 20) < total_s(plan, 100) < total_s(plan, 300)
    for smaller in ({"max_words": 30_000}, {"l1": "coarse"}, {"n_hidden": 10}, {"n_splits": 3}):
        assert total_s(Plan.of("a.npz", **smaller), 40) < total_s(plan, 40)
    assert total_s(plan.quick(), 1000) == total_s(plan.quick(), 100)


def test_what_is_left_follows_the_jobs_that_are_done():
    half = Forecast({"a": 100.0, "b": 100.0, "c": 100.0}, n_workers=2)
    assert half.left_s({"a", "b", "c"}) == 150.0
    half.done("a", 300.0)
    assert half.left_s({"b", "c"}) == pytest.approx(100.0 * 310.0 / 110.0)


def said(plan, n_units, n_workers=2):
    found = expected(plan, n_units, n_workers)
    return announcement(plan, facts(n_units), HOUR, found, set(found.expected))


def test_a_long_study_says_how_long_and_what_would_be_shorter():
    plan = Plan.of("a.npz")
    assert said(plan.quick(), 5) == ""
    assert said(plan.quick(), 300).startswith("49 jobs, 2 at a time, will take roughly ")
    assert "; of the 100 most active units alone (most_active) roughly " in said(plan, 300)
    assert "; of the 30 most active" in said(plan.quick(), 300)
    assert "most_active" not in said(plan, 40)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3.0, "less than a minute"),
        (61.0, "roughly 1 minute"),
        (3500.0, "roughly 58 minutes"),
        (7300.0, "roughly 2 hours"),
        (200_000.0, "roughly 2 days"),
    ],
)
def test_lengths_are_said_in_whole_units(seconds, text):
    assert roughly(seconds) == text
