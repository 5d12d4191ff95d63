from __future__ import annotations

import pickle
import struct

import numpy as np
import pytest
import written
from conftest import RECORDINGS

from microcolumn import Units
from microcolumn.io import read
from microcolumn.io.neo import load

neo = pytest.importorskip("neo")

TICKS = 400_000


def write_plx(path, spikes, counts=None, n_channels=2, samples=4):
    """A Plexon file of (tick, channel, unit) spikes with short waveforms, as version 106 is."""
    header = np.zeros(7504, dtype=np.uint8)
    struct.pack_into("<4si", header, 0, b"PLEX", 106)
    struct.pack_into("<12i", header, 136, TICKS, n_channels, 1, 0, 8, 4, 2020, 1, 2, 3, 4, 5)
    struct.pack_into("<2i", header, 184, 0, TICKS)
    header[202] = 12  # bits per sample of a waveform
    struct.pack_into("<3H", header, 204, 3000, 5000, 1000)
    told = np.zeros((130, 5), dtype="<i4")
    for _, channel, unit in spikes:
        told[channel, unit] += 1
    header[256 : 256 + told.nbytes] = np.frombuffer(
        (told if counts is None else counts).tobytes(), dtype=np.uint8
    )
    channels = b"".join(
        struct.pack("<32s32s9i", b"sig%03d" % n, b"", n, 0, 0, 0, 1, 0, 0, 0, 0).ljust(1020, b"\0")
        for n in range(1, n_channels + 1)
    )
    event = struct.pack("<32si", b"Start", 258).ljust(296, b"\0")
    blocks = b"".join(
        struct.pack("<2HI4H", 1, tick >> 32, tick & 0xFFFFFFFF, channel, unit, 1, samples)
        + bytes(2 * samples)
        for tick, channel, unit in spikes
    )
    path.write_bytes(header.tobytes() + channels + event + blocks)
    return path


SPIKES = [(400, 1, 0), (800, 1, 1), (1200, 2, 1), (1600, 1, 1), (2**32 + 5, 2, 1)]


def message_of(path, **options):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read(path, **options)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_folder_without_spikes_is_one_sentence_that_names_the_readers_tried(tmp_path):
    for name in ("a.clu.1", "a.res.1", "a.xml", "a.dat"):
        (tmp_path / name).write_text("2\n1\n")
    sentence = message_of(tmp_path, reader="neo")
    assert "Neo finds no spikes in it (with KlustaKwikIO, " in sentence
    assert "Errno" not in sentence


def test_the_real_neuroexplorer_file_equals_what_neo_reads():
    path = RECORDINGS / "formats" / "CS056P07R-MEME1.nex"
    if not path.exists():
        pytest.skip("the recording is not beside the repository")
    theirs = neo.io.NeuroExplorerIO(str(path)).read_segment().spiketrains
    ours = read(path)
    assert ours.n_units == len(theirs) == 71
    assert ours.units.ids == tuple(str(train.name) for train in theirs)
    for our, their in zip(ours.trains, theirs, strict=True):
        np.testing.assert_array_equal(our, their.rescale("s").magnitude)
    assert [*ours.epochs] == [(0.0, pytest.approx(780.62256))]


def test_a_plexon_file_equals_what_neo_reads(tmp_path, capfd):
    path = write_plx(tmp_path / "a.plx", SPIKES)
    recording = read(path)
    assert capfd.readouterr() == ("", "")
    theirs = neo.io.PlexonIO(str(path)).read_segment().spiketrains
    assert recording.units.ids == ("ch1#0", "ch1#1", "ch2#1")
    assert recording.units.quality == ("unsorted", "sorted", "sorted")
    for our, their in zip(recording.trains, theirs, strict=True):
        np.testing.assert_array_equal(our, their.rescale("s").magnitude)
    assert "share a name" in recording.notes[1]
    assert "'sig001'" in message_of(path, names="name")


def test_plexon_spikes_after_the_last_block_are_kept(tmp_path):
    spikes = [(400, 1, 1), (1200, 2, 1), (800, 1, 1)]
    recording = read(write_plx(tmp_path / "a.plx", spikes))
    np.testing.assert_allclose(recording.trains[1], [0.003])
    assert recording.rates_hz[1] > 0
    assert "spikes go on to 0.003 s" in recording.notes[-1]


def test_a_pickle_is_never_opened(tmp_path):
    class Harmful:
        def __reduce__(self):
            return (tmp_path.joinpath("harm").mkdir, ())

    path = tmp_path / "a.pkl"
    path.write_bytes(pickle.dumps(Harmful()))
    assert "can run any code" in message_of(path)
    assert "can run any code" in message_of(path, io="PickleIO")
    assert not (tmp_path / "harm").exists()


def test_unknown_extensions_readers_and_choices_are_refused(tmp_path):
    path = tmp_path / "a.unheard"
    path.write_bytes(b"something else" * 10)
    assert "reader=" in message_of(path)
    assert "NeuroExplorerIO" in message_of(path, io="NoIO")
    nex = written.write_nex(written.small_recording(), tmp_path / "a.nex")
    assert "choose one from 0 to 0" in message_of(nex, segment=1)
    assert "1 blocks, not 2" in message_of(nex, block=2)
    assert "names is 'x'" in message_of(nex, names="x")
    assert read(nex, segment=0, block=0, names="id").units.ids == ("0", "1", "2", "3", "4")


