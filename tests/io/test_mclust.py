"""T-files of MClust: what they count is read from the header, or asked for."""

import os

import numpy as np
import pytest
import written
from planted_mclust import HEADER, write_mclust, write_t
from refusals import assert_refused

import microcolumn as mc

TIMES = [0.0125, 0.5, 12.3456, 100.0]


@pytest.mark.parametrize(
    ("bits", "extension"), [(32, ".t"), (32, ".t32"), (64, ".t64"), (64, ".t"), (32, ".T")]
)
def test_a_folder_is_read_whatever_the_width_of_its_timestamps(bits, extension, tmp_path):
    original = written.small_recording()
    recording = mc.read(write_mclust(original, tmp_path / "session", bits, extension))
    assert recording.units.ids == tuple(f"TT1_{name}" for name in original.units.ids[:-1])
    for train, exact in zip(recording.trains, original.trains, strict=False):
        np.testing.assert_allclose(train, exact, rtol=0, atol=0.5e-4 + 1e-12)
    assert recording.units.quality is None


@pytest.mark.parametrize("n_spikes", [1, 2, 3])
@pytest.mark.parametrize("bits", [32, 64])
def test_few_timestamps_tell_their_width(n_spikes, bits, tmp_path):
    times = TIMES[:n_spikes]
    recording = mc.read(write_t(tmp_path / "a.t", times, bits=bits))
    np.testing.assert_array_equal(recording.trains[0], times)


def test_files_marked_by_an_underscore_are_questionable(tmp_path):
    write_t(tmp_path / "TT1_1.t", TIMES)
    write_t(tmp_path / "TT1_2._t", TIMES)
    recording = mc.read(tmp_path)
    assert recording.units.quality == ("good", "questionable")
    [note] = [note for note in recording.notes if "questionable" in note]
    assert note.endswith("(._t): 1 of 2; keep quality 'good' to leave them out")
    assert mc.read(tmp_path, quality="good").units.ids == ("TT1_1",)


@pytest.mark.parametrize("extension", [".t", "._t", "._t32", "._t64", ".raw64"])
def test_a_file_without_a_header_is_known_by_its_extension(extension, tmp_path):
    bits = 64 if "64" in extension else 32
    path = write_t(tmp_path / f"a{extension}", TIMES, bits=bits, header=b"")
    assert mc.read(path, time_unit="0.1 ms").trains[0].tolist() == TIMES


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a.t", b""),
        ("a.t", HEADER.replace(b"(tenths of msecs)", b"-- units are whatever was passed in.")),
        ("a.raw64", HEADER),
    ],
)
def test_an_unknown_unit_of_time_is_asked_for(name, header, tmp_path):
    bits = 64 if "64" in name else 32
    path = write_t(tmp_path / name, TIMES, bits=bits, header=header, per_second=1e6)
    assert_refused(path, rf"{name} does not say what its timestamps count; pass", reader="mclust")
    recording = mc.read(path, reader="mclust", time_unit="us")
    np.testing.assert_allclose(recording.trains[0], TIMES)


def test_a_stated_unit_of_time_wins(tmp_path):
    path = write_t(tmp_path / "a.t", TIMES)
    assert mc.read(path, time_unit="0.1 ms").trains[0][-1] == 100.0
    assert mc.read(path, time_unit="samples", sampling_rate=32_000).trains[0][-1] == 31.25
    assert_refused(path, r"time_unit is 'minutes'; choose one of", time_unit="minutes")


DAMAGE = {
    "cut": (HEADER + b"\0\0\0\1\0\0", "ends in the middle of a timestamp"),
    "no end": (HEADER[:60] + bytes(8), "the header of a.t has no end"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_one_sentence(name, tmp_path):
    content, sentence = DAMAGE[name]
    (tmp_path / "a.t").write_bytes(content)
    assert_refused(tmp_path, sentence)


def test_a_link_that_is_named_itself_is_followed_and_a_pipe_is_refused(tmp_path):
    link = tmp_path / "link.t"
    link.symlink_to(write_t(tmp_path / "a.t", TIMES))
    assert mc.read(link).n_spikes == len(TIMES)
    os.mkfifo(tmp_path / "b.t")
    assert_refused(tmp_path, r"b.t is (no file|a FIFO)")
