import hashlib
import json
import pickle
import struct

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn import Recording, Units, read, simulate
from microcolumn.study._experiment import Experiment
from microcolumn.study.sources import Source, fingerprint, spread_bins, words_of

UNITS = Units(["a", "b", "c"], [100.0, 700.0, np.nan], ["II/III", "IV", "V/VI"])
TRAINS = [[0.5, 1.5, 8.5], [0.1, 0.2, 0.3, 8.0], [9.0]]


def recording(trains=TRAINS, units=UNITS, epochs=((0.0, 2.0), (8.0, 10.0)), **more):
    return Recording(trains, units, np.array(epochs), **more)


# Few distinct times, ids and labels, so that different recordings share most of their bytes.
times = st.lists(st.sampled_from([0.25, 0.5, 0.75, 1.0]), max_size=3, unique=True).map(sorted)
contents = st.integers(1, 3).flatmap(
    lambda n: st.tuples(
        st.tuples(*[times.map(tuple)] * n),
        st.lists(st.sampled_from(["1", "11", "111", "1,1"]), min_size=n, max_size=n, unique=True),
        st.none() | st.lists(st.sampled_from(["", "1", "11"]), min_size=n, max_size=n),
        st.none() | st.lists(st.sampled_from([0.25, 0.5]), min_size=n, max_size=n),
        st.sampled_from([((0.0, 2.0),), ((0.0, 1.0), (1.0, 2.0)), ((0.0, 2.5),)]),
    )
)


def of_contents(parts):
    trains, ids, layer, depth, epochs = parts
    return recording(trains, Units(ids, depth, layer), epochs)


@settings(deadline=None, max_examples=200)
@given(contents, contents)
def test_fingerprints_are_equal_exactly_where_contents_are(first, second):
    same = fingerprint(of_contents(first)) == fingerprint(of_contents(second))
    assert same == (first == second)


def test_every_part_of_the_table_and_the_epochs_counts():
    ids, depths, layers = list(UNITS.ids), UNITS.depth_um, list(UNITS.layer)
    others = [
        recording(),
        recording(units=Units(["a", "b", "d"], depths, layers)),
        recording(units=Units(ids, [100.0, 701.0, np.nan], layers)),
        recording(units=Units(ids, [100.0, 700.0, 0.0], layers)),
        recording(units=Units(ids, depths, layers, depth_reference="tip")),
        recording(units=Units(ids, None, layers)),
        recording(units=Units(ids, depths, ["II/III", "IV", ""])),
        recording(units=Units(ids, depths)),
        recording(epochs=[[0.0, 2.0], [8.0, 10.5]]),
        recording(epochs=[[0.0, 1.0], [1.0, 2.0], [8.0, 10.0]]),
        recording([TRAINS[0], TRAINS[2], TRAINS[1]]),
        recording([[0.5, 1.5], [0.1, 0.2, 0.3, 8.0, 8.5], [9.0]]),
    ]
    assert len({fingerprint(other) for other in others}) == len(others)


def test_source_notes_and_format_do_not_count(tmp_path):
    original = recording(source="x", notes=["read"])
    original.save(tmp_path / "session.npz")
    again = read(tmp_path / "session.npz", depth_reference="surface")
    assert fingerprint(again) == fingerprint(original) == fingerprint(recording())


def test_the_fingerprint_is_that_of_little_endian_bytes_with_their_lengths():
    parts = [
        b'[["0", "1"], null, null]',
        struct.pack("<3q", 0, 2, 3),
        struct.pack("<3d", 0.0, 0.5, 1.0),
        b"",
        struct.pack("<d", 0.0),
        struct.pack("<d", 2.0),
    ]
    expected = hashlib.sha256(b"".join(struct.pack("<Q", len(part)) + part for part in parts))
    for zero in (0.0, -0.0):
        made = Recording([[zero, 0.5], [1.0]], epochs=[[0.0, 2.0]])
        assert fingerprint(made) == expected.hexdigest()


def test_a_preset_is_simulated_with_its_seed_and_length():
    loaded = Source("x", preset="B4MU", seed=3, minutes=0.5).load()
    expected = simulate.preset("B4MU", seed=3, minutes=0.5)
    assert fingerprint(loaded) == fingerprint(expected)
    assert loaded.units.multiunit.all()


