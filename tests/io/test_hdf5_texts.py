from __future__ import annotations

import struct

import numpy as np
import pytest

from microcolumn.io.hdf5_texts import check_texts
from microcolumn.io.session import BadFileError

h5py = pytest.importorskip("h5py")

#: Characters in the one text whose length is damaged, a number found nowhere else in the file.
LENGTH = 23_457
TEXT = h5py.string_dtype()


def scalar_attribute(file):
    file.create_group("units").attrs["description"] = "x" * LENGTH


def attribute_of_several(file):
    file.create_group("units").attrs.create("colnames", ["id", "x" * LENGTH, "depth"], dtype=TEXT)


def dataset(file):
    file.create_dataset("units/layer", data=["II", "x" * LENGTH, "IV"], dtype=TEXT)


def chunked_dataset(file):
    texts = ["II", "IV", "x" * LENGTH]
    file.create_dataset("units/layer", data=texts, dtype=TEXT, chunks=(2,), maxshape=(None,))


def scalar_dataset(file):
    file.create_dataset("session_description", data="x" * LENGTH, dtype=TEXT)


def descriptor(content):
    """Where the length stands that an address follows; in the heap it has eight bytes."""
    mark = struct.pack("<I", LENGTH)
    places = [n for n in range(len(content) - 16) if content[n : n + 4] == mark]
    (place,) = (n for n in places if content[n + 4 : n + 8] != bytes(4))
    return place


@pytest.mark.parametrize("version", ["earliest", "latest"])
@pytest.mark.parametrize(
    "write",
    [scalar_attribute, attribute_of_several, dataset, chunked_dataset, scalar_dataset],
)
@pytest.mark.parametrize("damage", [b"\xff" * 4, b"\xff" * 16])
def test_a_text_that_claims_gigabytes_is_refused_wherever_it_stands(
    tmp_path, write, version, damage
):
    path = tmp_path / "texts.h5"
    with h5py.File(path, "w", libver=version) as file:
        write(file)
        file["numbers"] = np.arange(-50, 50)
    check_texts(path)
    content = bytearray(path.read_bytes())
    place = descriptor(content)
    content[place : place + len(damage)] = damage
    path.write_bytes(content)
    with pytest.raises(BadFileError, match="a text claims 4,294,967,295 bytes"):
        check_texts(path)


def test_texts_as_long_as_the_file_allows_pass(tmp_path):
    path = tmp_path / "texts.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=["", "y" * 1_000_000], dtype=TEXT)
        file.attrs["empty"] = h5py.Empty("f")
        file.attrs.create("none", [], shape=(0,), dtype=TEXT)
    check_texts(path)
