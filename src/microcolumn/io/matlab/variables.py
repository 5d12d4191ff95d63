"""Variables of MATLAB files of any version: their classes and sizes, read when they are asked for.

SciPy reads versions up to 7, h5py reads version 7.3, which is HDF5 with MATLAB's conventions.
pymatreader does both, but drops sizes, makes a cell array of one cell its content, and reads all of
a variable whatever size it claims.
"""

import math
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...errors import BadFile, damaged
from ...safe_text import as_text
from .._containment import is_hdf5
from .._counts import Entries, Numbers
from ..failures import check_claim

#: Classes whose content is an array of numbers.
NUMERIC = {"double", "single", "logical"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
#: Bytes before the first variable of a file of versions 5 to 7; the last two tell the byte order.
_HEADER = 128
#: Bytes of a matrix that are looked at at a time.
_PIECE = 1 << 23


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, a field of a struct, or what is in a cell."""

    #: As MATLAB writes it: ``spikes``, ``spikes.times``, ``spikes{3}``.
    name: str
    #: MATLAB's class, except ``"sparse"`` for sparse matrices and ``"complex"`` for any complex.
    kind: str
    #: Size in MATLAB's order of axes.
    shape: tuple[int, ...]
    #: Gives the content: an array of numbers (``NUMERIC``), a `scipy.sparse.coo_array`
    #: (``sparse``), a list of str, one per row (``char``), a list of `Variable` (``cell``), or a
    #: dict of them (``struct``; the fields of an array of structs are cells).
    read: Callable[[], Any]
    #: Gives the nonzero entries of a matrix piece by piece, if it may not fit into memory.
    in_pieces: Callable[[], Iterator[Entries]] | None = None

    def __post_init__(self) -> None:
        if not (self.name + self.kind).isprintable():
            raise damaged(f"a variable is called {self.name!r:.40}, which is no name")

    def __str__(self) -> str:
        size = "x".join(map(str, self.shape))
        return f"{self.name} ({size} {self.kind})" if size else f"{self.name} ({self.kind})"

    @property
    def is_empty(self) -> bool:
        """Whether it has no entry."""
        return 0 in self.shape

    @property
    def is_vector(self) -> bool:
        """Whether at most one of its sizes differs from 1."""
        return sum(size != 1 for size in self.shape) <= 1

    @property
    def is_series(self) -> bool:
        """Whether it is a vector of numbers, which may have none."""
        return self.kind in NUMERIC and (self.is_empty or self.is_vector)

    def numbers(self) -> NDArray[Any]:
        """All its numbers in one vector; none where it is something else."""
        if self.kind not in NUMERIC or self.is_empty:
            return np.zeros(0)
        return np.asarray(self.read()).ravel()

    def text(self) -> str:
        """The text of a char array of one row; empty where it is something else."""
        return "".join(self.read()) if self.kind == "char" and self.shape[0] <= 1 else ""

    def entries(self) -> Iterator[Entries]:
        """Nonzero entries of a matrix, in pieces and in any order."""
        if self.in_pieces is not None:
            yield from self.in_pieces()
            return
        matrix = self.read()
        if isinstance(matrix, sparse.coo_array):
            matrix.sum_duplicates()
            rows, columns = matrix.coords
            yield rows, columns, matrix.data
        else:
            places = np.nonzero(matrix)
            yield places[0], places[1], matrix[places]


def unreadable(name: str, kind: str, shape: tuple[int, ...] = ()) -> Variable:
    """A variable that only MATLAB opens (an object, a table, a string), or complex numbers."""
    problem = "holds complex numbers; save real ones"
    if kind != "complex":
        problem = f"is a MATLAB {kind}, which no other program opens; save a cell array of times"

    def read() -> Any:
        raise BadFile(f"{name} {problem}")

    return Variable(name, kind, shape, read)


def sparse_matrix(
    name: str, shape: tuple[int, int], values: Numbers, rows: Numbers, starts: Numbers
) -> sparse.coo_array:
    """A sparse matrix from its compressed columns, once all indices are known to be valid."""
    n_values = min(rows.size, values.size)
    native = values[:n_values].astype(values.dtype.newbyteorder("="))
    places = rows[:n_values].astype(np.int64), starts.astype(np.int64)
    try:
        matrix = sparse.csc_array((native, *places), shape=shape)
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise damaged(f"the sparse matrix {name} has invalid indices ({error})") from None
    return matrix.tocoo()


@contextmanager
def opened(path: Path) -> Iterator[list[Variable]]:
    """Variables of a file of any version; they can be read until the block ends."""
    with path.open("rb") as file:
        head = file.read(10)
    if head != b"MATLAB 7.3" and not is_hdf5(path):
        yield variables_v7(path)
        return
    import h5py

    try:
        hdf5 = h5py.File(path, "r")
    except OSError:
        raise damaged("its HDF5 part is damaged") from None
    with hdf5:
        # #refs# holds the content of cells, #subsystem# that of objects.
        yield [_from_hdf5(name, hdf5[name], path) for name in hdf5 if not name.startswith("#")]


def variables_v7(path: Path) -> list[Variable]:
    """Variables of a file, in the order of the file; each is loaded when it is read."""
    from scipy.io import whosmat

    _check_end(path)
    return [
        Variable(name, kind, tuple(shape), cache(partial(_load, path, name, kind, tuple(shape))))
        for name, shape, kind in whosmat(path, appendmat=False, chars_as_strings=False)
        if not name.startswith("__")  # MATLAB's own
    ]


def _check_end(path: Path) -> None:
    """Refuse a file that was cut short; SciPy would list the variables that are left."""
    with path.open("rb") as file:
        order = {b"IM": "<", b"MI": ">"}.get(file.read(_HEADER)[-2:])
        if order is None:  # version 4
            return
        at, size = _HEADER, path.stat().st_size
        while at < size:
            file.seek(at)
            tag = file.read(8)
            at += 8 + (struct.unpack(f"{order}2I", tag)[1] if len(tag) == 8 else 0)
    if at != size:
        raise damaged("it ends in the middle of a variable")


def _load(path: Path, name: str, kind: str, shape: tuple[int, ...]) -> Any:
    """Content of a variable, if the file can hold as many entries as its header claims."""
    from scipy.io import loadmat

    if kind != "sparse":
        entry_bytes = 8 if kind in ("cell", "struct") else 1
        check_claim(path, math.prod(shape) * entry_bytes, str(Variable(name, kind, shape, dict)))
    value = loadmat(path, appendmat=False, variable_names=[name], chars_as_strings=True)[name]
    if isinstance(value, str):  # SciPy's account of what is wrong with it
        raise damaged(f"variable {name} is damaged ({value:.100})")
    if kind == "struct" and value.dtype.names is None:  # SciPy's struct without fields
        return {}
    return _from_scipy(name, value).read()


def _from_scipy(name: str, value: Any) -> Variable:
    """A value that SciPy loaded, with MATLAB's class and size."""
    from scipy.io import matlab

    if value is None:  # a struct without fields
        return Variable(name, "struct", (1, 1), dict)
    is_sparse: bool = sparse.issparse(value)
    if is_sparse and value.dtype.kind != "c":
        return Variable(name, "sparse", value.shape, lambda: _checked_sparse(name, value))
    if isinstance(value, matlab.MatlabObject | matlab.MatlabFunction | matlab.MatlabOpaque):
        return unreadable(name, "object")
    if value.dtype.names:
        columns = {field: value[field] for field in value.dtype.names}
        if value.size == 1:  # the fields of an array of structs are cells
            columns = {field: column.item() for field, column in columns.items()}
        fields = {field: _from_scipy(f"{name}.{field}", held) for field, held in columns.items()}
        return Variable(name, "struct", value.shape, lambda: fields)
    if value.dtype.kind == "O":
        cells = enumerate(value.ravel(order="F"), start=1)
        cells_read = [_from_scipy(f"{name}{{{n}}}", cell) for n, cell in cells]
        return Variable(name, "cell", value.shape, lambda: cells_read)
    if value.dtype.kind == "U":
        shape = (value.size, value.itemsize // 4)
        return Variable(name, "char", shape, lambda: [str(row).rstrip(" \0") for row in value.flat])
    kind = {"float64": "double", "float32": "single"}.get(value.dtype.name, value.dtype.name)
    if kind not in NUMERIC:
        return unreadable(name, "complex", value.shape)
    return Variable(name, kind, value.shape, lambda: value)


def _checked_sparse(name: str, value: Any) -> sparse.coo_array:
    if value.format == "coo":  # version 4, whose indices SciPy checks
        return sparse.coo_array(value)
    return sparse_matrix(name, value.shape, value.data, value.indices, value.indptr)


def _from_hdf5(name: str, item: Any, path: Path) -> Variable:
    import h5py

    kind = as_text(item.attrs.get("MATLAB_class", ""))  # empty if it is not stated
    if isinstance(item, h5py.Group):
        if "MATLAB_sparse" in item.attrs:
            return _sparse_group(name, item, path)
        if kind in ("struct", ""):
            return Variable(
                name,
                "struct",
                (1, 1),
                lambda: {key: _from_hdf5(f"{name}.{key}", item[key], path) for key in item},
            )
    elif isinstance(item, h5py.Dataset):
        return _dataset(name, kind, item, path)
    return unreadable(name, kind or "object")


def _dataset(name: str, kind: str, item: Any, path: Path) -> Variable:
    import h5py

    if "MATLAB_object_decode" in item.attrs and item.attrs["MATLAB_object_decode"] > 1:
        return unreadable(name, kind or "object")
    shape: tuple[int, ...] = item.shape[::-1]  # MATLAB's axes are in the opposite order
    if item.attrs.get("MATLAB_empty", 0):  # then the content is the size, such as 0 and 0
        shape = tuple(map(int, _array(name, item, path).ravel()))
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
        raise BadFile(f"{name} is of type {item.dtype}", "save real numbers")
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
            raise damaged(f"cell {n + 1} of {name} refers to nothing")
        cells.append(_from_hdf5(f"{name}{{{n + 1}}}", item.file[reference], path))
    return cells


def _text(name: str, item: Any, shape: tuple[int, ...], path: Path) -> list[str]:
    """Rows of a char matrix, whose characters are stored column by column."""
    codes = _array(name, item, path).ravel()
    if codes.dtype.kind not in "iu" or len(shape) != 2:
        raise damaged(f"{name} is text of type {codes.dtype}")
    characters = [chr(int(code) & 0xFFFF) for code in codes]
    n_rows = shape[0] if characters else min(shape[0], 1)  # blank rows take no bytes in the file
    return ["".join(characters[row::n_rows]).rstrip(" \0") for row in range(n_rows)]


def _sparse_group(name: str, item: Any, path: Path) -> Variable:
    """A sparse matrix: a group with the row of each value, where columns begin, and values."""
    if "jc" not in item or item["jc"].ndim != 1:
        raise damaged(f"the sparse matrix {name} lacks its columns")
    shape = (int(item.attrs["MATLAB_sparse"]), item["jc"].size - 1)

    def read() -> Any:
        # One without any value has neither rows nor values.
        rows, values = (
            _array(f"{name}.{part}", item[part], path) if part in item else np.zeros(0)
            for part in ("ir", "data")
        )
        return sparse_matrix(name, shape, values, rows, _array(f"{name}.jc", item["jc"], path))

    return Variable(name, "sparse", shape, read)
