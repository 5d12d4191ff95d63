"""Variables of MATLAB files up to version 7, read by SciPy."""

from __future__ import annotations

import math
import struct
from functools import cache, partial
from pathlib import Path
from typing import Any

from scipy import sparse

from .._failures import BadFileError, damaged
from .._limits import check_claim
from .variable import NUMERIC, Variable, sparse_matrix, unreadable

#: Bytes before the first variable of a file of versions 5 to 7; the last two tell the byte order.
_HEADER = 128


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
        raise BadFileError(f"variable {name} is damaged ({value:.100}); export or copy it again")
    if kind == "struct" and value.dtype.names is None:  # SciPy's struct without fields
        return {}
    return _variable(name, value).read()


def _variable(name: str, value: Any) -> Variable:
    """A value that SciPy loaded, with MATLAB's class and size."""
    from scipy.io import matlab

    if value is None:  # a struct without fields
        return Variable(name, "struct", (1, 1), dict)
    is_sparse: bool = sparse.issparse(value)
    if is_sparse and value.dtype.kind != "c":
        return Variable(name, "sparse", value.shape, lambda: _sparse(name, value))
    if isinstance(value, matlab.MatlabObject | matlab.MatlabFunction | matlab.MatlabOpaque):
        return unreadable(name, "object")
    if value.dtype.names:
        columns = {field: value[field] for field in value.dtype.names}
        if value.size == 1:  # the fields of an array of structs are cells
            columns = {field: column.item() for field, column in columns.items()}
        fields = {field: _variable(f"{name}.{field}", held) for field, held in columns.items()}
        return Variable(name, "struct", value.shape, lambda: fields)
    if value.dtype.kind == "O":
        cells = enumerate(value.ravel(order="F"), start=1)
        found = [_variable(f"{name}{{{n}}}", cell) for n, cell in cells]
        return Variable(name, "cell", value.shape, lambda: found)
    if value.dtype.kind == "U":
        shape = (value.size, value.itemsize // 4)
        return Variable(name, "char", shape, lambda: [str(row).rstrip(" \0") for row in value.flat])
    kind = {"float64": "double", "float32": "single"}.get(value.dtype.name, value.dtype.name)
    if kind not in NUMERIC:
        return unreadable(name, "complex", value.shape)
    return Variable(name, kind, value.shape, lambda: value)


def _sparse(name: str, value: Any) -> sparse.coo_array:
    if value.format == "coo":  # version 4, whose indices SciPy checks
        return sparse.coo_array(value)
    return sparse_matrix(name, value.shape, value.data, value.indices, value.indptr)
