"""Trains of Neo in memory: units of time, names, and segments that become epochs."""

from __future__ import annotations

import numpy as np
import pytest

from microcolumn import Recording
from microcolumn.io.neo import from_neo

neo = pytest.importorskip("neo")
pq = pytest.importorskip("quantities")


def train(times, stop=2.0, *, unit="s", start=0.0, **known):
    scale = {"s": 1.0, "ms": 1e3, "us": 1e6}[unit]
    return neo.SpikeTrain(
        np.array(times) * scale, units=unit, t_start=start * pq.s, t_stop=stop * pq.s, **known
    )


def block_of(*segments):
    block = neo.Block()
    for trains in segments:
        segment = neo.Segment()
        segment.spiketrains.extend(trains)
        block.segments.append(segment)
    return block


def test_trains_in_any_unit_of_time_become_seconds():
    times = [0.0001, 0.02, 1.5]
    recording = from_neo([train(times, unit=unit, name=unit) for unit in ("s", "ms", "us")])
    assert recording.units.ids == ("s", "ms", "us")
    for ours in recording.trains:
        np.testing.assert_allclose(ours, times, rtol=0, atol=1e-12)
    words = recording.bin(0.02).expand()
    np.testing.assert_array_equal(words, Recording([times] * 3, epochs=[[0, 2]]).bin(0.02).expand())


@pytest.mark.parametrize("make", [list, neo.core.spiketrainlist.SpikeTrainList])
def test_scalar_annotations_become_columns(make):
    trains = [
        train([0.1], name="a", depth=0.3 * pq.mm, layer="IV", quality="good", shape=np.ones(3)),
        train([0.2], name="b", depth=900 * pq.um, layer="V", quality="mua"),
    ]
    recording = from_neo(make(trains), depth_reference="surface")
    np.testing.assert_allclose(recording.units.depth_um, [300.0, 900.0])
    assert recording.units.layer == ("IV", "V")
    assert recording.units.quality == ("good", "mua")
    assert from_neo(trains, depth_reference="tip", quality="good").n_units == 1
    assert from_neo(trains, depth_reference="tip", layers={"a": "x", "b": "y"}).units.layer == (
        "x",
        "y",
    )


def test_units_are_named_by_the_caller_by_annotations_or_by_position():
    trains = [train([0.1]), train([0.2])]
    assert from_neo(trains).units.ids == ("0", "1")
    assert from_neo(trains, ids=["x", "y"]).units.ids == ("x", "y")
    assert from_neo([train([0.1], unit_id=7)]).units.ids == ("7",)
    assert from_neo(train([0.1], name="alone")).units.ids == ("alone",)


def test_segments_are_epochs_joined_unit_by_unit():
    first = [train([0.1, 0.4], 1.0, name="a"), train([0.5], 1.0, name="b")]
    second = [train([3.5], 4.0, start=3.0, name="b"), train([], 4.0, start=3.0, name="a")]
    recording = Recording.from_neo(block_of(first, second))
    np.testing.assert_allclose([*recording.epochs], [(0.0, 1.0), (3.0, 4.0)])
    assert recording.epochs.labels == ("segment 0", "segment 1")
    np.testing.assert_array_equal(recording.trains[0], [0.1, 0.4])
    np.testing.assert_array_equal(recording.trains[1], [0.5, 3.5])
    assert from_neo(block_of(first, second).segments[1]).units.ids == ("b", "a")
    assert from_neo(block_of(first, second), epochs="segment 1").duration_s == pytest.approx(1.0)


def test_segments_that_all_start_at_0_are_laid_out_one_after_another():
    trials = [
        [train([0.1, 1.0], 1.0, name="a"), train([0.5], 1.0, name="b")],
        [train([0.25], 1.0, name="a"), train([0.0, 0.75], 1.0, name="b")],
        [train([], 1.0, name="a"), train([], 1.0, name="b")],
    ]
    recording = from_neo(block_of(*trials))
    np.testing.assert_allclose([*recording.epochs], [(0.0, 1.0), (2.0, 3.0), (4.0, 5.0)])
    np.testing.assert_allclose(recording.trains[0], [0.1, 1.0, 2.25])
    np.testing.assert_allclose(recording.trains[1], [0.5, 2.0, 2.75])
    np.testing.assert_allclose(recording.rates_hz, [1.0, 1.0])
    assert recording.notes[-1] == "3 segments put one after another with 1 s between them"


