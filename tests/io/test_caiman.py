"""Results of CaImAn: accepted components, frame rates, what was not computed."""

import numpy as np
import pytest
import written
from planted_imaging import FRAME_RATE, traces, write_caiman
from refusals import assert_refused

import microcolumn as mc

ORIGINAL = written.small_recording()


@pytest.fixture
def file(tmp_path):
    return lambda **changed: write_caiman(ORIGINAL, tmp_path / "a.hdf5", **changed)


def test_accepted_components_are_active_where_their_values_stand_out(file):
    recording = mc.read(file())
    assert recording.units.ids == ("0", "2", "3", "4")
    assert recording.duration_s == ORIGINAL.duration_s
    events = recording.count(1 / FRAME_RATE).T > 0
    for mine, row in zip(events, traces(ORIGINAL)[[0, 2, 3, 4]], strict=True):
        np.testing.assert_array_equal(mine, row > 3 * 1.4826 * np.median(row[row > 0]))
    assert "components that CaImAn rejected, left out: 1" in recording.notes


@pytest.mark.parametrize("suffix", [".hdf5", ".h5", ".dat"])
def test_the_content_tells_the_format(suffix, tmp_path):
    assert mc.read(write_caiman(ORIGINAL, tmp_path / f"a{suffix}")).n_units == 4


def test_all_components_are_kept_if_none_was_evaluated(file):
    recording = mc.read(file(idx_components="NoneType"), threshold=4)
    assert recording.n_units == 5
    assert "CaImAn did not evaluate the 5 components: all are kept" in recording.notes


def test_the_frame_rate_may_be_stated(file):
    recording = mc.read(file(), frame_rate=10)
    assert recording.duration_s == 60.0
    assert "the frame rate is 10 Hz as stated; params/data/fr says 30.0" in recording.notes


REFUSED = {
    "not deconvolved": ({"S": "NoneType"}, "it has no deconvolved activity, estimates/S"),
    "missing": ({"S": None}, "it has no deconvolved activity, estimates/S"),
    "out of range": ({"idx_components": np.array([0, 9])}, "is 9, but there are 5 components"),
    "no positions": ({"idx_components": np.array([0.5])}, "is of type float64; it needs whole"),
    "none": ({"idx_components": np.zeros(0)}, "there is no unit in it"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_is_one_sentence(name, file):
    changed, sentence = REFUSED[name]
    assert_refused(file(**changed), sentence)


def test_other_datasets_are_read_as_those_of_any_hdf5_file(file):
    path = file(t=np.array([0.5, 1.0]), k=np.array([1, 2]))
    assert mc.read(path, times="/estimates/t", units="/estimates/k").n_units == 2
