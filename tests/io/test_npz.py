"""The project's own arrays: read as others write them, saved and read back whole."""

import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from refusals import assert_refused

import microcolumn as mc
from microcolumn.io.npz import save

RECORDINGS = Path(__file__).parents[2].parent / "shared" / "data"
TIMES = [0.001, 0.02, 0.02, 0.05]
UNITS = [1, 0, 1, 1]


def arrays(**changes):
    made = {
        "spike_times": np.array(TIMES),
        "spike_units": np.array(UNITS, dtype=np.int32),
        "unit_ids": np.array([7, 3, 12]),
    } | changes
    return {name: array for name, array in made.items() if array is not None}


def written(path, **changes):
    np.savez(path, **arrays(**changes))
    return path


def check_same(read, original):
    assert read.units.ids == original.units.ids
    np.testing.assert_array_equal(read.spike_times, original.spike_times)
    np.testing.assert_array_equal(read.offsets, original.offsets)
    np.testing.assert_array_equal([*read.epochs], [*original.epochs])
    assert read.epochs.labels == original.epochs.labels
    for name in ("layer", "quality", "depth_reference", "area", "probe"):
        assert getattr(read.units, name) == getattr(original.units, name)
    np.testing.assert_array_equal(read.units.multiunit, original.units.multiunit)
    assert (read.units.depth_um is None) == (original.units.depth_um is None)
    if original.units.depth_um is not None:
        np.testing.assert_array_equal(read.units.depth_um, original.units.depth_um)
    assert read.resolution_s == original.resolution_s


def test_a_simulation_stays_one_when_cut_saved_and_read(tmp_path):
    made = mc.simulate.microcolumn(n_units=4, minutes=0.2, seed=3)
    assert made.simulated
    assert "simulated" in repr(made)
    parts = (made.take([0, 2]), made.restrict([[0, 5]]), made.with_units(made.units))
    for part in (made, *parts, made.select(min_rate_hz=0.0)):
        save(part, tmp_path / "a.npz")
        read = mc.read(tmp_path / "a.npz")
        assert part.simulated
        assert read.simulated
        save(read, tmp_path / "b.npz")
        assert mc.read(tmp_path / "b.npz").simulated
    assert not mc.read(written(tmp_path / "c.npz")).simulated


def test_the_animal_and_names_of_cells_stay_with_a_recording(tmp_path):
    units = mc.Units(["a", "b"], global_id=["41", ""])
    made = mc.Recording([[0.1], [0.2]], units, animal="m1")
    assert (made.take([0]).animal, made.take([0]).units.global_id) == ("m1", ("41",))
    save(made, tmp_path / "a.npz")
    read = mc.read(tmp_path / "a.npz")
    assert (read.animal, read.units.global_id) == ("m1", ("41", ""))
    save(mc.Recording([[0.1], [0.2]]), tmp_path / "b.npz")
    assert mc.read(tmp_path / "b.npz").animal == ""


def test_spikes_go_to_their_units_and_the_silent_one_stays(tmp_path):
    recording = mc.read(written(tmp_path / "a.npz", duration_s=np.float64(0.1)))
    assert recording.units.ids == ("7", "3", "12")
    assert [train.tolist() for train in recording.trains] == [[0.02], [0.001, 0.02, 0.05], []]
    np.testing.assert_allclose([*recording.epochs], [(0.0, 0.1)], rtol=0, atol=1e-9)


def test_columns_epochs_and_labels_are_read(tmp_path):
    recording = mc.read(
        written(
            tmp_path / "a.npz",
            depth_um=np.array([100.0, np.nan, 300.0]),
            depth_reference=np.array("tip"),
            layer=np.array(["IV", "", "V"]),
            quality=np.array(["good", "mua", "good"]),
            multiunit=np.array([False, False, True]),
            epochs=np.array([[0.0, 0.03], [0.04, 0.06]]),
            epoch_labels=np.array(["movie", "dark"]),
            duration_s=np.float64(9.0),
        )
    )
    units = recording.units
    np.testing.assert_array_equal(units.depth_um, [100.0, np.nan, 300.0])
    assert (units.depth_reference, units.layer) == ("tip", ("IV", "", "V"))
    assert units.quality == ("good", "mua", "good")
    assert units.multiunit.tolist() == [False, False, True]
    assert recording.epochs.labels == ("movie", "dark")
    assert recording.duration_s == pytest.approx(0.05)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), with_table=st.booleans())
