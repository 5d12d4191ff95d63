import numpy as np
import pytest
from refusals import assert_refused

import microcolumn as mc
from microcolumn.epochs import Epochs
from microcolumn.errors import BadArgument
from microcolumn.io._session import Session, to_recording
from microcolumn.survey.suspects import late_start

IDS, TRAINS = ["a", "b"], [[0.1, 0.5], [0.2]]


def made(columns, depth_reference=None, file_reference=None):
    session = Session(IDS, TRAINS, columns, depth_reference=file_reference)
    return to_recording(session, source="a test", depth_reference=depth_reference)


def test_columns_are_found_by_name_in_any_case():
    columns = {"Depth": ["100", 5.5], "LAYER": ["IV", None], "KSLabel": ["good", "mua"]}
    units = made(columns, "tip").units
    assert units.depth_um.tolist() == [100.0, 5.5]
    assert units.layer == ("IV", "")
    assert units.quality == ("good", "mua")
    assert units.multiunit.tolist() == [False, True]


def test_depths_that_are_no_numbers_are_unknown():
    units = made({"depth": [80.0, "deep"]}, "surface").units
    np.testing.assert_array_equal(units.depth_um, [80.0, np.nan])


@pytest.mark.parametrize("depths", [[0, 0], [np.nan, None], ["", "x"], [np.inf, 0.0]])
def test_a_column_that_says_nothing_needs_no_reference(depths):
    assert made({"depth": depths}).units.depth_um is None


def test_what_the_file_states_needs_no_word_and_allows_no_other():
    columns = {"depth_um": [1.0, 2.0]}
    for said in (None, "unstated", "tip"):
        assert made(columns, said, file_reference="tip").units.depth_reference == "tip"
    with pytest.raises(ValueError, match="'surface' but the file states 'tip'; leave it out"):
        made(columns, "surface", file_reference="tip")


@pytest.mark.parametrize(
    ("entries", "names"),
    [
        (["41", "42"], ("41", "42")),
        ([41.0, np.nan], ("41", "")),
        ([41, -1], ("41", "")),
        ([b"cell 7", None], ("cell 7", "")),
    ],
)
def test_names_of_cells_come_from_the_column_that_is_asked_for(entries, names):
    session = Session(IDS, TRAINS, {"uid": entries, "global_id": ["1", "2"]})
    assert to_recording(session, source="a test", match_by="uid").units.global_id == names
    assert to_recording(session, source="a test").units.global_id == ("1", "2")
    assert made({"uid": entries}).units.global_id is None


def test_a_column_of_cells_that_is_not_there_is_named_with_those_that_are():
    session = Session(IDS, TRAINS, {"uid": [1, 2]})
    with pytest.raises(BadArgument, match="'cell', which is none of the columns uid") as caught:
        to_recording(session, source="a test", match_by="cell")
    assert caught.value.argument == "match_by"


LONG = "x" * 201


@pytest.mark.parametrize(
    ("place", "session"),
    [
        ("unit", Session([LONG, "b"], TRAINS)),
        ("layer", Session(IDS, TRAINS, {"layer": [LONG, "b"]})),
        ("area", Session(IDS, TRAINS, {"location": [LONG, "VISp4"]})),
        ("probe", Session(IDS, TRAINS, {"probe": [LONG, "b"]})),
        ("quality", Session(IDS, TRAINS, {"KSLabel": [LONG, "b"]})),
        ("epochs", Session(IDS, TRAINS, epochs=Epochs([[0, 1]], [LONG]))),
        ("intervals", Session(IDS, TRAINS, intervals={LONG: Epochs([[0, 1]])})),
        ("trials", Session(IDS, TRAINS, intervals={"trials": Epochs([[0, 1]], [LONG])})),
    ],
)
def test_text_that_is_too_long_for_a_name_is_refused_with_its_column(place, session):
    sentence = (
        rf"^'{place}' holds '\w+' and so on, 20\d characters; names have 200 at most: shorten"
    )
    with pytest.raises(ValueError, match=sentence):
        to_recording(session, source="a test")


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
    assert_refused(path, r"before 0; say when the recording began: start=-5$")
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


def test_a_recording_on_a_clock_that_ran_before_begins_with_its_first_spike(tmp_path):
    path = saved(tmp_path / "a.npz", poisson(3000, 3300))
    recording = mc.read(path)
    assert recording.duration_s == pytest.approx(300, abs=3)
    assert any("the first spike is at 3000" in note for note in recording.notes)
    assert mc.read(path, start=2990.0).epochs.starts[0] == 2990.0


def test_a_silent_start_is_kept_with_a_warning(tmp_path):
    recording = mc.read(saved(tmp_path / "a.npz", poisson(200, 600)))
    assert recording.epochs.starts[0] == 0.0
    [warning] = late_start(recording)
    assert warning.startswith("no unit fires in the first 200")
    quiet = mc.read(saved(tmp_path / "b.npz", poisson(0, 600, rate_hz=0.1)))
    assert not late_start(quiet)


def test_times_in_milliseconds_can_be_given_their_unit(tmp_path):
    path = saved(tmp_path / "a.npz", poisson(0, 600) * 1e3)
    assert_refused(path, "or state their unit: time_unit='ms', or 'samples'")
    assert mc.read(path, time_unit="ms").duration_s == pytest.approx(600, abs=3)
