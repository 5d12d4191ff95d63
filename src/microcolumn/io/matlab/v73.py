"""Variables of MATLAB files of version 7.3, which are HDF5 with MATLAB's conventions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._counts import Entries
from .._failures import BadFileError, damaged
from .._limits import check_claim
from .variable import NUMERIC, Variable, sparse_matrix, unreadable

#: Bytes of a matrix that are looked at at a time.
_PIECE = 1 << 23


def variables_v73(file: Any, path: Path) -> list[Variable]:
    """Variables of an `h5py.File`, which must stay open as long as they are read."""
    # #refs# holds the content of cells, #subsystem# that of objects.
    return [_variable(name, file[name], path) for name in file if not name.startswith("#")]


def _variable(name: str, item: Any, path: Path) -> Variable:
    import h5py

    kind = _class(item)
    if isinstance(item, h5py.Group):
        if "MATLAB_sparse" in item.attrs:
            return _sparse(name, item, path)
        if kind in ("struct", ""):
            return Variable(
                name,
                "struct",
                (1, 1),
                lambda: {key: _variable(f"{name}.{key}", item[key], path) for key in item},
            )
    elif isinstance(item, h5py.Dataset):
        return _dataset(name, kind, item, path)
    return unreadable(name, kind or "object")


def _class(item: Any) -> str:
    """MATLAB's class of a group or dataset, empty if it is not stated."""
    stated = item.attrs.get("MATLAB_class", "")
    return stated.decode("latin-1") if isinstance(stated, bytes) else str(stated)


def _dataset(name: str, kind: str, item: Any, path: Path) -> Variable:
    import h5py

    if "MATLAB_object_decode" in item.attrs and item.attrs["MATLAB_object_decode"] > 1:
        return unreadable(name, kind or "object")
    shape: tuple[int, ...] = item.shape[::-1]  # MATLAB's axes are in the opposite order
    if item.attrs.get("MATLAB_empty", 0):  # then the content is the size, such as 0 and 0
        shape = tuple(int(size) for size in _array(name, item, path).ravel())
        if 0 not in shape:
            raise damaged(f"{name} is marked as empty with size {shape}")
        nothing: dict[str, Any] = {"cell": [], "char": [], "struct": {}}
        return Variable(name, kind or "double", shape, lambda: nothing.get(kind, np.zeros(0)))
    if h5py.check_ref_dtype(item.dtype) is h5py.Reference:  # also fields of an array of structs
        return Variable(name, "cell", shape, lambda: _cells(name, item, path))
    if kind == "char":
        return Variable(name, kind, shape, lambda: _text(name, item, shape, path))
    if item.dtype.names:  # real and imaginary part
        return unreadable(name, "complex", shape)
    if kind in NUMERIC or not kind:
        kind = kind or "double"
        in_pieces = (lambda: _pieces(name, item, path)) if len(shape) == 2 else None
        return Variable(name, kind, shape, lambda: _array(name, item, path).T, in_pieces)
    return unreadable(name, kind, shape)


def _array(name: str, item: Any, path: Path) -> NDArray[Any]:
    """Numbers of a dataset, if the file can hold as many as it claims."""
    _check_numbers(name, item, path)
    return np.asarray(item[()])


def _check_numbers(name: str, item: Any, path: Path) -> None:
    if item.dtype.kind not in "biuf":
        raise BadFileError(f"{name} is of type {item.dtype}; save real numbers")
    check_claim(path, item.size * item.dtype.itemsize, name)


def _pieces(name: str, item: Any, path: Path) -> Iterator[Entries]:
    """Nonzero entries of a matrix of numbers, read in blocks of whole chunks."""
    _check_numbers(name, item, path)
    n_columns, n_rows = item.shape
    tall, wide = item.chunks or (1, 1)
    wide *= max(1, _PIECE // (tall * wide * item.dtype.itemsize))
    wide = min(wide, n_rows)
    tall *= max(1, _PIECE // (tall * wide * item.dtype.itemsize))
    for first_column in range(0, n_columns, tall):
        for first_row in range(0, n_rows, wide):
            block = item[first_column : first_column + tall, first_row : first_row + wide]
            columns, rows = np.nonzero(block)
            yield first_row + rows, first_column + columns, block[columns, rows]


def _cells(name: str, item: Any, path: Path) -> list[Variable]:
    check_claim(path, item.size * item.dtype.itemsize, name)
    cells = []
    for n, reference in enumerate(np.asarray(item[()]).ravel()):
        if not reference:
            raise BadFileError(f"cell {n + 1} of {name} refers to nothing; export the file again")
        cells.append(_variable(f"{name}{{{n + 1}}}", item.file[reference], path))
    return cells


def _text(name: str, item: Any, shape: tuple[int, ...], path: Path) -> list[str]:
    """Rows of a char matrix, whose characters are stored column by column."""
    codes = _array(name, item, path).ravel()
    if codes.dtype.kind not in "iu" or len(shape) != 2:
        raise BadFileError(f"{name} is text of type {codes.dtype}; export the file again")
    characters = [chr(int(code) & 0xFFFF) for code in codes]
    n_rows = shape[0] if characters else min(shape[0], 1)  # blank rows take no bytes in the file
    return ["".join(characters[row::n_rows]).rstrip(" \0") for row in range(n_rows)]


def _sparse(name: str, item: Any, path: Path) -> Variable:
    """A sparse matrix: a group with the row of each value, where columns begin, and values."""
    if "jc" not in item or item["jc"].ndim != 1:
        raise BadFileError(f"the sparse matrix {name} lacks its columns; export the file again")
    shape = (int(item.attrs["MATLAB_sparse"]), item["jc"].size - 1)

    def read() -> Any:
        # One without any value has neither rows nor values.
        rows, values = (
            _array(f"{name}.{part}", item[part], path) if part in item else np.zeros(0)
            for part in ("ir", "data")
        )
        return sparse_matrix(name, shape, values, rows, _array(f"{name}.jc", item["jc"], path))

    return Variable(name, "sparse", shape, read)