def test_a_saved_recording_comes_back_whole(seed, with_table, tmp_path_factory):
    rng = np.random.default_rng(seed)
    n_units = int(rng.integers(1, 5))
    trains = [np.sort(rng.uniform(0, 10, rng.integers(0, 6))) for _ in range(n_units)]
    units = mc.Units(
        [f"µ{n}" for n in range(n_units)],
        rng.choice([0.0, np.nan, 250.0], n_units) if with_table else None,
        rng.choice(["", "IV"], n_units) if with_table else None,
        depth_reference="layer IV" if with_table else None,
        quality=rng.choice(["", "good", "mua"], n_units) if with_table else None,
        area=rng.choice(["", "VISp5", "CA1"], n_units) if with_table else None,
        probe=rng.choice(["", "A", "B.0"], n_units) if with_table else None,
        multiunit=rng.random(n_units) < 0.5,
    )
    labels = ["run", "rest"] if with_table else None
    epochs = mc.Epochs([[0.0, 4.0], [4.0, 10.0]], labels)
    original = mc.Recording(
        trains, units, epochs, source="a rig", notes=["one"], resolution_s=0.001
    )
    path = tmp_path_factory.mktemp("saved") / "a.npz"
    save(original, path)
    read = mc.read(path)
    check_same(read, original)
    assert read.notes == ("one", "saved from a rig")


DAMAGE = {
    "a missing array": ({"spike_units": None}, "no array 'spike_units'; .* or name the arrays"),
    "NaN": ({"spike_times": np.array([0.1, np.nan, 0.3, 0.4])}, "unit '7': spike 0 is at nan s"),
    "negative": ({"spike_times": np.array([-0.1, 0.1, 0.2, 0.4])}, "first spike is at -0.1 s, bef"),
    "duplicate ids": ({"unit_ids": np.array([1, 2, 1])}, r"ids\[0\] and ids\[2\] are both '1'"),
    "no unit": (
        {
            "unit_ids": np.empty(0, dtype=int),
            "spike_units": np.empty(0, int),
            "spike_times": np.empty(0),
        },
        "there is no unit in it",
    ),
    "positions": ({"spike_units": np.array([0, 1, 2, 3])}, "entry 3 of spike_units is 3,"),
    "lengths": ({"spike_units": np.array([0, 1])}, "spike_times has 4 entries but spike_units ha"),
    "text": ({"spike_times": np.array(["a"] * 4)}, "spike_times has shape .4,. and dtype <U1"),
    "fractions": ({"spike_units": np.zeros(4)}, "spike_units .* needs one whole number per entry"),
    "columns": ({"layer": np.array(["IV"])}, r"layer has shape \(1,\) for 3 units"),
    "duration": ({"duration_s": np.array([1.0, 2.0])}, "duration_s .* it needs one number"),
    "epochs": ({"epochs": np.array([[3.0, 1.0]])}, "epoch 0 runs from 3.0 to 1.0 s"),
    "a reference": (
        {"depth_um": np.ones(3), "depth_reference": np.array("sky")},
        "depth_reference is 'sky'; choose one of",
    ),
    "objects": ({"layer": np.array([{}, 1, None])}, "layer holds Python objects"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_one_sentence_with_the_file_and_the_place(name, tmp_path):
    changes, sentence = DAMAGE[name]
    assert_refused(written(tmp_path / "a.npz", **changes), sentence)


def test_a_header_that_claims_ten_gigabytes_is_refused_unread(tmp_path):
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        member, {"descr": "<f8", "fortran_order": False, "shape": (1_250_000_000,)}
    )
    with zipfile.ZipFile(written(tmp_path / "a.npz", spike_times=None), "a") as archive:
        archive.writestr("spike_times.npy", member.getvalue() + b"\0" * 32)
    assert_refused(tmp_path / "a.npz", "claims 10,000,000,128 bytes but has 160;")


def bomb(path, name, n_bytes):
    """Add an array of zeros that takes next to nothing until it is read."""
    header = io.BytesIO()
    shape = {"descr": "|u1", "fortran_order": False, "shape": (n_bytes,)}
    np.lib.format.write_array_header_1_0(header, shape)
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open(f"{name}.npy", "w") as file,
    ):
        file.write(header.getvalue() + bytes(n_bytes))
    return path


def test_arrays_that_nobody_needs_are_not_read(tmp_path):
    path = bomb(written(tmp_path / "a.npz"), "raw", 90_000_000)
    tracemalloc.start()
    recording = mc.read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000
    assert recording.notes[0] == "not read: raw"


def test_needed_arrays_that_unpack_to_much_more_than_the_file_are_refused(tmp_path):
    path = bomb(written(tmp_path / "a.npz", spike_times=None), "spike_times", 90_000_000)
    assert_refused(path, r"spike_times claims 90,000,\d+ bytes in a file of")


@pytest.mark.parametrize("name", ["rat_hpc_linear_nelpy", "mouse_retina_p15_demas54"])
def test_real_recordings_have_the_spikes_that_numpy_finds(name):
    path = RECORDINGS / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"the recording {name} is not beside the repository")
    with np.load(path) as file:
        times, units, ids = file["spike_times"], file["spike_units"], file["unit_ids"]
        duration = json.loads(str(file["meta"]))["duration_s"]
    recording = mc.read(path)
    assert recording.units.ids == tuple(map(str, ids))
    assert recording.duration_s == pytest.approx(duration, rel=0, abs=1e-12)
    for n, train in enumerate(recording.trains):
        np.testing.assert_array_equal(train, times[units == n])
