import struct
import tracemalloc
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from matlab_files import V73, cells, either, save
from scipy import sparse

from microcolumn.errors import BadFile, BadInput
from microcolumn.io import read
from microcolumn.io.matlab import load
from microcolumn.io.matlab.variables import NUMERIC, variables_v7

#: Files that MATLAB itself wrote, which SciPy keeps for its own tests.
OF_MATLAB = sorted((Path(scipy.io.matlab.__file__).parent / "tests" / "data").glob("*.mat"))

TIMES = [np.array([0.1, 0.25, 0.9]), np.array([]), np.array([0.5])]
COUNTS = np.array([[0, 2, 0, 1, 0, 3], [1, 0, 0, 0, 0, 0]]).T  # (6 bins, 2 units)


VERSIONS = pytest.mark.parametrize("version", ["5", "7", "7.3"])


def check_times(recording, times=TIMES):
    for train, expected in zip(recording.trains, times, strict=True):
        np.testing.assert_array_equal(train, expected)


@VERSIONS
def test_cells_of_times_are_read_with_every_column_of_the_units(version, tmp_path):
    path = either(
        version,
        tmp_path / "a.mat",
        spikes=TIMES,
        depth=np.array([100.0, 250.0, 900.0]),
        layer=["II/III", "IV", "V/VI"],
        quality=["good", "mua", "good"],
        unit_ids=np.array([7.0, 8.0, 12.0]),
        duration=np.array([[2.0]]),
    )
    recording = read(path, depth_reference="surface")
    check_times(recording)
    assert recording.units.ids == ("7", "8", "12")
    assert recording.units.layer == ("II/III", "IV", "V/VI")
    assert recording.units.quality == ("good", "mua", "good")
    np.testing.assert_array_equal(recording.units.depth_um, [100.0, 250.0, 900.0])
    np.testing.assert_allclose([*recording.epochs], [(0.0, 2.0)])
    assert recording.notes == ("spikes are those of variable spikes (1x3 cell)",)


@VERSIONS
def test_epochs_and_the_reference_of_depths_may_stand_in_the_file(version, tmp_path):
    path = either(
        version,
        tmp_path / "a.mat",
        spikes=TIMES,
        depth_um=np.array([1.0, 2.0, 3.0]),
        depth_reference="layer IV",
        epochs=np.array([[0.0, 0.4], [0.6, 1.0]]),
    )
    recording = read(path)
    assert recording.units.depth_reference == "layer IV"
    assert [*recording.epochs] == [(0.0, 0.4), (0.6, 1.0)]


@VERSIONS
def test_a_struct_with_cells_of_times_is_read_as_cell_explorer_writes_it(version, tmp_path):
    spikes = {
        "UID": np.array([1.0, 2.0, 3.0]),
        "sessionName": "rat1",
        "times": TIMES,
        "ts": [30000 * train for train in TIMES],
        "ids": [np.ones(3), np.array([]), np.array([3.0])],
    }
    path = either(version, tmp_path / "rat1.spikes.cellinfo.mat", spikes=spikes)
    recording = read(path)
    check_times(recording)
    assert recording.units.ids == ("1", "2", "3")
    in_samples = read(
        path, reader="matlab", variable="spikes.ts", time_unit="samples", sampling_rate=30000
    )
    check_times(in_samples)


def test_an_array_of_structs_is_read_in_both_layouts(tmp_path):
    structs = np.zeros((1, 3), dtype=[("times", object), ("layer", object), ("depth", object)])
    for n, train in enumerate(TIMES):
        structs[0, n] = (train, ["IV", "IV", "V"][n], 100.0 * n)
    old = save(tmp_path / "old.mat", unit=structs)
    with V73(tmp_path / "new.mat") as file:
        file.put_structs(
            "unit",
            times=TIMES,
            layer=["IV", "IV", "V"],
            depth=[np.array(100.0 * n) for n in range(3)],
        )
    for path in (old, tmp_path / "new.mat"):
        recording = read(path, depth_reference="tip")
        check_times(recording)
        assert recording.units.layer == ("IV", "IV", "V")
        np.testing.assert_array_equal(recording.units.depth_um, [0.0, 100.0, 200.0])


def test_an_array_of_structs_has_its_times_in_the_only_field_of_vectors(tmp_path):
    structs = np.zeros((1, 3), dtype=[("TimeList", object), ("channel", object)])
    for n, train in enumerate(TIMES):
        structs[0, n] = (train, 7.0 + n)
    old = save(tmp_path / "old.mat", Spikes=structs)
    with V73(tmp_path / "new.mat") as file:
        channels = [np.array(7.0 + n) for n in range(3)]
        file.put_structs("Spikes", TimeList=TIMES, channel=channels)
    for path in (old, tmp_path / "new.mat"):
        recording = read(path)
        check_times(recording)
        [note] = [note for note in recording.notes if note.startswith("spikes are those of")]
        assert "Spikes.TimeList" in note


