"""What is said of the length of a study, before and while it runs."""

from __future__ import annotations

import pytest

from microcolumn.study import Plan
from microcolumn.study._forecast import about, announcement, expected_s, left_s
from microcolumn.study._jobs import RecordingInfo, stages


def total_s(plan, n_units):
    """Of all jobs on an hour of recording."""
    experiments = {each.name: each for each in plan.experiments}
    found = stages(plan, {"a": RecordingInfo("", n_units)})
    jobs = [job for stage in found for job in stage.values()]
    return sum(expected_s(job, experiments[job.experiment], n_units, 3600.0) for job in jobs)


def test_more_units_words_penalties_and_hidden_units_take_longer():
    plan = Plan.of("a.npz")
    assert total_s(plan, 20) < total_s(plan, 100) < total_s(plan, 300)
    for smaller in ({"max_words": 30_000}, {"l1": "coarse"}, {"n_hidden": 10}, {"n_splits": 3}):
        assert total_s(Plan.of("a.npz", **smaller), 40) < total_s(plan, 40)
    assert total_s(plan.quick(), 1000) == total_s(plan.quick(), 100)


def test_what_is_left_follows_the_jobs_that_are_done():
    assert left_s(300.0, 0.0, 0.0, n_workers=2) == 150.0
    assert left_s(200.0, 100.0, 300.0, n_workers=2) == pytest.approx(100.0 * 310.0 / 110.0)


def test_a_long_study_says_how_long_and_what_would_be_shorter():
    assert announcement(49, 2, 50.0, 300) == ""
    long = announcement(49, 2, 8 * 3600.0, 300)
    assert long.startswith("49 jobs, 2 at a time, will take about 8 hours; ")
    assert long.endswith("; of the 100 most active units alone (most_active) about 2 hours")
    assert "; of the 30 most active" in announcement(49, 2, 3600.0, 100)
    assert "most_active" not in announcement(49, 2, 3600.0, 40)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3.0, "less than a minute"),
        (61.0, "about 1 minute"),
        (3500.0, "about 58 minutes"),
        (7300.0, "about 2 hours"),
        (200_000.0, "about 2 days"),
    ],
)
def test_lengths_are_said_in_whole_units(seconds, text):
    assert about(seconds) == text
