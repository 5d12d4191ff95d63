"""Variables of MATLAB files of versions 5 to 7, and of version 4.

The files are a sequence of elements, each a type, a number of bytes and that many bytes, the
elements of a matrix inside its own. `scipy.io.loadmat` reads the same files, but makes room for
cells and structs by the size a header claims; here nothing is made that is not in the file.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._failures import BadFileError
from .._limits import check_claim
from .inflating import Inflating
from .variable import (
    NUMERIC,
    PIECE,
    Entries,
    Variable,
    checked_name,
    columns_of,
    sparse_matrix,
    text_rows,
    unreadable,
)

#: Types of elements that hold numbers, as NumPy writes them without the byte order.
_NUMBERS = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
_MATRIX, _COMPRESSED = 14, 15
#: Encodings of text by the type of its element; text of another type is numbers of characters.
_ENCODINGS = {1: "latin-1", 2: "utf-8", 16: "utf-8", 4: "utf-16", 17: "utf-16", 18: "utf-32"}
#: Classes of matrices from 1 on.
_CLASSES = (
    *("cell", "struct", "object", "char", "sparse", "double", "single", "int8", "uint8", "int16"),
    *("uint16", "int32", "uint32", "int64", "uint64", "function_handle", "opaque"),
)
_LOGICAL, _COMPLEX = 0x0200, 0x0800
#: Bytes in which the class, size and name of a compressed variable are looked for.
_PEEK = 4096
_HEADER = 128


class _Tag(NamedTuple):
    """Type and size of an element, its first byte, and that of the next element."""

    kind: int
    n_bytes: int
    start: int
    stop: int


class _Header(NamedTuple):
    """What stands before the content of a matrix."""

    kind: str
    is_logical: bool
    shape: tuple[int, ...]
    name: str


def variables_v5(path: Path) -> list[Variable]:
    """Variables of a MATLAB file of versions 5 to 7, in the order of the file."""
    content = np.memmap(path, dtype=np.uint8, mode="r").data
    order = "<" if bytes(content[126:128]) == b"IM" else ">"
    found = []
    for kind, data in _elements(content[_HEADER:], order):
        if kind == _COMPRESSED:
            found.append(_compressed(data, order, path))
        elif kind == _MATRIX:
            found.append(_variable(data, order))
        else:
            raise BadFileError(f"an element of type {kind} stands where a variable should{_AGAIN}")
    return [variable for variable in found if variable.name]  # the nameless are MATLAB's own


_AGAIN = "; the file is damaged: export or copy it again"


def _elements(content: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Type and bytes of each element, all within ``content``."""
    at = 0
    while at < len(content):
        tag = _tag(content, at, order)
        room = len(content) - tag.start
        if tag.n_bytes > room:
            raise BadFileError(
                f"an element claims {tag.n_bytes:,} bytes where {room:,} are left{_AGAIN}"
            )
        yield tag.kind, content[tag.start : tag.start + tag.n_bytes]
        at = tag.stop


