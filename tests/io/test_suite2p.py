"""Folders of suite2p: cells, frame rates, and pickles that stay closed."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import written
from planted_imaging import FRAME_RATE, traces, write_suite2p
from refusals import assert_refused

import microcolumn as mc
from microcolumn.io.suite2p import _pickled_number


@pytest.fixture
def plane(tmp_path):
    return write_suite2p(written.small_recording(), tmp_path / "suite2p" / "plane0")


def test_cells_are_active_where_their_values_stand_out(plane):
    recording, original = mc.read(plane), written.small_recording()
    assert recording.units.ids == ("0", "2", "3", "4")  # iscell.npy says that 1 is no cell
    assert recording.resolution_s == 1 / FRAME_RATE
    events = recording.count(1 / FRAME_RATE).T > 0
    values = traces(original).astype(np.float32)[[0, 2, 3, 4]]
    for mine, row in zip(events, values, strict=True):
        positive = row[row > 0]
        np.testing.assert_array_equal(mine, row > 3 * 1.4826 * np.median(positive))
        assert mine[row == 20].all()
    assert "no cells by iscell.npy, left out: 1 of 5" in recording.notes


def test_all_regions_are_cells_without_a_verdict_on_them(plane):
    (plane / "iscell.npy").unlink()
    assert mc.read(plane, threshold=5).n_units == 5


def test_the_folder_above_a_single_plane_may_be_named(plane):
    assert mc.read(plane.parent).n_units == 4
    write_suite2p(written.small_recording(), plane.with_name("plane1"))
    assert_refused(plane.parent, r"it holds several planes: plane0, plane1; name the folder of one")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("rate", [30.03, 15])
def test_the_frame_rate_is_found_in_a_pickle_of_any_protocol(protocol, rate, tmp_path):
    settings = {"a": "fs2", "list": ["fs", "fs", 3], "tau": 1.0, "fs": rate, "tail": np.zeros(9)}
    del settings["list"]
    np.save(tmp_path / "ops.npy", np.zeros(1))
    header = (tmp_path / "ops.npy").read_bytes()[:-8]
    (tmp_path / "ops.npy").write_bytes(header + pickle.dumps(settings, protocol))
    assert _pickled_number(tmp_path / "ops.npy", "fs") == rate


def test_a_pickle_is_listed_and_never_obeyed(plane, tmp_path):
    class Trap:
        def __reduce__(self):
            return Path.touch, (tmp_path / "touched",)

    np.save(plane / "ops.npy", {"trap": Trap(), "fs": 25.0})
    assert mc.read(plane).resolution_s == 0.04
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("settings", [{"fs": np.float64(30)}, {"fs": "30"}, {"fs": None}])
def test_a_frame_rate_that_is_no_plain_number_is_asked_for(settings, plane):
    np.save(plane / "ops.npy", settings)
    sentence = "ops.npy states no frame rate as a plain number; pass frame_rate= in Hz"
    assert_refused(plane, sentence)
    assert mc.read(plane, frame_rate=10).duration_s == 60.0


@pytest.mark.parametrize("rate", [0, -30, np.nan, np.inf, 1e9, "30", True])
def test_a_frame_rate_is_a_number_that_a_microscope_reaches(rate, plane):
    assert_refused(plane, "the frame rate is .*; pass frame_rate= in Hz", frame_rate=rate)


def test_a_stated_frame_rate_overrules_that_of_the_file_with_a_note(plane):
    recording = mc.read(plane, frame_rate=15)
    assert recording.duration_s == 40.0
    assert "the frame rate is 15 Hz as stated; ops.npy says 30.0" in recording.notes


DAMAGE = {
    "spks.npy": (np.zeros(4), "spks.npy has shape .* it needs one row of numbers per cell"),
    "iscell.npy": (np.zeros((2, 2)), "spks.npy has 5 entries but iscell.npy has 2"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_one_sentence(name, plane):
    values, sentence = DAMAGE[name]
    np.save(plane / name, values)
    assert_refused(plane, sentence)
    np.save(plane / name, np.array([{}]))
    assert_refused(plane, f"{name} holds Python objects, which could run code when opened")


def test_links_out_of_the_folder_are_refused(plane, tmp_path):
    (plane / "ops.npy").rename(tmp_path / "ops.npy")
    (plane / "ops.npy").symlink_to(tmp_path / "ops.npy")
    assert_refused(plane, "ops.npy is a link that leads out of the folder")
