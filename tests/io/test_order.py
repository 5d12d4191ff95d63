"""Spikes out of order, spikes before 0, and recordings that begin late on their clock."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.survey._suspects import late_start

RNG = np.random.default_rng(0)


def saved(path, *trains, **arrays):
    np.savez(
        path,
        spike_times=np.concatenate(trains),
        spike_units=np.repeat(np.arange(len(trains)), [len(train) for train in trains]),
        unit_ids=np.arange(len(trains)),
        **arrays,
    )
    return path


def poisson(start, stop, rate_hz=5.0):
    return np.sort(RNG.uniform(start, stop, RNG.poisson(rate_hz * (stop - start))))


def test_trains_out_of_order_are_sorted_and_counted_and_copies_are_kept(tmp_path):
    first, second = poisson(0, 30), np.array([0.5, 0.5, 1.0])
    path = saved(tmp_path / "a.npz", RNG.permutation(first), second)
    recording = mc.read(path)
    np.testing.assert_array_equal(recording.trains[0], first)
    assert recording.trains[1].tolist() == [0.5, 0.5, 1.0]
    assert "spike times out of order were sorted (units: 1)" in recording.notes


def test_spikes_before_0_need_a_stated_start_and_are_binned_from_there(tmp_path):
    trains = [poisson(-5, 20), poisson(-5, 20)]
    path = saved(tmp_path / "a.npz", *trains)
    with pytest.raises(ValueError, match=r"before 0; say when the recording began: start=-5$"):
        mc.read(path)
    recording = mc.read(path, start=-5.0)
    words = recording.bin(0.02)
    shifted = mc.Recording([train + 5.0 for train in trains]).bin(0.02)
    np.testing.assert_array_equal(words.expand(), shifted.expand())
    assert words.clock.times_s(words.bins[:2], 0.02).tolist() == [-5.0, -4.98]
    recording.save(tmp_path / "b.npz")
    again = mc.read(tmp_path / "b.npz")
    np.testing.assert_array_equal(again.spike_times, recording.spike_times)
    assert list(again.epochs) == list(recording.epochs)


def test_spikes_before_0_lie_outside_epochs_that_the_file_states(tmp_path):
    recording = mc.read(saved(tmp_path / "a.npz", poisson(-5, 20), duration_s=20.0))
    outside = int((recording.spike_times < 0).sum())
    assert outside > 0
    assert f"spikes before 0 that lie outside the epochs: {outside}" in recording.notes
    assert recording.binning(0.02).n_outside == outside


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"start": 25.0}, "start is 25 s but the last spike is at"),
        ({"start": "x"}, "start is 'x'; give seconds"),
        ({"start": 0.0, "epochs": [[0, 10]]}, "stated when it was recorded; leave start= out"),
    ],
)
def test_a_start_that_cannot_be_is_one_sentence(options, sentence, tmp_path):
    with pytest.raises((ValueError, TypeError), match=sentence):
        mc.read(saved(tmp_path / "a.npz", poisson(0, 20)), **options)


def test_a_recording_on_a_clock_that_ran_before_begins_with_its_first_spike(tmp_path):
    path = saved(tmp_path / "a.npz", poisson(3000, 3300))
    recording = mc.read(path)
    assert recording.duration_s == pytest.approx(300, abs=3)
    assert any("the first spike is at 3000" in note for note in recording.notes)
    assert mc.read(path, start=2990.0).epochs.starts[0] == 2990.0


def test_a_silent_start_is_kept_with_a_note_and_a_warning(tmp_path):
    recording = mc.read(saved(tmp_path / "a.npz", poisson(200, 600)))
    assert recording.epochs.starts[0] == 0.0
    assert any("no unit fires in the first 200" in note for note in recording.notes)
    [warning] = late_start(recording)
    assert warning.startswith("no unit fires in the first 200")
    quiet = mc.read(saved(tmp_path / "b.npz", poisson(0, 600, rate_hz=0.1)))
    assert not any("no unit fires" in note for note in quiet.notes)


def test_times_in_milliseconds_can_be_given_their_unit(tmp_path):
    path = saved(tmp_path / "a.npz", poisson(0, 600) * 1e3)
    with pytest.raises(ValueError, match="or state their unit: time_unit='ms', or 'samples'"):
        mc.read(path)
    assert mc.read(path, time_unit="ms").duration_s == pytest.approx(600, abs=3)