def _tag(content: memoryview, at: int, order: str) -> _Tag:
    """What stands at the beginning of the element at byte ``at``."""
    if at + 8 > len(content):
        raise BadFileError(f"it ends in the middle of a variable{_AGAIN}")
    kind, n_bytes = struct.unpack_from(f"{order}2I", content, at)
    if kind >> 16:  # a small element: type, size and up to four bytes in eight
        if kind >> 16 > 4:
            raise BadFileError(f"an element claims {kind >> 16:,} bytes where 4 are left{_AGAIN}")
        return _Tag(kind & 0xFFFF, kind >> 16, at + 4, at + 8)
    # What is not compressed fills up to a multiple of eight bytes, counted from its tag.
    filled = n_bytes if kind == _COMPRESSED else -(-n_bytes // 8) * 8
    return _Tag(kind, n_bytes, at + 8, at + 8 + filled)


def _next(parts: Iterator[tuple[int, memoryview]]) -> tuple[int, memoryview]:
    part = next(parts, None)
    if part is None:
        raise BadFileError(f"a variable lacks some of its parts{_AGAIN}")
    return part


def _numbers(part: tuple[int, memoryview], order: str) -> NDArray[Any]:
    kind, data = part
    if kind not in _NUMBERS:
        raise BadFileError(f"an element of type {kind} stands where numbers should{_AGAIN}")
    dtype = np.dtype(order + _NUMBERS[kind])
    if len(data) % dtype.itemsize:
        raise BadFileError(f"{len(data)} bytes hold no whole number of {dtype}{_AGAIN}")
    return np.frombuffer(data, dtype)


def _header(parts: Iterator[tuple[int, memoryview]], order: str) -> _Header:
    flags = _numbers(_next(parts), order)
    code = int(flags[0]) if flags.size and flags.dtype.kind == "u" else 0
    if not 1 <= (code & 0xFF) <= len(_CLASSES):
        raise BadFileError(f"a variable is of the unknown class {code & 0xFF}{_AGAIN}")
    kind = _CLASSES[(code & 0xFF) - 1]
    shape: tuple[int, ...] = ()
    if kind != "opaque":  # which has no size of its own
        shape = tuple(_numbers(_next(parts), order).tolist())
        if len(shape) < 2 or min(shape) < 0:
            raise BadFileError(f"a variable has the impossible size {shape!s:.60}{_AGAIN}")
    name = checked_name(bytes(_next(parts)[1]).decode("latin-1"))
    if code & _COMPLEX and kind in {*NUMERIC, "sparse"}:
        kind = "complex"
    elif code & _LOGICAL and kind in NUMERIC:
        kind = "logical"
    return _Header(kind, bool(code & _LOGICAL), shape, name)


def _compressed(data: memoryview, order: str, path: Path) -> Variable:
    """A compressed variable, of which only the first bytes are looked at until it is read."""
    try:
        peek = memoryview(zlib.decompressobj().decompress(data[:_PEEK], _PEEK))
    except zlib.error:
        raise BadFileError(f"a compressed variable cannot be inflated{_AGAIN}") from None
    if len(peek) < 8:
        raise BadFileError(f"a compressed variable is empty{_AGAIN}")
    kind, n_bytes = struct.unpack_from(f"{order}2I", peek)
    if kind != _MATRIX:
        raise BadFileError(f"an element of type {kind} stands where a variable should{_AGAIN}")
    header = _header(islice(_elements(peek[8:], order), 3), order)
    check_claim(path, n_bytes, f"variable {header.name}")

    @cache  # cells are looked at to find spikes, and again to read them
    def read() -> Any:
        return _variable(_inflated(data, n_bytes, header.name), order).read()

    if header.kind not in NUMERIC or len(header.shape) != 2:
        return Variable(header.name, header.kind, header.shape, read)

    def in_pieces() -> Iterator[Entries]:
        return _pieces(data, peek, header, order)

    return Variable(header.name, header.kind, header.shape, read, in_pieces)


def _inflated(data: memoryview, n_bytes: int, name: str) -> memoryview:
    """The bytes of a compressed matrix, no more than it claims, whose checksum must agree."""
    stream = Inflating(data, name)
    content = stream.take(8 + n_bytes)
    stream.finish()
    return content[8:]


def _pieces(data: memoryview, peek: memoryview, header: _Header, order: str) -> Iterator[Entries]:
    """What is not zero in a compressed matrix of numbers, whose first bytes are ``peek``."""
    matrix = _tag(peek, 0, order)
    at = matrix.start
    for _ in range(3):  # class, size and name
        at = _tag(peek, at, order).stop
    tag = _tag(peek, at, order)
    if tag.stop != matrix.start + matrix.n_bytes:
        raise BadFileError(f"{header.name} claims {tag.n_bytes:,} bytes of numbers{_AGAIN}")
    itemsize = _numbers((tag.kind, memoryview(b"")), order).itemsize
    _check_size(header, tag.n_bytes // itemsize)
    stream = Inflating(data, header.name)
    stream.take(tag.start)
    for begin in range(0, tag.n_bytes, PIECE):
        piece = stream.take(min(PIECE, tag.n_bytes - begin))
        values = _numbers((tag.kind, piece), order)
        (places,) = np.nonzero(values)
        columns, rows = np.divmod(begin // itemsize + places, header.shape[0])
        yield rows, columns, values[places]
    stream.take(tag.stop - tag.start - tag.n_bytes)
    stream.finish()


def _check_size(header: _Header, n_values: int) -> None:
    if n_values != np.prod(header.shape, dtype=object):
        raise BadFileError(
            f"{header.name} has {n_values} numbers for its size {header.shape}{_AGAIN}"
        )


def _variable(content: memoryview, order: str, name: str | None = None) -> Variable:
    """The matrix in these bytes; ``name`` where it stands inside another."""
    if not len(content):
        return Variable(name or "", "double", (0, 0), lambda: np.zeros((0, 0)))
    header = _header(_elements(content, order), order)
    if name is not None:
        header = header._replace(name=name)

    def read() -> Any:
        rest = _elements(content, order)
        _header(rest, order)
        return _content(header, rest, order)

    return Variable(header.name, header.kind, header.shape, read)


def _content(header: _Header, parts: Iterator[tuple[int, memoryview]], order: str) -> Any:
    kind, _, shape, name = header
    if kind == "cell":
        cells = _inner(parts, np.prod(shape, dtype=object), name)
        return [_variable(cell, order, f"{name}{{{n + 1}}}") for n, cell in enumerate(cells)]
    if kind == "struct":
        return _fields(header, parts, order)
    if kind == "char":
        return text_rows(_characters(_next(parts), order), shape, name)
    if kind == "sparse":
        rows, starts = (_numbers(_next(parts), order) for _ in range(2))
        values = _sparse_values(header, _next(parts), starts, order)
        columns = columns_of(starts, min(rows.size, values.size), name)
        return sparse_matrix(values, rows, columns, shape, name)
    if kind in NUMERIC:
        values = _numbers(_next(parts), order)
        _check_size(header, values.size)
        return values.reshape(shape, order="F")
    return unreadable(name, kind)()


def _sparse_values(
    header: _Header, part: tuple[int, memoryview], starts: NDArray[Any], order: str
) -> NDArray[Any]:
    """Values of a sparse matrix; MATLAB calls those of a logical one double but writes bytes."""
    kind, data = part
    n_values = int(starts[-1]) if starts.size else 0
    if header.is_logical and len(data) < 8 * n_values:
        kind = 2
    return _numbers((kind, data), order)


def _inner(parts: Iterator[tuple[int, memoryview]], n_claimed: int, name: str) -> list[memoryview]:
    """The matrices inside another, as many as it claims."""
    found = [data for kind, data in parts if kind == _MATRIX]
    if len(found) != n_claimed:
        raise BadFileError(f"{name} claims {n_claimed:,} entries and holds {len(found):,}{_AGAIN}")
    return found


def _fields(
    header: _Header, parts: Iterator[tuple[int, memoryview]], order: str
) -> dict[str, Variable]:
    """Fields of a struct, or of an array of structs as cells with one entry per struct."""
    width = _numbers(_next(parts), order)
    block = bytes(_next(parts)[1])
    if width.size != 1 or width[0] <= 0 or len(block) % width[0]:
        raise BadFileError(f"the names of the fields of {header.name} cannot be told apart{_AGAIN}")
    step = int(width[0])
    blocks = [block[at : at + step] for at in range(0, len(block), step)]
    names = [checked_name(name.split(b"\0")[0].decode("latin-1")) for name in blocks]
    n_structs = int(np.prod(header.shape, dtype=object))
    inner = _inner(parts, n_structs * len(names), header.name)
    fields = {}
    for place, field in enumerate(names):
        title = f"{header.name}.{field}"
        entries = [
            _variable(content, order, title if n_structs == 1 else f"{title}{{{n + 1}}}")
            for n, content in enumerate(inner[place :: len(names)])
        ]
        if n_structs == 1:
            fields[field] = entries[0]
        else:
            fields[field] = Variable(title, "cell", header.shape, entries.copy)
    return fields


def _characters(part: tuple[int, memoryview], order: str) -> str:
    """Characters of a char array, column by column."""
    kind, data = part
    encoding = _ENCODINGS.get(kind, "latin-1")
    if encoding in ("utf-16", "utf-32"):
        encoding += "-le" if order == "<" else "-be"
    return bytes(data).decode(encoding, errors="replace")
