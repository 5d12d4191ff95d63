import struct

import h5py
import numpy as np
import pytest
from matlab_files import V73, cells, save, save_v73
from refusals import assert_refused
from scipy import sparse

from microcolumn.io import read

TIMES = [np.array([0.1, 0.25, 0.9]), np.array([]), np.array([0.5])]
COUNTS = np.array([[0, 2, 0, 1, 0, 3], [1, 0, 0, 0, 0, 0]]).T  # (6 bins, 2 units)


@pytest.mark.parametrize(
    ("variables", "options", "part"),
    [
        ({"X": COUNTS}, {}, "pass bin_width"),
        ({"X": np.eye(3)}, {"bin_width": 0.1}, "units_in='rows'"),
        ({"X": COUNTS}, {"bin_width": 0.0}, "bin_width is 0.0"),
        ({"X": COUNTS}, {"bin_width": 0.1, "units_in": "cells"}, "units_in is 'cells'"),
        ({"X": COUNTS}, {"bin_width": 0.1, "time_unit": "ms"}, "time_unit does not apply"),
        ({"X": COUNTS - 1}, {"bin_width": 0.1}, "has -1 in row 1 and column 1"),
        ({"X": COUNTS / 2}, {"bin_width": 0.1}, "has 0.5 in row 1 and column 2"),
        ({"X": COUNTS * np.nan}, {"bin_width": 0.1}, "has nan in row 1 and column 1"),
        ({"X": COUNTS * 1e9}, {"bin_width": 0.1}, "claims 56,000,000,000 bytes"),
        ({"spikes": cells(TIMES)}, {"bin_width": 0.1}, "bin_width does not apply"),
        ({"spikes": cells(TIMES)}, {"time_unit": "min"}, "time_unit is 'min'"),
        ({"spikes": cells(TIMES)}, {"time_unit": "samples"}, "sampling_rate is None"),
        ({"spikes": cells(TIMES)}, {"sampling_rate": 3e4}, "pass time_unit='samples'"),
        ({"x": np.arange(4.0)}, {}, "no variable holds spikes"),
        ({"x": "text"}, {"variable": "x"}, "neither a cell array"),
        ({"x": cells(["a", "b"])}, {"variable": "x"}, "x{1} (1x1 char) is not a vector"),
        ({"x": cells([*TIMES, *TIMES]).reshape(2, 3)}, {"variable": "x"}, "perhaps trials"),
        ({"s": {"a": 1.0}}, {"variable": "s"}, "no field of s holds spikes"),
        ({"s": {"times": np.arange(3.0)}}, {"variable": "s.b"}, "no field of s"),
        ({"spikes": cells([])}, {}, "no unit"),
        ({"spikes": np.empty((0, 0), dtype=object)}, {}, "(0x0 cell) has no cells, thus no units"),
        ({"depth": np.arange(4.0)}, {"variable": "depth"}, "(1x4 double) is one vector of numbers"),
        ({"spikes": cells([np.array([0.1, np.nan])])}, {}, "spike 1 is at nan"),
        ({"spikes": cells([np.array([-0.2, 0.1])])}, {}, "first spike is at -0.2 s, before 0"),
        ({"x": cells([np.array([1j, 2.0])])}, {"variable": "x"}, "x{1} (1x2 complex) is not a"),
        ({"x": np.array([[1j, 2.0]])}, {"variable": "x"}, "complex numbers"),
        ({"spikes": cells(TIMES), "unit_ids": [1, 2, 2]}, {}, "both '2'"),
        ({"spikes": cells(TIMES), "duration": -1.0}, {}, "duration (1x1 double) is not usable"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(variables, options, part, tmp_path):
    assert part in assert_refused(save(tmp_path / "a.mat", **variables), **options)


def claim(path, old, new):
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    return path


def test_sizes_that_only_a_header_claims_are_refused(tmp_path):
    shape = struct.pack("<2i", 1, 4)
    many = struct.pack("<2i", 30_000, 50_000)
    path = save(tmp_path / "a.mat", spikes=cells([*TIMES, TIMES[0]]))
    claim(path, shape, struct.pack("<2i", 1, 1_500_000_000))
    assert "spikes (1x1500000000 cell) claims 12,000,000,000 bytes" in assert_refused(path)
    path = save(tmp_path / "b.mat", version="4", X=COUNTS.astype(float))
    claim(path, struct.pack("<2i", *COUNTS.shape), many)
    assert "claims 1,500,000,000 bytes" in assert_refused(path, bin_width=0.1)


def test_a_compressed_matrix_full_of_one_number_is_refused_before_it_fills_memory(tmp_path):
    path = save(tmp_path / "a.mat", compressed=True, X=np.ones((200_000, 36)))
    assert "the nonzero part of X (200000x36 double) claims" in assert_refused(
        path, bin_width=0.001
    )


def compressed_counts(path):
    """A compressed matrix of counts: a file, and the bytes in it."""
    counts = np.random.default_rng(0).poisson(1.0, (500, 3)).astype(float)
    save(path, compressed=True, X=counts)
    return path, bytearray(path.read_bytes())


@pytest.mark.parametrize("cut", [1, 5, 200])
def test_compressed_counts_that_are_cut_short_are_refused(cut, tmp_path):
    path, content = compressed_counts(tmp_path / "a.mat")
    path.write_bytes(content[:-cut])
    assert "ends in the middle of a variable" in assert_refused(path, bin_width=0.1)


@pytest.mark.parametrize("kind", ["table", "string", "function_handle"])
def test_what_only_matlab_opens_is_named(kind, tmp_path):
    with V73(tmp_path / "a.mat") as file:
        item = file.file.create_dataset("units", data=np.zeros((1, 6), dtype=np.uint32))
        item.attrs["MATLAB_class"] = np.bytes_(kind)
        item.attrs["MATLAB_object_decode"] = np.int32(3)
    assert f"units is a MATLAB {kind}" in assert_refused(tmp_path / "a.mat", variable="units")
    assert "no variable holds spikes" in assert_refused(tmp_path / "a.mat")


def test_damaged_references_and_sparse_indices_of_version_7_3_are_refused(tmp_path):
    path = save_v73(tmp_path / "a.mat", spikes=TIMES)
    with h5py.File(path, "r+") as file:
        file["spikes"][1, 0] = h5py.Reference()
    assert "cell 2 of spikes refers to nothing" in assert_refused(path)
    path = save_v73(tmp_path / "b.mat", X=sparse.csc_array(COUNTS.astype(float)))
    with h5py.File(path, "r+") as file:
        file["X/ir"][0] = 6
    assert "invalid indices" in assert_refused(path, bin_width=0.1)


def test_several_candidates_are_listed_and_one_can_be_named(tmp_path):
    path = save(tmp_path / "a.mat", first=cells(TIMES), second=cells(TIMES[:1]))
    message = assert_refused(path)
    assert "first (1x3 cell), second (1x1 cell)" in message
    assert "variable=" in message
    assert read(path, variable="second").n_units == 1
    assert "no variable 'third'; it holds first" in assert_refused(path, variable="third")


def test_a_dataset_that_claims_10_gb_is_refused(tmp_path):
    with V73(tmp_path / "a.mat") as file:
        item = file.file.create_dataset("X", (20, 100_000_000), "f8", chunks=(20, 1000))
        item.attrs["MATLAB_class"] = np.bytes_("double")
    assert "claims 16,000,000,000 bytes" in assert_refused(tmp_path / "a.mat", bin_width=0.02)


def test_a_compressed_variable_whose_checksum_disagrees_is_refused(tmp_path):
    path, content = compressed_counts(tmp_path / "a.mat")
    content[-1] ^= 1
    path.write_bytes(content)
    assert "damaged" in assert_refused(path, bin_width=0.1)
