"""Variables of MATLAB files of version 4: matrices of numbers or text, no cells."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._failures import BadFileError
from .variable import Variable, checked_name, sparse_matrix, text_rows, unreadable

#: Numbers by the third digit of a matrix's type, as NumPy writes them without the byte order.
_NUMBERS = ("f8", "f4", "i4", "i2", "u2", "u1")
_CLASSES = {"f8": "double", "f4": "single", "i4": "int32", "i2": "int16", "u2": "uint16"}
_HEADER = 20


def variables_v4(path: Path) -> list[Variable]:
    """Variables of a MATLAB file of version 4, in the order of the file."""
    content = np.memmap(path, dtype=np.uint8, mode="r").data
    found, at = [], 0
    while at < len(content):
        variable, at = _variable(content, at)
        found.append(variable)
    return found


def _variable(content: memoryview, at: int) -> tuple[Variable, int]:
    """The matrix at byte ``at``, and where the next begins."""
    order = _byte_order(content, at)
    code, n_rows, n_columns, is_complex, n_name = struct.unpack_from(f"{order}5i", content, at)
    number, content_kind = code // 10 % 10, code % 10
    if min(n_rows, n_columns, n_name) < 0 or number >= len(_NUMBERS) or content_kind > 2:
        raise _not_matlab()
    dtype = np.dtype(order + _NUMBERS[number])
    start = at + _HEADER + n_name
    n_bytes = n_rows * n_columns * dtype.itemsize
    stop = start + n_bytes * (2 if is_complex else 1)
    name = bytes(content[at + _HEADER : start]).rstrip(b"\0").decode("latin-1")
    if stop > len(content):
        raise BadFileError(
            f"variable {name!r:.40} claims {n_bytes:,} bytes where {len(content) - at:,} are left; "
            "the file is damaged or not of MATLAB: export or copy it again"
        )
    checked_name(name)
    if is_complex:
        shape = (n_rows, n_columns)
        return Variable(name, "complex", shape, unreadable(name, "complex")), stop
    values = np.frombuffer(content[start : start + n_bytes], dtype)
    return _as_variable(name, values.reshape((n_rows, n_columns), order="F"), content_kind), stop


def _byte_order(content: memoryview, at: int) -> str:
    """Byte order of the header at byte ``at``, whose type is a number of four digits below 2000."""
    if at + _HEADER > len(content):
        raise _not_matlab()
    for order, first_digit in (("<", 0), (">", 1)):
        (code,) = struct.unpack_from(f"{order}i", content, at)
        if 0 <= code < 2000 and code // 1000 == first_digit:
            return order
    raise _not_matlab()


def _not_matlab() -> BadFileError:
    return BadFileError(
        "it is no MATLAB file of any version, or damaged; export it again, "
        "or name its format with reader="
    )


def _as_variable(name: str, matrix: NDArray[Any], content_kind: int) -> Variable:
    if content_kind == 1:
        return Variable(name, "char", matrix.shape, lambda: _text(name, matrix))
    if content_kind == 0:
        kind = _CLASSES.get(matrix.dtype.str[1:], "uint8")
        return Variable(name, kind, matrix.shape, lambda: matrix)
    if matrix.shape[1] == 4:  # with imaginary parts
        return Variable(name, "complex", matrix.shape, unreadable(name, "complex"))
    if matrix.shape[1] != 3 or not matrix.size or not np.isfinite(matrix).all():
        raise BadFileError(
            f"the sparse matrix {name} is not of rows, columns and values; repair it"
        )
    # Row, column and value of each entry, counted from 1; the last row is the matrix's size.
    shape = (int(matrix[-1, 0]), int(matrix[-1, 1]))
    rows, columns, values = matrix[:-1].T
    return Variable(
        name,
        "sparse",
        shape,
        lambda: sparse_matrix(values, rows - 1, columns - 1, shape, name),
    )


def _text(name: str, matrix: NDArray[Any]) -> list[str]:
    characters = [chr(int(code) & 0xFFFF) for code in np.nan_to_num(matrix.ravel(order="F"))]
    return text_rows(characters, matrix.shape, name)