@pytest.mark.parametrize("version", ["5", "7.3"])
@pytest.mark.parametrize("stored", [np.float64, np.uint8, np.int32, bool, "sparse"])
def test_counts_become_spikes_spread_evenly_in_their_bins(version, stored, tmp_path):
    counts = COUNTS > 0 if stored is bool else COUNTS
    held = sparse.csc_array(counts.astype(float)) if stored == "sparse" else counts.astype(stored)
    path = either(version, tmp_path / "a.mat", X=held, dt=np.array([[0.5]]))
    recording = read(path)
    for unit, train in enumerate(recording.trains):
        expected = [
            0.5 * (i + (j + 0.5) / k)
            for i, k in enumerate(counts[:, unit].astype(int))
            for j in range(k)
        ]
        np.testing.assert_allclose(train, expected, rtol=1e-15)
    assert recording.resolution_s == 0.5
    assert [*recording.epochs] == [(0.0, 3.0)]
    assert "2 units (columns) in 6 bins" in recording.notes[-1]


@VERSIONS
def test_an_array_of_trials_becomes_an_epoch_for_each(version, tmp_path):
    counts = np.random.default_rng(0).poisson(0.3, (3, 6, 4))  # units, bins, trials
    path = either(version, tmp_path / "a.mat", X=counts.astype(float), dt=np.array([[0.5]]))
    with pytest.raises(BadFile, match="dims='units bins trials'"):
        read(path)
    recording = read(path, dims="units bins trials")
    in_time = counts.transpose(2, 1, 0).reshape(-1, 3)
    np.testing.assert_array_equal(recording.count(0.5), in_time)
    assert [*recording.epochs] == [(0.0, 3.0), (3.0, 6.0), (6.0, 9.0), (9.0, 12.0)]
    assert recording.bin(0.5).embed(3).n_bins == 4 * (6 - 2)
    assert recording.units.ids == ("1", "2", "3")
    assert "holds 4 trials" in recording.notes[-1]


def test_dims_are_of_arrays_with_three_axes_alone(tmp_path):
    matrix = save(tmp_path / "a.mat", X=COUNTS, dt=0.5)
    with pytest.raises(BadInput, match="no axis of trials"):
        read(matrix, dims="units bins trials")
    array = save(tmp_path / "b.mat", X=np.ones((2, 3, 4)), dt=0.5)
    for dims in ("units bins", "units bins neurons"):
        with pytest.raises(BadInput, match="dims"):
            read(array, dims=dims)
    with pytest.raises(BadInput, match="units_in"):
        read(array, dims="units bins trials", units_in="rows")
    empty = save(tmp_path / "c.mat", X=np.ones((2, 0, 4)), dt=0.5)
    with pytest.raises(BadInput, match="at least one bin"):
        read(empty, variable="X", dims="units bins trials")


@given(
    counts=arrays(
        np.uint8, st.tuples(st.integers(2, 12), st.integers(2, 6)), elements=st.integers(0, 4)
    ),
    in_rows=st.booleans(),
    version=st.sampled_from(["4", "5", "7", "7.3"]),
)
@settings(deadline=None, max_examples=40)
def test_any_counts_come_back_when_binned_at_their_own_width(
    counts, in_rows, version, tmp_path_factory
):
    path = tmp_path_factory.mktemp("counts") / "a.mat"
    matrix = counts.T if in_rows else counts
    if version == "4":
        save(path, version="4", X=matrix)
    else:
        either(version, path, X=matrix)
    recording = read(path, bin_width=0.02, units_in="rows" if in_rows else "columns")
    words = recording.bin(0.02)
    np.testing.assert_array_equal(words.expand(), counts > 0)
    np.testing.assert_array_equal(np.diff(recording.offsets), counts.sum(axis=0))


def written_counts(version, path, counts):
    """A compressed matrix of counts, as double."""
    if version == "7":
        return save(path, compressed=True, X=counts)
    with V73(path) as file:
        item = file.file.create_dataset("X", data=counts.T, compression="gzip", chunks=True)
        item.attrs["MATLAB_class"] = np.bytes_("double")
    return path