def test_trials_may_begin_before_the_event_that_they_are_aligned_to():
    trials = [[train([-0.2, 0.3], 0.5, start=-0.5, name="a")] for _ in range(2)]
    recording = from_neo(block_of(*trials))
    np.testing.assert_allclose(recording.trains[0], [0.3, 0.8, 2.3, 2.8])


def test_spikes_before_0_are_kept_where_the_train_starts_before_them():
    recording = from_neo([train([-0.5, 0.1], start=-1.0)])
    assert recording.spike_counts.tolist() == [2]
    assert list(recording.epochs) == [(-1.0, 2.0)]


def test_spikes_after_the_time_that_all_trains_share_do_not_reach_the_next_segment():
    trials = [[train([3.0], 4.0, name="a"), train([0.5], 1.0, name="b")] for _ in range(2)]
    recording = from_neo(block_of(*trials))
    np.testing.assert_allclose([*recording.epochs], [(0.0, 1.0), (5.0, 6.0)])
    np.testing.assert_allclose(recording.rates_hz, [0.0, 1.0])


def test_ids_rename_units_after_their_trains_are_joined_by_name():
    first = [train([0.1], 1.0, name="a"), train([0.2], 1.0, name="b")]
    second = [train([1.4], start=1.0, name="b"), train([1.3], start=1.0, name="a")]
    recording = from_neo(block_of(first, second), ids=["x", "y"])
    assert recording.units.ids == ("x", "y")
    np.testing.assert_array_equal(recording.trains[0], [0.1, 1.3])
    np.testing.assert_array_equal(recording.trains[1], [0.2, 1.4])


def test_trains_that_share_a_name_are_joined_by_position_only_in_one_order():
    first = [train([0.1], 1.0, name=name) for name in ("a", "a", "b")]
    second = [train([1.1], start=1.0, name=name) for name in ("a", "a", "b")]
    recording = from_neo(block_of(first, second), ids=["x", "y", "z"])
    np.testing.assert_array_equal(recording.trains[2], [0.1, 1.1])
    with pytest.raises(ValueError, match="different orders"):
        from_neo(block_of(first, second[::-1]), ids=["x", "y", "z"])


def test_the_wrong_number_of_ids_is_said_to_be_that():
    trains = [train([0.1], name="a", depth=3.0), train([0.2], name="b", depth=4.0)]
    with pytest.raises(ValueError, match="ids has 1 names for 2 units"):
        from_neo(trains, ids=["x"])


def test_the_epoch_is_what_all_trains_cover_and_holds_a_spike_on_its_end():
    recording = from_neo([train([0.5, 1.0], 1.0, name="a"), train([0.7], 2.0, name="b")])
    assert recording.duration_s == pytest.approx(1.0)
    assert recording.rates_hz[0] == pytest.approx(2.0)
    assert "do not cover the same time" in recording.notes[0]
    touching = block_of([train([1.0], 1.0, name="a")], [train([1.0], start=1.0, name="a")])
    epochs = from_neo(touching).epochs
    assert epochs.starts.tolist() == [0.0, epochs.stops[0]] == [0.0, 1.0]


@pytest.mark.parametrize(
    ("trains", "part"),
    [
        ([], "no unit"),
        (block_of(), "no unit"),
        ([train([0.1], name="a"), train([0.2], name="a")], "are called 'a'; pass ids="),
        (block_of([train([0.1], name="a")], [train([0.1], name="b")]), "unit 'a' is not in both"),
        ([train([0.1], 1.0, name="a"), train([], 2.0, start=1.5, name="b")], "share no time"),
        ([train([0.1], depth=3.0)], "pass depth_reference"),
    ],
)
def test_trains_that_cannot_be_used_are_refused_in_one_sentence(trains, part):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        from_neo(trains)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
