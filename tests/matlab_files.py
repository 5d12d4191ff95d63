"""MATLAB files of each version: by SciPy, and as MATLAB lays out version 7.3."""

from __future__ import annotations

import struct

import h5py
import numpy as np
import scipy.io
from scipy import sparse


def cells(values):
    made = np.empty((1, len(values)), dtype=object)
    for n, value in enumerate(values):
        made[0, n] = value
    return made


def save(path, *, version="5", compressed=False, **variables):
    scipy.io.savemat(path, variables, format=version, do_compression=compressed)
    return path


class V73:
    """A file of version 7.3 as MATLAB lays it out.

    Axes are transposed, cells refer to datasets in #refs#, an empty array is stored as its size,
    text as numbers of characters, a struct as a group, an array of structs as a group of
    references, a sparse matrix as a group of rows, column starts and values.
    """

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.file = h5py.File(self.path, "w", userblock_size=512)
        self.refs = self.file.create_group("#refs#")
        return self

    def __exit__(self, *_):
        self.file.close()
        with self.path.open("r+b") as file:
            title = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 ."
            file.write(title.ljust(124) + struct.pack("<H2s", 0x0200, b"IM"))

    def put(self, name, value, group=None):
        group = self.file if group is None else group
        if isinstance(value, dict):
            item = group.create_group(name)
            item.attrs["MATLAB_class"] = np.bytes_("struct")
            for field, content in value.items():
                self.put(field, content, item)
        elif isinstance(value, list):
            item = group.create_dataset(name, data=self.references(value))
            item.attrs["MATLAB_class"] = np.bytes_("cell")
        elif isinstance(value, str):
            item = group.create_dataset(name, data=np.array([[ord(c)] for c in value], np.uint16))
            item.attrs["MATLAB_class"] = np.bytes_("char")
            item.attrs["MATLAB_int_decode"] = np.int32(2)
        elif sparse.issparse(value):
            item = group.create_group(name)
            item.attrs["MATLAB_class"] = np.bytes_("double")
            item.attrs["MATLAB_sparse"] = np.uint64(value.shape[0])
            columns = value.tocsc()
            for part, numbers in (("data", columns.data), ("ir", columns.indices)):
                if numbers.size:
                    item[part] = numbers
            item["jc"] = columns.indptr.astype(np.uint64)
        else:
            item = self.put_array(group, name, np.atleast_2d(value))
        return item

    def put_array(self, group, name, array):
        kind = {"float64": "double", "bool": "logical"}.get(array.dtype.name, array.dtype.name)
        numbers = array.astype(np.uint8) if kind == "logical" else array
        if not array.size:
            numbers = np.array(array.shape, dtype=np.uint64)
        item = group.create_dataset(name, data=numbers.T)
        item.attrs["MATLAB_class"] = np.bytes_(kind)
        if not array.size:
            item.attrs["MATLAB_empty"] = np.uint8(1)
        return item

    def references(self, values):
        made = np.empty((len(values), 1), dtype=h5py.ref_dtype)
        for n, value in enumerate(values):
            made[n, 0] = self.put(f"r{len(self.refs)}", value, self.refs).ref
        return made

    def put_structs(self, name, **fields):
        group = self.file.create_group(name)
        group.attrs["MATLAB_class"] = np.bytes_("struct")
        for field, values in fields.items():
            group.create_dataset(field, data=self.references(values))


def save_v73(path, **variables):
    with V73(path) as file:
        for name, value in variables.items():
            file.put(name, value)
    return path


def either(version, path, **variables):
    """The same variables written in one of the versions; lists are cells."""
    if version == "7.3":
        return save_v73(path, **variables)
    return save(
        path,
        compressed=version == "7",
        **{name: as_scipy(value) for name, value in variables.items()},
    )


def as_scipy(value):
    if isinstance(value, dict):
        return {name: as_scipy(content) for name, content in value.items()}
    return cells([as_scipy(cell) for cell in value]) if isinstance(value, list) else value
