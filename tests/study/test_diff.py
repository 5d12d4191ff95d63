import json
from pathlib import Path

import pytest

from microcolumn import Recording
from microcolumn.study._diff import changes
from microcolumn.study._plan import Plan, Source


def tiny(last):
    return Recording([[0.5, last], [0.1]], epochs=[[0.0, 2.0]])


def test_equal_plans_have_no_differences():
    again = Plan.from_dict(json.loads(json.dumps(Plan.paper().as_dict())))
    assert changes(Plan.paper(), again) == []
    assert changes(Plan.of(tiny(1.0)), Plan.of(tiny(1.0))) == []


def test_the_order_of_recordings_and_experiments_is_no_difference():
    plan = Plan.paper()
    assert changes(plan, Plan(plan.sources[::-1], plan.experiments[::-1])) == []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"n_splits": 5}, "n_splits was 10, is 5"),
        ({"window": [1, 2]}, "window was 1, is 1, 2"),
        ({"l1": [0, 2e-3]}, "penalties was 0, 0.001, 0.002, 0.004, 0.006, 0.008, 0.01, "
         "is 0, 0.002"),
        ({"max_words": 1000}, "max_words was not set, is 1000"),
        ({"recordings": "B4"}, "recordings was all, is B4"),
        ({"n_hidden": "dims"}, "n_hidden was 25, is dims"),
        ({"bin_width": 0.01}, "bin_width was 0.02, is 0.01"),
    ],
)  # fmt: skip
def test_each_changed_setting_is_told(settings, sentence):
    new = Plan.from_dict({"recordings": {"B4": {"preset": "B4"}}, "instantaneous": settings})
    assert f"instantaneous: {sentence}" in changes(Plan.of("B4"), new)


def test_all_changes_of_a_plan_are_told_in_order():
    old = Plan.of({"a": "B4", "s": Source("s", file="s.npz"), "m": tiny(1.0)})
    new = Plan.of(
        {
            "t": "T6",
            "s": Source("s", file="s.npz", read={"quality": "good"}, select={"layer": ["IV"]}),
            "m": tiny(1.5),
        },
        seed=3,
        spatiotemporal=True,
    )
    assert changes(old, new) == [
        "recording a is no longer planned",
        "recording t is new",
        "recording s: quality was not set, is good",
        "recording s: select was not set, is layer IV",
        "recording m: its data in memory are not the same",
        "instantaneous: seed was 0, is 3",
        "experiment spatiotemporal is new",
    ]
    assert "experiment spatiotemporal is no longer planned" in changes(new, old)


def test_a_shorter_preset_and_a_moved_recording_are_told():
    told = changes(Plan.of({"a": "B4", "b": tiny(1.0)}).quick(), Plan.of({"a": "B4", "b": "b.npz"}))
    assert "recording a: minutes was 10, is not set" in told
    assert f"recording b: file was not set, is {Path('b.npz').resolve()}" in told


def test_numbers_that_differ_little_are_told_apart():
    told = changes(Plan.of("B4", train=0.5), Plan.of("B4", train=0.50000001))
    assert told == ["instantaneous: train was 0.5, is 0.50000001"]
