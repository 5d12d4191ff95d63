"""Sessions of Klusters and NeuroScope: groups, clusters, what their numbers 0 and 1 mean."""

import numpy as np
import pytest
import written
from planted_klusters import RATE, write_group, write_klusters, write_xml
from refusals import assert_refused

import microcolumn as mc

SPIKES = [(200, 2), (100, 0), (300, 1), (400, 3), (500, 2), (600, 1)]


@pytest.fixture
def session(tmp_path):
    write_group(tmp_path, 3, SPIKES)
    write_xml(tmp_path)
    return tmp_path


def test_every_cluster_from_2_on_is_a_unit_of_its_group(tmp_path):
    original = written.small_recording()
    recording = mc.read(write_klusters(original, tmp_path / "s1"))
    assert recording.units.ids == ("1_2", "1_3", "2_2", "2_3")  # the last unit has no spikes
    for train, exact in zip(recording.trains, original.trains, strict=False):
        np.testing.assert_allclose(train, exact, rtol=0, atol=0.5 / RATE + 1e-12)
    assert mc.read(tmp_path / "s1", layers="shank").units.layer == ("1", "1", "2", "2")


def test_artefacts_and_unsorted_spikes_are_left_out_with_a_note(session):
    recording = mc.read(session)
    assert [train.tolist() for train in recording.trains] == [[0.01, 0.025], [0.02]]
    assert "spikes of cluster 0, artefacts, left out: 1" in recording.notes
    assert "spikes of cluster 1, which could not be told apart, left out: 2" in recording.notes


def test_unsorted_spikes_are_a_multiunit_if_asked_for(session):
    recording = mc.read(session, mua=True)
    assert recording.units.ids == ("3_1", "3_2", "3_3")
    assert recording.units.quality == ("mua", "good", "good")
    assert recording.units.multiunit.tolist() == [True, False, False]


@pytest.mark.parametrize("file", ["s1.xml", "s1.clu.3", "s1.res.3"])
def test_any_file_of_a_session_names_it(file, session):
    write_group(session, 1, SPIKES, "other.{kind}.{group}")
    assert mc.read(session / file).units.ids == ("3_2", "3_3")
    assert_refused(session, "it holds several sessions: other, s1; name one of their files")


def test_names_may_end_in_the_kind(tmp_path):
    write_group(tmp_path, 12, SPIKES, "a.b.{group}.{kind}")
    assert mc.read(tmp_path, sampling_rate=1000).trains[1].tolist() == [0.4]


@pytest.mark.parametrize(("suffix", "rate"), [(".dat", RATE), (".eeg", 1250), (".lfp", 1250)])
def test_the_raw_file_tells_how_long_was_recorded(suffix, rate, session):
    (session / f"s1{suffix}").write_bytes(bytes(2 * 8 * rate))
    assert mc.read(session).duration_s == 1.0


def test_the_sampling_rate_is_that_of_the_parameters_or_the_callers(session):
    recording = mc.read(session, sampling_rate=10_000)
    assert recording.trains[1].tolist() == [0.04]
    assert "the sampling rate is 10000 Hz as stated; s1.xml says 20000.0" in recording.notes
    (session / "s1.xml").unlink()
    sentence = "s1.xml states no sampling rate as a plain number; pass sampling_rate= in Hz"
    assert_refused(session, sentence)
    assert_refused(session, "the sampling rate is -1; pass sampling_rate= in Hz", sampling_rate=-1)


def test_parameters_that_unfold_or_refer_elsewhere_are_only_text(session):
    bomb = '<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/hostname">]>'
    path = session / "s1.xml"
    path.write_text(path.read_text().replace("<parameters", f"{bomb}<parameters", 1))
    assert mc.read(session).n_units == 2
    path.write_text(f"{bomb}<samplingRate>&b;</samplingRate>")
    assert_refused(session, "s1.xml states no sampling rate as a plain number")


DAMAGE = {
    "clu": ("3\n2\n2\n", "s1.res.3 has 6 entries but s1.clu.3 after its first line has 2"),
    "res": ("1\n2\nx\n", "s1.res.3 does not hold one whole number per line; it is damaged"),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("text", [None, "1 2\n3 4\n", "1.5\n", "nan\n", "9e999\n", ""])
def test_damage_is_one_sentence(kind, text, session):
    content, sentence = DAMAGE[kind]
    file = session / f"s1.{kind}.3"
    file.write_text(content if text is None else text)
    assert_refused(session, sentence if text is None else rf"s1\.{kind}\.3")
    file.unlink()
    assert_refused(session, rf"has no \.{kind} file|no \.clu|without spike_times")


def test_a_link_out_of_the_folder_is_refused(session, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "s1.clu.3"
    (session / "s1.clu.3").rename(outside)
    (session / "s1.clu.3").symlink_to(outside)
    assert_refused(session, "s1.clu.3 is a link that leads out of the folder")
