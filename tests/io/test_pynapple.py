import numpy as np
import pytest
from refusals import assert_refused

from microcolumn.io import read
from microcolumn.io.pynapple import from_pynapple
from microcolumn.recording import Recording

nap = pytest.importorskip("pynapple")

EPOCHS = [[0.0, 1.0], [1.5, 3.0]]


@pytest.fixture
def trains():
    """Spikes on a 30 kHz grid, some on edges of 20 ms bins, and a silent unit."""
    rng = np.random.default_rng(1)
    samples = [np.unique(rng.integers(0, 30_000, 80)) for _ in range(3)]
    samples[1] = np.unique(np.concatenate((samples[1], np.arange(0, 30_000, 600))))
    return [s / 30_000 for s in samples[:2]] + [np.array([])] + [1.5 + samples[2] / 30_000]


def grouped(trains, **metadata):
    return nap.TsGroup(
        {10 + 3 * n: nap.Ts(train) for n, train in enumerate(trains)},
        time_support=nap.IntervalSet(*np.transpose(EPOCHS)),
        metadata=metadata,
    )


@pytest.fixture
def saved(trains, tmp_path):
    path = tmp_path / "group.npz"
    grouped(trains, depth=[100.0, 300.0, 500.0, 700.0]).save(str(path))
    return path


def rewritten(path, **changes):
    """The same archive with some arrays replaced, or left out where None."""
    with np.load(path, allow_pickle=True) as file:
        arrays = {name: file[name] for name in file.files if name != "_metadata"}
    arrays.update(changes)
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def test_a_group_becomes_the_same_words_as_its_arrays(trains):
    recording = from_pynapple(grouped(trains))
    reference = Recording(trains, epochs=EPOCHS)
    assert recording.units.ids == ("10", "13", "16", "19")
    np.testing.assert_array_equal(recording.bin(0.02).expand(), reference.bin(0.02).expand())
    # pynapple rounds times to nanoseconds
    np.testing.assert_allclose(recording.spike_times, reference.spike_times, rtol=0, atol=5.1e-10)
    np.testing.assert_allclose([*recording.epochs], EPOCHS, rtol=0, atol=1e-9)


def test_metadata_of_a_group_is_the_table_of_units(trains):
    group = grouped(
        trains,
        depth=[100.0, 300.0, 500.0, 700.0],
        layer=["II/III", "IV", "IV", "V/VI"],
        area=["a", "b", "b", "a"],
        quality=["good", "mua", "good", "good"],
    )
    recording = Recording.from_pynapple(group, depth_reference="surface", quality="good")
    assert recording.units.ids == ("10", "16", "19")
    assert recording.units.depth_um.tolist() == [100.0, 500.0, 700.0]
    assert from_pynapple(recording.to_pynapple()).units.depth_reference == "surface"
    assert recording.units.layer == ("II/III", "IV", "V/VI")
    by_area = from_pynapple(group, depth_reference="surface", layers="area")
    assert by_area.units.layer == ("a", "b", "b", "a")


def test_a_saved_group_reads_like_the_group_itself_under_any_extension(saved, trains):
    elsewhere = saved.rename(saved.with_suffix(".dat"))
    recording = read(elsewhere)
    reference = from_pynapple(grouped(trains))
    assert recording.source.startswith("a pynapple file")
    assert recording.units.ids == reference.units.ids
    np.testing.assert_array_equal(recording.spike_times, reference.spike_times)
    np.testing.assert_array_equal(recording.offsets, reference.offsets)
    np.testing.assert_allclose([*recording.epochs], EPOCHS, rtol=0, atol=1e-9)


def test_pickled_metadata_stays_closed_and_the_note_says_what_to_do(saved, tmp_path):
    opened = tmp_path / "opened"

    class Trap:
        def __reduce__(self):
            return (open, (str(opened), "w"))

    trap = np.empty((), dtype=object)
    trap[()] = Trap()
    rewritten(saved, _metadata=trap)
    recording = read(saved)
    assert not opened.exists()
    assert "_metadata" in recording.notes[0]
    assert "from_pynapple" in recording.notes[0]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"index": None}, "no array 'index'"),
        ({"start": None}, "no array 'start'"),
        ({"t": np.array([0.1])}, "they need one number per spike"),
        ({"keys": np.array([10, 13, 16])}, "of unit 19, not one of 'keys'"),
        ({"keys": np.array([10, 13, 16, 19, 19])}, "'19'"),
        ({"end": np.array([-1.0, 3.0])}, "time support: epoch 0 runs from 0.0 to -1.0"),
        ({"t": np.array([0.1, "x"], dtype=object)}, "'t' is pickled"),
    ],
)
def test_a_damaged_group_is_one_sentence(saved, changes, sentence):
    assert_refused(rewritten(saved, **changes), sentence, reader="pynapple")
