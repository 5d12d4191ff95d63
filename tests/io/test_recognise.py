import warnings

import pytest
import written
from refusals import assert_refused

from microcolumn.io._recognise import recognise

WRITERS = {
    "nwb": written.write_nwb,
    "matlab": written.write_matlab_v5,
    "csv": written.write_csv,
    "npz": written.write_npz,
    "pynapple": written.write_pynapple,
    "neo": written.write_nex,
}


@pytest.mark.parametrize("name", WRITERS)
def test_content_tells_the_format_under_any_extension(name, tmp_path):
    suffix = ".npz" if name in ("npz", "pynapple") else ".dat"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = WRITERS[name](written.small_recording(), tmp_path / f"session{suffix}")
    if path.suffix == ".mat":
        path = path.rename(tmp_path / "session.dat")
    assert recognise(path) == name
    assert recognise(path.rename(tmp_path / "session.csv")) == name


def test_the_two_kinds_of_hdf5_are_told_apart_by_the_header_of_matlab(tmp_path):
    path = written.write_matlab_v73(written.small_recording(), tmp_path / "session.nwb")
    assert recognise(path) == "matlab"


@pytest.mark.parametrize(
    ("suffix", "reader"),
    {
        ".nix": "neo",
        ".kwik": "neo",
        ".h5": "hdf5",
        ".mat": "matlab",
        ".nwb": "nwb",
        "": "hdf5",
    }.items(),
)
def test_hdf5_that_is_no_nwb_goes_to_the_reader_of_its_extension(suffix, reader, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / f"session{suffix}", "w") as file:
        file["spikes"] = [1.0, 2.0]
    assert recognise(tmp_path / f"session{suffix}") == reader


@pytest.mark.parametrize("size", [512, 1024, 4096])
def test_hdf5_behind_a_block_of_the_users_is_hdf5(size, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "session.dat", "w", userblock_size=size) as file:
        file["spikes"] = [1.0, 2.0]
    assert recognise(tmp_path / "session.dat") == "hdf5"
    assert recognise(tmp_path / "session.dat", mapped=True) == "hdf5"


def test_extensions_decide_where_content_does_not(tmp_path):
    for name, reader in {"a.mat": "matlab", "a.nwb": "nwb", "a.plx": "neo", "a.csv": "csv"}.items():
        (tmp_path / name).write_bytes(b"\0\1\2\3")
        assert recognise(tmp_path / name) == reader


def test_a_folder_of_nothing_and_an_empty_file_are_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"is a folder without spike_times.npy or any other mark"):
        recognise(tmp_path)
    for name in ("empty.xyz", "empty.nwb", "empty.csv", "empty.mat"):
        (tmp_path / name).touch()
        assert_refused(tmp_path / name, "is empty; export or copy it again")
