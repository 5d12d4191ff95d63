import pickle
import struct

import numpy as np
import pytest
import written
from conftest import RECORDINGS
from refusals import assert_refused

from microcolumn import Recording
from microcolumn.io import read
from microcolumn.io.neo import from_neo

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
    assert "'sig001'" in assert_refused(path, names="name")


def test_a_pickle_is_never_opened(tmp_path):
    class Harmful:
        def __reduce__(self):
            return (tmp_path.joinpath("harm").mkdir, ())

    path = tmp_path / "a.pkl"
    path.write_bytes(pickle.dumps(Harmful()))
    assert "can run code of theirs" in assert_refused(path)
    assert "io is 'PickleIO'; choose one of" in assert_refused(path, io="PickleIO")
    assert not (tmp_path / "harm").exists()


def test_unknown_extensions_readers_and_choices_are_refused(tmp_path):
    path = tmp_path / "a.unheard"
    path.write_bytes(b"something else" * 10)
    assert "reader=" in assert_refused(path)
    assert "NeuroExplorerIO" in assert_refused(path, io="NoIO")
    nex = written.write_nex(written.small_recording(), tmp_path / "a.nex")
    assert "segment is 1; choose 0 to 0" in assert_refused(nex, segment=1)
    assert "1 blocks, not 2" in assert_refused(nex, block=2)
    assert "names is 'x'" in assert_refused(nex, names="x")
    assert read(nex, segment=0, block=0, names="id").units.ids == ("0", "1", "2", "3", "4")


def nex_with(tmp_path, at, layout, *values):
    path = written.write_nex(written.small_recording(), tmp_path / "a.nex")
    content = bytearray(path.read_bytes())
    struct.pack_into(layout, content, at, *values)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("at", "layout", "value", "part"),
    [
        (264, "<d", 0.0, "share no time"),
        (272, "<i", 10**9, "one starts at 33333.33333 s"),
        (280, "<i", 10**9, "cannot be read as a format of Neo"),
        (280, "<i", -1, "no spikes"),
        (280, "<i", 0, "no spikes"),
        (544 + 76, "<i", 2**31 - 1, "claims 2,147,483,647 spikes and has 230"),
        (544 + 76, "<i", -1, "claims -1 spikes"),
        (544 + 72, "<I", 2**32 - 4, "claims 50 spikes and has 0"),
        (544 + 208 + 8, "2s", b"10", "called '10'; call units by Neo's ids"),
    ],
)
def test_neuroexplorer_headers_that_claim_too_much_are_refused(at, layout, value, part, tmp_path):
    assert part in assert_refused(nex_with(tmp_path, at, layout, value))


def test_unsorted_neuroexplorer_times_are_sorted_and_negative_ones_outside_the_epoch(tmp_path):
    first = 544 + 208 * 5
    recording = read(nex_with(tmp_path, first, "<2i", 900, 4))
    assert recording.trains[0][:2].tolist() == [4 / 30_000, 900 / 30_000]
    recording = read(nex_with(tmp_path, first, "<i", -3))
    assert "spikes before 0 that lie outside the epochs: 1" in recording.notes
    assert recording.spike_counts.sum() == recording.n_spikes - 1


@pytest.mark.parametrize(
    ("at", "layout", "value", "part"),
    [
        (136, "<i", 0, "cannot be read as a format of Neo"),
        (140, "<i", 10**7, "it has 0 of 5 spikes"),
        (140, "<i", -1, "it has 0 of 5 spikes"),
        (-24, "<H", 9, "it has 4 of 5 spikes"),
        (-12, "<H", 60000, "and ends at"),
        (-10, "<H", 60000, "and ends at"),
    ],
)
def test_plexon_headers_that_claim_too_much_are_refused(at, layout, value, part, tmp_path):
    path = write_plx(tmp_path / "a.plx", SPIKES)
    content = bytearray(path.read_bytes())
    struct.pack_into(layout, content, at % len(content), value)
    path.write_bytes(content)
    assert part in assert_refused(path)


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


def test_spikes_before_0_are_kept_where_the_train_starts_before_them():
    recording = from_neo([train([-0.5, 0.1], start=-1.0)])
    assert recording.spike_counts.tolist() == [2]
    assert list(recording.epochs) == [(-1.0, 2.0)]


def test_the_epoch_is_what_all_trains_cover_and_holds_a_spike_on_its_end():
    recording = from_neo([train([0.5, 1.0], 1.0, name="a"), train([0.7], 2.0, name="b")])
    assert recording.duration_s == pytest.approx(1.0)
    assert recording.rates_hz[0] == pytest.approx(2.0)
    assert "cover different times" in recording.notes[0]
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