def test_readers_without_a_raw_layer_are_used_too(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("0.1\t0.2\n0.3\n")
    recording = read(path, reader="neo", io="AsciiSpikeTrainIO")
    np.testing.assert_allclose(recording.trains[0], [0.1, 0.2])
    assert "does not apply" in message_of(path, reader="neo", io="AsciiSpikeTrainIO", names="id")


def nex_with(tmp_path, at, layout, *values):
    path = written.write_nex(written.small_recording(), tmp_path / "a.nex")
    content = bytearray(path.read_bytes())
    struct.pack_into(layout, content, at, *values)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("at", "layout", "value", "part"),
    [
        (264, "<d", 0.0, "0.0 ticks per second"),
        (272, "<i", 10**9, "from 1000000000"),
        (280, "<i", 10**9, "claims 1,000,000,000 variables"),
        (280, "<i", -1, "claims -1 variables"),
        (280, "<i", 0, "no spikes"),
        (544 + 76, "<i", 2**31 - 1, "claims 2,147,483,647 entries"),
        (544 + 76, "<i", -1, "claims -1 entries"),
        (544 + 72, "<I", 2**32 - 4, "from byte 4,294,967,292 on"),
        (544 + 208 + 8, "2s", b"10", "called '10'; call units by Neo's ids"),
    ],
)
def test_neuroexplorer_headers_that_claim_too_much_are_refused(at, layout, value, part, tmp_path):
    assert part in message_of(nex_with(tmp_path, at, layout, value))


@pytest.mark.parametrize("kind", ["nex", "plx"])
def test_a_file_whose_first_bytes_are_not_those_of_its_reader_is_refused(kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    if kind == "nex":
        written.write_nex(written.small_recording(), path)
    else:
        write_plx(path, SPIKES)
    path.write_bytes(b"XXXX" + path.read_bytes()[4:-40])
    assert "begins with b'XXXX'" in message_of(path)
    reader = {"nex": "NeuroExplorerIO", "plx": "PlexonIO"}[kind]
    assert "begins with b'XXXX'" in message_of(path, reader="neo", io=reader)


def test_unsorted_neuroexplorer_times_are_sorted_and_negative_ones_outside_the_epoch(tmp_path):
    first = 544 + 208 * 5
    recording = read(nex_with(tmp_path, first, "<2i", 900, 4))
    assert recording.trains[0][:2].tolist() == [4 / 30_000, 900 / 30_000]
    recording = read(nex_with(tmp_path, first, "<i", -3))
    assert "spikes before 0 that lie outside the epochs: 1" in recording.notes
    assert recording.spike_counts.sum() == recording.n_spikes - 1


def test_waveforms_of_a_neuron_are_no_second_unit(tmp_path):
    original = written.small_recording()
    twice = original.with_units(Units(["a", "a_wf", "b_wf", "c", "d"]))
    recording = read(written.write_nex(twice, tmp_path / "a.nex"))
    assert recording.units.ids == ("a", "b_wf", "c", "d")
    assert "waveforms of units left out: 1" in recording.notes


@pytest.mark.parametrize(
    ("at", "layout", "value", "part"),
    [
        (136, "<i", 0, "0 ticks per second"),
        (140, "<i", 10**7, "[10000000, 1, 0] channels"),
        (140, "<i", -1, "channels"),
        (-24, "<H", 9, "unknown type 9"),
        (-12, "<H", 60000, "the last data ending"),
        (-10, "<H", 60000, "the last data ending"),
    ],
)
def test_plexon_headers_that_claim_too_much_are_refused(at, layout, value, part, tmp_path):
    path = write_plx(tmp_path / "a.plx", SPIKES)
    content = bytearray(path.read_bytes())
    struct.pack_into(layout, content, at % len(content), value)
    path.write_bytes(content)
    assert part in message_of(path)


def test_a_plexon_file_without_spikes_is_refused(tmp_path):
    assert "no spike in it" in message_of(write_plx(tmp_path / "a.plx", []))


@pytest.mark.parametrize("kind", ["nex", "plx"])
def test_a_file_cut_short_anywhere_is_refused_in_one_sentence(kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    if kind == "nex":
        written.write_nex(written.small_recording(), path)
    else:
        write_plx(path, SPIKES)
    whole = path.read_bytes()
    for n_bytes in np.linspace(1, len(whole) - 1, 40).astype(int):
        path.write_bytes(whole[:n_bytes])
        assert path.name in message_of(path)


@pytest.mark.parametrize("kind", ["nex", "plx"])
def test_mutated_files_are_read_or_refused_in_one_sentence(kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    if kind == "nex":
        written.write_nex(written.small_recording(), path)
    else:
        write_plx(path, SPIKES)
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(200):
        mutated = whole.copy()
        mutated[rng.integers(whole.size, size=4)] = rng.integers(256, size=4)
        path.write_bytes(mutated)
        try:
            outcome = repr(read(path))
        except (ValueError, OSError) as error:
            outcome = str(error)
        assert outcome.startswith((str(path), "Recording("))
        assert "\n" not in outcome


def test_the_loader_keeps_annotations_as_columns(tmp_path):
    session = load(write_plx(tmp_path / "a.plx", SPIKES))
    assert session.columns["quality"] == ["unsorted", "sorted", "sorted"]
