"""Sortings of SpikeInterface, in memory and in folders, against SpikeInterface itself."""

import json
import pickle
import warnings

import numpy as np
import pytest
from refusals import assert_refused

import microcolumn as mc
from microcolumn.io.spikeinterface import from_spikeinterface

si = pytest.importorskip("spikeinterface.core")

RATE = 30_000.0
SEGMENTS = [
    {"a": [0, 600, 601], "b": [30_000], "c": []},
    {"a": [], "b": [5, 60_000], "c": [59_999]},
]


@pytest.fixture
def sorting():
    """Two segments of three units, one silent in the first."""
    dicts = [{unit: np.array(t, dtype=np.int64) for unit, t in s.items()} for s in SEGMENTS]
    made = si.NumpySorting.from_unit_dict(dicts, RATE)
    made.set_property("depth", np.array([100.0, np.nan, 300.0]))
    made.set_property("layer", np.array(["IV", "", "V"]))
    made.set_property("quality", np.array(["good", "mua", "good"]))
    made.set_property("area", np.array(["S1", "V1", "V1"]))
    made.set_property("unit_locations", np.zeros((3, 3)))
    return made


def saved(sorting, path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a sorting made of arrays has no provenance
        sorting.save(folder=path)


@pytest.fixture(params=["object", "folder"])
def both(request, sorting, tmp_path):
    """The sorting's recording, read from memory or from a folder."""
    if request.param == "object":
        return lambda **options: from_spikeinterface(sorting, depth_reference="tip", **options)
    saved(sorting, tmp_path / "saved")
    return lambda **options: mc.read(tmp_path / "saved", depth_reference="tip", **options)


def test_segments_follow_each_other_with_a_gap_and_are_epochs(both):
    recording = both()
    assert recording.units.ids == ("a", "b", "c")
    second = 1.0 + 1.0  # the first segment's last spike, and the gap
    expected = {
        "a": [0.0, 0.02, 601 / RATE],
        "b": [1.0, second + 5 / RATE, second + 2.0],
        "c": [second + 59_999 / RATE],
    }
    for train, times in zip(recording.trains, expected.values(), strict=True):
        np.testing.assert_allclose(train, times, rtol=0, atol=5e-9)
    assert recording.epochs.labels == ("segment 0", "segment 1")
    np.testing.assert_allclose([*recording.epochs], [[0, 1], [2, 4]], atol=5e-9)
    assert "2 segments put one after another with 1 s between them" in recording.notes
    assert recording.n_spikes == sum(len(t) for s in SEGMENTS for t in s.values())
    assert both(epochs="segment 1").n_spikes == 3


def test_properties_are_columns(both):
    recording = both(layers="area")
    np.testing.assert_array_equal(recording.units.depth_um, [100.0, np.nan, 300.0])
    assert recording.units.layer == ("S1", "V1", "V1")
    assert recording.units.quality == ("good", "mua", "good")
    assert both().units.layer == ("IV", "", "V")
    assert both(quality="good").units.ids == ("a", "c")
    assert "not one value per unit, not read: unit_locations" in recording.notes


def test_a_single_segment_keeps_its_times(sorting, tmp_path):
    one = si.select_segment_sorting(sorting, [1])
    in_memory = from_spikeinterface(one, depth_reference="tip")
    saved(one, tmp_path / "saved")
    for recording in (in_memory, mc.read(tmp_path / "saved", depth_reference="tip")):
        for unit, train in zip(one.unit_ids, recording.trains, strict=True):
            np.testing.assert_array_equal(train, one.get_unit_spike_train(unit) / RATE)
        assert recording.epochs.labels is None
        assert sum("how long was recorded" in note for note in recording.notes) == 1


class Trap:
    """Unpickling one writes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_nothing_in_a_folder_is_unpickled(sorting, tmp_path):
    saved(sorting, tmp_path / "saved")
    traps = np.array([Trap(tmp_path / "sprung")] * 3, dtype=object)
    np.save(tmp_path / "saved" / "properties" / "trap.npy", traps, allow_pickle=True)
    for name in ("provenance.pkl", "si_folder.pkl", "cached.pkl"):
        (tmp_path / "saved" / name).write_bytes(pickle.dumps(traps[0]))
    recording = mc.read(tmp_path / "saved", depth_reference="tip")
    assert "not read, since opening Python objects could run code: trap" in recording.notes
    assert not (tmp_path / "sprung").exists()


def changed_info(folder, **changes):
    path = folder / "numpysorting_info.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def changed_spikes(folder, name, value, place=-1):
    spikes = np.load(folder / "spikes.npy")
    spikes[name][place] = value
    np.save(folder / "spikes.npy", spikes)


def claimed(folder):
    with (folder / "spikes.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<i8", "fortran_order": False, "shape": (1_250_000_000,)}
        )


def analyzed(sorting, path):
    recording = si.generate_recording(2, RATE, [2.1, 2.1])
    si.create_sorting_analyzer(sorting, recording, sparse=False, format="zarr", folder=path)


SAVES = {
    "a.zarr": (lambda s, path: s.save(folder=path, format="zarr"), "load('{}')"),
    "folder": (lambda s, path: s.save(folder=path, format="npz_folder"), "load('{}')"),
    "a.npz": (si.NpzSortingExtractor.write_sorting, "read_npz_sorting('{}')"),
    "analyzer.zarr": (analyzed, "load('{}').sorting"),
}


@pytest.mark.filterwarnings("ignore")  # SpikeInterface's own, while it saves
@pytest.mark.parametrize("name", SAVES)
def test_what_only_spikeinterface_opens_is_refused_with_the_way_to_open_it(name, sorting, tmp_path):
    save, call = SAVES[name]
    save(sorting, tmp_path / name)
    with pytest.raises(ValueError, match=r"which only SpikeInterface opens; if you") as caught:
        mc.read(tmp_path / name)
    way = f"Recording.from_spikeinterface(spikeinterface.{call.format(tmp_path / name)})"
    assert str(caught.value).endswith(way)


DAMAGE = {
    "no info": (lambda f: (f / "numpysorting_info.json").unlink(), "no numpysorting_info.json, so"),
    "no spikes": (lambda f: (f / "spikes.npy").unlink(), "it has no spikes.npy"),
    "no JSON": (lambda f: (f / "numpysorting_info.json").write_text("{"), "lacks rate, units"),
    "rate": (lambda f: changed_info(f, sampling_frequency=0), "states 0.0 samples per second"),
    "segments": (lambda f: changed_info(f, num_segments=10**9), "and 1000000000 segments"),
    "units": (lambda f: changed_info(f, unit_ids=None), "lacks rate, units"),
    "no unit": (lambda f: changed_info(f, unit_ids=[]), "entry 0 of unit_index"),
    "twice": (lambda f: changed_info(f, unit_ids=["a", "a", "b"]), "are both 'a'"),
    "unit": (lambda f: changed_spikes(f, "unit_index", 3), "entry 6 of unit_index .* is 3, but"),
    "segment": (lambda f: changed_spikes(f, "segment_index", -1), "entry 6 of segment_index"),
    "dtype": (lambda f: np.save(f / "spikes.npy", np.zeros(3)), "spikes.npy has shape"),
    "claim": (claimed, "spikes.npy claims 10,000,000,128 bytes in a file of 128"),
    "truncated": (
        lambda f: (f / "spikes.npy").write_bytes((f / "spikes.npy").read_bytes()[:-1]),
        "spikes.npy claims",
    ),
    "magic": (lambda f: (f / "spikes.npy").write_bytes(b"spikes"), "spikes.npy is no NumPy array"),
    "text": (
        lambda f: np.save(f / "properties" / "layer.npy", np.full(3, 2**31, "u4").view("U1")),
        "layer.npy holds text with an impossible character 0x80000000",
    ),
    "property": (
        lambda f: (f / "properties" / "layer.npy").write_bytes(b"IV"),
        "layer.npy is no NumPy array",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_one_sentence_with_the_folder_and_the_place(name, sorting, tmp_path):
    saved(sorting, tmp_path / "saved")
    damage, sentence = DAMAGE[name]
    damage(tmp_path / "saved")
    assert_refused(tmp_path / "saved", sentence, depth_reference="tip")