def test_a_file_is_read_with_its_options_and_units_are_selected(tmp_path):
    recording().save(tmp_path / "s.npz")
    source = Source(
        "x",
        file=str(tmp_path / "s.npz"),
        read={"depth_reference": "surface", "epochs": ((0.0, 2.0),)},
        select={"min_rate_hz": 0.5},
    )
    loaded = source.load()
    assert loaded.units.ids == ("a", "b")
    assert loaded.duration_s == 2.0


def test_a_recording_in_memory_is_itself_and_equal_by_content():
    mine = recording()
    source = Source("x", recording=mine)
    assert source.load() is mine
    assert source == Source("x", recording=recording())
    assert source != Source("x", recording=recording(epochs=[[0.0, 10.0]]))
    assert hash(source) == hash(Source("x", recording=recording()))
    assert Source("x", recording=mine, select={"layer": "IV"}).load().units.ids == ("b",)


@pytest.mark.parametrize(
    "source",
    [
        Source("x", preset="T6", seed=np.int64(2)),
        Source("x", preset="T6", minutes=5, select={"layer": ["IV"]}),
        Source("x", file="a.npz", read={"layers": {1: "IV"}, "epochs": np.array([[0, 1.5]])}),
        Source("x", recording=recording(), select={"max_rate_hz": 3}),
    ],
)
def test_sources_survive_json_and_pickling(source):
    assert Source.from_dict("x", json.loads(json.dumps(source.as_dict()))) == source
    assert pickle.loads(pickle.dumps(source)) == source


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 1000),
    width=st.sampled_from([0.0067, 0.020, 1 / 30]),
    most_active=st.none() | st.integers(1, 5),
    max_words=st.none() | st.integers(2, 120),
)
def test_words_are_bins_of_the_most_active_units(seed, width, most_active, max_words):
    rng = np.random.default_rng(seed)
    # Times with many ties in the number of spikes, on and off the edges of bins.
    trains = [
        np.sort(rng.choice([rng.uniform(0, 1.3, n), np.arange(n) * width]))
        for n in rng.integers(0, 8, 4)
    ]
    whole = Recording(trains, epochs=[[0.0, 0.5], [0.51, 0.93], [1.0, 1.3]])
    experiment = Experiment("x", bin_width=width, most_active=most_active, max_words=max_words)
    words = words_of(whole, experiment)

    counts = [sum(any(a <= t <= b for a, b in whole.epochs) for t in train) for train in trains]
    ranked = sorted(range(4), key=lambda unit: (-counts[unit], unit))
    kept = sorted(ranked[: most_active or 4])
    uncut = whole.bin(width)
    n_bins = min(max_words or uncut.n_bins, uncut.n_bins)
    assert words.units.ids == tuple(str(unit) for unit in kept)
    np.testing.assert_array_equal(words.expand(), uncut.expand()[words.bins][:, kept])
    assert words.counts.sum() == words.bins.size == n_bins
    starts = [start for start in uncut.epoch_starts if start < n_bins]
    np.testing.assert_array_equal(words.epoch_starts, starts)
    assert words.window == 1


@given(n_kept=st.integers(1, 30_000), n_left_out=st.integers(1, 10**6))
def test_bins_that_stand_for_a_recording_come_from_all_of_it(n_kept, n_left_out):
    n_bins = n_kept + n_left_out
    bins = spread_bins(n_bins, n_kept)
    assert bins.size == n_kept == np.unique(bins).size
    assert (bins[0], bins[-1] < n_bins) == (0, True)
    edges = np.flatnonzero(np.diff(bins) > 1) + 1
    lengths = np.diff([0, *edges, n_kept])
    assert lengths.min() >= min(500, n_kept)
    # Where many are kept, each tenth of the recording has its share.
    if n_kept >= 10_000:
        shares = np.histogram(bins, bins=np.linspace(0, n_bins, 11))[0]
        np.testing.assert_allclose(shares, n_kept / 10, atol=n_kept / 20 + 2)


def test_words_of_a_short_look_end_an_epoch_wherever_bins_are_left_out():
    whole = Recording([np.arange(0.0, 60.0, 0.5)], epochs=[[0.0, 60.0]])
    words = words_of(whole, Experiment("x", max_words=1000))
    np.testing.assert_array_equal(words.bins, [*range(500), *range(1500, 2000)])
    np.testing.assert_array_equal(words.epoch_starts, [0, 500])