@pytest.mark.parametrize("version", ["7", "7.3"])
def test_counts_in_bins_of_a_millisecond_that_compress_hundreds_of_times_are_read(
    version, tmp_path
):
    rng = np.random.default_rng(0)
    counts = np.zeros((300_000, 36))
    counts[rng.integers(300_000, size=9000), rng.integers(36, size=9000)] = 1
    path = written_counts(version, tmp_path / "a.mat", counts)
    assert counts.nbytes > 100 * path.stat().st_size
    recording = read(path, bin_width=0.001)
    assert recording.n_spikes == counts.sum()
    for unit, train in enumerate(recording.trains):
        np.testing.assert_allclose(train, (np.flatnonzero(counts[:, unit]) + 0.5) * 0.001)


def test_compressed_counts_of_version_7_3_are_never_in_memory_as_a_whole(tmp_path):
    counts = np.zeros((300_000, 36))
    counts[::1000] = 1
    path = written_counts("7.3", tmp_path / "a.mat", counts)
    tracemalloc.start()
    session = load(path, bin_width=0.001)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(map(len, session.trains)) == counts.sum()
    assert peak < counts.nbytes / 2


def test_big_endian_files_are_read(tmp_path):
    def element(kind, data):
        return struct.pack(">2I", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    def matrix(code, shape, name, content):
        head = element(6, struct.pack(">2I", code, 0)) + element(5, struct.pack(">2i", *shape))
        return element(14, head + element(1, name) + content)

    times = element(9, np.array([0.25, 0.5], dtype=">f8").tobytes())
    cell = matrix(1, (1, 1), b"spikes", matrix(6, (1, 2), b"", times))
    path = tmp_path / "a.mat"
    path.write_bytes(b"MATLAB 5.0 MAT-file".ljust(124) + b"\1\0MI" + cell)
    check_times(read(path), [[0.25, 0.5]])
    np.testing.assert_array_equal(scipy.io.loadmat(path)["spikes"][0, 0], [[0.25, 0.5]])


def content(variable):
    """All that a variable holds, down to the last cell and field, as plain Python."""
    held = variable.read()
    if variable.kind == "cell":
        return [content(cell) for cell in held]
    if variable.kind == "struct":
        return {name: content(field) for name, field in held.items()}
    return held.toarray().tolist() if sparse.issparse(held) else np.asarray(held).tolist()


MATRIX = [[1, 2, 3, 4, 5], [2, 0, 0, 0, 0], [3, 0, 0, 0, 0]]
TEXT = "This cell contains this string and 3 arrays of increasing length"
#: What MATLAB wrote into files of SciPy's tests, in its versions 4 to 7.4.
PLANTED = {
    "testcell": [[TEXT], [[1]], [[1, 2]], [[1, 2, 3]]],
    "testmatrix": MATRIX,
    "testminus": [[-1]],
    "testsparse": MATRIX,
    "teststringarray": ["one", "two", "three"],
}


@pytest.mark.skipif(not OF_MATLAB, reason="SciPy is installed without the files of its tests")
def test_files_that_matlab_wrote_hold_what_is_known_of_them():
    n_read = n_compared = 0
    for path in OF_MATLAB:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of files made to be nasty
                variables = variables_v7(path)
                for variable in variables:
                    assert variable.kind not in NUMERIC or len(variable.shape) >= 2
                held = {variable.name: content(variable) for variable in variables}
        except (BadFile, ValueError, TypeError, NotImplementedError, zlib.error):
            # Made to be unreadable, with objects in them, or of version 7.3, which SciPy refuses by
            # NotImplementedError. The counts below say how many must be read.
            continue
        n_read += 1
        for name in PLANTED.keys() & held.keys():
            assert held[name] == PLANTED[name]
            n_compared += 1
    assert n_read > 40
    assert n_compared > 20


def test_version_4_holds_sparse_counts_and_text(tmp_path):
    path = save(
        tmp_path / "a.mat",
        version="4",
        X=sparse.csc_array(COUNTS.astype(float)),
        bin_width=0.1,
        layer=np.array(["IV", "V"]),
    )
    recording = read(path)
    assert recording.units.layer == ("IV", "V")
    np.testing.assert_array_equal(recording.bin(0.1).expand(), COUNTS > 0)


@pytest.mark.parametrize(("unit", "scale"), [("ms", 1e3), ("us", 1e6), ("s", 1.0)])
def test_times_in_other_units_become_seconds(unit, scale, tmp_path):
    spikes = cells([scale * train for train in TIMES])
    path = save(tmp_path / "a.mat", spikes=spikes, duration=2.0 * scale)
    recording = read(path, time_unit=unit)
    check_times(recording)
    assert recording.duration_s == pytest.approx(2.0)
    path = save(tmp_path / "b.mat", spikes=spikes, duration_s=2.0)
    assert read(path, time_unit=unit).duration_s == pytest.approx(2.0)
