"""Nothing outside the named file or folder is read, and nothing in it is run."""

import json
import os
import pickle
import re
import shutil
import socket

import numpy as np
import pytest
from matlab_files import save_v73

from microcolumn.errors import BadFile
from microcolumn.io import nwb, read, read_flashes
from microcolumn.io._containment import check_contained
from microcolumn.io.sandbox import load_sandboxed

h5py = pytest.importorskip("h5py")

SECRET = b"root:x:0:0:a secret of this machine\n"


@pytest.fixture
def secret(tmp_path):
    file = tmp_path / "passwords"
    file.write_bytes(SECRET * 4)
    return file


@pytest.fixture
def copied(full, tmp_path):
    """A copy of an NWB file, open for writing."""
    path = tmp_path / "hostile.nwb"
    shutil.copy(full, path)
    with h5py.File(path, "r+") as file:
        yield path, file


def outside(group, name, secret, n=4):
    """A dataset of text whose bytes lie in another file."""
    attributes = dict(group[name].attrs) if name in group else {}
    if name in group:
        del group[name]
    external = [(str(secret), 0, len(SECRET) * n)]
    dataset = group.create_dataset(name, (n,), f"S{len(SECRET)}", external=external)
    dataset.attrs.update(attributes)
    return dataset


def sentence(path, **options):
    """What reading a file is refused with."""
    with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
        read(path, **options)
    assert "secret" not in str(caught.value)
    return str(caught.value)


def test_values_in_another_file_are_not_read(copied, secret):
    path, file = copied
    outside(file["units"], "quality", secret)
    file.close()
    assert "/units/quality has its values in another file" in sentence(path)
    with pytest.raises(ValueError, match="values in another file"):
        read_flashes(path, "epochs")


@pytest.mark.parametrize("source", ["passwords", "."])
def test_a_virtual_dataset_may_be_of_its_own_file_alone(tmp_path, source):
    path = tmp_path / "a.h5"
    layout = h5py.VirtualLayout((4,), "f8")
    layout[:] = h5py.VirtualSource(source, "x", (4,))
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(4.0)
        file.create_virtual_dataset("y", layout)
    if source == ".":
        check_contained(path)
    else:
        with pytest.raises(BadFile, match="/y has its values in another file, 'passwords'"):
            check_contained(path)


def test_a_link_to_another_file_is_named_and_one_within_is_followed(copied):
    path, file = copied
    del file["units/quality"]
    file["units/quality"] = h5py.SoftLink("/units/snr")
    file.close()
    check_contained(path)
    with h5py.File(path, "r+") as file:
        file["general/raw\x1b"] = h5py.ExternalLink("/dev/zero", "/x")
    assert r"/general/raw\x1b is a link to '/dev/zero' that leaves the file" in sentence(path)


def test_matlab_files_are_held_to_the_same(tmp_path, secret):
    path = save_v73(tmp_path / "a.mat", spikes=[np.array([0.1, 0.3])], layer=["a"])
    with h5py.File(path, "r+") as file:
        outside(file, "names", secret)
    assert "/names has its values in another file" in sentence(path)


def test_a_reference_that_leads_where_no_link_does_is_not_followed(tmp_path, secret):
    path = save_v73(tmp_path / "a.mat", spikes=[np.array([0.1, 0.3]), np.array([0.2])])
    with h5py.File(path, "r+") as file:
        hidden = file.create_dataset("hidden", (2,), "f8", external=[(str(secret), 0, 16)])
        hidden.attrs["MATLAB_class"] = np.bytes_("double")
        file["spikes"][0, 0] = hidden.ref
    with h5py.File(path, "r+") as file:
        del file["hidden"]  # the reference still leads to it
    assert "a dataset has its values in another file" in sentence(path)


def test_a_fifo_a_device_and_a_socket_are_one_sentence(tmp_path):
    path = tmp_path / "a.npz"
    os.mkfifo(path)
    assert f"{path}: it is a FIFO, which holds no recording" in sentence(path)
    assert "it is a device" in sentence("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "a.nwb"))
        assert "it is a socket" in sentence(tmp_path / "a.nwb")
    with pytest.raises(ValueError, match="it is a FIFO"):
        read_flashes(path, "epochs")


@pytest.fixture
def folder(full_zarr, tmp_path):
    copy = tmp_path / "hostile.nwb.zarr"
    shutil.copytree(full_zarr, copy)
    return copy


def edit(file, **entries):
    file.write_text(json.dumps(json.loads(file.read_text()) | entries))


PICKLE = {"id": "pickle", "protocol": 5}


@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("place", [{"filters": [PICKLE]}, {"compressor": PICKLE}])
def test_a_pickled_column_is_refused_before_anything_is_decoded(folder, place, consolidated):
    header = folder / "units" / "spike_times" / ".zarray"
    if consolidated:
        file = folder / ".zmetadata"
        content = json.loads(file.read_text())
        content["metadata"]["units/spike_times/.zarray"] |= place
        file.write_text(json.dumps(content))
    else:
        edit(header, **place)
    assert "units/spike_times is pickled, which could run code" in sentence(folder)


class Trap:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_column_that_passes_for_references_is_not_decoded(folder, tmp_path):
    def by_an_old_library(path):
        import numcodecs.pickles

        numcodecs.pickles.ALLOW_UNSAFE_PICKLE_DECODE = True
        return nwb.load(path)

    (folder / ".zmetadata").unlink()
    header = folder / "units" / "spike_times" / ".zarray"
    edit(header, filters=[PICKLE], compressor=None, dtype="|O", fill_value=None)
    edit(header.with_name(".zattrs"), zarr_dtype="object")
    (header.parent / "0").write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    with pytest.raises(Exception, match="pickled"):
        load_sandboxed(by_an_old_library, folder, ())
    assert not (tmp_path / "sprung").exists()


def test_a_folder_does_not_lead_to_another(folder, tmp_path):
    (tmp_path / "elsewhere").write_bytes(SECRET)
    chunk = folder / "units" / "quality" / "0"
    chunk.unlink()
    chunk.symlink_to(tmp_path / "elsewhere")
    assert "units/quality/0 is a link that leads out of the folder" in sentence(folder)
    chunk.unlink()
    link = {"name": "quality", "source": "../elsewhere", "path": "/x"}
    edit(folder / "units" / ".zattrs", zarr_link=[link])
    assert "units leads to another folder, '../elsewhere'" in sentence(folder)


def test_a_fifo_in_a_folder_is_named(full_zarr, tmp_path):
    folder = tmp_path / "a.nwb.zarr"
    shutil.copytree(full_zarr, folder)
    (folder / "units" / "snr" / "0").unlink()
    os.mkfifo(folder / "units" / "snr" / "0")
    assert "units/snr/0 is a FIFO" in sentence(folder)


def test_version_3_has_no_pickles(folder):
    sharded = {
        "name": "sharding_indexed",
        "configuration": {"codecs": [{"name": "numcodecs.pickle"}]},
    }
    (folder / "units" / "zarr.json").write_text(json.dumps({"codecs": [sharded]}))
    assert "units is pickled" in sentence(folder)


def test_zarr_as_it_is_written_is_read(folder):
    assert read(folder, depth_reference="tip").n_units > 0
