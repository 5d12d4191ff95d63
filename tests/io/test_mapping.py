"""Files of any layout, where the user names the times and the units."""

import h5py
import matlab_files
import numpy as np
import pytest
from refusals import assert_refused

import microcolumn as mc

TICKS = np.array([250, 500, 750, 1500])
CLUSTERS = np.array([10, 9, 10, 10])
EXPECTED = {"9": [0.5], "10": [0.25, 0.75, 1.5]}


def trains(path, **options):
    recording = mc.read(path, **options)
    pairs = zip(recording.units.ids, recording.trains, strict=True)
    return {name: train.tolist() for name, train in pairs}


def hdf5_file(path, **datasets):
    with h5py.File(path, "w") as file:
        for name, values in datasets.items():
            file[name.replace("__", "/")] = values
    return path


def compound():
    table = np.zeros(4, dtype=[("time", "f8"), ("amplitude", "f4"), ("id", "S3")])
    table["time"], table["id"] = TICKS, [b"10", b"9", b"10", b"10"]
    return table


@pytest.mark.parametrize(
    ("datasets", "times", "units"),
    [
        ({"spikes__t": TICKS, "spikes__clu": CLUSTERS}, "/spikes/t", "/spikes/clu"),
        ({"t": TICKS[:, None], "clu": CLUSTERS[None] * 1.0}, "t", "clu"),
        ({"t": TICKS, "clu": [str(name) for name in CLUSTERS]}, "t", "clu"),
        ({"spikes__table": compound()}, "/spikes/table/time", "/spikes/table/id"),
        ({"units__9__t": [500], "units__10__t": [250, 750, 1500]}, "/units/*/t", None),
    ],
)
@pytest.mark.parametrize("suffix", [".h5", ".hdf5", ""])
def test_datasets_and_columns_of_hdf5_are_read_by_their_paths(
    datasets, times, units, suffix, tmp_path
):
    path = hdf5_file(tmp_path / f"a{suffix}", **datasets)
    assert trains(path, times=times, units=units, time_unit="ms") == EXPECTED


@pytest.mark.parametrize("version", ["5", "7", "7.3"])
@pytest.mark.parametrize(
    ("variables", "times", "units"),
    [
        ({"t": TICKS * 1.0, "clu": CLUSTERS * 1.0}, "t", "clu"),
        ({"s": {"t": TICKS * 1.0, "k": {"clu": CLUSTERS * 1.0}}}, "s.t", "s.k.clu"),
        ({"t": TICKS * 1.0, "clu": [str(name) for name in CLUSTERS]}, "t", "clu"),
    ],
)
def test_variables_and_fields_of_matlab_are_read_by_their_names(
    version, variables, times, units, tmp_path
):
    path = matlab_files.either(version, tmp_path / "a.mat", **variables)
    assert trains(path, times=times, units=units, time_unit="ms") == EXPECTED


@pytest.mark.parametrize("version", ["7", "7.3"])
def test_one_matlab_variable_per_unit_is_read_by_a_pattern(version, tmp_path):
    variables = {"u_9": np.array([500.0]), "u_10": np.array([250.0, 750.0, 1500.0]), "n": 1.0}
    path = matlab_files.either(version, tmp_path / "a.mat", **variables)
    options = {"times": "u_*", "time_unit": "samples", "sampling_rate": 1000}
    assert trains(path, **options) == {f"u_{name}": train for name, train in EXPECTED.items()}


def test_arrays_of_numpy_are_read_by_their_names(tmp_path):
    np.savez(tmp_path / "a.npz", t=TICKS, clu=CLUSTERS, other=np.zeros((3, 3)))
    assert trains(tmp_path / "a.npz", times="t", units="clu", time_unit="ms") == EXPECTED
    np.save(tmp_path / "a.npy", compound())
    assert trains(tmp_path / "a.npy", times="time", units="id", time_unit="ms") == EXPECTED


COUNTS = np.random.default_rng(0).poisson(0.3, (50, 4))


@pytest.mark.parametrize("matrix", [COUNTS, COUNTS.T, COUNTS > 0, COUNTS.astype(float)])
@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_a_matrix_of_numpy_is_read_with_its_bin_width(matrix, suffix, tmp_path):
    path = tmp_path / f"a.{suffix}"
    np.save(path, matrix) if suffix == "npy" else np.savez(path, counts=matrix)
    recording = mc.read(path, bin_width=0.01)
    np.testing.assert_array_equal(recording.bin(0.01).expand(), COUNTS > 0)
    assert recording.resolution_s == 0.01


def test_a_file_of_unknown_layout_is_told_which_mapping_to_state(tmp_path):
    path = hdf5_file(tmp_path / "a.h5", spikes__spiketimes=TICKS, spikes__cluster=CLUSTERS)
    assert_refused(path, r"example times='/spikes/spiketimes' units='/spikes/cluster' \(datasets: ")
    path = matlab_files.save(tmp_path / "a.mat", ts=TICKS * 1.0, unit=CLUSTERS * 1.0)
    assert_refused(path, r"times='ts' units='unit' \(variables: ts \(1x4 doub")
    np.savez(tmp_path / "a.npz", ts=TICKS, unit=CLUSTERS)
    assert_refused(tmp_path / "a.npz", r"times='ts' units='unit' \(arrays: ts, unit\)")
    (tmp_path / "a.dat").write_text("spiketime clu\n250 1\n")
    assert_refused(tmp_path / "a.dat", r"times='spiketime' units='clu' \(columns: spiketime, clu")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"times": "/t", "units": "/x"}, r"nothing is called '/x'; name the datasets"),
        ({"times": "/t"}, "times and units are not known; name the datasets"),
        ({"times": "/x*"}, r"nothing is called '/x\*'; name the datasets"),
        ({"times": "/t*", "units": "/k"}, "units does not apply to one array of times per unit"),
        ({"times": "/t", "units": "/f"}, "/f holds 10.5, which names no unit"),
        ({"times": "/t", "units": "/short"}, "/t has 4 entries but /short has 2"),
        ({"times": "/text", "units": "/k"}, "/text has shape .4,. and dtype .*; it needs one"),
        ({"times": "/t", "units": "/c"}, "/c is of type complex128; name a dataset of numbers"),
        ({"times": "/t", "units": "/k", "time_unit": "h"}, "time_unit is 'h'; choose one of"),
    ],
)
def test_a_mapping_that_does_not_fit_is_one_sentence(options, sentence, tmp_path):
    path = hdf5_file(
        tmp_path / "a.h5",
        t=TICKS,
        k=CLUSTERS,
        f=CLUSTERS + 0.5,
        short=[1, 2],
        text=["a"] * 4,
        c=np.zeros(4, complex),
    )
    assert_refused(path, sentence, **options)
